#!/bin/sh
# Add the application, its icons and its file type to this user's desktop.
# Usage: scripts/install_desktop.sh PROGRAM
set -eu

program=$1
name=org.pcaimage.PcaImage
share=${XDG_DATA_HOME:-$HOME/.local/share}
root=$(cd "$(dirname "$0")/.." && pwd)

# A desktop entry quotes a path with spaces; the path of a program never holds the other reserved characters.
mkdir -p "$share/applications"
sed -e "s|^Exec=pcaimage|Exec=\"$program\"|" -e "s|^TryExec=.*|TryExec=$program|" \
    "$root/resources/$name.desktop" >"$share/applications/$name.desktop"

install -D -m 644 "$root/icons/app/pcaimage.svg" "$share/icons/hicolor/scalable/apps/$name.svg"
for size in 16 32 48 64 128 256 512; do
    install -D -m 644 "$root/icons/app/pcaimage-$size.png" \
        "$share/icons/hicolor/${size}x${size}/apps/$name.png"
done

install -D -m 644 "$root/resources/$name.metainfo.xml" "$share/metainfo/$name.metainfo.xml"
install -D -m 644 "$root/resources/$name.mime.xml" "$share/mime/packages/$name.xml"

# Desktops without these programs find the files at the next login.
if command -v update-mime-database >/dev/null; then update-mime-database "$share/mime"; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database "$share/applications"; fi
echo "pcaimage is in the desktop's menu now, and opens .pcai and .pcalab files."
