"""Makes the README's picture of a load's report, as a PNG of its first screen, 1280 wide.

screenshot_report.py PATH HTML
"""

import asyncio
import sys
from pathlib import Path

from playwright.async_api import async_playwright

from harness import chromium


async def take(path: Path, report: Path) -> None:
    async with async_playwright() as playwright:
        browser = await chromium.launch(playwright)
        page = await browser.new_page(viewport={"width": 1280, "height": 1000})
        await page.goto(report.resolve().as_uri())
        await page.screenshot(path=path)
        await browser.close()


asyncio.run(take(Path(sys.argv[1]), Path(sys.argv[2])))
