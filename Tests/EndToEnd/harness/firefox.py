"""Firefox ESR, driven by WebDriver BiDi over its own WebSocket: there is no geckodriver in Debian."""

import asyncio
import itertools
import json
import re
import subprocess
from pathlib import Path

import aiohttp

PROGRAM = "/usr/bin/firefox-esr"
PREFERENCES = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "permissions.default.camera": 1,
    "permissions.default.microphone": 1,
    "media.peerconnection.ice.loopback": True,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "media.cubeb.force_mock_context": True,
    "media.autoplay.default": 0,
    "media.gmp-manager.updateEnabled": False,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.prefs.recommended": True,
}


class Firefox:
    """One Firefox process and its BiDi session."""

    def __init__(self, process: asyncio.subprocess.Process, http: aiohttp.ClientSession, socket):
        self.process, self._http, self._socket = process, http, socket
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future] = {}
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def launch(cls, profile: Path) -> "Firefox":
        profile.mkdir(parents=True, exist_ok=True)
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines))
        process = await asyncio.create_subprocess_exec(
            PROGRAM,
            "--headless",
            "--no-remote",
            "--profile",
            profile,
            "--remote-debugging-port",
            "0",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        address = await asyncio.wait_for(cls._announced(process.stderr), 30)
        http = aiohttp.ClientSession()
        socket = await http.ws_connect(f"{address}/session", max_msg_size=0)
        firefox = cls(process, http, socket)
        firefox._drain = asyncio.create_task(cls._ignore(process.stderr))
        await firefox.command("session.new", capabilities={})
        return firefox

    @staticmethod
    async def _announced(stream: asyncio.StreamReader) -> str:
        while line := await stream.readline():
            if match := re.search(rb"WebDriver BiDi listening on (ws://\S+)", line):
                return match[1].decode()
        raise RuntimeError("Firefox ended before it listened")

    @staticmethod
    async def _ignore(stream: asyncio.StreamReader) -> None:
        while await stream.readline():
            pass

    async def command(self, method: str, **params) -> dict:
        number = next(self._ids)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(answer, 30)

    async def _read(self) -> None:
        async for message in self._socket:
            body = json.loads(message.data)
            answer = self._answers.pop(body.get("id"), None)
            if answer is None or answer.done():
                continue
            if body["type"] == "error":
                answer.set_exception(RuntimeError(f"{body['error']}: {body['message']}"))
            else:
                answer.set_result(body["result"])

    async def tab(self) -> "FirefoxTab":
        created = await self.command("browsingContext.create", type="tab")
        return FirefoxTab(self, created["context"])

    async def close(self) -> None:
        await self._socket.close()
        await self._http.close()
        self.process.terminate()
        await self.process.wait()


class FirefoxTab:
    """One tab."""

    def __init__(self, firefox: Firefox, context: str):
        self._firefox, self._context = firefox, context

    async def prepare(self, script: str) -> None:
        await self._firefox.command(
            "script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}", contexts=[self._context]
        )

    async def navigate(self, url: str) -> None:
        await self._firefox.command(
            "browsingContext.navigate", context=self._context, url=url, wait="complete"
        )

    async def evaluate(self, expression: str):
        result = await self._firefox.command(
            "script.evaluate",
            target={"context": self._context},
            awaitPromise=True,
            expression=f"(async () => JSON.stringify(await ({expression})))()",
        )
        if result["type"] == "exception":
            raise RuntimeError(result["exceptionDetails"]["text"])
        value = result["result"]
        return json.loads(value["value"]) if value["type"] == "string" else None

    async def close(self) -> None:
        await self._firefox.command("browsingContext.close", context=self._context)
