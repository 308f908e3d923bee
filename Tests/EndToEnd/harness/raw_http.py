"""HTTP requests byte by byte, as no library would send them."""

import asyncio
import contextlib
import re
from dataclasses import dataclass


@dataclass
class RawAnswer:
    """What came until the server closed. `status` is None if that was nothing."""

    bytes: bytes

    @property
    def statuses(self) -> list[int]:
        return [int(status) for status in re.findall(rb"^HTTP/1\.1 (\d{3}) ", self.bytes, re.MULTILINE)]

    @property
    def status(self) -> int | None:
        return next(iter(self.statuses), None)

    @property
    def headers(self) -> list[bytes]:
        """The names of the first answer's headers, in lower case."""
        head = self.bytes.partition(b"\r\n\r\n")[0]
        return [line.partition(b":")[0].lower() for line in head.split(b"\r\n")[1:]]


async def send(port: int, request: bytes, within: float = 10) -> RawAnswer:
    """Sends this, and reads until the server closes or has answered and then says no more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = b""
    with contextlib.suppress(ConnectionError, TimeoutError):
        writer.write(request)
        await writer.drain()
        while chunk := await asyncio.wait_for(reader.read(65_536), 0.3 if data else within):
            data += chunk
    writer.close()
    return RawAnswer(data)
