"""Makes the README's picture of the console, as a PNG of 1280x800: beside a meeting of people without media.

screenshot_console.py PATH
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from harness import chromium
from harness.console_page import Console
from harness.server import API_KEY, Server
from harness.sockets import ApiSocket

# Uid, name, and with which scope.
PEOPLE = [
    ("ada", "Ada Lovelace", "owner"),
    ("grace", "Grace Hopper", "moderator"),
    ("alan", "Alan Turing", "participant"),
    ("mary", "Mary Jackson", "participant"),
    ("katherine", "Katherine Johnson", "participant"),
    ("barbara", "Barbara Liskov", "participant"),
    ("edsger", "Edsger Dijkstra", "viewer"),
    ("radia", "Radia Perlman", "participant"),
]
CHAT = [
    ("grace", "Morning! Are the seats there yet?"),
    ("alan", "All of us. One offer each."),
    ("ada", "Then let’s begin."),
]
# Other meetings that go on: how many are in, and the title.
OTHERS = {"all-hands": (9, "All hands"), "amber-falcon-311": (2, ""), "design": (4, "Design review")}


class Stage:
    """The meetings, and who is in them."""

    def __init__(self, server: Server):
        self.server = server
        self.sockets: dict[str, ApiSocket] = {}

    async def join(self, session: str, uid: str, name: str, scope: str = "participant") -> None:
        token = await self.server.token(session, uid, scope=scope)
        socket = self.sockets[uid] = await ApiSocket.open(self.server.origin, token)
        await socket.request("joinSession", settings={"displayName": name, "sessionType": "video"})

    async def ask(self, who: str, method: str, **params) -> None:
        await self.sockets[who].request(method, **params)

    async def fill(self) -> None:
        for session, (count, title) in OTHERS.items():
            for number in range(count):
                await self.join(session, f"{session}-{number}", f"Guest {number}", "moderator")
            await self.ask(f"{session}-0", "setTitle", title=title)
        for uid, name, scope in PEOPLE:
            await self.join("weekly", uid, name, scope)
        await self.ask("ada", "setTitle", title="Weekly planning")
        await self.ask("mary", "muteAudio")
        await self.ask("grace", "pauseVideo")
        await self.ask("alan", "startScreenSharing")
        await self.ask("grace", "muteParticipant", uid="katherine", lock=True)
        for uid in ("barbara", "alan"):
            await self.ask(uid, "raiseHand")
        for uid, text in CHAT:
            await self.ask(uid, "sendMessage", type="chat", text=text, persist=True)
        change = {"settings": {"waitingRoom": True, "maxParticipants": 20}}
        async with self.server.http.patch("/v1/sessions/weekly", json=change) as response:
            assert response.status == 200, await response.text()
        await self.join("weekly", "hedy", "Hedy Lamarr")

    async def clear(self) -> None:
        for socket in self.sockets.values():
            await socket.close()


async def take(path: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        server = await Server(Path(directory)).start()
        stage = Stage(server)
        await stage.fill()
        async with async_playwright() as playwright:
            browser = await chromium.launch(playwright)
            console = await Console.open(browser, server.origin)
            await console.sign_in(API_KEY)
            await console.open_meeting("Weekly planning")
            await console.shows("waiting-count", "1")
            await console.shows("hands-count", "2")
            await console.shows("messages-list", CHAT[-1][1])
            await console.evaluate("document.activeElement.blur()")
            await console.tab.page.screenshot(path=path)
            await console.close()
            await browser.close()
        await stage.clear()
        await server.stop()


asyncio.run(take(Path(sys.argv[1])))
