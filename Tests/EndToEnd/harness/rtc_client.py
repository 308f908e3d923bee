"""A participant by aiortc: its RTCPeerConnection as it comes, and a camera and a voice made of numbers."""

import array
import asyncio
import collections
import fractions
import itertools
import math
import time

import aioice.ice
from aiortc import (
    AudioStreamTrack,
    MediaStreamTrack,
    RTCBundlePolicy,
    RTCConfiguration,
    RTCPeerConnection,
    RTCSessionDescription,
    VideoStreamTrack,
)
from aiortc.mediastreams import MediaStreamError
from av import AudioFrame, VideoFrame

from .sockets import ApiSocket
from .waiting import until

# It leaves out the loopback address by itself, and that is where the tests' servers are.
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"] if use_ipv4 else []

RATE = 48_000
# What counts as a picture that moves and a voice that sounds, since somebody began to look: so many more frames decoded,
# and so much more energy (a fifth of a second of a participant's voice, which has about 0.25 a second).
MOVING_FRAMES = 10
SOUNDING_ENERGY = 0.05


class Camera(VideoStreamTrack):
    """A grey gradient that moves, at 15 frames a second."""

    def __init__(self, width: int, height: int):
        super().__init__()
        self._size = (width, height)
        self._count = 0
        self._start = time.monotonic()

    async def recv(self) -> VideoFrame:
        self._count += 1
        due = self._start + self._count / 15
        await asyncio.sleep(max(0, due - time.monotonic()))
        width, height = self._size
        frame = VideoFrame(width, height, "yuv420p")
        for plane in frame.planes:
            row = bytes((x * 2 + self._count * 3) % 220 + 16 for x in range(plane.line_size))
            plane.update(row * plane.height)
        frame.pts, frame.time_base = self._count * 6_000, fractions.Fraction(1, 90_000)
        return frame


class Voice(AudioStreamTrack):
    """A tone that swells four times a second, in frames of 20 ms."""

    def __init__(self, hertz: float):
        super().__init__()
        self._hertz = hertz
        self._count = 0
        self._start = time.monotonic()

    async def recv(self) -> AudioFrame:
        size = RATE // 50
        first = self._count * size
        self._count += 1
        await asyncio.sleep(max(0, self._start + self._count / 50 - time.monotonic()))
        samples = array.array(
            "h",
            (
                int(
                    8_000
                    * (1 + 0.8 * math.sin(2 * math.pi * 4 * n / RATE))
                    * math.sin(2 * math.pi * self._hertz * n / RATE)
                )
                for n in range(first, first + size)
            ),
        )
        frame = AudioFrame(format="s16", layout="mono", samples=size)
        frame.planes[0].update(samples.tobytes())
        frame.pts, frame.sample_rate, frame.time_base = first, RATE, fractions.Fraction(1, RATE)
        return frame


class Received:
    """What arrived on one seat's track."""

    def __init__(self, track: MediaStreamTrack):
        self.frames = 0
        self.size = (0, 0)
        self.energy = 0.0
        # How often the sign changes, and over how many samples, in each of the last 10 frames of sound.
        self._crossings = collections.deque(maxlen=10)
        self.task = asyncio.create_task(self._take(track))

    async def _take(self, track: MediaStreamTrack) -> None:
        try:
            while True:
                frame = await track.recv()
                self.frames += 1
                if isinstance(frame, VideoFrame):
                    self.size = (frame.width, frame.height)
                else:
                    samples = array.array("h", bytes(frame.planes[0])[: frame.samples * len(frame.layout.channels) * 2])
                    self.energy += sum((sample / 32_768) ** 2 for sample in samples[::8]) / len(samples)
                    one = samples[:: len(frame.layout.channels)]
                    changes = sum((a < 0) != (b < 0) for a, b in itertools.pairwise(one))
                    self._crossings.append((changes, len(one)))
        except MediaStreamError:
            pass

    @property
    def pitch(self) -> float:
        """Of the tone that was heard in the last fifth of a second, in hertz; 0 without any."""
        samples = sum(count for _, count in self._crossings)
        return sum(changes for changes, _ in self._crossings) * RATE / 2 / samples if samples else 0


class Rise:
    """How far a figure of one seat's track has risen since the beginning. Another seat begins anew."""

    def __init__(self, figure, seat: Received | None):
        self.figure, self.seat = figure, seat
        self.first = figure(seat) if seat else 0

    def until_now(self, seat: Received | None) -> float:
        if seat is not self.seat:
            self.seat, self.first = seat, self.figure(seat) if seat else 0
        return self.figure(seat) - self.first if seat else 0


class RTCClient:
    """One participant. `seats` pictures and voices are received at most; `publishes` says what it sends."""

    def __init__(
        self, socket: ApiSocket, name: str, hertz: float = 900, size=(240, 176), seats: int = 3,
        publishes=("microphone", "camera"), receives=("audio", "video"),
    ):
        self.publishes, self.receives = publishes, receives
        self.socket, self.name, self.hertz, self.size = socket, name, hertz, size
        self.connection = RTCPeerConnection(RTCConfiguration(bundlePolicy=RTCBundlePolicy.MAX_BUNDLE))
        self.received: dict[str, Received] = {}
        self.pid = ""
        self.joined: dict = {}
        # Seconds from the first ICE check to the first packet of anybody's picture; None before that.
        self.first_picture_after: float | None = None
        self._seat_count = seats

    async def join(self) -> None:
        connection = self.connection
        if "microphone" in self.publishes:
            connection.addTransceiver(Voice(self.hertz), direction="sendonly")
        if "camera" in self.publishes:
            connection.addTransceiver(Camera(*self.size), direction="sendonly")
        for kind in self.receives:
            for _ in range(self._seat_count):
                connection.addTransceiver(kind, direction="recvonly")
        await connection.setLocalDescription(await connection.createOffer())
        self.joined = await self.socket.request(
            "joinSession", offer=connection.localDescription.sdp, settings={"displayName": self.name}
        )
        self.pid = self.joined["participant"]["participantId"]
        self._time_first_picture()
        await connection.setRemoteDescription(RTCSessionDescription(sdp=self.joined["answer"], type="answer"))
        for transceiver in connection.getTransceivers():
            if transceiver.direction == "recvonly":
                self.received[transceiver.mid] = Received(transceiver.receiver.track)
        await until(lambda: connection.connectionState == "connected", f"{self.name} is connected")

    def _time_first_picture(self) -> None:
        began = 0.0
        transport = self.connection.getTransceivers()[0].receiver.transport
        handle = transport._handle_rtp_data
        pictures = {
            int(payload_type)
            for line in self.joined["answer"].splitlines() if line.startswith("m=video")
            for payload_type in line.split()[3:]
        }

        def checking() -> None:
            nonlocal began
            if transport.transport.state == "checking":
                began = time.monotonic()

        async def timed(data: bytes, *arguments, **more) -> None:
            if self.first_picture_after is None and data[1] & 127 in pictures:
                self.first_picture_after = time.monotonic() - began
            await handle(data, *arguments, **more)

        transport.transport.on("statechange", checking)
        transport._handle_rtp_data = timed

    @property
    def seats(self) -> dict[str, dict]:
        """Who sits where, by mid, as the server last said."""
        seats = {str(seat["mid"]): seat for seat in self.joined["seats"]}
        for event in self.socket.events:
            if event["event"] == "seatsChanged":
                seats.update({str(seat["mid"]): seat for seat in event["data"]["seats"]})
        return seats

    def seat(self, pid: str, source: str) -> Received | None:
        for mid, seat in self.seats.items():
            if seat.get("participantId") == pid and seat.get("source") == source:
                return self.received[mid]
        return None

    async def sees(self, pid: str, size, within: float = 5, frames: int = MOVING_FRAMES) -> Received:
        """Waits until somebody's picture moves here, in one seat, in this size."""
        rise = Rise(lambda seat: seat.frames, self.seat(pid, "camera"))

        def moves():
            seat = self.seat(pid, "camera")
            return seat if rise.until_now(seat) >= frames and seat.size == tuple(size) else None

        return await until(moves, f"{self.name} sees {pid} in {size}", within)

    async def hears(self, pid: str, hertz: float, within: float = 5) -> Received:
        """Waits until somebody's voice is heard here, in one seat, at its own pitch."""
        rise = Rise(lambda seat: seat.energy, self.seat(pid, "microphone"))

        def sounds():
            seat = self.seat(pid, "microphone")
            return seat if rise.until_now(seat) >= SOUNDING_ENERGY and abs(seat.pitch - hertz) < 25 else None

        return await until(sounds, f"{self.name} hears {pid} at {hertz} Hz", within)

    async def close(self) -> None:
        await self.connection.close()
        for one in self.received.values():
            one.task.cancel()
        await self.socket.close()
