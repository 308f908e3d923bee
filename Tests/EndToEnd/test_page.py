"""What the page says and offers: links that let nobody in, devices that go, its buttons and banners."""

import asyncio
import itertools
import re
import time
from dataclasses import dataclass

import pytest

from harness import chromium
from harness.meeting_page import ADA, BEN, everybody_meets
from harness.server import binary, environment
from harness.waiting import until


@dataclass
class Link:
    """A tab with the page as somebody finds it who opens a link."""

    tab: chromium.ChromiumTab

    async def evaluate(self, expression: str):
        return await self.tab.evaluate(expression)

    async def click(self, element_id: str) -> None:
        """Clicks as a person does: what is hidden or covered can't be clicked."""
        await self.tab.page.click(f"#{element_id}", timeout=5_000)

    async def text(self, element_id: str) -> str:
        """What is to be read there; nothing if it is hidden."""
        shown = "(one => one.checkVisibility() ? one.innerText : '')"
        return await self.evaluate(f"{shown}(document.getElementById('{element_id}'))")

    async def shows(self, element_id: str, pattern: str, within: float = 10) -> None:
        async def matches():
            return re.search(pattern, await self.text(element_id))

        await until(matches, f"#{element_id} says {pattern}", within)

    async def is_shown(self, element_id: str) -> bool:
        return await self.tab.page.is_visible(f"#{element_id}")

    async def is_in_the_meeting(self) -> None:
        inside = "document.body.dataset.view === 'meeting' && rostrum.state === 'joined'"
        await until(lambda: self.evaluate(inside), "the meeting is on show", within=15)


@pytest.fixture
async def open_link(browser):
    links: list[Link] = []

    async def open_one(url: str) -> Link:
        links.append(Link(await chromium.ChromiumTab.open(browser)))
        await links[-1].tab.navigate(url)
        return links[-1]

    yield open_one
    problems = [problem for link in links for problem in link.tab.problems]
    for link in links:
        await link.tab.close()
    assert not problems, f"errors in pages: {problems}"


async def expired_token(server, session: str) -> str:
    token = await server.token(session, "ada", ttlSeconds=1)
    minted_at = time.time()
    await until(lambda: time.time() > minted_at + 2, "the token has expired")
    return token


async def test_an_expired_link_says_so_and_its_bearer_joins_as_a_guest(open_link, server, session):
    link = await open_link(f"{server.origin}/?name=Ada&token={await expired_token(server, session)}")
    assert await link.text("invited-to") == session
    await link.click("join-button")
    await link.shows("join-problem", "expired")
    assert await link.text("join-button") == "Try again"
    await link.click("join-as-guest")
    await link.is_in_the_meeting()
    assert await link.evaluate("rostrum.session.sessionId") == session
    assert "token=" not in await link.evaluate("location.search")
    assert await link.is_shown("copy-link")


async def test_a_link_that_is_no_invitation_is_told_at_once_whatever_the_browser_asks(open_link, server):
    link = await open_link("about:blank")
    # Somebody who hasn't yet answered the question for microphone and camera.
    await link.tab.prepare("navigator.mediaDevices.getUserMedia = () => new Promise(() => {})")
    await link.tab.navigate(f"{server.origin}/?name=Ada&token=x.y.z")
    await link.click("join-button")
    await link.shows("join-problem", "isn’t valid", within=5)


async def test_where_there_are_no_guests_an_expired_link_offers_no_way_as_one(open_link, start_server, session):
    server = await start_server({"web.guestKey": ""})
    link = await open_link(f"{server.origin}/?name=Ada&token={await expired_token(server, session)}")
    await link.click("join-button")
    await link.shows("join-problem", "expired")
    assert not await link.is_shown("join-as-guest")
    assert await link.is_shown("join-button")

    good = await open_link(f"{server.origin}/?name=Ada&token={await server.token(session, 'ada')}")
    await good.click("join-button")
    await good.is_in_the_meeting()
    await good.shows("alone", "invitations of their own")
    assert not await good.is_shown("copy-link"), "a link without a token would let nobody in"


async def test_where_there_are_no_guests_who_has_no_invitation_is_told_at_once(open_link, start_server, session):
    server = await start_server({"web.guestKey": ""})
    link = await open_link(f"{server.origin}/?session={session}")
    await link.shows("ended-title", "You need an invitation")
    for element in ("join-form", "preview", "rejoin", "new-meeting"):
        assert not await link.is_shown(element)


async def test_the_link_that_the_command_prints_brings_the_name(open_link, server, session):
    process = await asyncio.create_subprocess_exec(
        binary(),
        *("token", "call", "--config", server.directory / "rostrum.json", "--http.host", "127.0.0.1"),
        *("--http.port", str(server.flags["http.port"])),
        *("--session", session, "--uid", "zoe", "--name", "Zoë Ł", "--open"),
        stdout=asyncio.subprocess.PIPE,
        env=environment(),
    )
    url = (await process.communicate())[0].decode().strip()
    assert process.returncode == 0
    link = await open_link(url)
    assert await link.evaluate("document.getElementById('name').value") == "Zoë Ł"
    await link.click("join-button")
    await link.is_in_the_meeting()
    assert await link.evaluate("[rostrum.me.name, rostrum.me.uid]") == ["Zoë Ł", "zoe"]


async def test_a_full_meeting_and_a_closing_server_are_told_in_words(open_link, start_server, session):
    server = await start_server({"sessions.maxParticipants": 1})
    inside = await open_link(f"{server.origin}/?session={session}&name=Ada")
    await inside.click("join-button")
    await inside.is_in_the_meeting()
    link = await open_link(f"{server.origin}/?session={session}&name=Ben")
    await link.click("join-button")
    await link.shows("join-problem", "full")
    await inside.click("leave")
    await until(lambda: inside.evaluate("document.body.dataset.view === 'ended'"), "one has left")
    await link.click("join-button")
    await link.is_in_the_meeting()


LOSE = "(track => { track.stop(); track.dispatchEvent(new Event('ended')); })"


async def test_devices_that_go_are_off_for_everybody_and_come_back(open_page):
    ada = await open_page(ADA)
    ben = await open_page(BEN)
    await everybody_meets([ada, ben])

    await ada.evaluate(f"{LOSE}(rostrum.videoTrack)")
    await ben.shows(ada.pid, camera="off", picture="off", muted="false")
    await ada.shows(ada.pid, camera="off", picture="off")
    await ada.evaluate(f"{LOSE}(rostrum.audioTrack)")
    await ben.shows(ada.pid, muted="true")
    banners = "[...document.querySelectorAll('[data-banner]')].map(one => one.dataset.banner).sort()"
    assert await ada.evaluate(banners) == ["camera", "microphone"]

    for source in ("camera", "microphone"):
        await ada.evaluate(f"document.querySelector('[data-banner={source}] button').click()")
    await ben.shows(ada.pid, muted="false", camera="on", picture="on")
    await ben.sees(ada)
    await ben.hears(ada)
    assert await ada.evaluate(banners) == []
    assert await ada.offers() == 1


async def has_no_tile(page, pid, source):
    return await page.tile(pid, source) is None


async def test_a_shared_screen_that_the_browser_ends_is_gone_for_everybody(open_page):
    ada = await open_page(ADA)
    ben = await open_page(BEN)
    await everybody_meets([ada, ben])
    await ada.click("share")
    await ben.sees(ada, source="screen", within=10)
    await ada.evaluate(f"{LOSE}(rostrum.screenTrack)")
    gone = f"!rostrum.participant('{ada.pid}').isPresenting && rostrum.seatOf('{ada.pid}', 'screen') === null"
    await until(lambda: ben.evaluate(gone), "the share is over at the other's")
    await until(lambda: has_no_tile(ben, ada.pid, "screen"), "its tile is gone")
    banners = "document.getElementById('banners').innerText.includes('no longer shared')"
    await until(lambda: ada.evaluate(banners), "whose screen it was is told")
    assert await ada.evaluate("document.getElementById('share').ariaLabel") == "Share your screen"


async def test_buttons_are_named_by_what_they_do(open_page):
    ada = await open_page(ADA)
    names = "['mic', 'camera', 'share', 'hand'].map(id => document.getElementById(id).ariaLabel)"
    on = ["Mute your microphone", "Turn your camera off", "Share your screen", "Raise your hand"]
    off = ["Unmute your microphone", "Turn your camera on", "Stop sharing your screen", "Lower your hand"]
    assert await ada.evaluate(names) == on
    for button in ("mic", "camera", "share", "hand"):
        await ada.click(button)
    await until(lambda: _equals(ada, names, off), "each button says what it would do now")
    for button in ("mic", "camera", "share", "hand"):
        await ada.click(button)
    await until(lambda: _equals(ada, names, on), "and again")
    assert await ada.evaluate("document.querySelectorAll('.controls [aria-pressed]').length") == 0


async def _equals(page, expression: str, value) -> bool:
    return await page.evaluate(expression) == value


@pytest.mark.parametrize(("width", "height"), [(360, 640), (1280, 800)])
async def test_banners_stand_one_below_the_other_and_are_few(browser, server, session, width, height):
    tab = await chromium.ChromiumTab.open(browser, width, height)
    await tab.navigate(f"{server.origin}/?session={session}&name=Ada&autojoin=1")
    await until(lambda: tab.evaluate("window.rostrum?.state === 'joined'"), "the meeting is on show", within=15)
    for event, detail in [
        ("localchange", "{ended: 'microphone'}"),
        ("localchange", "{ended: 'camera'}"),
        ("localchange", "{ended: 'screen'}"),
        ("localchange", "{by: 'somebody'}"),
        ("event", "{event: 'serverDraining', at: 0, data: {deadlineAt: 3600000}}"),
        ("unmuteRequested", "{}"),
    ]:
        await tab.evaluate(f"rostrum.dispatchEvent(new CustomEvent('{event}', {{detail: {detail}}}))")
    still = "document.getAnimations().every(one => one.playState !== 'running')"
    await until(lambda: tab.evaluate(still), "all stand still")
    boxes = await tab.evaluate(
        "[...document.querySelectorAll('.banner')].map(one => one.getBoundingClientRect().toJSON())"
    )
    assert 1 <= len(boxes) <= 3
    for one, other in itertools.pairwise(boxes):
        assert one["bottom"] <= other["top"]
    bar = await tab.evaluate("document.getElementById('title').getBoundingClientRect().bottom")
    assert boxes[0]["top"] >= bar, "the title can be read"
    assert all(0 <= box["left"] and box["right"] <= width for box in boxes)
    await tab.close()
    assert not tab.problems


@pytest.mark.parametrize("width", [780, 1_000])
async def test_no_banner_lies_on_the_panel(browser, server, session, width):
    tab = await chromium.ChromiumTab.open(browser, width, 700)
    await tab.navigate(f"{server.origin}/?session={session}&name=Ada&autojoin=1&video=0")
    await until(lambda: tab.evaluate("window.rostrum?.state === 'joined'"), "the meeting is on show", within=15)
    await tab.page.click("#chat-toggle")
    await act(server, session, await tab.evaluate("rostrum.participantId"), "mute", lock=True)
    right = "document.querySelector('.banner')?.getBoundingClientRect().right ?? 0"
    await until(lambda: tab.evaluate(f"({right}) > 0"), "the banner is on show")
    assert await tab.evaluate(f"({right}) <= document.getElementById('panel').getBoundingClientRect().left")
    await tab.page.click("#tab-people", timeout=2_000)
    await tab.close()
    assert not tab.problems


async def test_who_comes_late_is_not_told_that_nothing_was_said(open_page):
    ada = await open_page(ADA, video=0)
    await ada.evaluate("rostrum.sendMessage({type: 'chat', text: 'early'})")
    ben = await open_page(BEN, video=0)
    await ben.click("chat-toggle")
    text = await ben.evaluate("document.getElementById('chat-empty').innerText")
    assert "since you came in" in text
    await ada.evaluate("rostrum.sendMessage({type: 'chat', text: 'late'})")
    said = "[...document.querySelectorAll('#chat-log .said-text')].map(one => one.textContent)"
    await until(lambda: _equals(ben, said, ["late"]), "what is said from now on is read")
    assert await ben.evaluate("document.getElementById('chat-empty').checkVisibility()") is False


async def test_who_closes_the_tab_is_gone_at_once_for_the_others(open_page):
    ada = await open_page(ADA, video=0)
    ben = await open_page(BEN, video=0)
    await ada.shows(ben.pid)
    await ben.tab.page.close(run_before_unload=True)
    gone = f"rostrum.participant('{ben.pid}') === null"
    await until(lambda: ada.evaluate(gone), "whoever closed the tab is gone", within=2)
    left = [one["data"] for one in await ada.events("participantLeft")]
    assert [one["reason"] for one in left] == ["left"]
    assert await ada.tile(ben.pid) is None


async def test_a_guest_who_reloads_the_page_is_listed_once(open_page):
    ada = await open_page(ADA, video=0)
    ben = await open_page(BEN, video=0, autojoin=1, join=False)
    await ben.joined()
    first = ben.pid
    await ada.shows(first)
    await ben.tab.page.reload()
    await ben.joined()
    assert ben.pid != first
    names = "rostrum.participants.map(one => one.name)"
    await until(lambda: _equals(ada, names, ["Ada", "Ben"]), "Ben is listed once", within=2)
    assert [one["participantId"] for one in await ada.evaluate("rostrum.participants")] == [ada.pid, ben.pid]


async def test_who_comes_back_to_a_page_that_the_browser_kept_finds_the_way_in(open_page):
    ada = await open_page(ADA, video=0)
    ben = await open_page(BEN, video=0)
    await ada.shows(ben.pid)
    # What a browser says of a page that it keeps; none keeps one with an open socket.
    await ben.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    await until(lambda: ada.evaluate(f"rostrum.participant('{ben.pid}') === null"), "who went has left", within=2)
    await until(lambda: ben.evaluate("document.body.dataset.view === 'ended'"), "the page says so")
    await ben.click("rejoin")
    await ben.joined()
    await ada.shows(ben.pid)


async def test_a_meetings_name_that_cant_be_is_explained_in_words(open_link, server):
    link = await open_link(f"{server.origin}/?session=our%20weekly&name=Ada&video=0&audio=0")
    await link.click("join-button")
    said = "document.getElementById('session').validationMessage"
    assert "can’t have spaces" in await link.evaluate(said)
    assert await link.evaluate("document.activeElement.id") == "session"
    for odd in ("_", ".", ":", "@", "-"):
        assert odd in await link.text("session-hint")
    await link.tab.page.fill("#session", " our_weekly.1 ")
    await link.click("join-button")
    await link.is_in_the_meeting()
    assert await link.evaluate("rostrum.session.sessionId") == "our_weekly.1"


async def test_joining_with_a_token_leaves_the_browsers_console_clean(open_link, server, session):
    link = await open_link("about:blank")
    said: list[str] = []
    link.tab.page.on("console", lambda message: said.append(f"{message.type} {message.text}"))
    answers: list[int] = []
    link.tab.page.on("response", lambda response: answers.append(response.status))
    await link.tab.navigate(f"{server.origin}/?name=Ada&token={await server.token(session, 'ada')}")
    await link.click("join-button")
    await link.is_in_the_meeting()
    await link.shows("alone", "invitations of their own")
    assert not said and all(status < 400 for status in answers)


async def test_who_is_muted_is_told_by_whom(open_page, server, session):
    ada = await open_page(ADA, token=await server.token(session, "ada", scope="moderator"), video=0)
    ben = await open_page(BEN)
    await ben.shows(ada.pid)
    told = "[...document.querySelectorAll('[data-banner]')].map(one => one.innerText.trim())"
    await ada.evaluate(f"rostrum.request('muteParticipant', {{participantId: '{ben.pid}'}})")
    by_ada = "You were muted by Ada."
    await until(lambda: _equals(ben, told, [by_ada]), "Ben is told by whom")
    place = f"/v1/sessions/{session}/participants/{ben.pid}"
    async with server.http.post(f"{place}/pause-video", json={}) as answer:
        assert answer.status == 200
    by_operator = "Your camera was switched off by the operator."
    await until(lambda: _equals(ben, told, [by_ada, by_operator]), "and what else was switched off")


async def act(server, session: str, pid: str, verb: str, **body) -> None:
    """As a back end does."""
    path = f"/v1/sessions/{session}/participants/{pid}/{verb}"
    async with server.http.post(path, json=body) as answer:
        assert answer.status == 200, await answer.text()


async def test_of_the_microphone_only_the_newest_is_told(open_page, server, session):
    ben = await open_page(BEN, video=0)
    told = "[...document.querySelectorAll('.banner > span')].map(one => one.innerText)"

    async def says(text: str):
        seen = await ben.evaluate(told)
        return len(seen) == 1 and text in seen[0]

    await act(server, session, ben.pid, "mute", lock=True)
    await until(lambda: says("You can’t unmute until"), "it was locked")
    await ben.click("mic")
    await until(lambda: says("Raise your hand"), "why it can't be unmuted")
    await act(server, session, ben.pid, "unlock")
    await until(lambda: says("You can unmute again"), "it was unlocked")
    await act(server, session, ben.pid, "ask-to-unmute")
    await until(lambda: says("asked to speak"), "somebody asks")
    await ben.click("mic")
    await until(lambda: _equals(ben, told, []), "nothing holds any more")
    assert await ben.evaluate("rostrum.audioOn")


async def test_who_is_removed_reads_the_moderators_words(open_page, server, session):
    ada = await open_page(ADA, token=await server.token(session, "ada", scope="moderator"), video=0)
    ben = await open_page(BEN, video=0)
    await ben.shows(ada.pid)
    words = "Too <b>loud</b>"
    removal = f"{{participantId: '{ben.pid}', reason: '{words}'}}"
    await ada.evaluate(f"rostrum.request('removeParticipant', {removal})")
    await until(lambda: ben.evaluate("document.body.dataset.view === 'ended'"), "Ben is out")
    texts = "['ended-text', 'ended-words'].map(id => document.getElementById(id).textContent)"
    assert await ben.evaluate(texts) == ["Ada removed you from this meeting.", words]


async def test_who_waits_sees_itself_and_comes_in_as_it_is_set_there(open_page, server, session):
    settings = {"sessionId": session, "title": "Weekly", "settings": {"waitingRoom": True}}
    async with server.http.post("/v1/sessions", json=settings) as answer:
        assert answer.status == 201
    ben = await open_page(BEN, join=False)
    await ben.click("join-button")
    await until(lambda: ben.evaluate("document.body.dataset.view === 'waiting'"), "Ben waits")
    shown = "[...document.querySelectorAll('button, form, h1')].filter(one => one.checkVisibility()).map(one => one.id)"
    assert await ben.evaluate(shown) == ["preview-mic", "preview-camera", "waiting-room-title", "stop-waiting"]
    assert await ben.evaluate("document.getElementById('waiting-for').textContent") == "Weekly"
    films = "(one => one.videoWidth > 0 && !one.paused)(document.getElementById('preview-video'))"
    await until(lambda: ben.evaluate(films), "Ben sees himself")
    for key in ("m", "h"):
        await ben.tab.page.keyboard.press(key)
    await ben.click("preview-mic")
    await ben.click("preview-camera")
    await until(lambda: ben.evaluate("!rostrum.audioOn && !rostrum.videoOn"), "both are off")
    await ben.click("preview-camera")
    await until(lambda: ben.evaluate("rostrum.videoOn"), "the camera is on again")
    assert await ben.evaluate("document.getElementById('banners').innerText") == ""
    await act(server, session, "all", "admit")
    await ben.joined()
    await ben.shows(ben.pid, muted="true", camera="on", picture="on")
    assert await ben.evaluate("[rostrum.me.audioMuted, rostrum.me.videoPaused]") == [True, False]
    assert await ben.evaluate("document.getElementById('title').innerText") == "Weekly"
    ada = await open_page(ADA, token=await server.token(session, "ada", scope="moderator"))
    await ada.sees(ben)
    await ben.click("mic")
    await ada.hears(ben)
