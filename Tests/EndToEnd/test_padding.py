"""Packets that were padded so that they could leave in one message: real decoders must take them as any others."""

import asyncio

from harness.meeting_page import ADA, BEN, CAI, MeetingPage
from harness.waiting import until

# Makes the picture noise, and enough of it that every picture takes several packets of nearly the same size.
ENCODINGS = [{"maxBitrate": 900_000}]


async def padded_packets(server) -> float:
    """How many packets the server's workers have padded since its start."""
    metrics = await server.metrics()
    return sum(value for name, value in metrics.items() if name.startswith("rostrum_packets_padded_total"))


async def reception(page, other) -> dict[str, float]:
    """What a page counts of somebody's picture and voice."""
    picture, voice = await page.seat(other.pid), await page.seat(other.pid, "microphone")
    return {
        "frames": picture["framesDecoded"],
        "dropped": picture.get("framesDropped", 0),
        "PLIs": picture.get("pliCount", 0),
        "lost": picture.get("packetsLost", 0) + voice.get("packetsLost", 0),
        "samples": voice["totalSamplesReceived"],
        "concealed": voice["concealedSamples"] - voice.get("silentConcealedSamples", 0),
    }


async def test_three_decoders_take_padded_packets(open_page, firefox_tab, open_client, server, session, report, caplog):
    ada = await open_page(ADA, encodings=ENCODINGS)
    ben = await open_page(BEN)
    cai = await MeetingPage.open(firefox_tab, server.origin, session, CAI)
    bot = await open_client("bot")
    pages = [ben, cai]
    for page in pages:
        await until(lambda: shown(page, ada), f"{page.person.name} sees Ada", within=15)
        await page.hears(ada)
    await until(lambda: (seat := bot.seat(ada.pid, "camera")) and seat.frames > 10, "the bot sees Ada", within=15)

    caplog.clear()
    padded = await padded_packets(server)
    before = [await reception(page, ada) for page in pages]
    bot_frames, sent = bot.seat(ada.pid, "camera").frames, await ada.frames_sent()
    # All three viewers get the same pictures, cut into the same packets.
    await until(lambda: more_padded(server, padded + 600), "packets were padded", within=60, every=0.25)
    after = [await reception(page, ada) for page in pages]
    sent = await ada.frames_sent() - sent
    bot_frames = bot.seat(ada.pid, "camera").frames - bot_frames

    padded = await padded_packets(server) - padded
    report(f"{padded:.0f} packets padded, {sent} pictures sent, {bot_frames} decoded by aiortc")
    # Python may be late, but what it has decoded it has decoded without a complaint.
    assert bot_frames > 0.5 * sent - 5
    complaints = [one.getMessage() for one in caplog.records if one.name.startswith("aiortc")]
    assert not complaints
    for page, first, last in zip(pages, before, after, strict=True):
        rise = {key: last[key] - first[key] for key in first}
        report(f"{page.person.name}: {rise}")
        assert rise["frames"] > 0.8 * sent - 5
        assert rise["PLIs"] == rise["lost"] == 0
        assert rise["concealed"] < 0.05 * rise["samples"]


async def shown(page, other) -> bool:
    return (await page.seat(other.pid)).get("framesDecoded", 0) > 10


async def more_padded(server, count) -> bool:
    return await padded_packets(server) >= count
