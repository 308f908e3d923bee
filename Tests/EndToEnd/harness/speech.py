"""Speech for microphones: sentences that espeak-ng speaks, as samples that a page plays."""

import array
import base64
import io
import subprocess
import sys
import wave
from dataclasses import dataclass

# What is quieter than this at either end of a sentence is left away: -40 dBov.
_SOUND = 328


@dataclass(frozen=True)
class Sentence:
    """Mono samples of 16 bits, from the first sound to the last."""

    rate: int
    samples: array.array

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

    def facts(self) -> dict:
        """What `speech.js` takes."""
        samples = array.array("h", self.samples)
        if sys.byteorder == "big":
            samples.byteswap()
        return {"rate": self.rate, "samples": base64.b64encode(samples).decode()}


def speak(text: str, voice: str = "en-gb", words_a_minute: int = 160) -> Sentence:
    """Has a sentence spoken. The same text is the same sound each time."""
    spoken = subprocess.run(
        ["espeak-ng", "--stdout", "-v", voice, "-s", str(words_a_minute), text], check=True, stdout=subprocess.PIPE
    ).stdout
    with wave.open(io.BytesIO(spoken)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        rate, samples = file.getframerate(), array.array("h", file.readframes(file.getnframes()))
    if sys.byteorder == "big":
        samples.byteswap()
    loud = [place for place, sample in enumerate(samples) if abs(sample) > _SOUND]
    return Sentence(rate, samples[loud[0] : loud[-1] + 1])
