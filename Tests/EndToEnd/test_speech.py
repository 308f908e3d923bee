"""Who speaks, by real speech: synthesized sentences are what the browsers' microphones hear."""

import asyncio
import statistics

import pytest

from harness.meeting_page import ADA, BEN, CAI, MeetingPage
from harness.soak import times
from harness.speech import speak
from harness.waiting import until

# Who says what, by which voice, in a room that hisses how loudly (dBov). Ada's fan is as loud as others speak.
PEOPLE = [
    (ADA, "en-gb", "I have the numbers of last week, if somebody wants them.", -40),
    (BEN, "en-us+f3", "Yes, please. And what of the north?", -70),
    (CAI, "en-gb-scotland+m3", "They sent it this morning, I believe.", -75),
]
# Between two turns, in seconds: nobody waits for longer in a conversation.
PAUSE = 0.3
# How often somebody says it at the most until they are named: on a machine that is busy, microphones have gaps.
SENTENCES = 6


def last_mark(page: MeetingPage):
    return page.evaluate("endToEnd.marks.at(-1)?.participantIds ?? []")


async def take_turn(pages: list[MeetingPage], talker: MeetingPage) -> float:
    """Somebody talks until all pages mark them, a sentence at least; when that began, in ms since 1970."""
    begun = None
    for _ in range(SENTENCES):
        said = await talker.evaluate("endToEnd.say(0)")
        begun = begun or said["from"]
        if all([await last_mark(page) == [talker.pid] for page in pages]):
            return begun
    raise AssertionError(f"{talker.person.name} isn't marked: {[await last_mark(page) for page in pages]}")


@pytest.mark.timeout(times(90, soak=400))
async def test_whoever_speaks_is_named_and_marked_turn_by_turn_beside_a_fan_too(open_page, report):
    pages = [
        await open_page(
            person, video=0, speech={"noise": noise, "sentences": [speak(text, voice).facts()]}
        )
        for person, voice, text, noise in PEOPLE
    ]
    ada, ben, cai = pages
    for page in pages:
        for other in pages:
            await page.shows(other.pid, muted="false")
    # Long enough to be taken for somebody who speaks, if that were possible.
    before = await ada.packets_sent()
    await until(lambda: has_sent(ada, before + 100), "Ada's fan is heard")
    assert not await ben.events("dominantSpeakerChanged"), "a fan doesn't speak"

    order = [ben, ada, cai, ada] * times(1, soak=8)
    begun = []
    for talker in order:
        begun.append(await take_turn(pages, talker))
        await asyncio.sleep(PAUSE)

    named, marked = [], []
    for page in pages:
        told = [
            (one["data"]["participant"]["participantId"], one["receivedAt"])
            for one in await page.events("dominantSpeakerChanged") if one["data"]["participant"]
        ]
        marks = [one for one in await page.evaluate("endToEnd.marks") if one["participantIds"]]
        # One at a time, in the order of their turns, and nobody else in between.
        assert [pid for pid, _ in told] == [talker.pid for talker in order]
        assert [one["participantIds"] for one in marks] == [[talker.pid] for talker in order]
        named += [at - start for (_, at), start in zip(told, begun, strict=True)]
        marked += [one["at"] - start for one, start in zip(marks, begun, strict=True)]
    report(
        f"{len(order)} turns, from the first sound to named: {min(named):.0f} to {max(named):.0f} ms, "
        f"median {statistics.median(named):.0f}; to marked in the page: median {statistics.median(marked):.0f}, "
        f"at most {max(marked):.0f} ms")
    assert statistics.median(marked) < 3_000


async def has_sent(page: MeetingPage, packets: int) -> bool:
    return await page.packets_sent() >= packets
