"""The loads that are measured, each as flags of rostrum-load."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Load:
    """Who sends and who watches; `receivers` are those that the server sends to."""

    name: str
    participants: int
    audio: int
    video: int
    seats: tuple
    receivers: int
    bitrate: float = 1.2e6
    sends_only: bool = True
    ramp: int = 100
    suite: str = "AEAD_AES_128_GCM"
    # Media threads of the server. They share its processor: what is seen is what a packet costs, spread over several.
    workers: int = 1
    extra: tuple = field(default=())

    def flags(self):
        flags = ["--participants", self.participants, "--publishers", f"audio={self.audio},video={self.video}",
                 "--seats", f"audio={self.seats[0]},video={self.seats[1]}", "--ramp", self.ramp,
                 "--bitrate", round(self.bitrate), "--srtp-suite", self.suite, *self.extra]
        if self.sends_only:
            flags.append("--publishers-only-send")
        return [str(flag) for flag in flags]

    def scaled(self, factor):
        """The same meeting with more packets: video of a higher bitrate, or more who listen."""
        if self.video > 0:
            return replace(self, bitrate=self.bitrate * factor)
        listeners = round(self.receivers * factor)
        return replace(self, receivers=listeners, participants=self.audio + listeners)


LOADS = [
    Load("meeting of 4", 4, 4, 4, (3, 3), 4, sends_only=False, ramp=4),
    Load("1 video to 100", 101, 0, 1, (0, 1), 100),
    Load("1 video to 300", 301, 0, 1, (0, 1), 300),
    Load("1 video to 1,000", 1_001, 0, 1, (0, 1), 1_000),
    Load("20 by 20", 20, 20, 20, (19, 19), 20, sends_only=False, ramp=20),
    Load("1 audio to 500", 501, 1, 0, (1, 0), 500),
    Load("10 audio to 1,000", 1_010, 10, 0, (10, 0), 1_000),
    Load("1 video to 300, SHA1_80", 301, 0, 1, (0, 1), 300, suite="AES_CM_128_HMAC_SHA1_80"),
    Load("1 video to 300, 2 workers", 301, 0, 1, (0, 1), 300, workers=2),
]

# Loads that differ in one thing, and what the ratio of their costs a packet says.
PAIRS = [
    ("1 video to 300", "1 video to 300, 2 workers",
     lambda one, two: f"two workers carry {2 * one / two:.2f} times what one carries, all of it one session"),
    ("1 video to 300", "1 video to 300, SHA1_80",
     lambda gcm, sha: f"AES_CM_128_HMAC_SHA1_80 costs {sha / gcm:.2f} times AEAD_AES_128_GCM"),
]

# What other forwarders can do as well: there, a participant sends or watches. A meeting in which everybody does both is as
# many senders beside as many watchers, so that each server has the same packets in and out.
PEER_LOADS = [
    Load("meeting of 4", 8, 4, 4, (3, 3), 4, ramp=8),
    Load("1 video to 100", 101, 0, 1, (0, 1), 100),
    Load("1 video to 300", 301, 0, 1, (0, 1), 300),
    Load("20 by 20", 40, 20, 20, (19, 19), 20, ramp=20),
    Load("1 audio to 500", 501, 1, 0, (1, 0), 500),
    Load("10 audio to 1,000", 1_010, 10, 0, (10, 0), 1_000),
]
