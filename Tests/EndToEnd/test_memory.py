"""What participants cost the server in memory, and that it gets it back."""

import pytest

from harness.load import run
from harness.soak import SOAK

LISTENERS = ["--publishers", "audio=1,video=0", "--seats", "audio=1,video=0", "--publishers-only-send"]


async def test_a_participant_costs_less_than_200_kib(start_server, tmp_path, report):
    """Without a video cache. Each size has a server of its own: what one participant more costs is what counts."""
    memory = {}
    for participants in (50, 200):
        server = await start_server({"sessions.maxParticipants": 1_000})
        outcome = await run(
            server, tmp_path, "--participants", participants, *LISTENERS, "--ramp", 25, "--settle", 1, "--duration", 2,
            "--server-pid", server.process.pid, "--expect", f"participants={participants}")
        assert outcome.code == 0, outcome.errors
        memory[participants] = outcome.figures["serverMemory"] * 1e6
    each = (memory[200] - memory[50]) / 150
    report(f"{each / 1024:.0f} KiB a participant")
    assert 0 < each < 200 * 1024


@pytest.mark.timeout(1_200 if SOAK else 120)
async def test_who_has_left_leaves_no_memory_behind(start_server, tmp_path, report):
    participants, rounds = (1_000, 10) if SOAK else (60, 6)
    server = await start_server({"sessions.maxParticipants": 1_000})
    after = []
    for _ in range(rounds):
        outcome = await run(
            server, tmp_path, "--participants", participants, *LISTENERS, "--ramp", 60, "--settle", 0, "--duration", 1)
        assert outcome.figures["participants"] == participants, outcome.failures
        after.append(server.resident_bytes())
    report("MB after each round: " + ", ".join(f"{bytes_ / 1e6:.1f}" for bytes_ in after))
    # What was needed at the busiest moment stays with the process; it doesn't grow from round to round.
    assert after[-1] < 1.1 * max(after[: rounds // 2])
