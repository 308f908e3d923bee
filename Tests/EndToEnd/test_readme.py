"""What README.md shows works."""

import asyncio
import os
import re

from harness.server import API_KEY, ROOT, binary, environment
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


async def test_the_commands_of_the_readme_work_on_a_fresh_development_server(start_server):
    server = await start_server({"config": ROOT / "Config/dev.json"})
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    [block] = [block for block in blocks if "rostrum group create" in block]
    assert "http://127.0.0.1:8080" in block
    commands = block.replace("http://127.0.0.1:8080", server.origin)
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-ec", f'rostrum() {{ "$PROGRAM" "$@"; }}\n{commands}'),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env={**environment(), "PROGRAM": os.fspath(binary())},
    )
    output = (await shell.communicate())[0].decode()
    assert shell.returncode == 0, output
    assert re.search(r"^ada +moderator", output, re.MULTILINE), output
    assert re.search(r"^ben +moderator", output, re.MULTILINE), output
