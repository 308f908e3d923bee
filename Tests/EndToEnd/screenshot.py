"""Makes the README's pictures, PNGs of 1280x800: the meeting page with four participants, and the console.

screenshot.py MEETING CONSOLE
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from harness import chromium
from harness.console_page import Console
from harness.meeting_page import MeetingPage, Person
from harness.server import API_KEY, Server
from harness.sockets import ApiSocket
from harness.waiting import until

PEOPLE = [
    Person(name, 440, 1_280, 960) for name in ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Mary Jackson")
]
PORTRAITS = [
    {"hue": 208, "skin": "#f1cdb0", "hair": "#3b2a20", "shirt": "#46406b"},
    {"hue": 28, "skin": "#eec4a3", "hair": "#8d8f96", "shirt": "#1f3a5f"},
    {"hue": 152, "skin": "#e9bd9a", "hair": "#4a3222", "shirt": "#6d4c41"},
    {"hue": 268, "skin": "#9c6644", "hair": "#1d1613", "shirt": "#b23a48"},
]
PORTRAIT = (Path(__file__).parent / "harness/portrait.js").read_text()
CHAT = [
    (1, "Morning! Are the seats there yet?"),
    (2, "All four of us. One offer each."),
    (0, "Then let's begin."),
]


# Other meetings that go on: how many are in, and the title.
OTHERS = {
    "all-hands": (9, "All hands"),
    "amber-falcon-311": (2, None),
    "design-review": (4, "Design review"),
    "support": (1, "Support desk"),
}


async def say(page: MeetingPage, text: str) -> None:
    await page.evaluate(f"rostrum.sendMessage({{type: 'chat', text: {text!r}, persist: true}})")


async def join(server: Server, session: str, uid: str, name: str, title: str | None = None) -> ApiSocket:
    """Somebody without sound and picture."""
    token = await server.token(session, uid, **({"scope": "moderator"} if title else {}))
    socket = await ApiSocket.open(server.origin, token)
    await socket.request("joinSession", settings={"displayName": name})
    if title:
        await socket.request("setTitle", title=title)
    return socket


async def take_console(path: Path, server: Server, browser) -> None:
    """The console beside the meeting that goes on already, with somebody waiting."""
    sockets = [
        await join(server, session, f"guest-{number}", f"Guest {number}", title)
        for session, (count, title) in OTHERS.items()
        for number in range(count)
    ]
    change = {"settings": {"waitingRoom": True, "maxParticipants": 20}}
    async with server.http.patch("/v1/sessions/weekly", json=change) as response:
        assert response.status == 200, await response.text()
    waiting = await join(server, "weekly", "hedy", "Hedy Lamarr")
    console = await Console.open(browser, server.origin)
    await console.sign_in(API_KEY)
    await console.open_meeting("weekly")
    await console.shows("waiting-count", "1")
    await console.shows("hands-count", "1")
    await console.shows("messages-list", CHAT[-1][1])
    await console.evaluate("document.activeElement.blur()")
    await console.tab.page.screenshot(path=path)
    await console.close()
    for socket in [*sockets, waiting]:
        await socket.close()


async def take(path: Path, console_path: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        server = await Server(Path(directory)).start()
        async with async_playwright() as playwright:
            browser = await chromium.launch(playwright)
            tabs = [await chromium.ChromiumTab.open(browser, 1280, 800) for _ in PEOPLE]
            pages = []
            for tab, person, portrait in zip(tabs, PEOPLE, PORTRAITS, strict=True):
                await tab.prepare(f"window.portrait = {json.dumps(portrait)};\n{PORTRAIT}")
                pages.append(await MeetingPage.open(tab, server.origin, "weekly", person))
            for other in pages[1:]:
                await pages[0].sees(other.pid, within=30)
            await pages[2].click("hand")
            await pages[3].click("mic")
            await pages[0].click("chat-toggle")
            for speaker, text in CHAT:
                await say(pages[speaker], text)
            said = "document.querySelectorAll('#chat-log .said').length"
            await until(lambda: pages[0].evaluate(f"{said} === {len(CHAT)}"), "the chat is there")
            await pages[0].shows(pages[2].pid, hand="1")
            await pages[0].shows(pages[3].pid, muted="true")
            await tabs[0].page.screenshot(path=path)
            await take_console(console_path, server, browser)
            await browser.close()
        await server.stop()


asyncio.run(take(Path(sys.argv[1]), Path(sys.argv[2])))
