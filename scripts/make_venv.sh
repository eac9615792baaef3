#!/bin/sh
# Make a virtual environment with the given Python, or with the first that is new enough.
# Usage: scripts/make_venv.sh FOLDER [PYTHON]
set -eu

folder=$1
wanted=${2:-}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for name in ${wanted:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
        if is_new_enough "$name"; then
            command -v "$name"
            return
        fi
    done
    echo "pcaimage needs Python 3.11 or newer, and ${wanted:-what is on the PATH} is not." >&2
    return 1
}

python=$(find_python)

# Debian and Ubuntu keep the parts that make virtual environments in a package of their own.
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 && command -v apt-get >/dev/null; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" -ne 0 ]; then
        echo "This Python cannot make virtual environments yet. Please run:" >&2
        echo "    sudo apt-get install $package" >&2
        exit 1
    fi
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$package"
fi

echo "Making $folder with $("$python" --version) ($python)"
"$python" -m venv --clear "$folder"
