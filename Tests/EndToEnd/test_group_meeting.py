"""A group's meeting, from the card in its chat to its end and its next beginning."""

import pytest

from harness.meeting_page import ADA, BEN, CAI, everybody_meets
from harness.sockets import ApiSocket
from harness.waiting import until

PEOPLE = {"ada": ADA, "ben": BEN, "cai": CAI}


class Member:
    """Somebody's app: the socket by which it is told, and the page that "Join meeting" opens."""

    def __init__(self, server, uid: str, token: str, socket: ApiSocket):
        self.server, self.uid, self.token, self.socket = server, uid, token, socket

    async def call_token(self, session: str) -> str:
        """What the app gets for itself, with nothing but its own credential."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with self.server.http.post(
            "/v1/call-tokens", json={"sessionId": session}, headers=headers
        ) as answer:
            assert answer.status == 201, await answer.text()
            return (await answer.json())["callToken"]

    def told(self, event: str) -> list[dict]:
        return [one["data"] for one in self.socket.events if one["event"] == event]

    async def active(self, guid: str) -> dict | None:
        return (await self.socket.request("getActiveCall", guid=guid)).get("session")


@pytest.fixture
async def members(server, session):
    """Ada, who owns the group, Ben and Cai."""

    async def done(method: str, path: str, body) -> dict:
        async with server.http.request(method, path, json=body) as answer:
            assert answer.status in (200, 201), await answer.text()
            return await answer.json()

    members = []
    for uid, person in PEOPLE.items():
        await done("PUT", f"/v1/users/{uid}", {"name": person.name})
        token = (await done("POST", "/v1/auth-tokens", {"uid": uid}))["authToken"]
        members.append(Member(server, uid, token, await ApiSocket.open(server.origin, token)))
    await done("PUT", f"/v1/groups/{session}", {"name": "Team", "owner": "ada"})
    await done("POST", f"/v1/groups/{session}/members", [{"uid": "ben"}, {"uid": "cai"}])
    yield members
    for member in members:
        await member.socket.close()


async def join_from_card(member: Member, message: dict, open_page):
    """What "Join meeting" on the card does: a token for the session that it names, and the page with it."""
    target = message["customData"]["sessionId"]
    return await open_page(PEOPLE[member.uid], session=target, token=await member.call_token(target))


@pytest.mark.timeout(150)
async def test_three_join_from_the_card_in_the_chat_and_again_after_all_had_left(members, open_page, session):
    ada, ben, cai = members
    assert await ben.active(session) is None

    sent = await ada.socket.request(
        "sendCustomMessage", receiverId=session, receiverType="group", type="meeting", customData={})
    card = sent["message"]
    assert card["customData"] == {"callType": "video", "sessionId": session}, "what was missing is filled in"
    for member in (ben, cai):
        event = await member.socket.event("customMessageReceived")
        received = event["data"]["message"]
        assert (received["category"], received["type"]) == ("custom", "meeting")
        assert (received["id"], received["customData"]) == (card["id"], card["customData"])
    assert not ada.told("customMessageReceived"), "the sender knows"
    assert await ben.active(session) is None, "a card is no meeting yet"

    first = await meet(members, card, open_page, session)
    # The card is where it was, and joins again.
    history = (await cai.socket.request("fetchMessages", receiverId=session, receiverType="group"))["messages"]
    assert [one["id"] for one in history if one["type"] == "meeting"] == [card["id"]]
    second = await meet(members, history[0], open_page, session)
    assert first != second, "another meeting of the same session"
    for member in members:
        assert not member.told("incomingCallReceived"), "nobody is rung"

    async with ada.server.http.get(f"/v1/calls/{session}/instances") as answer:
        entries = (await answer.json())["data"]
    assert [one["meetingId"] for one in entries] == [second, first], "each meeting has its entry, the latest first"
    for entry in entries:
        assert (entry["mode"], entry["status"]) == ("meet", "ended")
        assert {one["uid"] for one in entry["participants"]} == set(PEOPLE)


async def meet(members, card, open_page, session) -> str:
    """All three come, one by one, and leave; returns the meetingId."""
    ada, ben, cai = members
    before = {member.uid: (len(member.told("meetingStarted")), len(member.told("meetingEnded"))) for member in members}

    def news(member: Member, event: str) -> list[dict]:
        return member.told(event)[before[member.uid][event == "meetingEnded"] :]

    pages = [await join_from_card(ada, card, open_page)]
    for member in members:
        await until(lambda member=member: news(member, "meetingStarted"), f"{member.uid} is told it began")
    # What shows "Join meeting" to those who come later.
    active = await cai.active(session)
    assert active["sessionId"] == session and active["participantCount"] == 1
    for member in (ben, cai):
        pages.append(await join_from_card(member, card, open_page))
    await everybody_meets(pages, within=15)
    shown = [await page.evaluate("[rostrum.session.sessionId, rostrum.session.meetingId]") for page in pages]
    assert shown == [[session, active["meetingId"]]] * 3, "all are in the one meeting"

    for page in pages[:-1]:
        await page.leave()
    assert not news(ben, "meetingEnded"), "somebody is in"
    await pages[-1].leave()
    for member in members:
        await until(lambda member=member: news(member, "meetingEnded"), f"{member.uid} is told it is over")
        started, ended = news(member, "meetingStarted"), news(member, "meetingEnded")
        assert started == ended == [{"guid": session, "sessionId": session}]
        assert await member.active(session) is None
    for page in pages:
        await page.close()
    return active["meetingId"]
