"""Each video codec that browsers send passes through."""

import pytest

from harness.meeting_page import ADA, BEN, everybody_meets


@pytest.mark.parametrize("codec", ["VP8", "VP9", "H264", "AV1"])
async def test_a_codec_is_carried_both_ways(open_page, report, codec):
    ada = await open_page(ADA, codec=codec)
    ben = await open_page(BEN, codec=codec)
    await everybody_meets([ada, ben])
    for page, other in ((ada, ben), (ben, ada)):
        seat = await page.seat(other.pid)
        assert seat["codec"] == f"video/{codec}"
        assert (await page.seat(other.pid, "microphone"))["codec"] == "audio/opus"
    report(f"{seat['framesDecoded']} frames decoded, {seat['keyFramesDecoded']} of them key frames")
