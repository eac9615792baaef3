"""Receives the files that later starts of the program hand over to the open window."""

from __future__ import annotations

import os
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication

from pcaimage.machine.handover import ANSWER, MOST_BYTES, files_of

SILENCE = 5000  # milliseconds after which a connection is closed, whatever it has sent
MOST_CONNECTIONS = 64
"""The number of connections that are open at once; a file manager may start one process for each file."""
SOON, TOGETHER = 100, 1000  # milliseconds until a request is told, and between requests that are told as one
WAIT = 200  # milliseconds between two looks whether a dialog that takes all input is still open


class Instance(QObject):
    """Listens for requests of later starts, and joins those that come together.

    Nothing is told while the signal of a socket is on the stack: whoever is told may run an event loop, in
    which the socket would be destroyed.
    """

    coming = Signal(object)
    """Absolute paths that are about to be opened; with none, the window is only to be shown."""
    asked = Signal(object, bool)  # absolute paths to open, and whether several requests were for them

    def __init__(self, where: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files: list[str] = []
        self._apart = self._told = False
        """Whether the files were asked for one by one, and whether all of them have been told."""
        self._joining = QTimer(self, singleShot=True, interval=TOGETHER)
        self._telling = QTimer(self, singleShot=True)
        self._telling.timeout.connect(self._tell)
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
        self._telling.stop()
        self._server.close()
        for connection in self._connections:
            connection.readyRead.disconnect()
            connection.disconnected.disconnect()
            connection.abort()

    @property
    def _connections(self) -> list[QLocalSocket]:
        return self._server.findChildren(QLocalSocket)

    def _connect(self) -> None:
        while (connection := self._server.nextPendingConnection()) is not None:
            connection.setReadBufferSize(MOST_BYTES + 1)
            connection.readyRead.connect(partial(self._read, connection))
            connection.disconnected.connect(connection.deleteLater)
            QTimer.singleShot(SILENCE, connection, connection.abort)
            if len(self._connections) > MOST_CONNECTIONS:
                connection.abort()
            else:
                self._read(connection)

    def _read(self, connection: QLocalSocket) -> None:
        """Read the request of a connection once it is complete; there is only one."""
        if connection.state() != QLocalSocket.LocalSocketState.ConnectedState:
            return
        if connection.bytesAvailable() > MOST_BYTES:
            connection.abort()
        elif connection.canReadLine():
            found = files_of(bytes(connection.readAll().data()))
            if found is None:
                connection.abort()
                return
            connection.write(ANSWER)
            connection.disconnectFromServer()
            self.ask(*found)

    def ask(self, files: list[str], token: str) -> None:
        """Have files opened soon, together with those of requests that came just before."""
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # Qt needs the token to bring the window to the front
        if not files:
            QTimer.singleShot(0, self, partial(self.coming.emit, []))
            return
        if self._told and not self._joining.isActive():
            self._files, self._apart = [], False
        new = [file for file in files if file not in self._files]
        self._apart |= bool(self._files and new)
        self._files, self._told = [*self._files, *new], False
        self._joining.start()
        self._telling.start(SOON)

    def _tell(self) -> None:
        """Tell what was asked for as soon as no dialog is open that takes all input."""
        if self._telling.interval() == SOON:  # not again while it waits
            self.coming.emit(self._files)
        if QApplication.activeModalWidget() is not None:
            self._telling.start(WAIT)
        elif not self._told:
            self._told = True
            self.asked.emit(list(self._files), self._apart)
