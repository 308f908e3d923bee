"""The real server: started with a configuration of its own, watched, stopped."""

import asyncio
import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
from pathlib import Path

import aiohttp

from .errors import checked_statuses
from .waiting import until

ROOT = Path(__file__).resolve().parents[3]
API_KEY = "for-end-to-end-tests-only"
CRASH = re.compile(
    r"Fatal error|Precondition failed|\*\*\* .*[Cc]rash|Crashed|Sanitizer|SIGSEGV|SIGILL|SIGTRAP"
)


def binary() -> Path:
    return Path(os.environ.get("ROSTRUM_BINARY", ROOT / ".build/release/rostrum")).absolute()


def environment() -> dict[str, str]:
    """Ours without the variables that the program would take for settings."""
    return {key: value for key, value in os.environ.items() if not key.startswith("ROSTRUM_")}


def free_port(hosts: tuple[str, ...] = ("127.0.0.1",)) -> int:
    """A port that is free for TCP and UDP on all these addresses."""
    for _ in range(100):
        sockets = []
        try:
            port = 0
            for host in hosts:
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                    one = socket.socket(socket.AF_INET, kind)
                    sockets.append(one)
                    one.bind((host, port))
                    port = one.getsockname()[1]
            return port
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise OSError(f"no port is free on all of {hosts}")


class Server:
    """One `rostrum serve`. `flags` are configuration keys; what isn't given suits tests on loopback.

    `trust` says what a client trusts, where the flags name a certificate.
    """

    def __init__(
        self, directory: Path, flags: dict[str, object] | None = None, trust: ssl.SSLContext | None = None,
        faults: str | None = None,
    ):
        #: What it is to do wrong.
        self.faults = faults
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        media_port = free_port(("127.0.0.1", "127.0.0.2"))
        # Nothing keeps the system from giving the same one again.
        http_port = next(port for port in iter(free_port, None) if port != media_port)
        self.flags = {
            "server.drainSeconds": 0,
            "http.host": "127.0.0.1",
            "http.port": http_port,
            "media.host": "127.0.0.1",
            "media.port": media_port,
            **(flags or {}),
        }
        self.trust = trust
        # Of the process, by setrlimit's numbers.
        self.limits: dict[int, int] = {}
        self.log_path = directory / "server.log"
        self.process: asyncio.subprocess.Process | None = None
        self.http: aiohttp.ClientSession | None = None

    @property
    def origin(self) -> str:
        scheme = "https" if self.flags.get("http.tlsCertificate") else "http"
        return f"{scheme}://127.0.0.1:{self.flags['http.port']}"

    @property
    def media_port(self) -> int:
        return int(self.flags["media.port"])

    async def start(self) -> "Server":
        await self.launch()
        self.http = aiohttp.ClientSession(
            self.origin,
            headers={"Authorization": f"Bearer {API_KEY}"},
            connector=aiohttp.TCPConnector(ssl=self.trust or True),
            trace_configs=[checked_statuses()],
        )
        try:
            await until(self._is_ready, "the server is ready", within=15)
        except AssertionError:
            await self.http.close()
            raise
        return self

    async def launch(self) -> None:
        """Starts the process and doesn't wait until it serves."""
        configuration = self.directory / "rostrum.json"
        configuration.write_text(
            json.dumps(
                {
                    "auth": {"keys": [{"id": "test", "secret": API_KEY}]},
                    "sessions": {"adHoc": True},
                    "storage": {"path": str(self.directory / "rostrum.db")},
                    "web": {"guestKey": "test"},
                }
            )
        )
        arguments = ["serve"]
        for key, value in {"config": configuration, **self.flags}.items():
            arguments += [f"--{key}", str(value).lower() if isinstance(value, bool) else str(value)]
        with self.log_path.open("w") as log:
            self.process = await asyncio.create_subprocess_exec(
                binary(), *arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment() | ({"FAULTS_FOR_TESTS_ONLY": self.faults} if self.faults else {}),
                preexec_fn=self._limit if self.limits else None,
            )

    def _limit(self) -> None:
        for kind, most in self.limits.items():
            resource.setrlimit(kind, (most, most))

    async def _is_ready(self) -> bool:
        if self.process.returncode is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}\n{self.tail()}")
        try:
            async with self.http.get("/readyz") as response:
                return response.status == 200
        except aiohttp.ClientError:
            return False

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.returncode is None

    def check(self) -> None:
        """Fails if the server has crashed or ended."""
        if not self.is_running:
            raise AssertionError(f"the server ended with {self.process.returncode}\n{self.tail()}")
        if CRASH.search(self.log):
            raise AssertionError(f"the server's log tells of a crash\n{self.tail()}")

    async def stop(self) -> None:
        """Stops it as an operator does; it has to end well and soon."""
        if self.http:
            await self.http.close()
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = await asyncio.wait_for(self.process.wait(), 10)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
            raise AssertionError(f"the server didn't stop within 10 s of SIGTERM\n{self.tail()}") from None
        assert code == 0, f"the server ended with {code}\n{self.tail()}"
        assert not CRASH.search(self.log), self.tail()

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.log.splitlines()[-lines:])

    async def token(self, session: str, uid: str, **more) -> str:
        """A call token, minted as a back end does."""
        async with self.http.post(
            "/v1/call-tokens", json={"sessionId": session, "uid": uid, **more}
        ) as response:
            body = await response.json()
            assert response.status == 201, body
            return body["callToken"]

    async def metrics(self) -> dict[str, float]:
        """Samples by name with labels."""
        async with self.http.get("/metrics") as response:
            text = await response.text()
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    def resident_bytes(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024
