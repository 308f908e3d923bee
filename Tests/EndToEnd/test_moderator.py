"""What moderators find in the meeting page, and nobody else does."""

import pytest

from harness.meeting_page import ADA, BEN, CAI, DEE
from harness.waiting import until

PAGES = {"video": 0}


@pytest.fixture
async def moderator(open_page, server, session):
    """Ada, a moderator, with the list of people open."""
    token = await server.token(session, "ada", scope="moderator")
    page = await open_page(ADA, token=token, **PAGES)
    await page.click("people-toggle")
    return page


def labelled(label: str) -> str:
    return f"document.querySelector('#panel [aria-label=\"{label}\"]')"


async def press(page, label: str) -> None:
    button = labelled(label)
    await until(lambda: page.evaluate(f"{button}?.checkVisibility() ?? false"), f"there is {label!r}")
    await page.evaluate(f"{button}.focus(), {button}.click()")


async def choose(page, name: str, item: str) -> None:
    """From the menu of somebody, by keyboard."""
    await press(page, f"Moderate {name}")
    for _ in range(12):
        if (await page.evaluate("document.activeElement.innerText")).startswith(item):
            return await page.tab.page.keyboard.press("Enter")
        await page.tab.page.keyboard.press("ArrowDown")
    raise AssertionError(f"there is no {item!r} in the menu")


async def test_a_moderator_mutes_lowers_a_hand_and_removes_from_the_list(moderator, open_page):
    ben = await open_page(BEN, **PAGES)
    await choose(moderator, "Ben", "Mute")
    await until(lambda: ben.evaluate("rostrum.audioOn === false"), "Ben is muted")
    await choose(moderator, "Ben", "Ask to unmute")
    asked = "document.querySelector('[data-banner=microphone]')?.innerText.includes('asked to speak') ?? false"
    await until(lambda: ben.evaluate(asked), "Ben is asked")
    await ben.click("hand")
    hands = "[...document.querySelectorAll('#hands-list > li')].map(one => one.dataset.participant)"

    async def raised():
        return await moderator.evaluate(hands) == [ben.pid]

    await until(raised, "the hand is in the list")
    await choose(moderator, "Ben", "Lower hand")
    await until(lambda: ben.evaluate("rostrum.hands.length === 0"), "the hand is down")
    # The list of hands has a menu for Ben as well, which goes with the hand.
    await until(lambda: moderator.evaluate(f"({hands}).length === 0"), "the hand is out of the list")
    await choose(moderator, "Ben", "Remove")
    await moderator.tab.page.keyboard.type("Too loud")
    await moderator.tab.page.keyboard.press("Enter")
    await until(lambda: ben.evaluate("document.body.dataset.view === 'ended'"), "Ben is out")
    assert await ben.evaluate("document.getElementById('ended').dataset.reason") == "removed"
    assert await moderator.evaluate("document.body.dataset.view") == "meeting"


async def test_a_moderator_locks_pauses_stops_and_gives_a_scope_from_the_list(moderator, open_page):
    ben = await open_page(BEN)
    await choose(moderator, "Ben", "Mute and lock")
    await until(lambda: ben.evaluate("rostrum.audioOn === false && rostrum.me.audioLocked"), "Ben is locked")
    await choose(moderator, "Ben", "Unlock microphone")
    await until(lambda: ben.evaluate("rostrum.me.audioLocked === false"), "and unlocked")
    await choose(moderator, "Ben", "Pause video")
    await until(lambda: ben.evaluate("rostrum.videoOn === false"), "Ben's camera is off")
    await ben.click("share")
    await until(lambda: moderator.evaluate(f"rostrum.participant('{ben.pid}').isPresenting"), "Ben shares")
    await choose(moderator, "Ben", "Stop sharing")
    await until(lambda: ben.evaluate("rostrum.screenOn === false"), "Ben shares no more")
    await choose(moderator, "Ben", "Change scope")
    scopes = "[...document.querySelectorAll('#dialog input')].map(one => one.value)"
    assert await moderator.evaluate(scopes) == ["participant", "viewer"]
    await moderator.tab.page.keyboard.press("ArrowDown")
    await moderator.tab.page.keyboard.press("Enter")
    await until(lambda: ben.evaluate("rostrum.me.scope === 'viewer'"), "Ben only listens")


async def test_a_moderator_mutes_all_and_locks_the_meeting(moderator, open_page):
    ben = await open_page(BEN, **PAGES)
    await moderator.click("mute-all")
    await until(lambda: ben.evaluate("rostrum.audioOn === false"), "Ben is muted")
    assert await moderator.evaluate("rostrum.audioOn") is True, "not oneself"
    await moderator.click("lock-session")
    text = "document.getElementById('lock-session').textContent"

    async def says_unlock():
        return await moderator.evaluate(text) == "Unlock meeting"

    await until(says_unlock, "the button says what it does now")
    cai = await open_page(CAI, join=False, **PAGES)
    await cai.click("join-button")
    locked = "document.getElementById('join-problem-text').textContent.includes('locked')"
    await until(lambda: cai.evaluate(locked), "nobody new comes in")
    await moderator.click("lock-session")
    await until(lambda: moderator.evaluate("rostrum.session.settings.locked === false"), "it is open again")
    await cai.join()


async def test_who_waits_is_told_and_let_in_or_not(moderator, open_page, server, session):
    change = {"settings": {"waitingRoom": True}}
    async with server.http.patch(f"/v1/sessions/{session}", json=change) as response:
        assert response.status == 200, await response.text()
    ben = await open_page(BEN, join=False, **PAGES)
    cai = await open_page(CAI, join=False, **PAGES)
    waits = "document.body.dataset.view === 'waiting'"
    for page in (ben, cai):
        await page.click("join-button")
        await until(lambda page=page: page.evaluate(waits), f"{page.person.name} is told to wait")
    banner = "document.querySelector('[data-banner=waiting-room]')"
    assert await moderator.evaluate(banner) is None, "where the list is open it is told there"
    await moderator.evaluate("document.getElementById('panel-close').click()")
    dee = await open_page(DEE, join=False, **PAGES)
    await dee.click("join-button")
    told = f"{banner}?.innerText.includes('3 people') ?? false"
    await until(lambda: moderator.evaluate(told), "the moderator is told of all")
    await moderator.evaluate(f"{banner}.querySelector('button').click()")
    assert await moderator.evaluate(banner) is None
    await press(moderator, "Deny Dee")
    await press(moderator, "Admit Ben")
    await ben.joined()
    await press(moderator, "Deny Cai")
    await until(lambda: cai.evaluate("document.body.dataset.view === 'ended'"), "Cai isn't let in")
    assert await cai.evaluate("document.getElementById('ended').dataset.reason") == "denied"
    is_over = "document.getElementById('waiting').hidden"
    await until(lambda: moderator.evaluate(is_over), "nobody waits any more")


async def test_a_participant_has_nothing_to_moderate_with(open_page):
    ada = await open_page(ADA, **PAGES)
    ben = await open_page(BEN, **PAGES)
    await ben.click("people-toggle")
    listed = "document.querySelectorAll('#people-list > li').length === 2"
    await until(lambda: ben.evaluate(listed), "both are listed")
    shown = (
        "[...document.querySelectorAll('.person-more, #moderation, #waiting')]"
        ".some(one => one.checkVisibility())"
    )
    assert not await ben.evaluate(shown)
    assert ada.pid != ben.pid
