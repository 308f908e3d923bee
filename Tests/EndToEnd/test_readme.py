"""What README.md shows works."""

import re

from harness.server import API_KEY, ROOT
from harness.sockets import ApiSocket


def call_token(*arguments, **more) -> str:
    """A token made by README's example."""
    [example] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    names: dict = {}
    exec(example, names)
    return names["call_token"](*arguments, **more)


async def test_a_token_made_as_the_readme_shows_joins_with_what_it_claims(server, session):
    grants = {"publish": ["microphone"], "subscribe": True, "hidden": False}
    more = {"name": "Ada", "scope": "moderator", "grants": grants, "jti": "one"}
    socket = await ApiSocket.open(server.origin, call_token("test", API_KEY, "ada", session, **more))
    joined = await socket.request("joinSession")
    me = joined["participant"]
    assert (me["uid"], me["name"], me["scope"]) == ("ada", "Ada", "moderator")
    assert me["videoPaused"] and not me["audioMuted"], "the grants hold"
    assert joined["session"]["sessionId"] == session
    await socket.close()
