"""How many get in, over real sockets."""

import asyncio
from collections import Counter

import pytest

from harness.rtc_client import RTCClient
from harness.sockets import ApiError, ApiSocket
from test_start import offer_of

PLACES, CLIENTS = 10, 30


@pytest.fixture
async def crowd(start_server, open_socket):
    """So many clients with a socket each at a server with fewer places, nobody in yet, and an offer."""
    server = await start_server({"sessions.maxParticipants": PLACES})
    sockets = await asyncio.gather(*(open_socket(f"u{number}", at=server) for number in range(CLIENTS)))
    return sockets, await offer_of(RTCClient(sockets[0], "u0"))


async def join(socket: ApiSocket, offer: str) -> ApiError | None:
    """Joins; returns the refusal, if it is one."""
    try:
        joined = await socket.request("joinSession", offer=offer)
    except ApiError as error:
        return error
    assert joined["answer"].startswith("v=0")
    return None


async def test_of_thirty_racing_clients_exactly_ten_get_in(crowd):
    sockets, offer = crowd
    refusals = await asyncio.gather(*(join(socket, offer) for socket in sockets))
    codes = Counter(refusal and refusal.code for refusal in refusals)
    assert codes == {None: PLACES, "ERR_CALL_FULL": CLIENTS - PLACES}
    assert all(refusal.details == {"maxParticipants": PLACES} for refusal in refusals if refusal)
    inside = [socket for socket, refusal in zip(sockets, refusals, strict=True) if not refusal]
    outside = [socket for socket, refusal in zip(sockets, refusals, strict=True) if refusal]

    # Whoever was refused has a socket that works, and is in no session.
    await asyncio.gather(*(socket.request("ping") for socket in outside))
    for socket in outside:
        with pytest.raises(ApiError, match="ERR_NOT_IN_SESSION"):
            await socket.request("getParticipants")
    for socket in inside:
        roster = (await socket.request("getParticipants"))["participants"]
        assert len({one["participantId"] for one in roster}) == PLACES

    # Each place is free as soon as leaving is answered, and is one place.
    while outside and inside:
        await inside.pop(0).request("leaveSession")
        refusals = await asyncio.gather(*(join(socket, offer) for socket in outside))
        assert [refusal and refusal.code for refusal in refusals].count(None) == 1
        outside = [socket for socket, refusal in zip(outside, refusals, strict=True) if refusal]
    assert len(outside) == CLIENTS - 2 * PLACES
