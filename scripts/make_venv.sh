#!/bin/sh
# Make a virtual environment with the given Python, or with the first that is new enough.
# Usage: scripts/make_venv.sh FOLDER [PYTHON]
# Its pip is the newest, or at least the first that knows groups of dependencies.
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
# The pip that comes with Python is a file that runs as it is, and installs the newest. Installing that one first,
# and compiling it, would take twice as long.
wheel=$("$python" - <<'END'
import ensurepip, glob, os, sysconfig
folders = os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"), sysconfig.get_config_var("WHEEL_PKG_DIR")
print(*[path for folder in folders if folder for path in glob.glob(os.path.join(folder, "pip-*.whl"))][:1])
END
)
"$python" -m venv --clear ${wheel:+--without-pip} "$folder"
# Without pip, the next run would take the environment for a whole one.
PYTHONPATH=$wheel "$folder/bin/python" -m pip --disable-pip-version-check install --quiet --no-compile \
    --find-links "$(dirname "$wheel")" "pip>=25.1" || {
    rm -rf "$folder"
    exit 1
}
