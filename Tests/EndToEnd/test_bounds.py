"""What clients may cost the server, however many they are and however badly they behave."""

import asyncio
import contextlib
import itertools
import resource
import struct
import subprocess
import time
from pathlib import Path

import aiohttp
import pytest

from harness.crowd import Crowd, CrowdSocket, raise_file_limit
from harness.server import API_KEY, Server
from harness.soak import times
from harness.sockets import ApiSocket
from harness.waiting import until
from test_readme import call_token

IDLE = 10_000
LISTENERS = times(130, soak=500)
#: What is kept for a socket that doesn't read, in bytes.
QUEUE = 262_144


@pytest.fixture
def crowd():
    crowd = Crowd()
    yield crowd
    crowd.close()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def connect(server: Server):
    return await asyncio.open_connection("127.0.0.1", int(server.flags["http.port"]))


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What still comes until the server closes the connection."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while chunk := await reader.read(65_536):
            data += chunk
    return data


async def test_a_body_of_a_gigabyte_is_refused_before_it_is_read(start_server, report):
    server = await start_server({})
    await server.metrics()
    before = server.resident_bytes()
    head = (
        f"POST /v1/auth-tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {API_KEY}\r\n"
        "Content-Type: application/json\r\n"
    )
    sent = 0
    for length in (f"Content-Length: {1 << 30}", "Transfer-Encoding: chunked"):
        for _ in range(20):
            reader, writer = await connect(server)
            writer.write(f"{head}{length}\r\n\r\n".encode())
            with contextlib.suppress(ConnectionError):
                # Whoever doesn't listen goes on sending.
                for _ in range(200):
                    writer.write(b"40000\r\n" + bytes(0x40000) + b"\r\n")
                    await writer.drain()
                    sent += 0x40000
            answer = await asyncio.wait_for(ended(reader), 30)
            assert answer.split(b" ")[1:2] in ([b"413"], [b"400"], []), answer[:100]
            writer.close()
    # The answer itself, for one who waits for it.
    reader, writer = await connect(server)
    writer.write(f"{head}Content-Length: {1 << 30}\r\n\r\n".encode())
    answer = await asyncio.wait_for(ended(reader), 30)
    assert b" 413 " in answer.splitlines()[0] and b"ERR_MESSAGE_TOO_LARGE" in answer
    writer.close()
    grown = server.resident_bytes() - before
    report(f"{sent >> 20} MiB were taken from forty such bodies, memory grew by {grown >> 10} KiB")
    assert sent < 40 * (16 << 20), "the server goes on reading"
    assert grown < 16 << 20
    server.check()


async def test_a_socket_message_of_a_gigabyte_isnt_kept(start_server, report):
    server = await start_server({})
    reader, writer = await connect(server)
    writer.write(
        b"GET /v1/connect HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\n"
        b"Sec-WebSocket-Protocol: rostrum.v1\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    before = server.resident_bytes()
    writer.write(b"\x81\xff" + struct.pack("!Q", 1 << 30) + bytes(4))
    with contextlib.suppress(ConnectionError):
        for _ in range(512):
            writer.write(bytes(1 << 18))
            await writer.drain()
    grown = server.resident_bytes() - before
    report(f"128 MiB of one message: memory grew by {grown >> 10} KiB")
    assert grown < 16 << 20
    async with server.http.get("/readyz") as response:
        assert response.status == 200
    writer.close()


@pytest.mark.timeout(180)
async def test_ten_thousand_idle_sockets_cost_little_and_others_are_served(start_server, crowd, report):
    limit = raise_file_limit()
    server = await start_server({"limits.maxParticipants": 1_000})
    assert f"limit={limit}" in server.log
    count = IDLE
    assert count <= limit - 1_000, f"a process may have {limit} files open here: too few for {count} sockets"
    await server.metrics()
    before = server.resident_bytes()
    started = time.monotonic()
    for number in range(count):
        token = call_token("test", API_KEY, f"idle-{number}", "", typ="auth")
        crowd.add(CrowdSocket(int(server.flags["http.port"]), f"?access_token={token}"))
        if number % 200 == 199:
            await until(lambda: crowd.open > number - 400, "sockets open", within=60, every=0.02)
    await until(lambda: crowd.open == count, "all are open", within=60)
    took = time.monotonic() - started

    async def shown() -> bool:
        return (await server.metrics())["rostrum_sockets"] == count

    await until(shown, "the server counts them")
    # Each has been pinged, so that nothing that comes with it is missing.
    await until(
        lambda: all(one.pings for one in list(crowd.sockets.values())), "all were pinged", within=40)
    assert crowd.gone == 0
    grown = server.resident_bytes() - before
    times = await asyncio.gather(*(served(server, f"other-{number}") for number in range(20)))
    delays = [delay for some in times for delay in some]
    report(
        f"{count} idle sockets opened in {took:.1f} s, {grown / count / 1_024:.1f} KiB each; beside them a request "
        f"takes {percentile(delays, 0.5) * 1e3:.1f} ms, p99 {percentile(delays, 0.99) * 1e3:.1f} ms")
    assert grown / count < 64 << 10
    assert percentile(delays, 0.99) < 1
    crowd.close()
    await until(lambda: _no_sockets(server), "they are gone", within=30)


async def _no_sockets(server: Server) -> bool:
    return (await server.metrics())["rostrum_sockets"] == 0


async def served(server: Server, uid: str) -> list[float]:
    """Somebody meets as if nothing were; how long each request takes."""
    socket = await ApiSocket.open(server.origin, await server.token("beside", uid))
    delays = []
    for method in ["joinSession", *(["ping", "raiseHand", "lowerHand"] * 10), "leaveSession"]:
        begun = time.monotonic()
        await socket.request(method)
        delays.append(time.monotonic() - begun)
    await socket.close()
    return delays


@pytest.mark.timeout(180)
async def test_requests_that_come_in_drops_are_cut_while_others_are_served(start_server, report):
    server = await start_server({})
    headers = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: "
    body = (
        f"POST /v1/auth-tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {API_KEY}\r\n"
        "Content-Length: 1000\r\n\r\n"
    ).encode()
    whole = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    kinds = {"headers": headers, "bodies": body, "second requests": whole + headers, "nothing": b""}
    before = server.resident_bytes()
    slow = [asyncio.create_task(drip(server, head)) for head in kinds.values() for _ in range(100)]
    delays = []
    while not all(task.done() for task in slow):
        begun = time.monotonic()
        async with server.http.get("/readyz") as response:
            assert response.status == 200
        delays.append(time.monotonic() - begun)
        await asyncio.sleep(0.25)
    grown = server.resident_bytes() - before
    lives = [task.result() for task in slow]
    for number, name in enumerate(kinds):
        some = lives[number * 100 : number * 100 + 100]
        report(f"{name}: 100 connections were cut after {min(some):.0f} to {max(some):.0f} s")
        assert max(some) < 90
    report(f"beside them p99 {percentile(delays, 0.99) * 1e3:.0f} ms; memory grew by {grown >> 10} KiB")
    assert percentile(delays, 0.99) < 1
    assert grown < 32 << 20


async def drip(server: Server, head: bytes) -> float:
    """Sends this, and then a byte a second; how long the server puts up with it."""
    reader, writer = await connect(server)
    begun = time.monotonic()
    end = asyncio.create_task(ended(reader))
    writer.write(head)
    while not end.done() and time.monotonic() - begun < 120:
        await asyncio.wait([end], timeout=1)
        if head:
            writer.write(b"x")
    end.cancel()
    writer.close()
    return time.monotonic() - begun


class Measured:
    """A session of a speaker and many listeners, and how long what is said takes to reach each of them."""

    def __init__(self, server: Server, session: str, crowd: Crowd):
        self.server, self.session, self.crowd = server, session, crowd
        self.port = int(server.flags["http.port"])
        self.delays: list[float] = []
        self.sent = 0

    def measure(self, payload: bytes, now: float) -> None:
        if b'"text":"sent:' in payload:
            place = payload.index(b"sent:") + 5
            self.delays.append(now - float(payload[place : payload.index(b";", place)]))

    async def join(self, uid: str, **options) -> CrowdSocket:
        token = call_token("test", API_KEY, uid, self.session)
        one = self.crowd.add(CrowdSocket(self.port, f"?access_token={token}", **options))
        await until(lambda: one.is_open, "the socket is open", every=0.005)
        one.request(1, "joinSession")
        return one

    async def begin(self) -> None:
        for number in range(LISTENERS):
            await self.join(f"listener-{number}", on_text=self.measure)
        self.speaker = await ApiSocket.open(self.server.origin, await self.server.token(self.session, "speaker"))
        await self.speaker.request("joinSession")
        await until(lambda: self.joined(LISTENERS + 1), "all are in", within=30)

    async def roster(self) -> dict[str, dict]:
        """Everybody who is in, by uid."""
        everybody = (await self.speaker.request("getParticipants"))["participants"]
        return {one["uid"]: one for one in everybody}

    async def joined(self, count: int) -> bool:
        return sum(one["state"] == "joined" for one in (await self.roster()).values()) == count

    async def say(self) -> None:
        """Something short to everybody."""
        await self.speaker.request("sendMessage", type="chat", text=f"sent:{time.monotonic()};")
        self.sent += 1

    async def all_have_it(self) -> None:
        await until(lambda: len(self.delays) == self.sent * LISTENERS, "everybody has every message", within=15)


@pytest.mark.timeout(300)
async def test_who_stops_reading_is_closed_and_nobody_else_waits(start_server, crowd, session, report):
    raise_file_limit()
    server = await start_server({
        "sessions.maxParticipants": LISTENERS + 10, "limits.socketQueueBytes": QUEUE,
        "limits.socketRequestsPerSecond": 1_000, "limits.socketRequestBurst": 1_000,
    })
    meeting = Measured(server, session, crowd)
    await meeting.begin()
    # The bound leaves room for what a machine does that has other work; whoever waited for the stalled one would do so for
    # seconds, and each time.
    delays: list[float] = []
    for number in range(3):
        took = await stall(meeting, f"stalled-{number}")
        await meeting.all_have_it()
        delays += meeting.delays
        report(
            f"closed after {took:.1f} s; {LISTENERS} others got {meeting.sent} messages meanwhile within "
            f"{percentile(meeting.delays, 0.5) * 1e3:.1f} ms (median), p99 {percentile(meeting.delays, 0.99) * 1e3:.1f} ms")
    assert percentile(delays, 0.99) < 0.05
    assert await meeting.joined(LISTENERS + 1)
    await meeting.speaker.close()


async def stall(meeting: Measured, uid: str) -> float:
    """Somebody stops reading while much is said to it alone, and a little to all; how long until it is closed."""
    has_it = []
    stalled = await meeting.join(
        uid, receive_buffer=65_536, on_text=lambda payload, _: has_it.append(b"the last before" in payload))
    await until(lambda: meeting.joined(LISTENERS + 2), "it is in", within=10)
    pid = (await meeting.roster())[uid]["participantId"]
    # What told of it is through when what was said later has come to it and to the others.
    await meeting.speaker.request("sendMessage", type="chat", text="the last before", to=[pid])
    await until(lambda: any(has_it), "it has heard everything so far")
    await meeting.say()
    await meeting.all_have_it()
    meeting.delays, meeting.sent = [], 0
    meeting.crowd.pause(stalled)
    begun = time.monotonic()
    # What a stalled client may hold: the kernel's buffers, at most 4 MiB here, and its queue. That has to be full before
    # the server misses its pongs, 30 s later. When the kernel has taken nothing of more than a queue holds, it is closed.
    padding, count, held, filled_at = "x" * 60_000, 0, 0, 0
    while (count - filled_at) * len(padding) < QUEUE + 3 * len(padding):
        assert count < 1_000, "the kernel takes more and more"
        await meeting.speaker.request("sendMessage", type="chat", text=padding, to=[pid])
        await meeting.say()
        count += 1
        await asyncio.sleep(0.04)
        if (now := stalled.held_for_it()) != held:
            held, filled_at = now, count
    took = time.monotonic() - begun
    # From being closed it has five seconds to take its close frame, which stands behind what the kernel has.
    meeting.crowd.resume(stalled)
    await until(lambda: stalled.close_code or stalled.is_gone, "the stalled one is closed", within=15)
    assert stalled.close_code == 4008, f"{count} messages in {took:.0f} s"
    await until(lambda: meeting.joined(LISTENERS + 1), "the others see that it is lost")
    return took


async def test_strangers_cannot_use_up_the_files_that_the_server_needs(start_server, session):
    """Silent connections, on both TCP ports, more than the process may have: those inside notice nothing."""
    server = await start_server({})
    first, second = [
        await ApiSocket.open(server.origin, await server.token(session, uid)) for uid in ("ada", "ben")]
    for socket in (first, second):
        await socket.request("joinSession")
    limit = 160
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
    strangers = []
    for number in range(2 * limit):
        port = server.media_port if number % 4 == 0 else int(server.flags["http.port"])
        with contextlib.suppress(OSError):
            strangers.append(await asyncio.open_connection("127.0.0.1", port))
    for number in range(30):
        answer = await first.request("sendMessage", type="text", text=f"{number}")
        assert "error" not in answer, answer
    assert (await second.event("message"))["data"]["message"]["text"] == "0"
    assert len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())) <= limit - 16
    for _, writer in strangers:
        writer.close()

    async def is_back() -> bool:
        with contextlib.suppress(OSError, aiohttp.ClientError):
            return bool(await served(server, "late"))
        return False

    await until(is_back, "newcomers are let in again", within=30)
    assert server.process.returncode is None


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of its own, of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


async def test_a_full_disk_shows_in_readiness_until_there_is_room_again(start_server, small_disk):
    server = await start_server({"storage.path": small_disk / "rostrum.db"})

    async def status(method: str, path: str, **more) -> int:
        async with server.http.request(method, path, **more) as response:
            return response.status

    assert await status("PUT", "/v1/users/ada", json={"name": "Ada"}) == 201
    filler = small_disk / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4_096)
    number = itertools.count()

    async def fails() -> bool:
        return await status("PUT", f"/v1/users/u{next(number)}", json={"name": "x" * 60}) == 500

    await until(fails, "nothing more can be kept")
    assert await status("GET", "/readyz") == 503
    assert await status("GET", "/healthz") == 200
    filler.unlink()
    assert await status("GET", "/readyz") == 200
    assert await status("PUT", "/v1/users/late", json={"name": "Late"}) == 201
