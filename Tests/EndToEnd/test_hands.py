"""Hands of a large meeting, raised and lowered at once from as many sockets: one order for all of them."""

import json
import random

import pytest

from harness.crowd import Crowd, CrowdSocket, raise_file_limit
from harness.server import API_KEY
from harness.soak import times
from harness.waiting import until
from test_readme import call_token

PEOPLE = times(40, soak=200)
#: Who comes when hands are up already: some after each round.
LATE = times(6, soak=18)
ROUNDS = 3


class Person:
    """One socket, and what it is told of hands, in its order."""

    def __init__(self, crowd: Crowd, port: int, uid: str, session: str):
        self.uid = uid
        self.asked = self.answered = 0
        self.answer: dict = {}
        self.joined: dict = {}
        #: The data of each event, as it came. All are told the same bytes.
        self.told: list[bytes] = []
        query = f"?access_token={call_token('test', API_KEY, uid, session)}"
        self.socket = crowd.add(CrowdSocket(port, query, on_text=self._take))

    def _take(self, payload: bytes, now: float) -> None:
        if payload.startswith(b'{"id":'):
            assert b'"error"' not in payload, payload
            self.answer = json.loads(payload)["result"]
            self.answered += 1
        elif b'"event":"participantHand' in payload[:60]:
            name, data = payload[:60].split(b'"')[3], payload.partition(b'"data":')[2]
            self.told.append(name + b" " + data)

    def request(self, method: str) -> None:
        self.asked += 1
        self.socket.request(self.asked, method)

    @property
    def is_answered(self) -> bool:
        return self.asked == self.answered

    async def ask(self, method: str) -> dict:
        self.request(method)
        await until(lambda: self.is_answered, f"{method} is answered", within=30, every=0.005)
        return self.answer

    async def join(self) -> None:
        await until(lambda: self.socket.is_open, "the socket is open", within=30, every=0.005)
        self.joined = await self.ask("joinSession")

    @property
    def pid(self) -> str:
        return self.joined["participant"]["participantId"]

    def queue_after(self, count: int) -> list[str]:
        """The hands that are up after so many of the events that it was told."""
        if count == 0:
            return pids(self.joined["hands"])
        return pids(json.loads(self.told[count - 1].partition(b" ")[2][:-1])["hands"])


def pids(hands: list[dict]) -> list[str]:
    return [one["participantId"] for one in hands]


def change(told: bytes) -> tuple[bytes, str]:
    name, _, data = told.partition(b" ")
    return name, json.loads(data[:-1])["participant"]["participantId"]


@pytest.fixture
def crowd():
    crowd = Crowd()
    yield crowd
    crowd.close()


async def all_are_answered(people: list[Person]) -> None:
    await until(lambda: all(one.is_answered for one in people), "all are answered", within=90)


@pytest.mark.timeout(300)
async def test_everybody_sees_the_hands_in_one_order_whoever_raises_them_when(start_server, crowd, session, report):
    raise_file_limit()
    server = await start_server({
        "sessions.maxParticipants": PEOPLE + LATE + 10, "limits.socketQueueBytes": 64 << 20,
        "limits.socketQueueMessages": 65_536,
    })

    async def come(uid: str) -> Person:
        people.append(Person(crowd, int(server.flags["http.port"]), uid, session))
        await people[-1].join()
        return people[-1]

    people: list[Person] = []
    first = [await come(f"u{number}") for number in range(PEOPLE)]
    generator = random.Random(7)
    for turn in range(ROUNDS):
        # Nobody waits for the others; some raise a hand that is up, or lower one that is down.
        for one in generator.sample(first, PEOPLE):
            one.request("raiseHand" if generator.random() < 0.7 else "lowerHand")
        for number in range(LATE // ROUNDS):
            await come(f"late-{turn}-{number}")
        await all_are_answered(people)

    # Raising twice keeps the place, and is no news.
    await first[0].ask("getParticipants")  # answered after all that happened before
    told = len(first[0].told)
    order = first[0].queue_after(told)
    assert len(order) > PEOPLE // 3
    by_pid = {one.pid: one for one in people}
    for pid in (order[0], order[len(order) // 2], order[-1]):
        assert pids((await by_pid[pid].ask("raiseHand"))["hands"]) == order

    # Leaving clears it, wherever in the queue.
    leaving = {order[0], order[len(order) // 2], order[-1], *generator.sample(order, PEOPLE // 10)}
    left = [by_pid[pid] for pid in leaving]
    for one in left:
        one.request("leaveSession")
    await all_are_answered(left)
    order = [pid for pid in order if pid not in leaving]
    stayed = [one for one in people if one not in left]
    # Back at the end of the queue is who lowers and raises it again.
    again = by_pid[order[0]]
    assert pids((await again.ask("lowerHand"))["hands"]) == order[1:]
    order = [*order[1:], order[0]]
    assert pids((await again.ask("raiseHand"))["hands"]) == order
    stayed.append(await come("last"))
    assert pids(stayed[-1].joined["hands"]) == order, "who comes last finds the queue that the others were told"
    raised = {one["participantId"]: one["raisedHandAt"] for one in stayed[-1].joined["participants"]}
    assert [raised[pid] for pid in order] == sorted(raised[pid] for pid in order), "first raised, first in the queue"
    assert {pid for pid, at in raised.items() if at} == set(order)

    # Somebody who was there from the beginning, and stayed, says what all have to be told.
    witness = next(one for one in first if one in stayed)
    count = told + len(left) + 2
    for one in stayed:
        await until(
            lambda one=one: len(one.told) >= count or one.queue_after(len(one.told)) == order, "all have the same queue",
            within=30)
    await until(lambda: len(witness.told) == count, "each who left with a hand up has lowered it", within=30)
    for one in people:
        if one in first:
            # Who left was told the beginning of it.
            expected = witness.told[: len(one.told)] if one in left else witness.told
            missed = 0
        else:
            missed = count - len(one.told)
            expected = witness.told[missed:]
            assert one.queue_after(0) == witness.queue_after(missed), f"{one.uid} found another queue"
        assert one.told == expected, f"{one.uid} was told something else, or in another order"
        assert missed >= 0 and (one in left or one.queue_after(len(one.told)) == order)
    # Nothing is told that is no change.
    changes = [change(one) for one in witness.told]
    for pid in {pid for _, pid in changes}:
        own = [event for event, who in changes if who == pid]
        assert all(a != b for a, b in zip(own, own[1:], strict=False)), own
    report(
        f"{len(people)} sockets compared, {len(people) - PEOPLE} of them late; {count} changes, {len(left)} left, "
        f"{len(order)} hands up in the end")
