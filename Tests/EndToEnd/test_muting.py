"""The moderator's word holds for media: after the answer to a mute nobody gets a packet more."""

import asyncio
import random
import select

import pytest

from harness.rtc_client import RTCClient
from harness.soak import times
from harness.sockets import ApiError, ApiSocket
from harness.waiting import until

MUTES = times(20, soak=100)
LISTENERS = ["listener-1", "listener-2", "listener-3"]
OBSERVED = 0.25


class Ear:
    """Counts the audio packets that a client's sockets get, as they come out of the kernel.

    All are of the one who is muted: nobody else sends audio. Types of payload are in clear in SRTP (RFC 3711), those of RTCP lie
    apart from them (RFC 5761).
    """

    def __init__(self, client: RTCClient):
        self.count = 0
        [transport] = {one.receiver.transport.transport for one in client.connection.getTransceivers()}
        self.protocols = transport._connection._protocols
        for protocol in self.protocols:
            protocol.datagram_received = self._listen(protocol.datagram_received)

    def _listen(self, receive):
        def listen(data: bytes, address) -> None:
            if len(data) >= 12 and data[0] >> 6 == 2 and not 64 <= data[1] & 127 < 96:
                self.count += 1
            receive(data, address)

        return listen

    @property
    def descriptors(self) -> list[int]:
        return [one.transport.get_extra_info("socket").fileno() for one in self.protocols]


class Mouth:
    """Counts the packets that a client sends."""

    def __init__(self, client: RTCClient):
        self.count = 0
        [sender] = [one.sender for one in client.connection.getTransceivers() if one.sender.track]
        send = sender.transport._send_rtp

        async def count(data: bytes) -> None:
            # After it has gone: what is counted after an answer was sent after it.
            await send(data)
            self.count += not 64 <= data[1] & 127 < 96

        sender.transport._send_rtp = count


async def emptied(ears: list[Ear]) -> None:
    """Takes out of the kernel what is there now.

    On loopback a datagram is in the receiver's buffer when the sender's call returns. So what the server forwarded before it
    answered is there when the answer is, and is no packet after the answer.
    """
    descriptors = [one for ear in ears for one in ear.descriptors]
    while select.select(descriptors, [], [], 0)[0]:
        await asyncio.sleep(0)


async def by_socket(meeting) -> None:
    await meeting.moderator.request("muteParticipant", participantId=meeting.target.pid)


async def by_lock(meeting) -> None:
    await meeting.moderator.request("muteParticipant", uid="target", lock=True)


async def with_all(meeting) -> None:
    await meeting.moderator.request("muteAll")


async def by_back_end(meeting) -> None:
    path = f"/v1/sessions/{meeting.session}/participants/{meeting.target.pid}/mute"
    async with meeting.server.http.post(path, json={}) as answer:
        assert answer.status == 200


class Meeting:
    """One who speaks all the time, some who listen, and a moderator who listens, too."""

    def __init__(self, server, session: str, target: RTCClient, listeners: list[RTCClient], moderator: ApiSocket):
        self.server, self.session, self.target, self.moderator = server, session, target, moderator
        self.ears, self.mouth = [Ear(one) for one in listeners], Mouth(target)

    async def everybody_hears(self) -> None:
        before = [ear.count for ear in self.ears]
        await until(
            lambda: all(ear.count > count + 2 for ear, count in zip(self.ears, before, strict=True)),
            "everybody hears the target", within=10, every=0.01)

    async def after(self, mute, goes_on: bool = True) -> tuple[int, int]:
        """Mutes; how many packets the target sent after the answer, and how many anybody got after it.

        With `goes_on` the target has to go on; who is put out is told so on the path of the media, and stops.
        """
        await mute(self)
        await emptied(self.ears)
        heard, sent = sum(ear.count for ear in self.ears), self.mouth.count
        if goes_on:
            await until(lambda: self.mouth.count >= sent + OBSERVED * 50, "the target goes on sending", every=0.02)
        else:
            await asyncio.sleep(OBSERVED)
        await emptied(self.ears)
        return self.mouth.count - sent, sum(ear.count for ear in self.ears) - heard


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


@pytest.mark.timeout(60 + 3 * MUTES)
async def test_after_the_answer_to_a_mute_nobody_gets_a_packet_more(meet, report):
    meeting = await meet()
    generator = random.Random(3)
    sent = heard = 0
    for number in range(MUTES):
        await meeting.target.socket.request("unmuteAudio")
        await meeting.everybody_hears()
        # At any moment between two packets.
        await asyncio.sleep(generator.random() * 0.04)
        mute = [by_socket, by_lock, with_all, by_back_end][number % 4]
        more = await meeting.after(mute)
        sent, heard = sent + more[0], heard + more[1]
        assert more[1] == 0, f"{more[1]} packets came after the answer {number} ({mute.__name__})"
        if mute is by_lock:
            with pytest.raises(ApiError, match="ERR_AUDIO_LOCKED"):
                await meeting.target.socket.request("unmuteAudio")
            await meeting.moderator.request("unlockParticipant", participantId=meeting.target.pid)
    report(f"{MUTES} mutes: {sent} packets were sent after the answers, {len(meeting.ears)} others got {heard} of them")
    assert sent >= MUTES * OBSERVED * 50


async def removed(meeting: Meeting) -> None:
    await meeting.moderator.request("removeParticipant", participantId=meeting.target.pid)


async def kicked(meeting: Meeting) -> None:
    async with meeting.server.http.delete(f"/v1/groups/{meeting.session}/members/target") as answer:
        assert answer.status == 204


async def banned(meeting: Meeting) -> None:
    async with meeting.server.http.post(f"/v1/groups/{meeting.session}/bans", json={"uid": "target"}) as answer:
        assert answer.status == 201


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
    assert (await meeting.after(put_out, goes_on=False))[1] == 0
    await until(lambda: meeting.target.socket.close_code == 4003, "its socket is closed")
    again = await ApiSocket.open(server.origin, token)
    with pytest.raises(ApiError, match=code):
        await again.request("joinSession")
    await again.close()
