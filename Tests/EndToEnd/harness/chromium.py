"""Chromium: one process for the whole run, a tab a participant."""

from playwright.async_api import Browser, Page, Playwright

PROGRAM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--allow-loopback-in-peer-connection",
    "--disable-features=WebRtcHideLocalIpsWithMdns",
    "--autoplay-policy=no-user-gesture-required",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
]


async def launch(playwright: Playwright, *more: str) -> Browser:
    return await playwright.chromium.launch(
        executable_path=PROGRAM, args=[*FLAGS, *more], ignore_default_args=["--mute-audio"]
    )


class ChromiumTab:
    """One page in a context of its own."""

    def __init__(self, page: Page):
        self.page = page
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    @classmethod
    async def open(cls, browser: Browser, width: int = 640, height: int = 480) -> "ChromiumTab":
        context = await browser.new_context(viewport={"width": width, "height": height})
        return cls(await context.new_page())

    async def prepare(self, script: str) -> None:
        await self.page.add_init_script(script)

    async def navigate(self, url: str) -> None:
        await self.page.goto(url)

    async def evaluate(self, expression: str):
        return await self.page.evaluate(expression)

    async def close(self) -> None:
        await self.page.context.close()
