"""A lost socket: media goes on, and nothing that was said is missed."""

import time

import pytest

from harness.meeting_page import ADA, BEN, everybody_meets
from harness.tcp_proxy import Proxy
from harness.waiting import until


@pytest.fixture
async def proxy(server):
    running = await Proxy(int(server.flags["http.port"])).start()
    yield running
    await running.stop()


async def test_a_socket_dropped_for_five_seconds_costs_neither_media_nor_events(open_page, proxy, report):
    ada = await open_page(ADA, origin=proxy.origin)
    ben = await open_page(BEN)
    await everybody_meets([ada, ben])
    known = len(await ada.events())

    proxy.cut()
    cut_at = time.monotonic()
    await until(lambda: ada.evaluate("rostrum.state === 'reconnecting'"), "the socket is lost")
    await ben.evaluate("rostrum.raiseHand()")
    for text in ("one", "two", "three"):
        await ben.evaluate(f"rostrum.sendMessage({{type: 'chat', text: '{text}'}})")
    await ben.evaluate("rostrum.lowerHand()")
    await ben.shows(ada.pid, state="reconnecting")
    while time.monotonic() < cut_at + 5:
        await ada.sees(ben, within=1, frames=5)
        await ben.sees(ada, within=1, frames=5)
    assert await ada.evaluate("rostrum.state") == "reconnecting"
    proxy.mend()

    await until(lambda: ada.evaluate("rostrum.state === 'joined'"), "the session is resumed", within=8)
    report(f"resumed {time.monotonic() - cut_at - 5:.1f} s after the cable was back")
    await ben.shows(ada.pid, state="joined")
    missed = await until(
        lambda: _told(ada, known, "participantHandLowered"), "the events of the time without a socket"
    )
    told = [
        one["data"]["message"]["text"] if one["event"] == "message" else one["event"]
        for one in missed
        if one["event"] in ("message", "participantHandRaised", "participantHandLowered")
    ]
    assert told == ["participantHandRaised", "one", "two", "three", "participantHandLowered"]
    numbers = [one["seq"] for one in missed if "seq" in one]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert (await ada.evaluate("rostrum.participantId")) == ada.pid
    assert [await ada.offers(), await ben.offers()] == [1, 1]
    await everybody_meets([ada, ben])


async def _told(page, known, last):
    events = (await page.events())[known:]
    return events if any(one["event"] == last for one in events) else None


async def test_resuming_by_hand_answers_the_missed_events_in_order(open_socket, server):
    ada, ben = await open_socket("ada"), await open_socket("ben")
    joined = await ada.request("joinSession")
    await ben.request("joinSession")
    await ada.event("participantJoined")
    last = max(event["seq"] for event in ada.events)
    await ada.close()
    await ben.request("raiseHand")
    await ben.request("sendMessage", type="chat", text="are you there?")
    again = await open_socket("ada")
    resumed = await again.request("resumeSession", resumeToken=joined["resumeToken"], lastSeq=last)
    events = resumed["events"]
    assert [one["seq"] for one in events] == list(range(last + 1, last + 1 + len(events)))
    names = [one["event"] for one in events]
    assert names.index("participantHandRaised") < names.index("message")
    roster = (await again.request("getParticipants"))["participants"]
    assert [one["participantId"] for one in roster][0] == joined["participant"]["participantId"]
