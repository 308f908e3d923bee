"""Datagrams that nobody should have to answer."""

import asyncio
import contextlib
import hashlib
import hmac
import os
import random
import socket
import struct
import time
import zlib

from OpenSSL import SSL

RATE = 20_000
"""Datagrams a second: less than what the server's socket can hold while it is busy with the meeting."""


def stun_request(username: str, password: bytes = b"wrong", nominates: bool = True) -> bytes:
    """A binding request of RFC 8445 with integrity and fingerprint."""

    def attribute(kind: int, value: bytes) -> bytes:
        return struct.pack("!HH", kind, len(value)) + value + bytes(-len(value) % 4)

    body = attribute(0x0006, username.encode()) + attribute(0x0024, struct.pack("!I", 1_853_817_087))
    body += attribute(0x802A, os.urandom(8)) + attribute(0x0025, b"") * nominates
    identity = struct.pack("!I", 0x2112A442) + os.urandom(12)
    covered = struct.pack("!HH", 1, len(body) + 24) + identity + body
    body += attribute(0x0008, hmac.new(password, covered, hashlib.sha1).digest())
    covered = struct.pack("!HH", 1, len(body) + 8) + identity + body
    body += attribute(0x8028, struct.pack("!I", zlib.crc32(covered) ^ 0x5354554E))
    return struct.pack("!HH", 1, len(body)) + identity + body


def client_hello() -> bytes:
    """A real one, by OpenSSL."""
    connection = SSL.Connection(SSL.Context(SSL.DTLS_METHOD), None)
    connection.set_connect_state()
    with contextlib.suppress(SSL.WantReadError):
        connection.do_handshake()
    return connection.bio_read(65_536)


def srtp(ssrc: int, payload_type: int = 96, size: int = 180) -> bytes:
    """Looks like SRTP, sealed with nobody's key."""
    header = struct.pack("!BBHII", 0x80, payload_type, random.getrandbits(16), random.getrandbits(32), ssrc)
    return header + os.urandom(size - 12)


def srtcp(ssrc: int) -> bytes:
    """Looks like an SRTCP receiver report."""
    return struct.pack("!BBHI", 0x80, 201, 7, ssrc) + os.urandom(40)


def garbage(count: int, generator: random.Random) -> list[bytes]:
    """Random bytes of all lengths and with every first byte."""
    return [
        bytes([n % 256]) * (n % 7 > 0) + generator.randbytes(generator.randrange(1_400)) for n in range(count)
    ]


class Attacker:
    """A UDP socket that sends what it likes, and counts what comes back."""

    def __init__(self, address: tuple[str, int]):
        self.address = address
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.socket.bind(("127.0.0.1", 0))
        self.sent = self.sent_bytes = self.answers = self.answer_bytes = 0

    async def flood(self, datagrams, rate: int = RATE) -> None:
        """Sends all of them at this rate, from a thread of its own."""
        await asyncio.to_thread(self._flood, datagrams, rate)

    def _flood(self, datagrams, rate: int) -> None:
        started, batch = time.monotonic(), rate // 100
        for number, datagram in enumerate(datagrams, 1):
            try:
                self.socket.sendto(datagram, self.address)
            except BlockingIOError:
                continue
            self.sent += 1
            self.sent_bytes += len(datagram)
            if number % batch == 0:
                self._count_answers()
                time.sleep(max(0, started + number / rate - time.monotonic()))
        self._count_answers()

    async def ask(self, datagram: bytes, control: bytes) -> list[bytes]:
        """Sends one and then a valid check, which is answered; returns what is answered before that."""
        self._count_answers()
        self.socket.sendto(datagram, self.address)
        self.socket.sendto(control, self.address)
        loop, answers = asyncio.get_running_loop(), []
        async with asyncio.timeout(10):
            while not answers or answers[-1][8:20] != control[8:20]:
                answers.append(await loop.sock_recv(self.socket, 65_536))
        assert answers[-1][:2] == b"\x01\x01", "the check succeeds"
        return answers[:-1]

    def _count_answers(self) -> None:
        while True:
            try:
                answer = self.socket.recv(65_536)
            except BlockingIOError:
                return
            self.answers += 1
            self.answer_bytes += len(answer)

    def close(self) -> None:
        self.socket.close()
