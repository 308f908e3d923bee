"""The program's commands that ask a server: what they print, and what they end with."""

import json

import pytest

from harness.certificates import Authority
from harness.commands import rostrum
from harness.server import API_KEY, free_port
from harness.sockets import ApiError, ApiSocket
from harness.waiting import until


@pytest.fixture
def command(server):
    """Runs a command against the tests' server, which must do it, and gives its output."""

    async def run(*arguments) -> str:
        outcome = await rostrum(
            *arguments, ROSTRUM_SERVER=server.origin, ROSTRUM_KEY=f"test:{API_KEY}")
        assert outcome.code == 0, outcome.errors
        return outcome.output

    return run


@pytest.fixture
def refused(server):
    """Runs a command that the server must refuse, and gives the one line that says why."""

    async def run(*arguments) -> str:
        outcome = await rostrum(
            *arguments, ROSTRUM_SERVER=server.origin, ROSTRUM_KEY=f"test:{API_KEY}")
        assert (outcome.code, outcome.output) == (1, "")
        assert outcome.errors.startswith("rostrum: ") and outcome.errors.count("\n") == 1
        return outcome.errors

    return run


@pytest.fixture
async def team(server, command, session) -> str:
    """A group with an owner, and users to put into it. Names steer terminals, where they can."""
    for uid in ("olga", "ada", "ben", "cai"):
        async with server.http.put(f"/v1/users/{session}.{uid}", json={"name": f"{uid}\x1b[31m"}) as response:
            assert response.status in (200, 201)
    await command(
        "group", "create", session, "--name", "The \x1b[31mteam", "--owner", f"{session}.olga", "--max", "9")
    yield session
    await command("group", "delete", session)


async def test_groups_and_their_members(command, refused, team):
    uid = {name: f"{team}.{name}" for name in ("olga", "ada", "ben", "cai")}

    async def members() -> dict[str, str]:
        listed = json.loads(await command("group", "members", team, "--json"))["data"]
        return {one["uid"]: one["scope"] for one in listed}

    shown = await command("group", "show", team)
    assert "The ?[31mteam" in shown and "\x1b" not in shown
    assert json.loads(await command("group", "show", team, "--json"))["maxParticipants"] == 9
    assert team in await command("group", "list")
    await command("group", "add", team, uid["ada"], uid["ben"], "--scope", "moderator")
    await command("group", "add", team, uid["cai"])
    await command("group", "scope", team, uid["ben"], "viewer")
    assert await members() == {
        uid["olga"]: "owner", uid["ada"]: "moderator", uid["ben"]: "viewer", uid["cai"]: "participant"}
    table = (await command("group", "members", team)).splitlines()
    assert table[0].split() == ["UID", "SCOPE", "JOINED"] and len(table) == 5
    await command("group", "remove", team, uid["cai"])
    await command("group", "ban", team, uid["ben"])
    assert list(await members()) == [uid["olga"], uid["ada"]]
    assert "ERR_ALREADY_BANNED" in await refused("group", "ban", team, uid["ben"])
    await command("group", "unban", team, uid["ben"])
    assert "ERR_NOT_A_BANNED_USER" in await refused("group", "unban", team, uid["ben"])
    assert "ERR_GUID_NOT_FOUND" in await refused("group", "show", f"{team}.nowhere")
    assert "ERR_INVALID_SCOPE" in await refused("group", "scope", team, uid["ada"], "king")
    assert "ERR_BAD_REQUEST" in await refused("group", "show", "a b")


async def test_users_are_made_shown_and_deleted(server, command, refused, session):
    ada, ben = f"{session}.ada", f"{session}.ben"
    portrait = "https://example.org/ada.png"
    made = await command("user", "create", ada, "--name", "Ada \x1b[31mL", "--avatar", portrait)
    assert made == f"user {ada}\n"
    shown = await command("user", "show", ada)
    assert "Ada ?[31mL" in shown and portrait in shown and "\x1b" not in shown
    profile = {"name": "Ada", "avatar": portrait, "metadata": {"team": 7}}
    async with server.http.put(f"/v1/users/{ada}", json=profile) as response:
        assert response.status == 200
    # One who is there already stays as they are, but for what is said.
    await command("user", "create", ada, ben)
    assert json.loads(await command("user", "show", ada, "--json")) == {"uid": ada, **profile}
    renamed = json.loads(await command("user", "create", ada, "--name", "Countess", "--json"))
    assert renamed == {"uid": ada, **profile, "name": "Countess"}
    listed = {one["uid"]: one["name"] for one in json.loads(await command("user", "list", "--json"))["data"]}
    assert (listed[ada], listed[ben]) == ("Countess", ben)
    assert (await command("user", "list")).splitlines()[0].split() == ["UID", "NAME", "AVATAR"]
    for uid in (ada, ben):
        await command("user", "delete", uid)
    assert "ERR_UID_NOT_FOUND" in await refused("user", "show", ada)
    assert "ERR_BAD_REQUEST" in await refused("user", "create", "a b")
    await command("group", "create", session, "--name", "The team")
    assert "rostrum user create" in await refused("group", "add", session, ada)
    await command("group", "delete", session)


async def test_more_than_a_page_is_listed_whole(server, command, session):
    guids = [f"{session}-{number:03}" for number in range(120)]
    for guid in guids:
        async with server.http.put(f"/v1/groups/{guid}", json={"name": "one of many"}) as response:
            assert response.status == 201
    listed = {one["guid"] for one in json.loads(await command("group", "list", "--json"))["data"]}
    assert listed.issuperset(guids)
    for guid in guids:
        async with server.http.delete(f"/v1/groups/{guid}") as response:
            assert response.status == 204


async def test_sessions_and_a_moderators_word(command, refused, open_socket, session):
    ada, ben = await open_socket("ada"), await open_socket("ben")
    first = (await ada.request("joinSession"))["participant"]["participantId"]
    await ben.request("joinSession")
    assert session in await command("session", "list")
    assert session in [
        one["sessionId"] for one in json.loads(await command("session", "list", "--json"))["data"]]
    shown = await command("session", "show", session)
    assert first in shown and "ben" in shown

    await command("session", "mute", session, "ben", "--lock")
    await ada.event("participantAudioMuted")
    with pytest.raises(ApiError, match="ERR_AUDIO_LOCKED"):
        await ben.request("unmuteAudio")
    await command("session", "mute-all", session)
    roster = json.loads(await command("session", "show", session, "--json"))["participants"]
    assert all(one["audioMuted"] for one in roster) and len(roster) == 2

    await command("session", "lock", session)
    cai = await open_socket("cai")
    with pytest.raises(ApiError, match="ERR_CALL_LOCKED"):
        await cai.request("joinSession")
    await command("session", "unlock", session)
    await cai.request("joinSession")

    await command("session", "remove", session, first, "--reason", "noise", "--ban", "60")
    await until(lambda: ada.close_code == 4003, "the socket is closed with 4003")
    assert "nobody" in await refused("session", "remove", session, "ada")
    await command("session", "end", session)
    for socket in (ben, cai):
        await until(lambda: socket.close_code == 4004, "the socket is closed with 4004")
    assert "ERR_CALL_SESSION_NOT_FOUND" in await refused("session", "show", session)


async def test_moderators_unlock_lower_hands_change_scopes_and_admit(
        server, command, refused, open_socket, session):
    async with server.http.post(
            "/v1/sessions", json={"sessionId": session, "settings": {"waitingRoom": True}}) as response:
        assert response.status == 201
    ada, ben, cai, dan = [await open_socket(uid) for uid in ("ada", "ben", "cai", "dan")]
    waits = {}
    for socket, uid in ((ada, "ada"), (ben, "ben"), (cai, "cai"), (dan, "dan")):
        joined = await socket.request("joinSession")
        assert joined["state"] == "waiting"
        waits[uid] = joined["participant"]["participantId"]
    shown = json.loads(await command("session", "show", session, "--json"))
    assert [one["uid"] for one in shown["waiting"]] == ["ada", "ben", "cai", "dan"]
    assert "waiting" in await command("session", "show", session)

    assert "admitted" in await command("session", "admit", session, "ada")
    await ada.event("admitted")
    await ada.request("joinSession")
    await command("session", "deny", session, waits["ben"])
    await ben.event("denied")
    assert "nobody who waits" in await refused("session", "admit", session, "ben")
    assert json.loads(await command("session", "admit", session, "--all", "--json")) == {"affected": 2}
    for socket in (cai, dan):
        await socket.event("admitted")
        await socket.request("joinSession")
    assert "denied 0" in await command("session", "deny", session, "--all")

    await command("session", "mute", session, "cai", "--lock")
    await command("session", "unlock", session, "cai")
    await cai.request("unmuteAudio")
    await cai.request("raiseHand")
    assert json.loads(await command("session", "lower-hand", session, "cai", "--json")) == {"hands": []}
    await cai.event("participantHandLowered")
    await command("session", "scope", session, "cai", "moderator")
    await cai.request("lockSession")
    await command("session", "unlock", session)
    assert "ERR_INVALID_SCOPE" in await refused("session", "scope", session, "cai", "king")
    await command("session", "end", session)


@pytest.mark.parametrize("arguments", [("admit", "x"), ("deny", "x"), ("admit", "x", "y", "--all")])
async def test_admitting_needs_somebody_or_all(server, arguments):
    outcome = await rostrum(
        "session", *arguments, ROSTRUM_SERVER=server.origin, ROSTRUM_KEY=f"test:{API_KEY}")
    assert (outcome.code, outcome.output) == (2, "")
    assert "WHO, or --all" in outcome.errors and outcome.errors.count("\n") == 1


async def test_a_server_is_shown_and_drained(start_server, session):
    server = await start_server({"server.name": "the one"})
    access = ["--server", server.origin, "--key", f"test:{API_KEY}"]
    socket = await ApiSocket.open(server.origin, await server.token(session, "ada"))
    await socket.request("joinSession")
    shown = await rostrum("server", "show", *access)
    assert "the one, version" in shown.output and "ready" in shown.output, shown.errors
    answer = json.loads((await rostrum("server", "show", "--json", *access)).output)
    assert answer["load"]["participants"] == 1 and answer["load"]["workers"][0]["load"] >= 0
    drained = await rostrum("server", "drain", "--deadline", 60, *access)
    assert drained.code == 0 and "1 participant is in" in drained.output
    await socket.event("serverDraining")
    assert "draining" in (await rostrum("server", "show", *access)).output
    await socket.request("leaveSession")
    assert await server.process.wait() == 0
    gone = await rostrum("server", "show", *access)
    assert gone.code == 1 and "can't reach" in gone.errors and server.origin in gone.errors
    await socket.close()


#: Each command with what it prints as JSON: the keys of an object; nothing where the server's answer has no content.
ANSWERS = {
    "session list": ["data"],
    "session show {session}": ["session", "participants", "waiting"],
    "session mute {session} ada": [],
    "session mute-all {session}": ["affected"],
    "session remove {session} ada": [],
    "session scope {session} ada moderator": [],
    "session lower-hand {session} ada": ["hands"],
    "session admit {session} --all": ["affected"],
    "session deny {session} --all": ["affected"],
    "session lock {session}": [],
    "session unlock {session}": [],
    "session unlock {session} ada": [],
    "session end {session}": None,
    "group list": ["data"],
    "group show team": ["guid", "name", "type"],
    "group create crew --name Crew": ["guid", "name", "type"],
    "group delete team": None,
    "group members team": ["data"],
    "group add team cai": ["data"],
    "group remove team ada": None,
    "group ban team ada": ["uid"],
    "group unban team ben": None,
    "group scope team ada moderator": ["uid", "scope"],
    "user list": ["data"],
    "user show ada": ["uid", "name"],
    "user create dee": ["uid", "name"],
    "user delete cai": None,
    "server show": ["version", "phase", "load", "capacity", "limits"],
    "server drain --deadline 60": ["deadlineAt", "participants"],
}


@pytest.mark.parametrize("line", ANSWERS)
async def test_what_each_command_prints_as_json_is_json(start_server, session, line):
    server = await start_server({})
    access = {"ROSTRUM_SERVER": server.origin, "ROSTRUM_KEY": f"test:{API_KEY}"}
    for prepared in (
        "user create olga ada ben cai", "group create team --name Team --owner olga", "group add team ada ben",
        "group ban team ben",
    ):
        outcome = await rostrum(*prepared.split(), **access)
        assert outcome.code == 0, outcome.errors
    sockets = [await ApiSocket.open(server.origin, await server.token(session, uid)) for uid in ("ada", "ben")]
    for socket in sockets:
        await socket.request("joinSession")
    outcome = await rostrum(*line.format(session=session).split(), "--json", **access)
    assert (outcome.code, outcome.errors) == (0, "")
    keys = ANSWERS[line]
    if keys is None:
        assert outcome.output == ""
    else:
        answer = json.loads(outcome.output)
        assert isinstance(answer, dict) and answer.keys() >= set(keys), answer
        assert "data" not in keys or answer["data"], "what is there is listed"
    for socket in sockets:
        await socket.close()


async def test_json_is_asked_of_every_command_that_there_is():
    """So that a new one isn't forgotten: a wrong one is told which there are."""
    for name in ("session", "group", "user", "server"):
        outcome = await rostrum(name, "nothing-like-it", "--server", "http://127.0.0.1:1", "--key", "a:b")
        known = outcome.errors.split("there are ")[1].split("; see")[0].split(", ")
        assert known and all(any(f"{line} ".startswith(f"{name} {verb} ") for line in ANSWERS) for verb in known), name


async def test_where_the_server_is_and_by_which_key(server, tmp_path):
    ways = [
        (["--server", f"{server.origin}/", "--key", f"any:{API_KEY}"], {}),
        (["--server=" + server.origin], {"ROSTRUM_KEY": f"any:{API_KEY}"}),
        (["--config", server.directory / "rostrum.json", "--server", server.origin], {}),
        (["--config", server.directory / "rostrum.json", "--key", "test"], {"ROSTRUM_SERVER": server.origin}),
    ]
    port = server.flags["http.port"]
    file = tmp_path / "own.json"
    keys = [{"id": "wrong", "secret": "not-the-one-of-the-server"}, {"id": "right", "secret": API_KEY}]
    file.write_text(json.dumps({"auth": {"keys": keys}, "http": {"port": port}}))
    ways.append((["--config", file, "--key", "right"], {}))
    for arguments, variables in ways:
        outcome = await rostrum("server", "show", *arguments, **variables)
        assert outcome.code == 0, (arguments, outcome.errors)
    wrong = await rostrum("server", "show", "--config", file)
    assert wrong.code == 1 and "AUTH_ERR_APIKEY_NOT_FOUND" in wrong.errors and "auth.keys" in wrong.errors


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["session"], "list, show, mute"),
        (["session", "dance"], "no session dance"),
        (["session", "show"], "takes 1 argument,"),
        (["session", "mute", "one"], "takes 2 arguments"),
        (["session", "list", "--loud"], "no --loud"),
        (["session", "remove", "one", "ada", "--ban", "soon"], "--ban"),
        (["user", "fly"], "list, show, create, delete"),
        (["user", "create"], "takes at least 1 argument,"),
        (["user", "create", "ada", "ben", "--name", "Ada"], "--name takes 1 argument"),
        (["group", "create", "team"], "--name is missing"),
        (["group", "create", "team", "--name"], "--name needs a value"),
        (["group", "create", "--name", "--json", "team"], "--name needs a value"),
        (["group", "scope", "team", "ada"], "takes 3 arguments"),
        (["server", "drain", "--deadline", "-1"], "--deadline"),
        (["server", "show", "--server", "meet.example.org"], "must be a URL"),
        (["server", "show", "--key", "nothing"], "ID:SECRET"),
        (["server", "show"], "no key"),
        (["server", "show", "--config", "nowhere.json"], "nowhere.json"),
        (["fly"], "unknown command fly"),
        (["token", "auth", "--uid", "ada", "--open"], "call tokens"),
    ],
)
async def test_a_command_that_makes_no_sense_ends_with_2(arguments, said):
    access = [] if "--key" in arguments or "no key" in said else ["--key", f"test:{API_KEY}"]
    outcome = await rostrum(*arguments, *(access if arguments[0] not in ("fly", "token") else []))
    assert outcome.code == 2 and said in outcome.errors, outcome.errors
    assert outcome.errors.count("\n") == 1


async def test_a_server_that_cant_be_asked_ends_with_1(tmp_path, start_server):
    nobody = f"http://127.0.0.1:{free_port()}"
    outcome = await rostrum("session", "list", "--server", nobody, "--key", "a:b")
    assert outcome.code == 1 and f"can't reach {nobody}" in outcome.errors
    authority = Authority(tmp_path)
    server = await start_server(authority.flags(), trust=authority.trust)
    access = ["--server", server.origin, "--key", f"test:{API_KEY}"]
    distrusted = await rostrum("server", "show", *access)
    assert distrusted.code == 1 and "certificate" in distrusted.errors
    trusted = await rostrum("server", "show", "--ca", authority.path, *access)
    assert trusted.code == 0, trusted.errors


@pytest.mark.parametrize("command", ["serve", "token", "session", "user", "group", "server"])
async def test_each_command_explains_itself(command):
    outcome = await rostrum(command, "--help")
    assert outcome.code == 0 and f"rostrum {command}" in outcome.output
    everything = (await rostrum("--help")).output
    assert f"rostrum {command}" in everything


async def test_tokens_of_both_kinds_are_good(server, session):
    config = ["--config", server.directory / "rostrum.json"]
    auth = (await rostrum("token", "auth", "--uid", "ada", "--name", "Ada", *config)).output.strip()
    call = (await rostrum(
        "token", "call", "--uid", "ada", "--session", session, "--scope", "moderator", *config)).output.strip()
    socket = await ApiSocket.open(server.origin)
    assert (await socket.request("login", token=auth))["name"] == "Ada"
    joined = await socket.request("joinSession", callToken=call)
    assert joined["participant"]["scope"] == "moderator"
    await socket.close()
