"""kill -9 of the whole server, at any moment, under everything that it writes at once."""

import asyncio
import contextlib
import os
import random
import sqlite3

import pytest

from harness.server import Server
from harness.soak import times
from harness.waiting import until
from harness.writers import CallWriter, CardWriter, GroupWriter, call, make_people, until_it_dies

KILLS = times(5, soak=50)
SEED = int(os.environ.get("ROSTRUM_TEST_SEED", random.randrange(1 << 32)))


async def kill(server: Server) -> None:
    server.process.kill()
    await server.process.wait()


async def start_again(server: Server) -> None:
    await server.launch()
    await until(lambda: ready(server), "the server is ready again", within=20)


async def ready(server: Server) -> bool:
    assert server.is_running, server.tail()
    with contextlib.suppress(OSError):
        async with server.http.get("/readyz") as answer:
            return answer.status == 200
    return False


async def no_call_is_open(server: Server) -> bool:
    """What the process before left open is closed soon after the start."""
    counts = [
        (await call(server, "GET", f"/v1/calls?status={status}"))["meta"]["pagination"]["total"]
        for status in ("initiated", "ongoing")]
    return counts == [0, 0]


@pytest.mark.timeout(60 + 12 * KILLS)
async def test_whatever_was_answered_is_there_after_kill_9_whole_and_nothing_is_half_there(start_server, report):
    generator = random.Random(SEED)
    # Printed with what fails, too: ROSTRUM_TEST_SEED repeats it.
    print(f"seed {SEED}")
    server = await start_server({"limits.socketRequestsPerSecond": 10_000, "limits.socketRequestBurst": 10_000})
    await make_people(server)
    every: list[GroupWriter | CardWriter | CallWriter] = []
    for number in range(KILLS):
        writers = [GroupWriter(server, f"k{number}-g{one}", generator.getrandbits(32)) for one in range(5)]
        writers += [CallWriter(server, f"k{number}-c{one}", generator.getrandbits(32)) for one in range(3)]
        writers += [CardWriter(server, f"k{number}-s{one}") for one in range(2)]
        every += writers
        tasks = [asyncio.create_task(until_it_dies(writer)) for writer in writers]
        # From the first write to a server that has been busy for a while.
        await asyncio.sleep(generator.choice([0.02, 0.2, 1]) * (0.5 + generator.random()))
        await kill(server)
        await asyncio.wait_for(asyncio.gather(*tasks), 15)
        if generator.random() < 0.3:
            # Once more, while it looks at what the other one left.
            await server.launch()
            await asyncio.sleep(generator.random() * 0.15)
            await kill(server)
        await start_again(server)
        await until(lambda: no_call_is_open(server), "calls that were open are closed")
        assert not [problem for writer in writers for problem in await writer.problems()]
    # What earlier rounds wrote has outlived the later ones.
    assert not [problem for writer in every for problem in await writer.problems()]
    answered = {
        kind.__name__: sum(writer.answered for writer in every if isinstance(writer, kind))
        for kind in (GroupWriter, CallWriter, CardWriter)}
    report(f"seed {SEED}: {KILLS} kills, answered before them: {answered}")
    assert min(answered.values()) > KILLS
    await server.stop()
    with sqlite3.connect(server.directory / "rostrum.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    database.close()
