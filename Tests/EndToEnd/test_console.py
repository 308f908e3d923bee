"""The operator's console: by keyboard, beside a running meeting."""

import json
import re

import pytest

from harness.console_page import Console
from harness.meeting_page import ADA, BEN, CAI, everybody_meets
from harness.server import API_KEY
from harness.waiting import until


@pytest.fixture
async def open_console(browser, server):
    consoles: list[Console] = []

    async def open_one(**options) -> Console:
        consoles.append(await Console.open(browser, options.pop("origin", server.origin), **options))
        return consoles[-1]

    yield open_one
    for console in consoles:
        await console.close()


@pytest.fixture
async def console(open_console) -> Console:
    """A console that the operator is signed in to."""
    console = await open_console()
    await console.sign_in(API_KEY)
    return console


async def view(page) -> str:
    return await page.evaluate("document.body.dataset.view")


async def test_an_operator_mutes_locks_removes_and_ends_by_keyboard_alone(console, open_page, session):
    ada = await open_page(ADA)
    ben = await open_page(BEN)
    await everybody_meets([ada, ben])
    await console.open_meeting(session)
    await console.shows_row(ada.pid, muted="false", camera="on")
    await console.shows_row(ben.pid, muted="false", camera="on")

    await console.use("Mute Ben")
    await ada.shows(ben.pid, muted="true")
    await until(lambda: ben.evaluate("rostrum.audioOn === false"), "Ben's own page shows it muted")
    await console.shows_row(ben.pid, muted="true")
    await console.hears("Ben is muted")
    assert await console.focused() == "Ben is muted: ask to unmute"

    await console.tab_to("Lock", key="Shift+Tab")
    await console.press("Enter")
    await console.shows("session-marks", "Locked")
    await console.hears("The meeting is locked")
    assert await console.focused() == "Unlock"
    cai = await open_page(CAI, join=False)
    await cai.click("join-button")
    refused = "document.getElementById('join-problem-text').textContent"

    async def is_locked_out():
        return "locked" in await cai.evaluate(refused)

    await until(is_locked_out, "nobody new comes in")

    await console.use("More for Ben")
    has_focus = "document.activeElement.role === 'menuitem'"
    await until(lambda: console.evaluate(has_focus), "the menu has the focus")
    await console.press("End", "Enter")
    await console.type("Too loud")
    await console.press("Enter")
    await until(lambda: ben.evaluate("document.body.dataset.view === 'ended'"), "Ben is out")
    assert await ben.evaluate("document.getElementById('ended').dataset.reason") == "removed"
    await console.hears("Ben left")
    assert await console.row(ben.pid) is None
    assert await console.focused() == "More for Ada", "the focus goes to the next in the list"

    await console.tab_to("End for all", key="Shift+Tab")
    await console.press("Enter")
    assert await console.focused() == "Cancel", "what can't be undone is not what Enter does by itself"
    await console.use("End for all")
    await until(lambda: ada.evaluate("document.body.dataset.view === 'ended'"), "the meeting is over for Ada")
    await console.shows("session-over", "This meeting is over")
    await console.hears("This meeting is over")
    assert await console.evaluate("document.activeElement.id") == "session-title"


async def test_the_focus_and_what_is_open_stay_over_refreshes(console, open_page, session):
    ada = await open_page(ADA, video=0)
    await console.open_meeting(session)
    await console.shows_row(ada.pid)
    await console.tab_to("More for Ada")
    await console.evaluate("document.activeElement.isMarked = true")
    ben = await open_page(BEN, video=0)
    await console.shows_row(ben.pid)
    await console.hears("Ben joined")
    await ada.click("hand")
    await console.shows_row(ada.pid, hand="1")
    await console.settle()
    assert await console.evaluate("document.activeElement.isMarked === true"), "the same element has the focus"

    await console.press("Enter")
    await console.press("ArrowDown")
    before = await console.focused()
    await ada.click("hand")
    await console.shows_row(ada.pid, hand="0")
    await console.settle()
    assert await console.focused() == before, "the menu keeps its place"
    await console.press("Escape")
    assert await console.focused() == "More for Ada"

    await ada.leave()
    await console.hears("Ada left")
    assert await console.focused() == "More for Ben", "who comes next inherits the focus"


async def test_hands_stand_in_order_and_are_lowered_one_by_one_and_all(console, open_page, session):
    pages = [await open_page(person, video=0) for person in (ADA, BEN, CAI)]
    await console.open_meeting(session)
    ada, ben, cai = pages
    for page in (cai, ada, ben):
        await page.click("hand")
        is_up = "rostrum.hands.includes(rostrum.participantId)"
        await until(lambda page=page: page.evaluate(is_up), f"{page.person.name}'s hand is up")
    await console.shows("hands-count", "3")
    order = "[...document.querySelectorAll('#hands-list > li')].map(one => one.dataset.participant)"

    async def stands_in_order():
        return await console.evaluate(order) == [cai.pid, ada.pid, ben.pid]

    await until(stands_in_order, "first raised comes first")
    await console.use("Lower Cai’s hand")
    await until(lambda: cai.evaluate("rostrum.hands.length === 2"), "Cai's hand is down")
    await console.shows_row(ada.pid, hand="1")
    await console.tab_to("Lower all hands", key="Shift+Tab")
    await console.press("Enter")
    await until(lambda: ada.evaluate("rostrum.hands.length === 0"), "all hands are down")
    await console.hears("2 hands lowered")
    await console.shows_row(ben.pid, hand="0")
    assert not await console.text("hands")


async def test_muting_all_with_a_lock_holds_until_it_is_taken_off(console, open_page, session):
    ada = await open_page(ADA, video=0)
    await console.open_meeting(session)
    await console.shows_row(ada.pid, muted="false")
    await console.use("Mute all")
    await console.tab_to("Lock microphones")
    await console.press("Space")
    await console.tab_to("Mute who joins later")
    await console.press("Space", "Enter")
    await console.shows_row(ada.pid, muted="true", locked="true")
    await console.hears("Ada was muted and locked")
    refused = "rostrum.unmuteAudio().then(() => 'unmuted', error => error.code)"
    assert await ada.evaluate(refused) == "ERR_AUDIO_LOCKED"
    await console.shows("session-marks", "Muted on entry")
    ben = await open_page(BEN, video=0)
    await console.shows_row(ben.pid, muted="true")


async def test_who_waits_is_admitted_or_denied(console, open_page, session):
    ada = await open_page(ADA, video=0)
    await console.open_meeting(session)
    await console.shows_row(ada.pid)
    await console.use("Places and entry")
    await console.tab_to("Waiting room")
    await console.press("Space", "Enter")
    await console.shows("session-marks", "Waiting room")

    ben = await open_page(BEN, join=False, video=0)
    cai = await open_page(CAI, join=False, video=0)
    waits = "document.body.dataset.view === 'waiting'"
    for page in (ben, cai):
        await page.click("join-button")
        await until(lambda page=page: page.evaluate(waits), "the newcomer is told to wait")
    await console.shows("waiting-count", "2")
    await console.hears("to be let in")
    await console.use("Admit Ben")
    await ben.joined()
    await console.shows_row(ben.pid)
    await console.tab_to("Deny Cai", key="Shift+Tab")
    await console.press("Enter")
    await until(lambda: cai.evaluate("document.body.dataset.view === 'ended'"), "Cai isn't let in")
    assert await cai.evaluate("document.getElementById('ended').dataset.reason") == "denied"


async def test_places_and_scopes_change_as_asked(console, open_page, session):
    ada = await open_page(ADA, video=0)
    await console.open_meeting(session)
    await console.shows_row(ada.pid)
    await console.use("Places and entry")
    assert "Places" in await console.focused()
    await console.press("Control+A")
    await console.type("7")
    await console.press("Enter")
    await console.shows("session-facts", "1 of 7 places")
    await console.use("More for Ada")
    await console.press("End", "ArrowUp", "Enter")
    await console.press("ArrowUp", "Enter")
    await console.shows_row(ada.pid, scope="moderator")
    await until(lambda: ada.evaluate("rostrum.me.scope === 'moderator'"), "Ada is moderator")


async def test_how_well_somebody_is_connected_shows_in_the_row_and_in_the_details(console, open_page, session):
    ada, ben = [await open_page(person) for person in (ADA, BEN)]
    await console.open_meeting(session)
    await console.shows_row(ada.pid)
    row = f"document.querySelector('#people-list > [data-participant=\"{ada.pid}\"]')"
    bars = f"(one => ({{level: one.dataset.level, label: one.ariaLabel, role: one.role}}))({row}.querySelector('.quality'))"

    async def quality():
        shown = await console.evaluate(bars)
        return shown if shown["level"] != "none" else None

    shown = await until(quality, "the connection is shown", within=20)
    words = ["lost", "very poor", "poor", "fair", "good", "very good"]
    level = int(shown["level"])
    assert level >= 3 and shown["role"] == "img", shown
    assert shown["label"] == f"Connection {words[level]}, {level} of 5"

    await ben.sees(ada)
    await console.use("Ada")
    details = f"Object.fromEntries([...{row}.querySelectorAll('.details > div')]" \
        ".map(one => [one.firstChild.innerText, one.lastChild.innerText]))"

    wanted = {"Connection": r"(very )?good, [45] of 5|fair, 3 of 5", "Link · round trip": r"\d+ ms"}
    figures = {}

    async def are_told():
        figures.clear()
        figures.update(await console.evaluate(details))
        seats = {text.split(" · ")[0]: text for term, text in figures.items() if term.startswith("Seat ")}
        return all(re.fullmatch(wanted[term], figures.get(term, "")) for term in wanted) and all(
            re.search(r" · [1-9][\d.]* [kM]bit/s", seats.get(source, "")) for source in ("camera", "microphone"))

    try:
        await until(are_told, "the figures are there, of both seats too")
    except AssertionError as error:
        raise AssertionError(f"{error}: {figures}") from None
    assert figures["Participant"] == ada.pid


async def test_messages_are_read_and_written(console, open_page, session):
    ada = await open_page(ADA, video=0)
    await console.open_meeting(session)
    await console.shows_row(ada.pid)
    await console.tab_to("Message to everybody")
    await console.type("Five minutes left")
    await console.press("Enter")
    said = "document.getElementById('chat-log').innerText.includes('Five minutes left')"
    await until(lambda: ada.evaluate(said), "Ada reads it")
    await console.shows("messages-list", "Five minutes left")
    await ada.evaluate("rostrum.sendMessage({type: 'chat', text: '<b>thanks</b>', persist: true})")
    await console.shows("messages-list", "<b>thanks</b>")
    await console.hears("Ada wrote: <b>thanks</b>")


async def test_names_of_others_are_text_whatever_is_in_them(console, open_socket, session):
    name = "<img src=x onerror='window.broken=1'>{{7*7}}"
    socket = await open_socket("mallory")
    await socket.request("joinSession", settings={"displayName": name})
    await console.open_meeting(session)
    await console.shows("people-list", name)
    assert await console.evaluate("document.querySelectorAll('#session img').length") == 0
    assert await console.evaluate("window.broken === undefined")


async def test_errors_are_shown_with_code_and_message(open_console, open_page, session):
    console = await open_console()
    await console.sign_in("not-a-key")
    await console.shows("sign-in-problem", "AUTH_ERR_APIKEY_NOT_FOUND")
    assert await console.evaluate("document.activeElement.id") == "credential"
    await console.press("Control+A")
    await console.type(API_KEY)
    await console.press("Enter")
    ada = await open_page(ADA, video=0)
    await console.open_meeting(session)
    await console.shows_row(ada.pid)

    body = {"error": {"code": "ERR_GROUP_NO_CLEARANCE", "message": "Ada stands as high"}}
    await console.tab.page.route(
        re.compile("/mute$"), lambda route: route.fulfill(status=403, body=json.dumps(body))
    )
    await console.use("Mute Ada")
    await console.shows("banners", "Couldn’t mute Ada: Ada stands as high (ERR_GROUP_NO_CLEARANCE)")
    assert await console.focused() == "Mute Ada"

    await console.tab.page.route(re.compile("/v1/"), lambda route: route.abort())
    await console.shows("condition", "ERR_UNREACHABLE")
    await console.hears("ERR_UNREACHABLE")
    await console.tab.page.unroute(re.compile("/v1/"))
    await console.shows("condition", "Live", within=40)


async def test_a_key_is_taken_with_its_id_before_it_as_on_the_command_line(open_console):
    console = await open_console()
    await console.sign_in("test:not-the-key")
    await console.shows("sign-in-problem", "or id:secret")
    await console.press("Control+A")
    await console.type(f"test:{API_KEY}")
    await console.press("Enter")
    await console.shows("condition", "Live")
    assert await console.evaluate("Object.values(sessionStorage)") == [API_KEY]


async def test_ending_a_meeting_leaves_the_browsers_console_clean(console, open_page, session):
    ada = await open_page(ADA, video=0)
    await console.open_meeting(session)
    await console.shows_row(ada.pid)
    failures: list[str] = []
    console.tab.page.on("response", lambda one: one.status >= 400 and failures.append(f"{one.status} {one.url}"))
    await console.tab_to("End for all", key="Shift+Tab")
    await console.press("Enter")
    await console.use("End for all")
    await console.shows("session-over", "This meeting is over")

    async def is_off_the_list():
        return session not in await console.text("meetings-list")

    await until(is_off_the_list, "the meeting is off the list")
    assert failures == []


async def test_a_moderator_with_a_token_opens_the_meeting_by_its_id(open_console, open_page, server, session):
    token = await server.token(session, "mod", scope="moderator")
    mod = await open_page(ADA, token=token, video=0)
    ben = await open_page(BEN, video=0)
    async with server.http.post("/v1/auth-tokens", json={"uid": "mod"}) as response:
        auth = (await response.json())["authToken"]
    console = await open_console()
    await console.sign_in(auth)
    await console.tab_to("Meeting’s id")
    await console.type(session)
    await console.press("Enter")
    await console.shows_row(ben.pid)
    await console.shows_row(mod.pid, scope="moderator")
    ending = "document.getElementById('end').checkVisibility()"
    assert not await console.evaluate(ending), "that takes an API key"
    await console.use("Mute Ben")
    await ben.shows(ben.pid, muted="true")


async def test_every_control_has_a_name(console, open_page, session):
    ada = await open_page(ADA, video=0)
    await console.shows("meetings-list", session)
    assert await console.nameless_controls() == []
    await console.open_meeting(session)
    await console.shows_row(ada.pid)
    await ada.click("hand")
    await console.shows_row(ada.pid, hand="1")
    assert await console.nameless_controls() == []
    await console.use("More for Ada")
    assert await console.nameless_controls() == []
    await console.press("End", "Enter")
    assert await console.nameless_controls() == []
    await console.press("Escape")
    assert await console.focused() == "More for Ada"


async def test_the_key_stays_in_the_tab(console, server):
    await console.shows("condition", "Live")
    assert await console.evaluate("localStorage.length") == 0
    assert await console.evaluate("Object.values(sessionStorage)") == [API_KEY]
    assert not any(API_KEY in url for url in console.requests)
    await console.tab.page.reload()
    await console.shows("condition", "Live")
    await console.use("Sign out")
    assert await console.evaluate("sessionStorage.length") == 0
    assert await view(console) == "sign-in"
    async with server.http.get("/console") as response:
        policy = response.headers["content-security-policy"]
        assert response.status == 200
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy


@pytest.mark.parametrize("width", [360, 768, 1024, 1600])
async def test_nothing_stands_out_of_the_page_at_any_width(open_console, open_page, session, width):
    ada = await open_page(ADA, video=0)
    await ada.click("hand")
    console = await open_console(width=width, height=800)
    await console.sign_in(API_KEY)
    await console.open_meeting(session)
    await console.shows_row(ada.pid, hand="1")
    assert await console.evaluate("document.documentElement.scrollWidth") <= width
    boxes = await console.evaluate(
        "[...document.querySelectorAll('button, input, a')].filter(one => one.checkVisibility())"
        ".map(one => one.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) > 10
    assert [box for box in boxes if box["left"] < 0 or box["right"] > width] == []
