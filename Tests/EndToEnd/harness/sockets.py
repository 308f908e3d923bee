"""The control API's socket, spoken by hand."""

import asyncio
import itertools
import json
import ssl

import aiohttp

from .waiting import until


class ApiError(Exception):
    """An error that the server answered with."""

    def __init__(self, code: str, message: str, details: dict | None = None):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.details = code, message, details or {}


class ApiSocket:
    """One WebSocket: requests, and all events in the order of arrival in `events`."""

    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse):
        self._http, self._socket = http, socket
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future] = {}
        self.events: list[dict] = []
        #: Errors that answer no request which waits for one.
        self.refusals: list[dict] = []
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def open(
        cls, origin: str, token: str | None = None, trust: ssl.SSLContext | None = None
    ) -> "ApiSocket":
        http = aiohttp.ClientSession()
        query = {"access_token": token} if token else {}
        try:
            socket = await http.ws_connect(
                f"{origin}/v1/connect", protocols=["rostrum.v1"], params=query, ssl=trust or True
            )
        except BaseException:
            await http.close()
            raise
        return cls(http, socket)

    @property
    def transport(self) -> asyncio.Transport:
        """asyncio's, which has the connection."""
        return self._socket._writer.transport

    async def request_number(self, method: str, **params) -> int:
        """As `request`; the id that it had."""
        number = next(self._ids)
        await self._request(number, method, params)
        return number

    async def request(self, method: str, **params) -> dict:
        return await self._request(next(self._ids), method, params)

    async def _request(self, number: int, method: str, params: dict) -> dict:
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(answer, 10)

    async def refusal(self, text: str) -> dict:
        """The error that answers a message which may be no request at all."""
        before = len(self.refusals)
        await self._socket.send_str(text)
        await until(lambda: len(self.refusals) > before, f"{text[:80]!r} is refused")
        return self.refusals[-1]

    async def event(self, name: str, within: float = 5) -> dict:
        """The first event with this name, waited for if it isn't there yet."""
        return await until(
            lambda: next((one for one in self.events if one["event"] == name), None), f"event {name}", within
        )

    @property
    def close_code(self) -> int | None:
        return self._socket.close_code

    async def close(self) -> None:
        await self._socket.close()
        await self._reader
        await self._http.close()

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            body = json.loads(message.data)
            if "event" in body:
                self.events.append(body)
                continue
            answer = self._answers.pop(body.get("id"), None)
            if answer is None or answer.done():
                if "error" in body:
                    self.refusals.append(body["error"])
                continue
            if error := body.get("error"):
                answer.set_exception(ApiError(error["code"], error["message"], error.get("details")))
            else:
                answer.set_result(body.get("result", {}))
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ConnectionError(f"socket closed with {self._socket.close_code}"))
