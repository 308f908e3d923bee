"""What a viewer's link carries decides what it is sent: real congestion control, through the relay.

Only `make soak` runs it: three sizes are encoded at once, and what isn't sent in time looks like a narrow link.
"""

import asyncio
import time

import pytest

from harness.meeting_page import Person
from harness.waiting import until

# Three sizes, as a camera sends them; each may take as much as this, and takes it: the picture is noise, faint enough for the
# encoder to keep to that without leaving out pictures.
ENCODINGS = [
    {"rid": "q", "scaleResolutionDownBy": 4, "maxBitrate": 130_000},
    {"rid": "h", "scaleResolutionDownBy": 2, "maxBitrate": 450_000},
    {"rid": "f", "scaleResolutionDownBy": 1, "maxBitrate": 1_700_000},
]
ADA = Person("Ada", 440, 960, 540, 15)
HEIGHTS = {"q": 135, "h": 270, "f": 540}
# Bytes that a link's queue holds: a third of a second.
SLOW = {"rate": 400_000, "queue": 16_000, "delay": 20}
MIDDLING = {"rate": 1_500_000, "queue": 60_000, "delay": 20}
WIDE = {"rate": 3_000_000, "queue": 120_000, "delay": 20}


@pytest.fixture
async def publisher(open_page, relayed_server, bad_network):
    """Sends its three sizes, and has found its own way up."""
    page = await open_page(ADA, origin=relayed_server.origin, encodings=ENCODINGS)

    async def sends_all():
        streams = [one for one in await page.evaluate("endToEnd.sent()") if one.get("rid")]
        sizes = {one["rid"]: one.get("frameHeight") for one in streams if one.get("framesPerSecond", 0) > 5}
        return sizes == HEIGHTS

    await until(sends_all, "Ada sends all three sizes", within=40)
    return page


@pytest.fixture
def view(open_page, relayed_server, open_link):
    """Opens a viewer behind a link: `page, link = await view("Ben", rate=…)`."""

    async def open_one(name: str, **impairments):
        address, link = await open_link(**impairments)
        page = await open_page(
            Person(name, 700, 320, 180), origin=relayed_server.origin, media_host=address, video=0
        )
        # The window is small, which would bound the size as well.
        await page.evaluate(
            "(any => { rostrum.setLayout = () => any; return any; })(rostrum.setLayout('tile'))"
        )
        return page, link

    return open_one


async def state(page, other) -> dict:
    """What the server says of the picture of somebody, and what the browser does."""
    stats = await page.evaluate("rostrum.getServerStats()")
    seats = [one for one in stats["seats"] if one.get("participantId") == other.pid and one["kind"] == "video"]
    seat = await page.seat(other.pid)
    return {
        "rid": (seats[0].get("layer") or {}).get("rid") if seats else None,
        "reason": seats[0].get("reason") if seats else None,
        "estimate": stats["link"].get("estimateBps", 0),
        "height": seat.get("frameHeight"),
        "frames": seat.get("framesDecoded", 0),
        "freezes": seat.get("totalFreezesDuration", 0),
        "bytes": seat.get("bytesReceived", 0),
    }


async def gets(page, other, rid: str, within: float) -> float:
    """Waits until somebody's picture comes in a size; the seconds that took."""
    begun = time.monotonic()

    async def shows():
        now = await state(page, other)
        return now if now["height"] == HEIGHTS[rid] and now["rid"] == rid else None

    try:
        await until(shows, f"{page.person.name} gets {rid}", within, every=0.2)
    except AssertionError as error:
        raise AssertionError(f"{error}; {await state(page, other)}") from None
    return time.monotonic() - begun


async def watch(page, other, seconds: float) -> dict:
    """What is seen over some time: the sizes, the longest time without a picture, the bitrate."""
    first, begun, sizes, gap, changed = await state(page, other), time.monotonic(), {}, 0.0, time.monotonic()
    last = first
    while time.monotonic() < begun + seconds:
        await asyncio.sleep(0.2)
        now = await state(page, other)
        if now["frames"] > last["frames"]:
            changed = time.monotonic()
        gap = max(gap, time.monotonic() - changed)
        sizes[now["rid"]] = sizes.get(now["rid"], 0) + 1
        last = now
    total = sum(sizes.values())
    return {
        "sizes": {rid: round(count / total, 2) for rid, count in sizes.items()},
        "gap": gap,
        "kbit/s": (last["bytes"] - first["bytes"]) / 125 / (time.monotonic() - begun),
        "fps": (last["frames"] - first["frames"]) / (time.monotonic() - begun),
        "estimate": last["estimate"],
    }


async def pictures_sent(publisher) -> dict[str, int]:
    """How many pictures of each size have left."""
    streams = await publisher.evaluate("endToEnd.sent()")
    return {one["rid"]: one.get("framesSent", 0) for one in streams if one.get("rid")}


@pytest.mark.timeout(180)
async def test_each_viewer_gets_the_size_that_its_link_carries(publisher, view, report):
    cases = [("Ben", SLOW, "q"), ("Cai", MIDDLING, "h"), ("Dee", {"delay": 20}, "f")]
    pages = [(await view(name, **link))[0] for name, link, _ in cases]
    times = await asyncio.gather(
        *(gets(page, publisher, rid, 10) for page, (_, _, rid) in zip(pages, cases, strict=True))
    )
    before = await pictures_sent(publisher)
    seen = await asyncio.gather(*(watch(page, publisher, 15) for page in pages))
    sent = {rid: (count - before[rid]) / 15 for rid, count in (await pictures_sent(publisher)).items()}
    for took, one, (name, _, rid) in zip(times, seen, cases, strict=True):
        report(f"{name}: {rid} after {took:.1f} s, then {one}")
    report(f"pictures sent a second: {sent}")
    slow, middling, free = seen
    assert max(times) <= 5
    # Nothing that its link can't carry.
    assert slow["sizes"].get("q", 0) >= 0.8 and slow["sizes"].get("f", 0) == 0
    # A busy machine sends less of the best than it may: then that fits now and then.
    assert middling["sizes"].get("h", 0) + middling["sizes"].get("f", 0) >= 0.8
    assert free["sizes"].get("f", 0) >= 0.9
    assert slow["kbit/s"] < 400
    assert middling["kbit/s"] < 1_500
    assert max(one["gap"] for one in seen) <= 1
    assert free["fps"] >= 0.8 * sent["f"]


@pytest.mark.timeout(180)
async def test_a_link_that_falls_is_followed_and_one_that_recovers_too(publisher, view, report):
    page, link = await view("Ben", **WIDE)
    found = await gets(page, publisher, "f", 20)
    await link.set("down", rate=500_000, queue=20_000)
    fell = await gets(page, publisher, "q", 15)
    low = await watch(page, publisher, 10)
    await link.set("down", rate=3_000_000, queue=120_000)
    rose = await gets(page, publisher, "f", 30)
    report(f"best after {found:.1f} s; smallest {fell:.1f} s after the fall, then {low}; best {rose:.1f} s after the rise")
    assert fell <= 10 and rose <= 15
    assert low["gap"] <= 1
    assert low["kbit/s"] < 500
    assert None not in low["sizes"] or low["sizes"][None] <= 0.2
