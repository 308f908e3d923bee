"""Makes the README's picture of a meeting: the page with four participants, as a PNG of 1280x800.

screenshot.py PATH
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from harness import chromium
from harness.meeting_page import MeetingPage, Person
from harness.server import Server
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


async def say(page: MeetingPage, text: str) -> None:
    await page.evaluate(f"rostrum.sendMessage({{type: 'chat', text: {text!r}}})")


async def take(path: Path) -> None:
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
            # One voice at first: then it is known whom the server takes for the speaker.
            for page in (pages[0], pages[2], pages[3]):
                await page.click("mic")
            await pages[0].shows(pages[1].pid, within=15, speaking="true")
            await pages[0].click("chat-toggle")
            for speaker, text in CHAT:
                await say(pages[speaker], text)
            said = "document.querySelectorAll('#chat-log .said').length"
            await until(lambda: pages[0].evaluate(f"{said} === {len(CHAT)}"), "the chat is there")
            await pages[0].shows(pages[2].pid, hand="1")
            await pages[0].shows(pages[3].pid, muted="true")
            for page in (pages[0], pages[2]):
                await page.click("mic")
                await pages[0].shows(page.pid, muted="false")
            await pages[0].shows(pages[1].pid, speaking="true")
            await tabs[0].page.screenshot(path=path)
            await browser.close()
        await server.stop()


asyncio.run(take(Path(sys.argv[1])))
