"""What the server says about itself is true: requests made from its own description are answered as it says."""

import contextlib
import json
import re
import sqlite3
import subprocess
import sys

import aiohttp
import pytest
from jsonschema import Draft202012Validator

from harness.server import API_KEY
from harness.soak import OBSERVED_SECONDS
from harness.sockets import ApiError, ApiSocket

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
]
# The first stops the server; the second needs a WebSocket.
LEFT_OUT = ["/v1/server/drain", "/v1/connect"]


def schemathesis(
    server, directory, description: str, seconds: int, *more: str, credential: str | None = API_KEY,
) -> subprocess.CompletedProcess:
    """Makes requests from a description, by its address or file, and holds the answers to it."""
    bearer = ["--header", f"Authorization: Bearer {credential}"] if credential else []
    command = [
        sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run", description,
        "--url", server.origin, *bearer, "--checks", ",".join(CHECKS),
        "--max-time", str(seconds), "--seed", "20251130",
        "--generation-database", "none", "--no-color", "--max-failures", "20", "--continue-on-failure",
        "--suppress-health-check", "all",
        # libwebsockets hangs up on who sends a zero byte in an address, before there is a request to answer.
        "--generation-allow-x00", "false", *more,
    ]
    return subprocess.run(
        command, cwd=directory, capture_output=True, text=True, timeout=80 + seconds, check=False)


@pytest.mark.timeout(120 + OBSERVED_SECONDS)
async def test_requests_made_from_the_description_are_answered_as_it_says(start_server, tmp_path, report):
    server = await start_server({})
    await fill(server)
    left_out = [one for path in LEFT_OUT for one in ("--exclude-path", path)]
    run = schemathesis(
        server, tmp_path, f"{server.origin}/openapi.json", OBSERVED_SECONDS + 20,
        "--phases", "examples,coverage,fuzzing", *left_out)
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-4_000:]
    made = re.search(r"(\d+) generated", run.stdout)
    assert made and int(made[1]) > 100, run.stdout
    report(f"{made[1]} requests made from the description")
    server.check()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("bearer", ["a user", "nobody"])
async def test_others_than_the_back_end_are_answered_as_the_description_says_too(
    start_server, tmp_path, report, bearer,
):
    server = await start_server({})
    await fill(server)
    credential = None
    if bearer == "a user":
        async with server.http.post("/v1/auth-tokens", json={"uid": "ada"}) as answer:
            credential = (await answer.json())["authToken"]
    left_out = [one for path in LEFT_OUT for one in ("--exclude-path", path)]
    run = schemathesis(
        server, tmp_path, f"{server.origin}/openapi.json", 15, "--phases", "examples,fuzzing", "--max-examples", "5",
        *left_out, credential=credential)
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-4_000:]
    made = re.search(r"(\d+) generated", run.stdout)
    assert made and int(made[1]) > 50, run.stdout
    report(f"{made[1]} requests made as {bearer}")
    server.check()


def as_it_is(operation: dict) -> None:
    """Nothing is wrong."""


def without_the_answer(operation: dict) -> None:
    del operation["responses"]["200"]


def of_another_type(operation: dict) -> None:
    operation["responses"]["200"]["content"] = {"text/plain": {}}


def with_another_schema(operation: dict) -> None:
    schema = {"type": "object", "required": ["nothingOfThatKind"]}
    operation["responses"]["200"]["content"]["application/json"]["schema"] = schema


@pytest.mark.timeout(150)
@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (as_it_is, None), (without_the_answer, "Undocumented status code"),
        (of_another_type, "Undocumented Content-Type"), (with_another_schema, "Response violates schema"),
    ])
async def test_an_answer_that_the_description_does_not_have_is_found(server, tmp_path, spoil, found):
    async with server.http.get("/openapi.json") as answer:
        description = await answer.json()
    operation = description["paths"]["/v1/users"]["get"]
    spoil(operation)
    description["paths"] = {"/v1/users": {"get": operation}}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(description))
    run = schemathesis(
        server, tmp_path, str(path), 20, "--phases", "examples,coverage")
    assert (run.returncode != 0) == (found is not None), run.stdout[-4_000:] + run.stderr[-4_000:]
    assert found is None or found in run.stdout, run.stdout[-4_000:]


@pytest.mark.timeout(150)
async def test_a_fault_of_the_server_is_found(start_server, tmp_path):
    server = await start_server({})
    with contextlib.closing(sqlite3.connect(server.directory / "rostrum.db", timeout=20)) as database:
        database.execute("ALTER TABLE users RENAME TO gone")
        database.commit()
    run = schemathesis(
        server, tmp_path, f"{server.origin}/openapi.json", 20, "--phases", "examples,coverage",
        "--include-path", "/v1/users")
    assert run.returncode != 0 and "Server error" in run.stdout, run.stdout[-4_000:] + run.stderr[-4_000:]


async def fill(server) -> None:
    """Users, a group and a session with the names that the description's examples have."""

    async def done(method: str, path: str, body) -> None:
        async with server.http.request(method, path, json=body) as answer:
            assert answer.status == 201, await answer.text()

    for uid in ("ada", "ben"):
        await done("PUT", f"/v1/users/{uid}", {"name": uid})
    await done("PUT", "/v1/groups/team", {"name": "Team", "owner": "ben"})
    await done("POST", "/v1/groups/team/members", [{"uid": "ada"}])
    await done("POST", "/v1/groups/team/messages", {"type": "chat", "text": "hello", "uid": "ada"})
    await done("POST", "/v1/sessions", {"sessionId": "weekly"})


async def test_what_is_said_on_the_socket_is_what_its_description_says(server, session):
    async with server.http.get("/asyncapi.json") as answer:
        described = await answer.json()
    messages = described["channels"]["socket"]["messages"]

    def check(name: str, value: dict) -> None:
        schema = {**messages[name]["payload"], "components": described["components"]}
        problems = list(Draft202012Validator(schema).iter_errors(value))
        assert not problems, f"{name}: {problems}"

    socket = await ApiSocket.open(server.origin, await server.token(session, "ada"))
    other = await ApiSocket.open(server.origin, await server.token(session, "ben"))
    said = [
        ("ping", {}), ("joinSession", {"settings": {"displayName": "Ada", "startAudioMuted": True}}),
        ("raiseHand", {}), ("lowerHand", {}), ("unmuteAudio", {}), ("muteAudio", {}), ("getSession", {}),
        ("getParticipants", {}), ("sendMessage", {"type": "chat", "text": "hello"}),
        ("setDisplayName", {"displayName": "Ada L."}),
    ]
    for method, params in said:
        check(method, {"id": 1, "method": method, "params": params})
        check(method + "Answer", {"id": 1, "result": await socket.request(method, **params)})
    joined = await other.request("joinSession")
    check("joinSessionAnswer", {"id": 1, "result": joined})
    await socket.event("participantJoined")
    await other.request("leaveSession")
    await socket.event("participantLeft")
    with pytest.raises(ApiError) as refused:
        await other.request("raiseHand")
    error = {"code": refused.value.code, "message": refused.value.message}
    check("raiseHandRefusal", {"id": 1, "error": error})
    assert len({event["event"] for event in socket.events}) > 8
    for event in socket.events:
        check(event["event"], event)
    await socket.close()
    await other.close()


async def test_the_schemas_of_the_documents_are_schemas(server):
    for path in ("/openapi.json", "/asyncapi.json"):
        async with server.http.get(path) as answer:
            assert answer.headers["Cache-Control"] == "no-cache" and answer.headers["ETag"]
            document = await answer.json()
        found = 0
        for schema in document["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)
            found += 1
        assert found > 15
    for message in document["channels"]["socket"]["messages"].values():
        Draft202012Validator.check_schema(message["payload"])


@pytest.mark.parametrize("width", [360, 1280])
async def test_the_page_fits_its_window_and_asks_nobody_else_for_anything(browser, server, width):
    context = await browser.new_context(viewport={"width": width, "height": 780})
    page = await context.new_page()
    asked: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: problems.append(message.text))
    await page.goto(f"{server.origin}/docs")
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert {url.removeprefix(server.origin) for url in asked} <= {"/docs", "/page/icon.svg"}
    if width < 860:
        assert not await page.is_visible("nav")
        await page.click("text=Contents")
    await page.click("nav >> text=Events")
    assert page.url.endswith("#events") and await page.is_visible("h2#events")
    assert await page.is_visible("nav") == (width > 860)
    assert not problems
    await context.close()


async def test_the_documents_can_be_had_without_a_credential(server):
    async with aiohttp.ClientSession(server.origin) as http:
        for path, kind in {
            "/openapi.json": "application/json", "/asyncapi.json": "application/json", "/docs": "text/html",
            "/docs/": "text/html",
        }.items():
            async with http.get(path) as answer:
                assert answer.status == 200 and answer.content_type == kind
