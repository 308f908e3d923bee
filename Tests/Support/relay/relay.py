"""Runs relay.c: a seeded bad network between UDP clients and a server. See there for what it can do."""

import asyncio
import json
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("relay.c")


def build(directory: Path) -> Path:
    """Compiles the relay into `directory` and returns the program."""
    program = directory / "relay"
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", program, SOURCE], check=True)
    return program


class Relay:
    """One running relay. Loss and such are in percent, times in milliseconds, the rate in bit/s."""

    def __init__(self, process: asyncio.subprocess.Process):
        self.process = process

    @classmethod
    async def start(
        cls,
        program: Path,
        listen: tuple[str, int],
        server: tuple[str, int],
        bind: str = "127.0.0.1",
        seed: int = 1,
    ) -> "Relay":
        relay = cls(
            await asyncio.create_subprocess_exec(
                program,
                listen[0],
                str(listen[1]),
                server[0],
                str(server[1]),
                bind,
                str(seed),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        answer = await relay._line()
        if answer != "ready":
            raise RuntimeError(f"the relay didn't start: {answer!r}")
        return relay

    async def set(self, direction: str, **impairments: float) -> None:
        """Changes `up` (to the server), `down` or `both`; what isn't named stays as it is."""
        settings = " ".join(f"{key}={value}" for key, value in impairments.items())
        answer = await self._ask(f"{direction} {settings}")
        if answer != "ok":
            raise ValueError(f"the relay refused {direction} {settings}")

    async def rebind(self) -> int:
        """Gives every client a new address at the server's side; returns how many there are."""
        return int((await self._ask("rebind")).split()[1])

    async def stats(self) -> dict:
        return json.loads(await self._ask("stats"))

    async def stop(self) -> None:
        self.process.stdin.close()
        await self.process.wait()

    async def _ask(self, command: str) -> str:
        self.process.stdin.write(command.encode() + b"\n")
        return await self._line()

    async def _line(self) -> str:
        line = await asyncio.wait_for(self.process.stdout.readline(), 5)
        if not line:
            raise RuntimeError("the relay has ended")
        return line.decode().strip()
