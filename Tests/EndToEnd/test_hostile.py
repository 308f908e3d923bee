"""Hostile datagrams while a meeting goes on: it notices nothing, and no answer is larger than its cause."""

import asyncio
import random
import time

import pytest

from harness.attacker import Attacker, client_hello, garbage, srtcp, srtp, stun_request
from harness.lateness import Lateness
from harness.meeting_page import ADA, BEN, everybody_meets
from harness.rtc_client import RTCClient
from harness.sockets import ApiSocket
from harness.waiting import until

STREAMS = 100_000
MOST_GROWTH = 20 << 20
LEAST_OBSERVED = 2.5
#: How much later than in a quiet time a voice may come, in milliseconds, and how many of its packets may not.
MOST_DELAY = 200
MOST_LOST = 2


class Watch:
    """What the meeting of two pages looks like, before and after, and how a voice gets through."""

    def __init__(self, pages, server, voice: Lateness):
        self.pages, self.server, self.voice = pages, server, voice

    async def begin(self) -> "Watch":
        self.voice.begin()
        await asyncio.sleep(LEAST_OBSERVED)
        self.quiet, _ = self.voice.so_far()
        self.voice.begin()
        self.since = [await page.evaluate("performance.now() - endToEnd.joinedAt") for page in self.pages]
        self.key_frame_requests = await self._key_frame_requests()
        self.memory = self.server.resident_bytes()
        self.frames = await self._frames()
        self.started = time.monotonic()
        return self

    async def _key_frame_requests(self) -> int:
        sent = [one for page in self.pages for one in await page.evaluate("endToEnd.sent()")]
        return sum(one.get("pliCount", 0) + one.get("firCount", 0) for one in sent)

    async def _frames(self) -> list[tuple[int, int]]:
        """For each page what the other one has encoded, and how much of that has come.

        Not what was decoded: with that a busy browser falls behind.
        """
        return [
            (await other.frames_sent(), (await page.seat(other.pid))["framesReceived"])
            for page, other in zip(self.pages, reversed(self.pages), strict=True)
        ]

    def _rises(self, frames) -> list[tuple[int, int]]:
        return [(now[0] - then[0], now[1] - then[1]) for then, now in zip(self.frames, frames, strict=True)]

    async def end(self, report, what: str) -> None:
        # Long enough to say something about pictures, however short the attack was.
        await asyncio.sleep(max(0, self.started + LEAST_OBSERVED - time.monotonic()))
        seconds = time.monotonic() - self.started
        delays, lost = self.voice.so_far()
        gaps, missing = [], []
        frames = await self._frames()
        for page, other, since in zip(self.pages, reversed(self.pages), self.since, strict=True):
            times = await page.evaluate(
                f"endToEnd.shown['{other.pid}/camera'].filter(time => time > {since})"
            )
            gaps.append(max((b - a for a, b in zip(times, times[1:], strict=False)), default=1e9))
        for sent, received in self._rises(frames):
            # Counted one after the other in a busy browser: a few pictures are always on their way.
            missing.append(0.9 * sent - received)
        growth = self.server.resident_bytes() - self.memory
        requests = await self._key_frame_requests() - self.key_frame_requests
        report(
            f"{what}: {seconds:.1f} s, pictures sent and received {self._rises(frames)}, "
            f"longest gap {max(gaps):.0f} ms; a voice comes within {max(delays):.1f} ms, {max(self.quiet):.1f} before, "
            f"{lost} of {len(delays) + lost} packets lost; "
            f"{requests} key-frame requests, memory {growth / 1024:+.0f} KiB"
        )
        self.server.check()
        # Pictures stand still when a browser is busy, too; what the server holds up shows in the voice.
        assert len(self.quiet) > 50 and len(delays) > 50
        assert max(delays) < max(self.quiet) + MOST_DELAY
        assert lost <= MOST_LOST
        assert max(missing) <= 4
        assert requests <= 2
        assert growth < MOST_GROWTH
        await everybody_meets(self.pages)


@pytest.fixture
async def meeting(open_page, server, session):
    pages = [await open_page(person) for person in (ADA, BEN)]
    await everybody_meets(pages)
    # Beside them, on the same worker: the pages and what attacks them have enough to do.
    speaker, listener = [
        RTCClient(await ApiSocket.open(server.origin, await server.token(f"{session}-beside", name)), name, **options)
        for name, options in (
            ("speaker", {"publishes": ("microphone",), "receives": ()}),
            ("listener", {"publishes": (), "receives": ("audio",), "seats": 1}))]
    await speaker.join()
    await listener.join()
    await listener.hears(speaker.pid, speaker.hertz)
    yield Watch(pages, server, Lateness(speaker, listener))
    await listener.close()
    await speaker.close()


@pytest.fixture
def attacker(server):
    one = Attacker(("127.0.0.1", server.media_port))
    yield one
    one.close()


def credential(client, name: str) -> str:
    """Of the server's ICE for this client."""
    lines = client.joined["answer"].splitlines()
    return next(line.split(":", 1)[1] for line in lines if line.startswith(f"a=ice-{name}:"))


def valid_check(client) -> bytes:
    """A check as the client itself would send it, without a nomination."""
    [local] = {one.sender.transport.transport.iceGatherer for one in client.connection.getTransceivers()}
    username = f"{credential(client, 'ufrag')}:{local.getLocalParameters().usernameFragment}"
    return stun_request(username, credential(client, "pwd").encode(), nominates=False)


@pytest.mark.timeout(150)
async def test_a_flood_from_strangers_goes_unnoticed_and_unanswered(meeting, attacker, open_client, report):
    generator = random.Random(1)
    hello = client_hello()
    [own] = {
        one["ssrc"] for one in await meeting.pages[0].evaluate("endToEnd.sent()") if one["kind"] == "audio"
    }
    floods = {
        "STUN with unknown ufrags": [
            stun_request(f"{generator.getrandbits(64):x}:abcd") for _ in range(20_000)
        ],
        "garbage": garbage(20_000, generator),
        "DTLS ClientHellos": [hello] * 20_000,
        "SRTP with a participant's SSRC": [srtp(own) for _ in range(20_000)],
        "SRTP of 100,000 SSRCs": [srtp(ssrc) for ssrc in generator.sample(range(1 << 32), STREAMS)],
    }
    for name, datagrams in floods.items():
        await meeting.begin()
        before = attacker.answer_bytes
        await attacker.flood(datagrams)
        await meeting.end(report, name)
        assert attacker.answer_bytes == before, f"{name} are answered"
    assert attacker.sent >= 0.95 * sum(map(len, floods.values()))
    bot = await open_client("bot")
    # From the same place, what has to be answered is.
    assert await attacker.ask(valid_check(bot), valid_check(bot))


async def test_no_answer_is_larger_than_its_cause(meeting, attacker, open_client, report):
    bot = await open_client("bot")
    ufrag = credential(bot, "ufrag")
    questions = [
        stun_request("nobody:knows"),
        stun_request(f"{ufrag}:abcd"),
        stun_request(f"{ufrag}:abcd")[:40],
        client_hello(),
        srtp(1),
        srtcp(1),
        b"",
        b"\x00",
        b"\x16",
        bytes(1_400),
        *garbage(20, random.Random(2)),
    ]
    answered = 0
    for question in questions:
        # After each comes what has to be answered: so the question could have been.
        answers = await attacker.ask(question, valid_check(bot))
        assert sum(map(len, answers)) <= len(question), f"{question[:24]!r}… of {len(question)} bytes"
        answered += bool(answers)
    check = valid_check(bot)
    [answer] = await attacker.ask(check, valid_check(bot))
    assert answer[:2] == b"\x01\x01" and 0 < len(answer) <= len(check), "nor the answer that there has to be"
    report(
        f"{answered} of {len(questions)} questions were answered, none at more length than it had; a valid check of "
        f"{len(check)} bytes by {len(answer)}")


@pytest.mark.timeout(150)
async def test_a_participant_who_turns_hostile_goes_unnoticed(meeting, attacker, open_client, report):
    bot = await open_client("bot")
    ice = bot.connection.getTransceivers()[0].sender.transport.transport
    for page in meeting.pages:
        await page.sees(bot.pid, size=bot.size)
    send, recorded = ice._send, []

    async def record(data: bytes) -> None:
        recorded.append(data)
        await send(data)

    def of_media() -> list[bytes]:
        return [data for data in recorded if len(data) > 12 and 128 <= data[0] <= 191]

    ice._send = record
    await until(lambda: len(of_media()) > 60, "the participant has sent a second of media")
    ice._send = send
    media = of_media()
    generator = random.Random(3)
    attacks = {
        "SRTP of 100,000 SSRCs from a participant": (srtp(generator.getrandbits(32)) for _ in range(STREAMS)),
        "SRTCP of 20,000 SSRCs from a participant": (srtcp(generator.getrandbits(32)) for _ in range(20_000)),
        "replayed packets": (data for _ in range(100) for data in media),
        "truncated packets": (data[:size] for data in media for size in range(0, len(data), 11)),
        "changed packets": (
            bytes(byte ^ (n == place) for n, byte in enumerate(data))
            for data in media
            for place in range(0, min(len(data), 60), 3)
        ),
    }
    for name, datagrams in attacks.items():
        await meeting.begin()
        await paced(send, datagrams)
        await meeting.end(report, name)
    await meeting.begin()
    await attacker.flood(media * 100)
    await meeting.end(report, "a participant's packets replayed from elsewhere")
    assert attacker.answers == 0, "only what is new proves that the participant has moved"
    assert await attacker.ask(valid_check(bot), valid_check(bot)), "but what has to be answered there is"
    # Whoever attacked is still heard: what was his own stays his own.
    for page in meeting.pages:
        await page.sees(bot.pid, size=bot.size)


async def paced(send, datagrams, rate: int = 20_000) -> None:
    """Sends from within the client's own event loop."""
    started = time.monotonic()
    for number, datagram in enumerate(datagrams, 1):
        await send(datagram)
        if number % 200 == 0:
            await asyncio.sleep(max(0, started + number / rate - time.monotonic()))
