"""The operator's console in a Chromium tab, used by keyboard alone."""

import json
from dataclasses import dataclass, field

from . import chromium
from .waiting import until

# What the live region said, and what the page was forbidden to do.
WATCH = """
window.said = [];
window.violations = [];
document.addEventListener('securitypolicyviolation', ({violatedDirective, blockedURI}) => {
  violations.push(`${violatedDirective} ${blockedURI}`);
});
document.addEventListener('DOMContentLoaded', () => {
  const region = document.getElementById('announcer');
  const listen = () => said.push(region.textContent);
  new MutationObserver(listen).observe(region, {childList: true, characterData: true});
});
"""

# The accessible name of what has the focus, as far as a test has to tell one control from another.
FOCUSED = """(one => {
  if (one === document.body) return '';
  const labels = [...one.labels ?? []].map(label => label.innerText).join(' ');
  return one.ariaLabel || labels || one.innerText.trim();
})(document.activeElement)"""


# Roles that say nothing without a name.
NAMED = {
    *("button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "spinbutton"),
    *("menuitem", "option", "menu", "dialog", "list", "navigation"),
}


@dataclass
class Console:
    tab: chromium.ChromiumTab
    requests: list[str] = field(default_factory=list)

    @classmethod
    async def open(cls, browser, origin: str, width: int = 1280, height: int = 800) -> "Console":
        tab = await chromium.ChromiumTab.open(browser, width, height)
        console = cls(tab)
        tab.page.on("request", lambda request: console.requests.append(request.url))
        await tab.prepare(WATCH)
        await tab.navigate(f"{origin}/console")
        return console

    async def evaluate(self, expression: str):
        return await self.tab.evaluate(expression)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.tab.page.keyboard.press(key)

    async def type(self, text: str) -> None:
        await self.tab.page.keyboard.type(text)

    async def focused(self) -> str:
        return await self.evaluate(FOCUSED)

    async def has_focus(self, element_id: str) -> None:
        focused = f"document.activeElement.id === '{element_id}'"
        await until(lambda: self.evaluate(focused), f"#{element_id} has the focus")

    async def tab_to(self, name: str, key: str = "Tab", most: int = 60) -> None:
        """Presses Tab until a control whose name begins like this has the focus."""
        seen = []
        for _ in range(most):
            await self.press(key)
            seen.append(await self.focused())
            if seen[-1].startswith(name):
                return
        raise AssertionError(f"no way to {name!r} by {key}: {seen}")

    async def use(self, name: str) -> None:
        """Goes to a control and presses it."""
        await self.tab_to(name)
        await self.press("Enter")

    async def sign_in(self, credential: str) -> None:
        await self.has_focus("credential")
        await self.type(credential)
        await self.press("Enter")

    async def open_meeting(self, session: str) -> None:
        await self.shows("meetings-list", session)
        await self.use(session)
        await self.has_focus("session-title")

    async def text(self, element_id: str) -> str:
        """What is to be read there; nothing if it is hidden."""
        shown = "(one => one.checkVisibility() ? one.innerText : '')"
        return await self.evaluate(f"{shown}(document.getElementById({json.dumps(element_id)}))")

    async def shows(self, element_id: str, text: str, within: float = 10) -> None:
        async def matches():
            return text in await self.text(element_id)

        await until(matches, f"#{element_id} says {text!r}", within)

    async def hears(self, text: str, within: float = 10) -> None:
        """Waits until the live region has said this."""

        async def matches():
            heard = await self.evaluate("said")
            return any(text in one for one in heard)

        try:
            await until(matches, f"the live region says {text!r}", within)
        except AssertionError as error:
            raise AssertionError(f"{error}; it said {await self.evaluate('said')}") from None

    async def row(self, participant: str) -> dict | None:
        """The data-* attributes of somebody's row."""
        selector = json.dumps(f'#people-list > [data-participant="{participant}"]')
        return await self.evaluate(f"(one => one && {{...one.dataset}})(document.querySelector({selector}))")

    async def shows_row(self, participant: str, within: float = 10, **data: str) -> dict:
        async def matches():
            row = await self.row(participant)
            return row if row and all(row.get(key) == value for key, value in data.items()) else None

        return await until(matches, f"the console shows {participant} with {data}", within)

    async def nameless_controls(self) -> list[str]:
        """Controls in the accessibility tree that have no name."""
        session = await self.tab.page.context.new_cdp_session(self.tab.page)
        nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
        await session.detach()
        seen = [node for node in nodes if not node["ignored"] and node["role"]["value"] in NAMED]
        assert len(seen) > 2, "the tree has controls"
        return [
            f"{node['role']['value']} {node.get('backendDOMNodeId')}"
            for node in seen
            if not node.get("name", {}).get("value", "").strip()
        ]

    async def settle(self) -> None:
        """Waits until the server was asked twice more: whatever it knows now is on show."""
        count = self.requests.count
        urls = [url for url in self.requests if "/participants?" in url]
        before = count(urls[-1])
        await until(lambda: count(urls[-1]) >= before + 2, "the console has asked again", within=10)

    async def close(self) -> None:
        violations = await self.evaluate("window.violations ?? []")
        await self.tab.close()
        assert not self.tab.problems, f"errors in the console: {self.tab.problems}"
        assert not violations, f"what the policy forbids was tried: {violations}"
