"""How long the server keeps what somebody says, before another's kernel has it."""

import collections
import time
from bisect import bisect_right

from .rtc_client import RTCClient
from .stamps import StampedSocket


class Lateness:
    """One voice in a meeting on its way to one listener, packet by packet.

    A packet counts from when the speaker's call that sent it was back: a busy process can't make it look late.
    """

    def __init__(self, speaker: RTCClient, listener: RTCClient):
        self._sent: list[tuple[int, int, int]] = []
        self._heard: list[tuple[int, int]] = []
        mid = next(
            mid for mid, seat in listener.seats.items()
            if (seat.get("participantId"), seat.get("source")) == (speaker.pid, "microphone"))
        [receiver] = [one.receiver for one in listener.connection.getTransceivers() if one.mid == mid]
        [source] = {one.source for one in receiver.getSynchronizationSources()}
        self._ssrc = source.to_bytes(4)
        for protocol in receiver.transport.transport._connection._protocols:
            stamped = StampedSocket.within(protocol.transport)
            protocol.datagram_received = self._listen(protocol.datagram_received, stamped)
        [sender] = [one.sender for one in speaker.connection.getTransceivers() if one.sender.track]
        sender.transport._send_rtp = self._speak(sender.transport._send_rtp)

    def _listen(self, receive, stamped: StampedSocket):
        def listen(data: bytes, address) -> None:
            if data[8:12] == self._ssrc and data[0] >> 6 == 2 and not 64 <= data[1] & 127 < 96:
                self._heard.append((int.from_bytes(data[2:4]), stamped.at))
            receive(data, address)

        return listen

    def _speak(self, send):
        async def speak(data: bytes) -> None:
            before = time.time_ns()
            await send(data)
            if not 64 <= data[1] & 127 < 96:
                self._sent.append((int.from_bytes(data[2:4]), before, time.time_ns()))

        return speak

    def begin(self) -> None:
        """Forgets everything until now."""
        self._sent.clear()
        self._heard.clear()

    def so_far(self) -> tuple[list[float], int]:
        """The delays since the beginning, in milliseconds, and how many packets are missing.

        What was sent in the last half second may be on its way.
        """
        sent, heard = list(self._sent), list(self._heard)
        before = [one[1] for one in sent]
        # Numbers are shifted on the way, all by the same: by what lies between most packets and the last that was
        # sent before.
        latest = [(number - sent[bisect_right(before, at) - 1][0]) % 65_536 for number, at in heard if at > before[0]]
        [(shift, _)] = collections.Counter(latest).most_common(1)
        arrived = {(number - shift) % 65_536: at for number, at in heard}
        end = time.time_ns() - 500_000_000
        due = [(arrived.get(number), after) for number, _, after in sent if after < end]
        delays = [max(0, at - after) / 1e6 for at, after in due if at]
        return delays, len(due) - len(delays)
