"""`rostrum check`: says whether a server could start, and whether media would reach it."""

import socket

import pytest

from harness.commands import rostrum
from harness.server import ROOT, free_port

DEVELOPMENT = ("check", "--config", ROOT / "Config/dev.json")


async def check(*flags):
    """Both ports free ones, as others run beside."""
    return await rostrum(*DEVELOPMENT, "--http.port", free_port(), *flags)


async def test_what_would_start_is_said_part_by_part_and_leaves_nothing_behind(tmp_path):
    port = free_port()
    store = tmp_path / "rostrum.db"
    for _ in range(2):
        outcome = await check("--media.port", port, "--storage.path", store)
        assert outcome.code == 0, outcome.errors
        lines = outcome.output.splitlines()
        for part in ("configuration  ok", "database       ok", "HTTP           ok", f"media          ok, UDP and TCP port {port}"):
            assert any(line.startswith(part) for line in lines), outcome.output
        assert "address        127.0.0.1: datagrams come in" in lines
    assert [path.name for path in tmp_path.iterdir()] == ["rostrum.db"]


async def test_an_address_that_does_not_lead_here_is_told():
    # Of a network for documentation (RFC 5737): nobody has it.
    outcome = await check("--media.port", 0, "--media.advertise", "192.0.2.7,127.0.0.1")
    assert outcome.code == 0
    assert "address        192.0.2.7: datagrams from this machine don't come in" in outcome.output
    assert "address        127.0.0.1: datagrams come in" in outcome.output
    assert "try from outside" in outcome.output


@pytest.mark.parametrize(
    ("flags", "named"),
    [(["--media.prot", "1"], "media.prot"), (["--storage.path", "/nowhere/at/all.db"], "storage.path")],
)
async def test_what_is_wrong_is_one_line(flags, named):
    outcome = await check("--media.port", 0, *flags)
    assert (outcome.code, outcome.output) == (2, "")
    assert outcome.errors.count("\n") == 1 and named in outcome.errors


async def test_a_port_that_is_taken_is_said():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        outcome = await check("--media.port", port)
    assert (outcome.code, outcome.output) == (2, "")
    assert f"port {port} " in outcome.errors and "media.port" in outcome.errors
