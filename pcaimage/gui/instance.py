"""Receives the files that later starts of the program hand over to the open window."""

from __future__ import annotations

import os
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication

from pcaimage.handover import ANSWER, MOST_BYTES, files_of

WAIT = 200
"""Milliseconds between two looks whether a dialog that takes all input is still open."""


class Instance(QObject):
    """Listens for requests of later starts."""

    asked = Signal(object)
    """A list of paths to open, absolute; with none, the window is only to be shown."""

    def __init__(self, where: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._connect)
        # The listening process holds a lock, so an existing socket was left by a process that has ended.
        QLocalServer.removeServer(where)
        self._server.listen(where)

    @property
    def listening(self) -> bool:
        """Whether requests are heard."""
        return self._server.isListening()

    def close(self) -> None:
        """Stop listening, and end connections, which would otherwise call deleted objects when they end."""
        self._server.close()
        for connection in self._server.findChildren(QLocalSocket):
            connection.readyRead.disconnect()
            connection.disconnected.disconnect()
            connection.abort()

    def _connect(self) -> None:
        while (connection := self._server.nextPendingConnection()) is not None:
            connection.readyRead.connect(partial(self._read, connection))
            connection.disconnected.connect(connection.deleteLater)
            self._read(connection)

    def _read(self, connection: QLocalSocket) -> None:
        if connection.bytesAvailable() > MOST_BYTES:
            connection.abort()
        elif connection.canReadLine():
            found = files_of(bytes(connection.readLine().data()))
            if found is None:
                connection.abort()
                return
            connection.write(ANSWER)
            connection.disconnectFromServer()
            self.ask(*found)

    def ask(self, files: list[str], token: str) -> None:
        """Emit a request as soon as no dialog is open that takes all input."""
        if QApplication.activeModalWidget() is not None:
            QTimer.singleShot(WAIT, self, lambda: self.ask(files, token))
            return
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # Qt needs the token to bring the window to the front
        self.asked.emit(files)
