"""Who gets which size of a picture, and that nobody sends what nobody is shown."""

import json
import time

import pytest

from harness.meeting_page import ADA, BEN, Person
from harness.waiting import until

# Large enough for Chromium to send three sizes.
WIDE = Person("Wide", ADA.voice_hz, 1_280, 720, frame_rate=6)
SIZES = ["q", "h", "f"]
HEIGHTS = {"q": 180, "h": 360, "f": 720}


@pytest.fixture
async def pair(open_page):
    """A publisher with a camera in three sizes, all of which are sent, and a viewer that is shown the largest."""
    publisher = await open_page(WIDE, simulcast=1)
    viewer = await open_page(BEN, video=0)
    await show(viewer, publisher, "tile", 720)
    await until(lambda: gets(viewer, publisher, 720), "the viewer gets the largest size", within=60)
    return publisher, viewer


async def show(viewer, publisher, layout, height):
    """Says how large the publisher is shown, in place of what the page has said; when, by the server's time."""
    mid = await until(
        lambda: viewer.evaluate(f"rostrum.seatOf({json.dumps(publisher.pid)}, 'camera')?.mid"),
        "the publisher has a seat",
    )
    # The page tells its own layout 600 ms after the last change, once.
    await viewer.evaluate("new Promise(resolve => setTimeout(resolve, 1500))")
    wish = json.dumps([{"mid": mid, "maxHeight": height}])
    said = await server_time(viewer)
    await viewer.evaluate(f"rostrum.setLayout({json.dumps(layout)}, {wish})")
    return said


async def gets(viewer, publisher, height):
    """Whether pictures of this height come."""
    before = await viewer.seat(publisher.pid)
    await viewer.evaluate("new Promise(resolve => setTimeout(resolve, 500))")
    now = await viewer.seat(publisher.pid)
    moves = now.get("framesDecoded", 0) > before.get("framesDecoded", 0)
    return moves and now.get("frameHeight") == height


async def active(publisher):
    """Which sizes the browser's own sender is set to send."""
    return await publisher.evaluate(
        "rostrum.peerConnection.getSenders().filter(s => s.track?.kind === 'video')"
        ".flatMap(s => s.getParameters().encodings.filter(e => e.active).map(e => e.rid))"
    )


async def sent(publisher):
    """Pictures of each size that left so far."""
    streams = await publisher.evaluate("endToEnd.sent()")
    return {one["rid"]: one.get("framesSent", 0) for one in streams if one.get("rid")}


async def server_time(page):
    """The server's time, in milliseconds."""
    return await page.evaluate("rostrum.request('ping').then(answer => answer.at)")


async def asked(publisher, sizes, since):
    """Waits until the publisher's sender is set to these sizes; how long after `since` it was asked, in ms."""
    await until(lambda: same(publisher, sizes), f"the publisher sends {sizes}", within=10)
    hints = [one for one in await publisher.events("publishHint") if active_in(one) == sorted(sizes)]
    return hints[-1]["at"] - since


def active_in(hint):
    return sorted(one["rid"] for one in hint["data"]["encodings"] if one["active"])


async def same(publisher, sizes):
    return sorted(await active(publisher)) == sorted(sizes)


async def stands_still(publisher, sizes):
    """Nothing of these sizes leaves the browser any more."""
    before = await sent(publisher)
    await publisher.evaluate("new Promise(resolve => setTimeout(resolve, 1000))")
    after = await sent(publisher)
    return all(after.get(size, 0) == before.get(size, 0) for size in sizes)


@pytest.mark.timeout(180)
async def test_a_compact_viewer_gets_one_small_size_and_the_others_are_not_sent(pair, report):
    publisher, viewer = pair
    assert await same(publisher, SIZES)
    began = time.monotonic()
    said = await show(viewer, publisher, "spotlight", 180)
    await until(lambda: gets(viewer, publisher, 180), "the viewer gets the smallest size", within=5)
    small = time.monotonic() - began
    off = await asked(publisher, ["q"], said)
    assert off < 5_000
    await until(lambda: stands_still(publisher, ["h", "f"]), "the larger sizes aren't sent", within=4)
    assert await gets(viewer, publisher, 180)
    mid = await viewer.evaluate(f"rostrum.seatOf({json.dumps(publisher.pid)}, 'camera').mid")
    larger, began = await server_time(viewer), time.monotonic()
    await viewer.evaluate(f"rostrum.setLayout('tile', [{{mid: {json.dumps(mid)}, maxHeight: 720}}])")
    on = await asked(publisher, SIZES, larger)
    assert on < 1_000
    # The browser's own estimate decides when it has room for it.
    await until(lambda: gets(viewer, publisher, 720), "the viewer gets the largest size again", within=30)
    back = time.monotonic() - began
    report(
        f"small after {small:.1f} s; unused sizes asked off after {off} ms, back after {on} ms,"
        f" the largest shown again after {back:.1f} s"
    )
    assert await publisher.offers() == 1
    assert await viewer.offers() == 1


@pytest.mark.timeout(180)
async def test_a_viewer_that_saves_power_gets_voices_alone(pair, report):
    publisher, viewer = pair
    said = await server_time(viewer)
    await viewer.evaluate("rostrum.setReceiveLimits({videoPaused: true})")
    await until(lambda: nothing_comes(viewer, publisher), "no picture comes", within=3)
    await viewer.hears(publisher)
    off = await asked(publisher, [], said)
    assert off < 5_000
    await until(lambda: stands_still(publisher, SIZES), "no picture is sent", within=4)
    await viewer.hears(publisher)
    resumed = await server_time(viewer)
    await viewer.evaluate("rostrum.setReceiveLimits({})")
    on = await asked(publisher, SIZES, resumed)
    assert on < 1_000
    await until(lambda: moving(viewer, publisher), "a picture comes again", within=5)
    report(f"all sizes asked off after {off} ms, back after {on} ms")
    assert await publisher.offers() == 1


async def nothing_comes(viewer, publisher):
    before = await viewer.seat(publisher.pid)
    await viewer.evaluate("new Promise(resolve => setTimeout(resolve, 1000))")
    now = await viewer.seat(publisher.pid)
    return now.get("packetsReceived") == before.get("packetsReceived")


async def moving(viewer, publisher):
    before = await viewer.seat(publisher.pid)
    await viewer.evaluate("new Promise(resolve => setTimeout(resolve, 300))")
    now = await viewer.seat(publisher.pid)
    return now.get("framesDecoded", 0) > before.get("framesDecoded", 0)


async def connection(page, other):
    """How a tile shows that somebody is connected; None: not yet."""
    tile = json.dumps(f'.tile[data-participant="{other.pid}"]')
    shown = await page.evaluate(
        "(tile => ({...tile.querySelector('.quality-badge').dataset, label: tile.getAttribute('aria-label'),"
        f" hidden: tile.querySelector('.quality-badge').hidden}}))(document.querySelector({tile}))"
    )
    return shown if "level" in shown else None


@pytest.mark.timeout(60)
async def test_a_tile_says_how_well_somebody_is_connected(open_page):
    ada, ben = [await open_page(person) for person in (ADA, BEN)]
    await ben.sees(ada)
    shown = await until(lambda: connection(ben, ada), "the connection is shown", within=20)
    assert not shown["hidden"]
    assert int(shown["level"]) >= 3, shown
    assert "connection" in shown["label"]
    told = [one["data"] for one in await ben.events("connectionQuality")]
    assert {"participantId": ada.pid, "score": int(shown["level"])} in told
