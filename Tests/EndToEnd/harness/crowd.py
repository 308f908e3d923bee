"""Thousands of WebSockets in one thread, each as cheap as a socket can be.

They are spoken by hand: aiohttp needs more for one of them than the server that is measured.
"""

import base64
import json
import os
import resource
import select
import socket
import struct
import threading
import time
from pathlib import Path


def raise_file_limit() -> int:
    """Raises the number of files that may be open as far as one may; returns it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class CrowdSocket:
    """One WebSocket. `on_text` gets each message and when it was there."""

    def __init__(self, port: int, query: str = "", receive_buffer: int | None = None, on_text=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.on_text = on_text
        self.is_open = self.is_gone = False
        self.close_code: int | None = None
        self.pings = 0
        self._buffer = b""
        lines = [
            f"GET /v1/connect{query} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: rostrum.v1",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        ]
        self.handshake = "\r\n".join([*lines, "", ""]).encode()
        self.socket.connect_ex(("127.0.0.1", port))

    def send(self, opcode: int, payload: bytes) -> None:
        """One frame, with a mask of zeros."""
        size = len(payload)
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack("!H", size)
        self.socket.send(head + bytes(4) + payload)

    def held_for_it(self) -> int:
        """How many bytes the server's kernel has of this connection that it hasn't got rid of."""
        ends = [":%04X" % self.socket.getpeername()[1], ":%04X" % self.socket.getsockname()[1]]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, _, queues, *_ = line.split()
            if [local[-5:], remote[-5:]] == ends:
                return int(queues.split(":")[0], 16)
        return 0

    def request(self, number: int, method: str, **params) -> None:
        self.send(1, json.dumps({"id": number, "method": method, "params": params}).encode())

    def receive(self) -> None:
        try:
            while data := self.socket.recv(1 << 18):
                self._take(data, time.monotonic())
            self.is_gone = True
        except BlockingIOError:
            pass
        except OSError:
            self.is_gone = True

    def _take(self, data: bytes, now: float) -> None:
        data = self._buffer + data
        if not self.is_open:
            head, end, rest = data.partition(b"\r\n\r\n")
            if not end:
                self._buffer = data
                return
            assert b" 101 " in head, head
            self.is_open, data = True, rest
        place = 0
        while len(data) - place >= 2:
            size, start = data[place + 1] & 127, place + 2
            if size == 126:
                size, start = int.from_bytes(data[start : start + 2]), start + 2
            elif size == 127:
                size, start = int.from_bytes(data[start : start + 8]), start + 8
            if len(data) < start + size:
                break
            self._frame(data[place] & 15, data[start : start + size], now)
            place = start + size
        self._buffer = data[place:]

    def _frame(self, opcode: int, payload: bytes, now: float) -> None:
        if opcode == 9:
            self.pings += 1
            self.send(10, payload)
        elif opcode == 8:
            self.close_code = int.from_bytes(payload[:2])
        elif opcode == 1 and self.on_text:
            self.on_text(payload, now)


class Crowd:
    """Reads all its sockets on a thread of its own, and answers their pings."""

    def __init__(self):
        self.sockets: dict[int, CrowdSocket] = {}
        self._poll = select.epoll()
        self._lock = threading.Lock()
        self._ends = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, one: CrowdSocket) -> CrowdSocket:
        with self._lock:
            self.sockets[one.socket.fileno()] = one
            self._poll.register(one.socket, select.EPOLLOUT)
        return one

    def pause(self, one: CrowdSocket) -> None:
        """It isn't read any more."""
        with self._lock:
            self._poll.modify(one.socket, 0)

    def resume(self, one: CrowdSocket) -> None:
        with self._lock:
            self._poll.modify(one.socket, select.EPOLLIN)

    @property
    def open(self) -> int:
        with self._lock:
            return sum(one.is_open and not one.is_gone for one in self.sockets.values())

    @property
    def gone(self) -> int:
        with self._lock:
            return sum(one.is_gone for one in self.sockets.values())

    def close(self) -> None:
        self._ends = True
        self._thread.join()
        for one in self.sockets.values():
            one.socket.close()
        self._poll.close()

    def _run(self) -> None:
        while not self._ends:
            for number, events in self._poll.poll(0.1):
                with self._lock:
                    self._attend(self.sockets[number], events)

    def _attend(self, one: CrowdSocket, events: int) -> None:
        if one.handshake and events & select.EPOLLOUT:
            one.socket.send(one.handshake)
            one.handshake = b""
            self._poll.modify(one.socket, select.EPOLLIN)
        elif events & select.EPOLLIN:
            one.receive()
        elif events & (select.EPOLLHUP | select.EPOLLERR):
            one.is_gone = True
        if one.is_gone:
            self._poll.unregister(one.socket)
