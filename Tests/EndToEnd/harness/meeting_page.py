"""A browser's tab with the meeting page in it, whichever browser it is."""

import asyncio
import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlencode

from .waiting import until

# What counts as a picture that moves and a voice that sounds, since somebody began to look: so many more frames decoded
# (two thirds of a second), and so much more energy (an eighth of a second of a page's voice, which has 0.04 a second).
MOVING_FRAMES = 10
SOUNDING_ENERGY = 0.005

SCRIPT = Path(__file__).with_name("page.js").read_text()
SPEECH_SCRIPT = Path(__file__).with_name("speech.js").read_text()


class Tab(Protocol):
    """What a browser has to offer."""

    async def prepare(self, script: str) -> None: ...
    async def navigate(self, url: str) -> None: ...
    async def evaluate(self, expression: str): ...
    async def close(self) -> None: ...


@dataclass
class Person:
    """How somebody can be told from others: by name, pitch of the voice and size of the picture.

    The sizes are small enough for an encoder never to scale them down further.
    """

    name: str
    voice_hz: int
    width: int
    height: int
    frame_rate: int = 15


ADA = Person("Ada", 440, 320, 180)
BEN = Person("Ben", 700, 240, 180)
CAI = Person("Cai", 1_100, 256, 144)
DEE = Person("Dee", 1_600, 192, 144)


@dataclass
class MeetingPage:
    """The page of one person. Names of others are their participantIds."""

    tab: Tab
    person: Person
    pid: str = ""
    problems: list[str] = field(default_factory=list)

    @classmethod
    async def open(
        cls,
        tab: Tab,
        origin: str,
        session: str,
        person: Person,
        join: bool = True,
        tcp_only: bool = False,
        encodings: list[dict] | None = None,
        is_busy: bool | None = None,
        media_host: str | None = None,
        speech: dict | None = None,
        **parameters,
    ) -> "MeetingPage":
        """Opens the page; with `join`, enters the meeting by the button.

        With `encodings` the picture is sent as these (`sendEncodings`), and noise unless `is_busy` says otherwise;
        `media_host` is where media goes instead of to the address in the server's answer. With `speech` the microphone
        is what speech.js makes of it.
        """
        page = cls(tab, person)
        facts = {
            "voiceHz": person.voice_hz,
            "width": person.width,
            "height": person.height,
            "frameRate": person.frame_rate,
            "tcpOnly": tcp_only,
            "encodings": encodings,
            "isBusy": encodings is not None if is_busy is None else is_busy,
            "mediaHost": media_host,
            "speech": speech,
        }
        scripts = SCRIPT + (SPEECH_SCRIPT if speech else "")
        await tab.prepare(f"window.endToEnd = {json.dumps(facts)};\n{scripts}")
        query = urlencode({"session": session, "name": person.name, "seats": 4, **parameters})
        await tab.navigate(f"{origin}/?{query}")
        # The page opens its devices by itself; whoever clicks has seen the preview.
        await until(
            lambda: page.evaluate(
                "document.getElementById('preview')?.dataset.camera === 'on'"
                " || location.search.includes('video=0')"
            ),
            f"{person.name}'s preview",
            within=15,
        )
        if join:
            await page.join()
        return page

    async def join(self) -> None:
        await self.evaluate("document.getElementById('join-button').click()")
        await self.joined()

    async def joined(self) -> None:
        async def state():
            seen = await self.evaluate(
                "({view: document.body.dataset.view, state: window.rostrum?.state,"
                " pid: window.rostrum?.participantId, problem: document.getElementById('join-problem').hidden"
                " ? null : document.getElementById('join-problem-text').textContent})"
            )
            if seen["view"] == "join" and seen["problem"] is not None:
                raise AssertionError(f"{self.person.name} can't join: {seen['problem']}")
            return seen["pid"] if seen["view"] == "meeting" and seen["state"] == "joined" else None

        self.pid = await until(state, f"{self.person.name} has joined", within=15)

    async def evaluate(self, expression: str):
        """The value of a JavaScript expression, awaited if it is a promise."""
        return await self.tab.evaluate(expression)

    async def click(self, element_id: str) -> None:
        await self.evaluate(f"document.getElementById({json.dumps(element_id)}).click()")

    async def close(self) -> None:
        await self.tab.close()

    async def leave(self) -> None:
        await self.click("leave")
        await until(
            lambda: self.evaluate("document.body.dataset.view === 'ended'"), f"{self.person.name} has left"
        )

    # What others look and sound like here

    async def seat(self, other: str, source: str = "camera") -> dict:
        """The inbound stream that carries this source of somebody, as the browser measures it."""
        return await self.evaluate(f"endToEnd.seat({json.dumps(other)}, {json.dumps(source)})")

    async def sees(
        self, other: "MeetingPage | str", within: float = 5, source: str = "camera", size=None,
        frames: int = MOVING_FRAMES,
    ) -> dict:
        """Waits until somebody's picture moves here, in one seat, in the size in which it is sent."""
        pid = getattr(other, "pid", other)
        if size is None and isinstance(other, MeetingPage) and source == "camera":
            size = (other.person.width, other.person.height)
        rise = Rise("framesDecoded", await self.seat(pid, source))

        async def moves():
            seat = await self.seat(pid, source)
            right = size is None or (seat.get("frameWidth"), seat.get("frameHeight")) == size
            facts = {
                key: seat.get(key)
                for key in (
                    "mid",
                    "framesDecoded",
                    "frameWidth",
                    "frameHeight",
                    "packetsReceived",
                    "keyFramesDecoded",
                    "pliCount",
                )
            }
            state["last"] = facts
            return seat if rise.until_now(seat) >= frames and right else None

        state = {}
        try:
            return await until(moves, f"{self.person.name} sees {source} of {pid} in {size}", within)
        except AssertionError as error:
            raise AssertionError(f"{error}; {state['last']}; {await self.seated()}") from None

    async def hears(
        self, other: "MeetingPage | str", within: float = 5, hertz: float | None = None, by_pitch: bool = True
    ) -> dict:
        """Waits until somebody's voice is heard here, in one seat, at its own pitch unless that isn't asked for."""
        pid = getattr(other, "pid", other)
        if hertz is None and isinstance(other, MeetingPage):
            hertz = other.person.voice_hz
        rise = Rise("totalAudioEnergy", await self.seat(pid, "microphone"))
        state = {}

        async def sounds():
            seat = await self.seat(pid, "microphone")
            pitch = await self.evaluate(f"endToEnd.pitch({json.dumps(pid)})") if by_pitch else None
            state["last"] = {
                "pitch": pitch,
                "energy": seat.get("totalAudioEnergy"),
                "packetsReceived": seat.get("packetsReceived"),
            }
            right = not by_pitch or (pitch > 0 if hertz is None else abs(pitch - hertz) < 25)
            return seat if rise.until_now(seat) >= SOUNDING_ENERGY and right else None

        try:
            return await until(sounds, f"{self.person.name} hears {pid} at {hertz} Hz", within)
        except AssertionError as error:
            raise AssertionError(f"{error}; {state['last']}; {await self.seated()}") from None

    async def seated(self) -> list[str]:
        """Who sits where, for messages."""
        return await self.evaluate(
            "rostrum.seats.filter(s => s.participantId)"
            ".map(s => `${s.mid} ${s.kind} ${s.source} ${s.participantId}${s.muted ? ' muted' : ''}`)"
        )

    async def frames_sent(self) -> int:
        """Pictures of the own camera that were encoded so far."""
        return sum(one.get("framesEncoded", 0) for one in await self.evaluate("endToEnd.sent()"))

    async def packets_sent(self) -> int:
        return sum(one.get("packetsSent", 0) for one in await self.evaluate("endToEnd.sent()"))

    async def offers(self) -> int:
        return await self.evaluate("endToEnd.offers")

    async def tile(self, other: str, source: str = "camera") -> dict | None:
        """The data-* attributes of somebody's tile."""
        selector = f'.tile[data-participant="{other}"][data-source="{source}"]'
        return await self.evaluate(
            f"(e => e && {{...e.dataset}})(document.querySelector({json.dumps(selector)}))"
        )

    async def shows(self, other: str, within: float = 5, **data: str) -> dict:
        """Waits until somebody's tile has these data-* attributes."""

        async def matches():
            tile = await self.tile(other) or {}
            return tile if all(tile.get(key) == value for key, value in data.items()) else None

        return await until(matches, f"{self.person.name} shows {other} with {data}", within)

    async def events(self, name: str | None = None) -> list[dict]:
        every = await self.evaluate("endToEnd.events")
        return [one for one in every if name in (None, one["event"])]


class Rise:
    """How far a figure of one seat has risen since the beginning. Another seat begins anew."""

    def __init__(self, key: str, seat: dict):
        self.key, self.mid, self.first = key, seat.get("mid"), seat.get(key, 0)

    def until_now(self, seat: dict) -> float:
        now = seat.get(self.key, 0)
        if self.mid != seat.get("mid"):
            self.mid, self.first = seat.get("mid"), now
        return now - self.first


async def everybody_meets(pages: list[MeetingPage], within: float = 10) -> None:
    """Waits until each page sees and hears all others, each at the same time."""
    pairs = list(itertools.permutations(pages, 2))
    await asyncio.gather(
        *(page.sees(other, within) for page, other in pairs),
        *(page.hears(other, within) for page, other in pairs),
    )
