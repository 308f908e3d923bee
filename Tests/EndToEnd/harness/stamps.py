"""When the kernel had what is read from a socket: later than that nothing can hide in a busy process."""

import asyncio
import socket
import struct

SO_TIMESTAMPNS = 35


class StampedSocket:
    """A socket in the hands of an asyncio transport. `at` is when the kernel had what was read last, in nanoseconds."""

    def __init__(self, inner: socket.socket):
        inner.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._inner = inner
        self.at = 0

    @classmethod
    def within(cls, transport) -> "StampedSocket":
        """Takes the place of the transport's own."""
        if not isinstance(transport._sock, cls):
            transport._sock = cls(transport._sock)
        return transport._sock

    def __getattr__(self, name: str):
        return getattr(self._inner, name)

    def recv(self, size: int) -> bytes:
        return self.recvfrom(size)[0]

    def recvfrom(self, size: int) -> tuple[bytes, object]:
        data, notes, _, address = self._inner.recvmsg(size, 128)
        for level, kind, value in notes:
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                seconds, nanoseconds = struct.unpack("qq", value[:16])
                self.at = seconds * 1_000_000_000 + nanoseconds
        return data, address


class StampedWebSocket(StampedSocket):
    """Of a WebSocket whose server doesn't compress, from the end of one frame on: when each text was there.

    Frames are read one by one: asked for all that there is, the kernel tells when the last of it came.
    """

    def __init__(self, inner: socket.socket):
        super().__init__(inner)
        self._texts: list[tuple[int, bytes]] = []
        self._frame, self._missing, self._length = b"", 0, 0

    def recv(self, size: int) -> bytes:
        if not self._missing:
            self._frame, self._missing = b"", self._size(self._inner.recv(10, socket.MSG_PEEK))
        data = super().recv(min(size, self._missing))
        self._frame += data
        self._missing -= len(data)
        if not self._missing:
            self._texts.append((self.at, self._frame[-self._length :]))
        return data

    def _size(self, head: bytes) -> int:
        """Of the frame with this head, which came as a whole; 1 at the end of all."""
        if len(head) < 2:
            return 1
        length, start = head[1] & 127, 2
        if length > 125:
            start += 2 if length == 126 else 8
            length = int.from_bytes(head[2:start])
        self._length = length
        return start + length

    def forget(self) -> None:
        """What was read until now."""
        self._texts.clear()

    def answered(self, number: int) -> int:
        """When the answer to this request was there."""
        [at] = [at for at, text in self._texts if text.startswith(b'{"id":%d,' % number)]
        return at


async def stamped_request(origin: str, method: str, path: str, credential: str, body: str) -> tuple[int, int]:
    """An HTTP request on a connection of its own: the answer's status, and when the kernel had the answer."""
    host, port = origin.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    stamped = StampedSocket.within(writer.transport)
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {credential}\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    status = int((await reader.readline()).split()[1])
    at = stamped.at
    writer.close()
    return status, at
