"""Shows a file in the desktop's file manager."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

_SERVICE, _PATH = "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1"


def show_in_folder(path: Path, parent: QObject) -> None:
    """Open the folder of a file, with the file selected where the desktop can do that.

    `parent` keeps the call to the desktop alive until it is answered.
    """
    if not _select(path, parent):
        _open_folder(path)


def _open_folder(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.absolute().parent)))


def _select(path: Path, parent: QObject) -> bool:
    """Ask the file manager over D-Bus to select a file; return whether it could be asked."""
    try:
        # Imported here: other desktops than Linux's may lack it.
        from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher  # noqa: PLC0415
    except ImportError:
        return False
    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return False
    message = QDBusMessage.createMethodCall(_SERVICE, _PATH, _SERVICE, "ShowItems")
    message.setArguments([[QUrl.fromLocalFile(str(path.absolute())).toString()], ""])
    watcher = QDBusPendingCallWatcher(bus.asyncCall(message), parent)

    def answered() -> None:
        if watcher.isError():
            _open_folder(path)
        watcher.deleteLater()

    watcher.finished.connect(answered)
    return True
