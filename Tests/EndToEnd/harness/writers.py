"""Clients that write one thing after the other, and know what must be there after the server has died under them.

Each owns what it changes. `state` is what was answered last, `pending` what it would be with the request that is under way:
afterwards it has to be one of the two, whole.
"""

import copy
import itertools
import random

import aiohttp

from .server import Server
from .sockets import ApiSocket

#: What a request fails with when its server is killed.
DIED = (aiohttp.ClientError, ConnectionError, TimeoutError)
SCOPES = ["participant", "moderator", "admin"]
#: Who is put into groups.
PEOPLE = [f"person-{number}" for number in range(60)]


async def make_people(server: Server) -> None:
    for uid in PEOPLE:
        await call(server, "PUT", f"/v1/users/{uid}", {"name": uid})


async def call(server: Server, method: str, path: str, body=None, token: str | None = None) -> dict:
    headers = {"Authorization": f"Bearer {token}"} if token else None
    async with server.http.request(method, path, json=body, headers=headers) as answer:
        found = await answer.json() if answer.status != 204 else {}
        assert answer.status < 300, f"{method} {path}: {answer.status} {found}"
        return found


class GroupWriter:
    """Changes groups of its own: profile, members, scopes, bans, owner, and what is said in them."""

    def __init__(self, server: Server, name: str, seed: int):
        self.server, self.name = server, name
        self.random = random.Random(seed)
        self.numbers = itertools.count(1)
        self.state: dict[str, dict | None] = {}
        self.pending: dict[str, dict | None] = {}
        self.answered = 0

    async def run(self) -> None:
        while True:
            guid = f"{self.name}-{next(self.numbers)}"
            owner = self.random.choice(PEOPLE)
            made = {"name": guid, "owner": owner, "members": {owner: "owner"}, "bans": set(), "messages": []}
            self.state[guid] = None
            await self._write(guid, made, "PUT", f"/v1/groups/{guid}", {"name": guid, "owner": owner})
            for _ in range(25):
                await self._change(guid)

    async def _change(self, guid: str) -> None:
        now = self.state[guid]
        new = copy.deepcopy(now)
        others = [uid for uid in now["members"] if uid != now["owner"]]
        strangers = [uid for uid in PEOPLE if uid not in now["members"] and uid not in now["bans"]]
        kinds = ["message", "message", "name"] + ["scope", "kick", "ban", "owner"] * (len(others) > 1)
        kinds += ["unban"] * bool(now["bans"]) + ["members"] * (len(strangers) >= 5)
        kind, path = self.random.choice(kinds), f"/v1/groups/{guid}"
        uid = self.random.choice(others) if others else ""
        text = f"{guid} {next(self.numbers)}"
        match kind:
            case "members":
                uids = self.random.sample(strangers, 5)
                new["members"] |= dict.fromkeys(uids, "participant")
                request = "POST", f"{path}/members", [{"uid": uid} for uid in uids]
            case "message":
                text = f"{text} " * 40
                new["messages"].append(text)
                request = "POST", f"{path}/messages", {"type": "chat", "text": text, "uid": now["owner"]}
            case "name":
                new["name"] = text
                request = "PUT", path, {"name": new["name"]}
            case "scope":
                scope = self.random.choice([one for one in SCOPES if one != now["members"][uid]])
                new["members"][uid] = scope
                request = "PUT", f"{path}/members/{uid}", {"scope": scope}
            case "kick":
                del new["members"][uid]
                request = "DELETE", f"{path}/members/{uid}", None
            case "ban":
                del new["members"][uid]
                new["bans"].add(uid)
                request = "POST", f"{path}/bans", {"uid": uid}
            case "unban":
                uid = self.random.choice(sorted(now["bans"]))
                new["bans"].remove(uid)
                request = "DELETE", f"{path}/bans/{uid}", None
            case "owner":
                new["members"] |= {now["owner"]: "admin", uid: "owner"}
                new["owner"] = uid
                request = "PUT", f"{path}/owner", {"uid": uid}
        await self._write(guid, new, *request)

    async def _write(self, guid: str, new: dict, method: str, path: str, body) -> None:
        self.pending[guid] = new
        await call(self.server, method, path, body)
        self.state[guid] = self.pending.pop(guid)
        self.answered += 1

    async def problems(self) -> list[str]:
        """What isn't as it was answered, or as it was asked for last."""
        problems = []
        for guid, state in self.state.items():
            found, wanted = await self.read(guid), self.pending.get(guid, state)
            if found not in (state, wanted):
                states = {"is": found or {}, "was": state or {}, "was to be": wanted or {}}
                differs = [key for key in found or wanted if len({str(one.get(key)) for one in states.values()}) > 1]
                problems.append(f"{guid}: " + str({
                    name: {key: one.get(key) for key in differs} for name, one in states.items()}))
            self.state[guid] = found
        self.pending = {}
        return problems

    async def read(self, guid: str) -> dict | None:
        path = f"/v1/groups/{guid}"
        async with self.server.http.get(path) as answer:
            if answer.status == 404:
                return None
            group = await answer.json()
        members = (await call(self.server, "GET", f"{path}/members?perPage=100"))["data"]
        bans = (await call(self.server, "GET", f"{path}/bans?perPage=100"))["data"]
        messages = (await call(self.server, "GET", f"{path}/messages?limit=100"))["data"]
        return {
            "name": group["name"], "owner": group["owner"],
            "members": {one["uid"]: one["scope"] for one in members}, "bans": {one["uid"] for one in bans},
            "messages": [one["text"] for one in reversed(messages)],
        }


class CardWriter:
    """A member that says things in a group by its socket, one after the other."""

    def __init__(self, server: Server, name: str):
        self.server, self.guid, self.uid = server, f"{name}-group", f"{name}-member"
        self.numbers = itertools.count(1)
        self.state: list[int] = []
        self.pending: int | None = None
        self.answered = 0

    async def run(self) -> None:
        await call(self.server, "PUT", f"/v1/users/{self.uid}", {"name": self.uid})
        await call(self.server, "PUT", f"/v1/groups/{self.guid}", {"name": self.guid})
        await call(self.server, "POST", f"/v1/groups/{self.guid}/members", [{"uid": self.uid}])
        token = (await call(self.server, "POST", "/v1/auth-tokens", {"uid": self.uid}))["authToken"]
        socket = await ApiSocket.open(self.server.origin, token)
        try:
            while True:
                self.pending = next(self.numbers)
                await socket.request(
                    "sendCustomMessage", receiverId=self.guid, receiverType="group", type="note",
                    customData={"number": self.pending, "padding": "x" * 500})
                self.state.append(self.pending)
                self.answered += 1
        finally:
            await socket.close()

    async def problems(self) -> list[str]:
        found: list[int] = []
        query = ""
        # The group itself may not have got that far.
        while self.state:
            path = f"/v1/groups/{self.guid}/messages?limit=100{query}"
            page = (await call(self.server, "GET", path))["data"]
            found = [one["customData"]["number"] for one in reversed(page)] + found
            if len(page) < 100:
                break
            query = f"&before={page[-1]['id']}"
        wanted = self.state
        self.state = found
        return [] if found in (wanted, [*wanted, self.pending]) else [f"{self.guid}: {found} for {wanted}"]


class CallWriter:
    """Two who call each other: one rings over HTTP, the other answers, or not, by its socket."""

    #: Where a call may be found that was last answered to be in this state, by what was asked for then.
    ENDS = {
        ("initiated", None): {"unanswered"}, ("initiated", "acceptCall"): {"unanswered", "ended"},
        ("initiated", "rejectCall"): {"unanswered", "rejected"}, ("initiated", "cancel"): {"unanswered", "cancelled"},
        ("ongoing", None): {"ended"}, ("ongoing", "end"): {"ended"},
    }

    #: What of a call stays as it was, whatever becomes of it.
    LASTING = ("initiatedAt", "initiator", "receiver", "startedAt")

    def __init__(self, server: Server, name: str, seed: int):
        self.server, self.name = server, name
        self.random = random.Random(seed)
        self.caller, self.callee = f"{name}-caller", f"{name}-callee"
        #: The calls as they were last answered, by sessionId, and what was asked of one since.
        self.state: dict[str, dict] = {}
        self.pending: tuple[str, str] | None = None
        self.asked = 0
        self.answered = 0

    async def run(self) -> None:
        tokens = []
        for uid in (self.caller, self.callee):
            await call(self.server, "PUT", f"/v1/users/{uid}", {"name": uid})
            tokens.append((await call(self.server, "POST", "/v1/auth-tokens", {"uid": uid}))["authToken"])
        socket = await ApiSocket.open(self.server.origin, tokens[1])
        try:
            while True:
                await self._call(tokens[0], socket)
        finally:
            await socket.close()

    async def _call(self, token: str, socket: ApiSocket) -> None:
        self.asked += 1
        made = await call(
            self.server, "POST", "/v1/calls", {"receiverId": self.callee, "receiverType": "user"}, token)
        session = made["sessionId"]
        self._answer(made)
        rung = await socket.event("incomingCallReceived")
        assert rung["data"]["call"]["sessionId"] == session
        socket.events.clear()
        what = self.random.choice(["acceptCall", "acceptCall", "rejectCall", "cancel"])
        self.pending = session, what
        if what == "cancel":
            self._answer(await call(self.server, "POST", f"/v1/calls/{session}/cancel", {}, token))
            return
        self._answer((await socket.request(what, sessionId=session))["call"])
        if what == "acceptCall":
            self.pending = session, "end"
            self._answer(await call(self.server, "POST", f"/v1/calls/{session}/end", {}, token))

    def _answer(self, made: dict) -> None:
        self.state[made["sessionId"]] = made
        self.pending = None
        self.answered += 1

    async def problems(self) -> list[str]:
        """What the log has otherwise, after what was open is closed."""
        found: dict[str, dict] = {}
        for page in itertools.count(1):
            path = f"/v1/calls?uid={self.caller}&perPage=100&page={page}"
            data = (await call(self.server, "GET", path))["data"]
            found |= {one["sessionId"]: one for one in data}
            if len(data) < 100:
                break
        problems = [
            problem for session, made in self.state.items()
            if (problem := self._compare(made, found.get(session), session))]
        if len(found) not in (len(self.state), self.asked):
            problems.append(f"{self.name}: {len(found)} calls for {len(self.state)} that were answered")
        problems += [f"{one} is half" for one in found.values() if not self._is_whole(one)]
        self.state, self.pending, self.asked = found, None, len(found)
        return problems

    def _compare(self, made: dict, found: dict | None, session: str) -> str | None:
        if found is None:
            return f"{made} is lost"
        asked = self.pending[1] if self.pending and self.pending[0] == session else None
        ends = self.ENDS.get((made["status"], asked))
        # What was over is as it was answered; what went on was at least as far.
        same = made if ends is None else {key: made[key] for key in self.LASTING if key in made}
        differs = {key for key, value in same.items() if found.get(key) != value}
        if differs or (ends and found["status"] not in ends):
            return f"{found} isn't what was answered: {made}, {asked}, {differs}"
        return None

    @staticmethod
    def _is_whole(one: dict) -> bool:
        was_answered = one["status"] == "ended"
        return (
            len(one["participants"]) == 2 and one["status"] not in ("initiated", "ongoing") and "endedAt" in one
            and ("startedAt" in one) == was_answered
            and all(("leftAt" in person) == was_answered for person in one["participants"]))


async def until_it_dies(writer) -> None:
    """Runs a writer until its server is gone. Refusals are no answers that it expects."""
    try:
        await writer.run()
    except DIED:
        pass
