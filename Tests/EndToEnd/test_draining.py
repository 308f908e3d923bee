"""How a server is told to stop, by signals and over its API."""

import asyncio
import signal
import time

import pytest

from harness.sockets import ApiError, ApiSocket
from harness.waiting import until


@pytest.fixture
async def meeting(start_server, session):
    """A server on which one is in a session, and another has but logged in."""
    server = await start_server({"server.drainSeconds": 600})
    ada = await ApiSocket.open(server.origin, await server.token(session, "ada"))
    await ada.request("joinSession")
    async with server.http.post("/v1/auth-tokens", json={"uid": "ben"}) as response:
        ben = await ApiSocket.open(server.origin, (await response.json())["authToken"])
    await ben.request("ping")
    yield server, ada, ben
    await ada.close()
    await ben.close()


async def exit_code(server, within: float) -> int:
    return await asyncio.wait_for(server.process.wait(), within)


async def test_sigterm_lets_a_meeting_go_on_and_the_last_to_leave_ends_the_server(meeting, session):
    server, ada, ben = meeting
    server.process.send_signal(signal.SIGTERM)
    told = [await socket.event("serverDraining") for socket in (ada, ben)]
    assert told[0]["data"] == told[1]["data"]
    assert abs(told[0]["data"]["deadlineAt"] / 1_000 - time.time() - 600) < 60
    async with server.http.get("/readyz") as response:
        assert (response.status, (await response.json())["status"]) == (503, "draining")
    late = await ApiSocket.open(server.origin, await server.token(session, "late"))
    with pytest.raises(ApiError, match="ERR_SERVER_DRAINING"):
        await late.request("joinSession")
    await ada.request("raiseHand")
    await ada.request("leaveSession")
    assert await exit_code(server, 15) == 0
    for socket in (ada, ben, late):
        await until(lambda: socket.close_code == 4010, "the socket is closed with 4010")
    await late.close()


async def test_at_the_deadline_those_left_are_closed_with_4010(meeting, report):
    server, ada, ben = meeting
    async with server.http.post("/v1/server/drain", json={"deadlineSeconds": 2}) as response:
        assert response.status == 202
        deadline_at = (await response.json())["deadlineAt"]
    assert (await ada.event("serverDraining"))["data"]["deadlineAt"] == deadline_at
    await ada.request("raiseHand")
    assert await exit_code(server, 15) == 0
    ended_after = time.time() - deadline_at / 1_000
    report(f"the process has ended {ended_after:.2f} s after the deadline")
    assert -0.1 < ended_after < 2
    for socket in (ada, ben):
        await until(lambda: socket.close_code == 4010, "the socket is closed with 4010")
    assert "sessionEnded" not in [event["event"] for event in ada.events]


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
async def test_a_second_signal_stops_at_once(meeting, second):
    server, ada, _ = meeting
    server.process.send_signal(signal.SIGTERM)
    await ada.event("serverDraining")
    server.check()
    server.process.send_signal(second)
    assert await exit_code(server, 15) == 0
    await until(lambda: ada.close_code == 4010, "the socket is closed with 4010")


async def test_sigint_stops_at_once(meeting):
    server, ada, _ = meeting
    server.process.send_signal(signal.SIGINT)
    assert await exit_code(server, 15) == 0
    await until(lambda: ada.close_code == 4010, "the socket is closed with 4010")
    assert "serverDraining" not in [event["event"] for event in ada.events]


async def test_sigterm_brings_a_longer_deadline_forward(start_server, session):
    server = await start_server({"server.drainSeconds": 1})
    ada = await ApiSocket.open(server.origin, await server.token(session, "ada"))
    await ada.request("joinSession")
    async with server.http.post("/v1/server/drain", json={"deadlineSeconds": 3_600}) as response:
        assert response.status == 202
    server.process.send_signal(signal.SIGTERM)
    assert await exit_code(server, 15) == 0
    assert [event["event"] for event in ada.events].count("serverDraining") == 2
    await ada.close()


async def test_without_anybody_in_a_session_sigterm_stops_at_once(start_server):
    server = await start_server({"server.drainSeconds": 600})
    server.process.send_signal(signal.SIGTERM)
    assert await exit_code(server, 15) == 0
