"""The program's commands, run to their end."""

import asyncio
import subprocess
from dataclasses import dataclass

from .server import binary, environment


@dataclass
class Outcome:
    code: int
    output: str
    errors: str


async def rostrum(*arguments: object, **variables: str) -> Outcome:
    """`rostrum …` with these arguments, and these variables in its environment."""
    process = await asyncio.create_subprocess_exec(
        binary(),
        *(str(argument) for argument in arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment(), **variables},
    )
    output, errors = await asyncio.wait_for(process.communicate(), 45)
    return Outcome(process.returncode, output.decode(), errors.decode())
