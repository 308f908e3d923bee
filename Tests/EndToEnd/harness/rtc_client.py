"""A participant by aiortc: its RTCPeerConnection as it comes, and a camera and a voice made of numbers."""

import array
import asyncio
import fractions
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
        self.task = asyncio.create_task(self._take(track))

    async def _take(self, track: MediaStreamTrack) -> None:
        try:
            while True:
                frame = await track.recv()
                self.frames += 1
                if isinstance(frame, VideoFrame):
                    self.size = (frame.width, frame.height)
                else:
                    samples = array.array("h", bytes(frame.planes[0]))
                    self.energy += sum((sample / 32_768) ** 2 for sample in samples[::8]) / len(samples)
        except MediaStreamError:
            pass


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
        await connection.setRemoteDescription(RTCSessionDescription(sdp=self.joined["answer"], type="answer"))
        for transceiver in connection.getTransceivers():
            if transceiver.direction == "recvonly":
                self.received[transceiver.mid] = Received(transceiver.receiver.track)
        await until(lambda: connection.connectionState == "connected", f"{self.name} is connected")

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

    async def sees(self, pid: str, size, within: float = 5) -> Received:
        """Waits until somebody's picture moves here in this size."""
        before = {mid: one.frames for mid, one in self.received.items()}
        least = min(before.values(), default=0) + 3

        def moves():
            seat = self.seat(pid, "camera")
            return seat if seat and seat.frames >= least and seat.size == tuple(size) else None

        return await until(moves, f"{self.name} sees {pid} in {size}", within)

    async def hears(self, pid: str, within: float = 5) -> Received:
        """Waits until sound comes from somebody's seat."""

        def sounds():
            seat = self.seat(pid, "microphone")
            return seat if seat and seat.energy > 0.01 else None

        return await until(sounds, f"{self.name} hears {pid}", within)

    async def close(self) -> None:
        await self.connection.close()
        for one in self.received.values():
            one.task.cancel()
        await self.socket.close()
