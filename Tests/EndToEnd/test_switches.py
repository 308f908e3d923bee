"""Layers are switched back and forth, and the decoder of a real browser never notices."""

import asyncio
import itertools
import json

import pytest

from harness.meeting_page import MeetingPage, Person
from harness.soak import SOAK, times
from harness.waiting import until

#: How often each pair is switched back and forth.
ROUNDS = times(2, 100)
ADA = Person("Ada", 440, 1_024, 576, 10)
HEIGHTS = [144, 288, 576]


def simulcast(mode: str | None) -> list[dict]:
    """Three sizes, each an encoding."""
    scalability = {"scalabilityMode": mode} if mode else {}
    return [
        {"rid": rid, "scaleResolutionDownBy": scale, "maxBitrate": bitrate, **scalability}
        for rid, scale, bitrate in (("q", 4, 100_000), ("h", 2, 250_000), ("f", 1, 600_000))
    ]


def scalable(mode: str) -> list[dict]:
    """Three sizes in one encoding."""
    return [{"scalabilityMode": mode, "maxBitrate": 900_000}]


STRUCTURES = {
    "VP8 simulcast": ("VP8", simulcast("L1T3")),
    "H.264 simulcast": ("H264", simulcast(None)),
    "VP9 simulcast": ("VP9", simulcast("L1T3")),
    "AV1 simulcast": ("AV1", simulcast("L1T3")),
    "VP9 L3T3_KEY": ("VP9", scalable("L3T3_KEY")),
    "VP9 L3T3": ("VP9", scalable("L3T3")),
    "AV1 L3T3_KEY": ("AV1", scalable("L3T3_KEY")),
    "AV1 L3T3": ("AV1", scalable("L3T3")),
}
# One of each kind, as a rule: three sizes may come in three streams or in one.
TRIED = list(STRUCTURES) if SOAK else ["VP8 simulcast", "AV1 L3T3_KEY"]

# Runs in a viewer's page. Switches a seat between two heights, again and again, as soon as each is shown; tells how long each
# took, in milliseconds, and what was wrong with the frames in between.
SWITCH = """
(async (key, mid, heights, rounds) => {
  const told = { took: [], setBack: 0, frames: 0 };
  let last = null, shows = null, seen = null;
  endToEnd.onFrame = (tile, { rtpTimestamp, height }) => {
    if (tile !== key) return;
    told.frames += 1;
    if (last !== null && ((rtpTimestamp - last) | 0) <= 0) told.setBack += 1;
    last = rtpTimestamp;
    seen = height;
    shows?.(height);
  };
  for (let turn = 0; turn < rounds * 2; turn += 1) {
    const height = heights[turn % 2];
    const begun = performance.now();
    // A size that was asked off comes back when the sender's own estimate has room for it.
    const shown = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`turn ${turn}: not ${height}, but ${seen} is shown`)), 30_000);
      shows = (seen) => { if (seen === height) { clearTimeout(timer); resolve(); } };
    });
    await rostrum.setLayout("tile", [{ mid, maxHeight: height }]);
    await shown;
    told.took.push(performance.now() - begun);
  }
  endToEnd.onFrame = null;
  return told;
})
"""


async def switch(viewer: MeetingPage, publisher: MeetingPage, heights: tuple[int, int]) -> dict:
    """Switches back and forth; what was seen of it."""
    mid = await until(
        lambda: viewer.evaluate(f"rostrum.seatOf({json.dumps(publisher.pid)}, 'camera')?.mid"), "a seat")
    arguments = json.dumps([f"{publisher.pid}/camera", mid, heights, ROUNDS])[1:-1]
    before = await viewer.seat(publisher.pid)
    try:
        told = await viewer.evaluate(f"({SWITCH})({arguments})")
    except Exception as error:
        seats = (await viewer.evaluate("rostrum.getServerStats()"))["seats"]
        raise AssertionError(f"{error}; {[one for one in seats if one['kind'] == 'video']}") from None
    after = await viewer.seat(publisher.pid)
    for key in ("freezeCount", "totalFreezesDuration", "framesDropped", "pliCount", "keyFramesDecoded"):
        told[key] = after.get(key, 0) - before.get(key, 0)
    return told


@pytest.mark.timeout(120 + 12 * ROUNDS)
@pytest.mark.parametrize("structure", TRIED)
async def test_sizes_are_switched_back_and_forth_and_the_picture_moves_on(open_page, report, structure):
    codec, encodings = STRUCTURES[structure]
    publisher = await open_page(ADA, codec=codec, encodings=encodings, is_busy=False)
    pairs = list(itertools.combinations(HEIGHTS, 2))
    viewers = [await open_page(Person(f"Viewer {number}", 700, 320, 180), video=0) for number in range(len(pairs))]
    for viewer in viewers:
        await viewer.sees(publisher.pid, within=20)
    # The page tells its own layout 600 ms after the last change.
    await viewers[-1].evaluate("new Promise(resolve => setTimeout(resolve, 1500))")
    seen = await asyncio.gather(
        *(switch(viewer, publisher, heights) for viewer, heights in zip(viewers, pairs, strict=True)))
    for heights, told in zip(pairs, seen, strict=True):
        took = sorted(told.pop("took"))
        assert len(took) == 2 * ROUNDS
        told["to the new size"] = f"median {took[len(took) // 2]:.0f} ms, longest {took[-1]:.0f} ms"
        report(f"{structure}, {heights[0]} and {heights[1]}, {2 * ROUNDS} switches: {told}")
    for told in seen:
        assert told["setBack"] == 0, "timestamps rise"
        # A machine that encodes three sizes of three key frames at once may stop for a moment itself.
        assert told["totalFreezesDuration"] <= 0.5 * told["freezeCount"]
        assert told["freezeCount"] <= ROUNDS
