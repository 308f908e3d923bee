"""Runs rostrum-load, and reads what it reports."""

import asyncio
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import ClientSession, WSMsgType, web

from .server import API_KEY, CRASH, ROOT, Server, binary, free_port

SCENARIOS = ROOT / "Config/load"


def program() -> Path:
    return Path(os.environ.get("ROSTRUM_LOAD_BINARY", binary().with_name("rostrum-load"))).absolute()


@dataclass
class Outcome:
    code: int
    errors: str
    figures: dict[str, float] = field(default_factory=dict)
    #: Refusals and failures by code.
    failures: dict[str, int] = field(default_factory=dict)


class Load:
    """One run that goes on."""

    def __init__(self, process: asyncio.subprocess.Process, report: Path):
        self.process = process
        self.report = report

    @classmethod
    async def start(cls, server: Server | str, report: Path, *arguments: object) -> "Load":
        origin = server if isinstance(server, str) else server.origin
        process = await asyncio.create_subprocess_exec(
            program(), "run", "--server", origin, "--json", report, *map(str, arguments),
            env={"ROSTRUM_LOAD_KEY": f"test:{API_KEY}"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return cls(process, report)

    async def finish(self, within: float = 80) -> Outcome:
        try:
            _, errors = await asyncio.wait_for(self.process.communicate(), within)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
            raise AssertionError(f"rostrum-load didn't end within {within} s") from None
        text = errors.decode(errors="replace")
        assert not CRASH.search(text), text
        figures = json.loads(self.report.read_text()) if self.report.exists() else {}
        return Outcome(self.process.returncode, text, figures, figures.pop("errors", {}))


async def run(server: Server | str, directory: Path, *arguments: object) -> Outcome:
    return await (await Load.start(server, directory / "load.json", *arguments)).finish()


class ForgetfulProxy:
    """Stands before the server's socket, and swallows the first event of one name on each connection."""

    def __init__(self, server: Server, swallows: str):
        self.server = server
        self.start_of = f'{{"event":"{swallows}"'
        self.port = free_port()
        self.swallowed = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "ForgetfulProxy":
        app = web.Application()
        app.router.add_get("/v1/connect", self._connect)
        self.runner = web.AppRunner(app, shutdown_timeout=1)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", self.port).start()
        return self

    async def __aexit__(self, *_) -> None:
        await self.runner.cleanup()

    async def _connect(self, request: web.Request) -> web.WebSocketResponse:
        client = web.WebSocketResponse(protocols=["rostrum.v1"])
        await client.prepare(request)
        async with ClientSession(self.server.origin) as http:
            async with http.ws_connect(request.rel_url, protocols=["rostrum.v1"]) as upstream:
                up = asyncio.create_task(self._carry(client, upstream))
                await self._carry(upstream, client, forgets=True)
                up.cancel()
        return client

    async def _carry(self, source, target, forgets: bool = False) -> None:
        async for message in source:
            if message.type != WSMsgType.TEXT:
                break
            if forgets and message.data.startswith(self.start_of):
                forgets = False
                self.swallowed += 1
                continue
            try:
                await target.send_str(message.data)
            except ConnectionError:
                # The other side has gone in the meantime.
                break
        await target.close()
