"""What could be taken for SQL, JSON, a header or a path: it is refused clearly, or kept and given back to the letter."""

import json

import pytest
from yarl import URL

from harness.raw_http import send
from harness.server import API_KEY
from harness.sockets import ApiError, ApiSocket

TEXTS = {
    "SQL that ends a text": "'; DROP TABLE users; --",
    "SQL in double quotes": '"; DELETE FROM groups; --',
    "SQL that is always true": "x' OR '1'='1",
    "parameters of SQL": "?1 :uid @uid $uid % _",
    "comments": "/* -- # */ <!-- -->",
    "an end of JSON": '"}],"error":{"code":"x"},"y":["\\',
    "escapes": "\\u0000 \\n \\\" \\\\ %00 %2e%2e%2f &amp; {{7*7}} ${7*7} $(id) `id`",
    "control characters": "\u0001\u001b[31m\b\t\u007f\u0085\u2028",
    "lines of a header": "x\r\nSet-Cookie: a=b\r\n\r\n<p>",
    "a script": "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "a path": "../../../etc/passwd",
    "marks and directions": "e\u0301 \u00e9 \u202eabc \u200b \ufeff \U0001f469\u200d\U0001f680",
    "ends of Unicode": "\ud7ff\ue000\uffff\U0010ffff",
    "what looks like nothing": "null",
    "blanks": "  x  ",
}
NO_IDS = {
    "SQL": "'; DROP TABLE users; --", "a slash": "a/b", "a way up": "../x", "a blank": "a b", "a mark": "é",
    "a quote": '"', "a backslash": "..\\x", "lines": "a\r\nX: y", "percent": "%2e%2e", "too long": "x" * 101,
    "a semicolon": "a;b", "a question": "a?b", "a hash": "a#b",
}
PATHS = [
    "/../../../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%5c..%5csecret.txt",
    "/%252e%252e/secret.txt", "/page/../../secret.txt", "/page/%2e%2e/%2e%2e/secret.txt", "/./../secret.txt",
    "/%c0%ae%c0%ae/secret.txt", "/..;/secret.txt", "//etc/passwd", "/%2fetc%2fpasswd", "/.hidden", "/page/.hidden",
    "/link/secret.txt%00.html", "/secret.txt%00", "/%00", "/%", "/%zz", "/%ff%fe", "/\x7f", "/a\tb", "/\xff",
    "/v1/../secret.txt", "/v1/users/..%2fgroups", "/v1/users/%2e%2e", "/v1/users/x%00y", "/v1/users/x%0d%0aX-Y:%20z",
    "/console%0d%0aSet-Cookie:%20a=b", "/v1//users", "/v1/users/", "/V1/USERS", "/" + "a/" * 3_000, "/" + "x" * 7_000,
    "http://127.0.0.1/secret.txt", "file:///etc/passwd", "*", "?", "",
]
QUERIES = [
    "/v1/users?page=1;DROP TABLE users", "/v1/users?page='", "/v1/users?page=0x10", "/v1/users?page=-1",
    "/v1/users?page=99999999999999999999", "/v1/users?perPage=1e9", "/v1/users?perPage=101", "/v1/users?page=1&page=2",
    "/v1/users?page[]=1", "/v1/users?=1", "/v1/users?page", "/v1/users?page=", "/v1/users?sort=name; --",
    "/v1/calls?status=ended' OR '1'='1", "/v1/calls?uid=' OR 1=1 --", "/v1/calls?guid=%2e%2e%2f",
    "/v1/calls?uid=a&direction=incoming'--", "/v1/calls?startedAfter=1 OR 1", "/v1/calls?hasRecording=1",
    "/v1/calls?type=audio%0d%0aX: y", "/v1/groups/table/messages?before=' OR 1=1 --",
    "/v1/groups/table/messages?limit=-1", "/v1/groups/table/messages?limit=101", "/v1/users/ada?x=1",
    "/v1/server?verbose", "/healthz?' OR 1=1 --", "/v1/connect?token=x",
]
BODIES = {
    "a key twice": b'{"uid":"a","uid":"b"}',
    "a key twice, escaped": b'{"uid":"a","u\\u0069d":"b"}',
    "deep": b'{"uid":' + b"[" * 33 + b"]" * 33 + b"}",
    "very deep": b"[" * 100_000,
    "a prototype": b'{"uid":"a","__proto__":{"admin":true}}',
    "an unknown field": b'{"uid":"a","scope":"owner"}',
    "a wrong type": b'{"uid":["a"]}',
    "an object for a text": b'{"uid":{"$ne":""}}',
    "no number": b'{"uid":"a","ttlSeconds":NaN}',
    "a number too large": b'{"uid":"a","ttlSeconds":9223372036854775808}',
    "a number without end": b'{"uid":"a","ttlSeconds":1e400}',
    "a fraction": b'{"uid":"a","ttlSeconds":1.5}',
    "something behind it": b'{"uid":"a"}{"uid":"b"}',
    "a zero byte behind it": b'{"uid":"a"}\x00',
    "a zero byte in it": b'{"uid":"a\\u0000b"}',
    "half a character": b'{"uid":"\xc3"}',
    "an overlong character": b'{"uid":"\xc0\xae\xc0\xae"}',
    "half a pair": b'{"uid":"\\ud800"}',
    "a mark of byte order": b'\xef\xbb\xbf{"uid":"a"}',
    "another encoding": '{"uid":"a"}'.encode("utf-16"),
    "a comment": b'{"uid":"a"/* */}',
    "single quotes": b"{'uid':'a'}",
    "a comma too many": b'{"uid":"a",}',
    "a line in a text": b'{"uid":"a\nb"}',
    "a form": b"uid=a",
    "XML": b'<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>',
    "nothing": b"",
}
AUTHORIZATION = f"Authorization: Bearer {API_KEY}"
FRAMES = [
    # Two lengths, or one that is none; a body that hides another request.
    ("Content-Length: 0\r\nContent-Length: 44", ""), ("Content-Length: -1", ""), ("Content-Length: 0x10", ""),
    ("Content-Length: 4\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), ("Transfer-Encoding: chunked", "0\r\n\r\n"),
    ("Transfer-Encoding: xchunked\r\nContent-Length: 0", ""), ("Content-Length: 99999999999999999999", ""),
    ("Content-Length : 0", ""), ("X-Y: a\r\n Content-Length: 5", ""), ("X-Y: a\nX-Z: b", ""), ("X\x00Y: a", ""),
]


@pytest.fixture
async def server(start_server, tmp_path):
    """One that serves pages from a folder, beside which there is a secret; with somebody in its tables."""
    folder = tmp_path / "pages"
    (folder / "page").mkdir(parents=True)
    (folder / "index.html").write_text("<p>a page</p>")
    (folder / ".hidden").write_text("root: of all secrets")
    (folder / "page/.hidden").write_text("root: of all secrets")
    (tmp_path / "secret.txt").write_text("root: of all secrets")
    server = await start_server({"web.directory": folder, "http.cors": "https://meet.example.org"})
    for path, body in {
        "/v1/users/ada": {"name": "Ada"}, "/v1/groups/table": {"name": "Table", "owner": "ada"}}.items():
        async with server.http.put(path, json=body) as answer:
            assert answer.status == 201
    yield server
    # Nobody else has come, and nothing has gone.
    async with server.http.get("/v1/groups/table/members") as answer:
        assert [one["uid"] for one in (await answer.json())["data"]] == ["ada"]
    server.check()


def is_clear(status: int, body: dict) -> bool:
    return 400 <= status < 500 and body["error"]["code"].split("_")[0] in ("ERR", "AUTH") and body["error"]["message"]


async def asked(server, method: str, path: str, body=None) -> tuple[int, dict]:
    """The path is sent as it is."""
    async with server.http.request(method, URL(path, encoded=True), json=body) as answer:
        return answer.status, json.loads(await answer.text() or "{}")


async def test_texts_that_look_like_something_else_come_back_to_the_letter(server, session):
    socket = await ApiSocket.open(server.origin, await server.token(session, "ada", scope="moderator"))
    await socket.request("joinSession")
    for what, text in TEXTS.items():
        data = {"text": text, text: [text, {"deep": [[[[text]]]]}]}
        puts = {
            "/v1/users/ben": {"name": text, "metadata": data},
            "/v1/groups/club": {"name": text, "metadata": data},
        }
        for path, body in puts.items():
            for method, sent in (("PUT", body), ("GET", None)):
                status, found = await asked(server, method, path, sent)
                assert status in (200, 201), (what, path, found)
                assert (found["name"], found["metadata"]) == (text, data), (what, path)
        said = {"type": text, "text": text, "data": data, "metadata": data, "uid": "ada"}
        status, found = await asked(server, "POST", "/v1/groups/table/messages", said)
        assert status == 201, (what, found)
        _, history = await asked(server, "GET", "/v1/groups/table/messages?limit=1")
        for message in (found, history["data"][0]):
            assert {key: message[key] for key in ("type", "text", "data", "metadata")} == {
                key: said[key] for key in ("type", "text", "data", "metadata")}, what

        socket.events.clear()
        await socket.request("setDisplayName", displayName=text)
        await socket.request("setTitle", title=text)
        message = (await socket.request("sendMessage", type=text, text=text, data=data))["message"]
        assert (message["type"], message["text"], message["data"]) == (text, text, data), what
        assert message["sender"]["name"] == text
        assert (await socket.event("message"))["data"]["message"] == message
        assert (await socket.request("getSession"))["session"]["title"] == text
        assert (await socket.request("getParticipants"))["participants"][0]["name"] == text
    await socket.close()


async def test_texts_that_are_too_long_are_refused_by_name(server, session):
    socket = await ApiSocket.open(server.origin, await server.token(session, "ada", scope="moderator"))
    await socket.request("joinSession")
    long, deep = "\U0001f469" * 101, json.loads("[" * 31 + "]" * 31)
    bodies = [
        ("PUT", "/v1/users/ben", {"name": long}, "name"),
        ("PUT", "/v1/users/ben", {"name": "b", "avatar": "javascript:alert(1)"}, "avatar"),
        ("PUT", "/v1/users/ben", {"name": "b", "avatar": "https://" + "x" * 3_000}, "avatar"),
        ("PUT", "/v1/users/ben", {"name": "b", "metadata": "x" * 10_241}, "metadata"),
        ("PUT", "/v1/groups/club", {"name": long}, "name"),
        ("POST", "/v1/sessions", {"title": long}, "title"),
        ("POST", "/v1/groups/table/messages", {"type": "chat", "text": "x" * 65_537, "uid": "ada"}, "text"),
        ("POST", "/v1/groups/table/messages", {"type": "chat", "text": "", "data": [deep], "uid": "ada"}, None),
    ]
    for method, path, body, field in bodies:
        status, found = await asked(server, method, path, body)
        assert is_clear(status, found), (path, field, found)
        assert field is None or found["error"]["details"]["field"] == field, found
    for method, params, field in [
        ("setDisplayName", {"displayName": long}, "displayName"), ("setTitle", {"title": long}, "title"),
        ("sendMessage", {"type": "chat", "text": "x" * 65_537}, "text"),
        ("sendMessage", {"type": "chat", "data": "x" * 10_241}, "data"),
        ("removeParticipant", {"participantId": "' OR 1=1 --"}, None),
        ("muteParticipant", {"uid": {"$ne": ""}}, "uid"),
    ]:
        with pytest.raises(ApiError) as refused:
            await socket.request(method, **params)
        assert refused.value.code.startswith("ERR_"), method
        assert field is None or refused.value.details["field"] == field, (method, refused.value.details)
    await socket.close()


async def test_what_is_no_id_is_refused_wherever_an_id_belongs(server):
    user = await ApiSocket.open(server.origin, (await asked(server, "POST", "/v1/auth-tokens", {"uid": "ada"}))[1]["authToken"])
    for what, text in NO_IDS.items():
        coded = "".join(f"%{byte:02x}" for byte in text.encode())
        requests = [
            ("POST", "/v1/auth-tokens", {"uid": text}), ("POST", "/v1/call-tokens", {"sessionId": text, "uid": "ada"}),
            ("POST", "/v1/sessions", {"sessionId": text}),
            ("POST", "/v1/groups/table/members", [{"uid": text}]), ("POST", "/v1/groups/table/bans", {"uid": text}),
            ("PUT", "/v1/groups/table/owner", {"uid": text}), ("PUT", f"/v1/users/{coded}", {"name": "x"}),
            ("PUT", f"/v1/groups/{coded}", {"name": "x"}), ("GET", f"/v1/groups/{coded}/messages", None),
            ("DELETE", f"/v1/groups/table/members/{coded}", None), ("GET", f"/v1/calls/{coded}", None),
            ("GET", f"/v1/calls?uid={coded}", None), ("GET", f"/v1/sessions/{coded}/participants", None),
        ]
        for method, path, body in requests:
            status, found = await asked(server, method, path, body)
            assert is_clear(status, found), (what, method, path, status, found)
        for method, params in [
            ("joinSession", {"sessionId": text}), ("getActiveCall", {"guid": text}),
            ("initiateCall", {"receiverId": text, "receiverType": "user"}), ("acceptCall", {"sessionId": text}),
            ("fetchMessages", {"receiverId": text, "receiverType": "group"}),
            ("sendCustomMessage", {"receiverId": text, "receiverType": "group", "type": "x"}),
        ]:
            with pytest.raises(ApiError) as refused:
                await user.request(method, **params)
            assert refused.value.code == "ERR_BAD_REQUEST", (what, method, refused.value)
    await user.close()


async def test_arguments_that_arent_what_they_should_be_are_refused(server):
    for path in QUERIES:
        status, found = await asked(server, "GET", str(URL(path)) if "%" not in path else path.replace(" ", "%20"))
        assert is_clear(status, found), (path, status, found)
        assert found["error"]["code"] == "ERR_BAD_REQUEST", path


async def test_no_path_leads_out_of_the_pages(server):
    port = int(server.flags["http.port"])
    for path in PATHS:
        for credential in ("X-Y: z", AUTHORIZATION):
            answer = await send(port, f"GET {path} HTTP/1.1\r\nHost: x\r\n{credential}\r\n\r\n".encode("latin-1"))
            assert b"root:" not in answer.bytes, path
            # The library hangs up on what it can't read.
            assert all(status < 500 for status in answer.statuses), (path, answer.bytes[:200])
            assert b"set-cookie" not in answer.headers and b"x-y" not in answer.headers, path


async def test_bodies_that_arent_one_plain_object_are_refused(server):
    socket = await ApiSocket.open(server.origin)
    for what, body in BODIES.items():
        async with server.http.post("/v1/auth-tokens", data=body) as answer:
            assert is_clear(answer.status, await answer.json()), (what, answer.status)
    # The same as parameters of a request on a socket, if they are text at all.
    for what, body in BODIES.items():
        frame = b'{"id":1,"method":"login","params":' + (body or b"{}") + b"}"
        try:
            text = frame.decode()
        except UnicodeDecodeError:
            continue
        refused = await socket.refusal(text)
        assert refused["code"] in ("ERR_BAD_REQUEST", "AUTH_ERR_EMPTY_AUTH_TOKEN"), (what, refused)
    await socket.request("ping")
    await socket.close()


async def test_headers_carry_nothing_but_themselves(server):
    port = int(server.flags["http.port"])
    hidden = "GET /v1/users HTTP/1.1\r\nHost: x\r\n\r\n"
    for headers, body in FRAMES:
        request = f"POST /v1/auth-tokens HTTP/1.1\r\nHost: x\r\n{AUTHORIZATION}\r\n{headers}\r\n\r\n{body}{hidden}"
        answer = await send(port, request.encode("latin-1"), within=3)
        assert all(400 <= status < 500 for status in answer.statuses), (headers, answer.bytes[:200])
        assert b"Ada" not in answer.bytes, f"{headers}: the second request was answered"
    for name, value in [
        ("Origin", "https://meet.example.org%0d%0aSet-Cookie: a=b"), ("Origin", "null"), ("Origin", "https://evil"),
        ("Origin", "https://meet.example.org.evil"), ("If-None-Match", '"' + "x" * 4_000), ("Host", "evil'\""),
        ("Authorization", "Bearer ' OR 1=1 --"), ("Authorization", "Bearer " + "x" * 6_000), ("Authorization", "Basic eA=="),
        ("X-Forwarded-Host", "evil"), ("Cookie", "a=" + "x" * 9_000), ("X-HTTP-Method-Override", "DELETE"),
    ]:
        request = f"GET /v1/users/ada HTTP/1.1\r\nHost: x\r\n{name}: {value}\r\n\r\n"
        answer = await send(port, request.encode("latin-1"))
        assert all(400 <= status < 500 for status in answer.statuses), (name, value, answer.bytes[:200])
        assert b"set-cookie" not in answer.headers
        assert b"access-control-allow-origin" not in answer.headers, f"{value} isn't an origin that may ask"
