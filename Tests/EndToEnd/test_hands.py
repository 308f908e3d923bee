"""Hands of a large meeting, raised and lowered at once from as many sockets."""

import json
import random

import pytest

from harness.crowd import Crowd, CrowdSocket, raise_file_limit
from harness.server import API_KEY
from harness.soak import times
from harness.sockets import ApiSocket
from harness.waiting import until
from test_readme import call_token

PEOPLE = times(100, soak=200)
WATCHERS = 5


class Watcher:
    """What one socket is told of hands, in its order."""

    def __init__(self):
        self.changes: list[tuple[str, str]] = []
        self.hands: list[str] = []

    def take(self, payload: bytes, now: float) -> None:
        if b'"event":"participantHand' in payload[:60]:
            event = json.loads(payload)
            self.changes.append((event["event"], event["data"]["participant"]["participantId"]))
            self.hands = [one["participantId"] for one in event["data"]["hands"]]


@pytest.fixture
def crowd():
    crowd = Crowd()
    yield crowd
    crowd.close()


@pytest.mark.timeout(180)
async def test_everybody_sees_the_hands_in_one_order_whoever_raises_them_when(start_server, crowd, session, report):
    raise_file_limit()
    server = await start_server({
        "sessions.maxParticipants": PEOPLE + 10, "limits.socketQueueBytes": 64 << 20, "limits.socketQueueMessages": 65_536,
    })
    sockets: list[CrowdSocket] = []
    watchers = [Watcher() for _ in range(WATCHERS)]
    answered = [0] * PEOPLE

    def listen(number: int):
        watcher = watchers[number] if number < WATCHERS else None

        def take(payload: bytes, now: float) -> None:
            if payload.startswith(b'{"id":'):
                assert b'"error"' not in payload, payload
                answered[number] += 1
            elif watcher:
                watcher.take(payload, now)

        return take

    for number in range(PEOPLE):
        token = call_token("test", API_KEY, f"u{number}", session)
        one = CrowdSocket(int(server.flags["http.port"]), f"?access_token={token}", on_text=listen(number))
        sockets.append(crowd.add(one))
        await until(lambda one=one: one.is_open, "the socket is open", every=0.005)
        one.request(1, "joinSession")
    await until(lambda: all(answered), "all are in", within=60)

    generator = random.Random(7)
    asked = [1] * PEOPLE
    for _ in range(3):
        # Nobody waits for the others; some raise a hand that is up, or lower one that is down.
        for number in generator.sample(range(PEOPLE), PEOPLE):
            asked[number] += 1
            method = "raiseHand" if generator.random() < 0.7 else "lowerHand"
            sockets[number].request(asked[number], method)
        await until(lambda: answered == asked, "all are answered", within=60)
    leaving = generator.sample(range(WATCHERS, PEOPLE), PEOPLE // 10)
    for number in leaving:
        asked[number] += 1
        sockets[number].request(asked[number], "leaveSession")
    await until(lambda: answered == asked, "those who leave are out", within=60)

    late = await ApiSocket.open(server.origin, await server.token(session, "late"))
    joined = await late.request("joinSession")
    order = [one["participantId"] for one in joined["hands"]]
    uids = {one["participantId"]: one["uid"] for one in joined["participants"]}
    assert len(order) > PEOPLE // 3 and not {uids[pid] for pid in order} & {f"u{number}" for number in leaving}
    assert [pid for pid in order if pid in uids] == order, "whoever left has no hand up"
    raised = {one["participantId"]: one["raisedHandAt"] for one in joined["participants"]}
    assert [raised[pid] for pid in order] == sorted(raised[pid] for pid in order), "first raised, first in the queue"
    changes = watchers[0].changes
    for watcher in watchers:
        await until(lambda watcher=watcher: watcher.hands == order, "all have the same queue", within=20)
        assert watcher.changes == changes, "all were told the same, in one order"
    # Nothing is told that is no change: so raising twice kept the place.
    for pid in {pid for _, pid in changes}:
        own = [event for event, who in changes if who == pid]
        assert all(a != b for a, b in zip(own, own[1:], strict=False)), own
    report(f"{PEOPLE} people, {len(changes)} changes, {len(order)} hands up in the end")
    await late.close()
