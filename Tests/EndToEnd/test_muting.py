"""The moderator's word holds for media: after the answer to a mute nobody gets a packet more."""

import asyncio
import json
import random
import select

import pytest

from harness.rtc_client import RTCClient
from harness.server import API_KEY
from harness.soak import times
from harness.sockets import ApiError, ApiSocket
from harness.stamps import StampedSocket, StampedWebSocket, stamped_request
from harness.waiting import until

MUTES = times(10, soak=100)
LISTENERS = ["listener-1", "listener-2", "listener-3"]
#: How many packets the target sends after an answer, 20 ms each.
FURTHER = 12


def is_audio(data: bytes) -> bool:
    """Types of payload are in clear in SRTP (RFC 3711), those of RTCP lie apart from them (RFC 5761)."""
    return len(data) >= 12 and data[0] >> 6 == 2 and not 64 <= data[1] & 127 < 96


class Ear:
    """When the kernel had each audio packet for a client, in nanoseconds.

    All are of the one who is muted: nobody else sends audio.
    """

    def __init__(self, client: RTCClient):
        self.heard: list[int] = []
        [transport] = {one.receiver.transport.transport for one in client.connection.getTransceivers()}
        self.protocols = transport._connection._protocols
        for protocol in self.protocols:
            stamped = StampedSocket.within(protocol.transport)
            protocol.datagram_received = self._listen(protocol.datagram_received, stamped)

    def _listen(self, receive, stamped: StampedSocket):
        def listen(data: bytes, address) -> None:
            if is_audio(data):
                self.heard.append(stamped.at)
            receive(data, address)

        return listen

    def since(self, at: int) -> int:
        """How many came later."""
        return sum(one > at for one in self.heard)

    @property
    def descriptors(self) -> list[int]:
        return [one.transport.get_extra_info("socket").fileno() for one in self.protocols]


class Mouth:
    """Counts the packets that a client sends."""

    def __init__(self, client: RTCClient):
        self.count = 0
        [sender] = [one.sender for one in client.connection.getTransceivers() if one.sender.track]
        self.transport = sender.transport
        send = sender.transport._send_rtp

        async def count(data: bytes) -> None:
            # After it has gone: what is counted after an answer was sent after it.
            await send(data)
            self.count += is_audio(data)

        sender.transport._send_rtp = count

    def heed_nobody(self) -> None:
        """Goes on sending when the server ends the transport: it isn't told, as DTLS doesn't get through."""
        for protocol in self.transport.transport._connection._protocols:
            receive = protocol.datagram_received

            def listen(data: bytes, address, receive=receive) -> None:
                if not 20 <= data[0] < 64:
                    receive(data, address)

            protocol.datagram_received = listen


async def emptied(ears: list[Ear]) -> None:
    """Reads what the kernel has for them.

    On loopback a datagram is in the receiver's buffer when the sender's call returns.
    """
    descriptors = [one for ear in ears for one in ear.descriptors]
    while select.select(descriptors, [], [], 0)[0]:
        await asyncio.sleep(0)


async def by_socket(meeting) -> int:
    return await meeting.ask("muteParticipant", participantId=meeting.target.pid)


async def by_lock(meeting) -> int:
    return await meeting.ask("muteParticipant", uid="target", lock=True)


async def with_all(meeting) -> int:
    return await meeting.ask("muteAll")


async def by_back_end(meeting) -> int:
    path = f"/v1/sessions/{meeting.session}/participants/{meeting.target.pid}/mute"
    return await meeting.ask_by_http("POST", path, {})


class Meeting:
    """One who speaks all the time, some who listen, and a moderator who listens, too."""

    def __init__(self, server, session: str, target: RTCClient, listeners: list[RTCClient], moderator: ApiSocket):
        self.server, self.session, self.target, self.moderator = server, session, target, moderator
        self.ears, self.mouth = [Ear(one) for one in listeners], Mouth(target)
        self._moderators = StampedWebSocket.within(moderator.transport)

    async def ask(self, method: str, **params) -> int:
        """Asks as the moderator; when the kernel had the answer."""
        self._moderators.forget()
        number = await self.moderator.request_number(method, **params)
        return self._moderators.answered(number)

    async def ask_by_http(self, method: str, path: str, body: dict | None) -> int:
        text = "" if body is None else json.dumps(body)
        status, at = await stamped_request(self.server.origin, method, path, API_KEY, text)
        assert status in (200, 201, 204)
        return at

    async def everybody_hears(self) -> None:
        """Packets reach each of them, which were sent from now on."""
        await emptied(self.ears)
        before = [len(ear.heard) for ear in self.ears]
        await until(
            lambda: all(len(ear.heard) > count + 2 for ear, count in zip(self.ears, before, strict=True)),
            "everybody hears the target", within=10, every=0.01)

    async def after(self, mute) -> tuple[int, int]:
        """Mutes: how many packets the target sent after the answer, and how many were there for anybody later than the
        answer, by the kernel's clock for both."""
        at = await mute(self)
        sent = self.mouth.count
        await until(lambda: self.mouth.count >= sent + FURTHER, "the target goes on sending", every=0.02)
        await emptied(self.ears)
        heard = sum(ear.since(at) for ear in self.ears)
        # The stamps tell before from after: what is heard in the meeting was there before.
        assert all(ear.heard and 0 < ear.heard[0] < at for ear in self.ears)
        return self.mouth.count - sent, heard


@pytest.fixture
async def meet(server, session, open_client):
    """Brings them together."""
    moderators: list[RTCClient] = []

    async def meet() -> Meeting:
        silent = {"publishes": (), "receives": ("audio",), "seats": 1}
        target = await open_client("target", publishes=("microphone",), receives=("audio",), seats=1)
        listeners = [await open_client(uid, **silent) for uid in LISTENERS]
        socket = await ApiSocket.open(server.origin, await server.token(session, "moderator", scope="moderator"))
        moderators.append(RTCClient(socket, "moderator", **silent))
        await moderators[0].join()
        return Meeting(server, session, target, [*listeners, *moderators], socket)

    yield meet
    for moderator in moderators:
        await moderator.close()


@pytest.mark.timeout(60 + 4 * MUTES)
async def test_after_the_answer_to_a_mute_nobody_gets_a_packet_more(meet, report):
    meeting = await meet()
    generator = random.Random(3)
    ways = [by_socket, by_lock, with_all, by_back_end]
    sent = heard = 0
    await meeting.everybody_hears()
    for number in range(MUTES):
        mute = ways[number % 4]
        # At any moment between two packets.
        await asyncio.sleep(generator.random() * 0.04)
        more, late = await meeting.after(mute)
        sent, heard = sent + more, heard + late
        assert late == 0, f"{late} packets came after the answer {number} ({mute.__name__})"
        if mute is by_lock:
            with pytest.raises(ApiError, match="ERR_AUDIO_LOCKED"):
                await meeting.target.socket.request("unmuteAudio")
            await meeting.moderator.request("unlockParticipant", participantId=meeting.target.pid)
        await meeting.target.socket.request("unmuteAudio")
        await meeting.everybody_hears()
    report(f"{MUTES} mutes: {sent} packets were sent after the answers, {len(meeting.ears)} others got {heard} of them")
    assert sent >= MUTES * FURTHER


async def removed(meeting: Meeting) -> int:
    return await meeting.ask("removeParticipant", participantId=meeting.target.pid)


async def kicked(meeting: Meeting) -> int:
    return await meeting.ask_by_http("DELETE", f"/v1/groups/{meeting.session}/members/target", None)


async def banned(meeting: Meeting) -> int:
    return await meeting.ask_by_http("POST", f"/v1/groups/{meeting.session}/bans", {"uid": "target"})


@pytest.mark.parametrize(
    ("put_out", "code"),
    [(removed, "ERR_CALL_REMOVED"), (kicked, "ERR_NOT_GROUP_MEMBER"), (banned, "ERR_BANNED_GROUPMEMBER")])
async def test_who_is_put_out_of_a_groups_meeting_is_heard_no_more_after_the_answer(
    server, session, meet, put_out, code
):
    members = ["target", "moderator", *LISTENERS]
    for uid in members:
        async with server.http.put(f"/v1/users/{uid}", json={"name": uid}) as answer:
            assert answer.status in (200, 201)
    async with server.http.put(f"/v1/groups/{session}", json={"name": "Team", "owner": "moderator"}) as answer:
        assert answer.status == 201
    others = [{"uid": uid} for uid in members if uid != "moderator"]
    async with server.http.post(f"/v1/groups/{session}/members", json=others) as answer:
        assert answer.status == 201
    token = await server.token(session, "target")

    meeting = await meet()
    await meeting.everybody_hears()
    meeting.mouth.heed_nobody()
    assert (await meeting.after(put_out))[1] == 0
    await until(lambda: meeting.target.socket.close_code == 4003, "its socket is closed")
    again = await ApiSocket.open(server.origin, token)
    with pytest.raises(ApiError, match=code):
        await again.request("joinSession")
    await again.close()
