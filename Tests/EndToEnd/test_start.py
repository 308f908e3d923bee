"""What the server says to bad input, at its start and later; how it works with less than there could be."""

import asyncio
import os
import re
import resource
import socket

import aiohttp
import pytest

from harness.rtc_client import RTCClient
from harness.server import ROOT, Server, binary, environment, free_port
from harness.sockets import ApiError, ApiSocket
from harness.waiting import until


async def refusal(
    directory, flags, configuration: str | None = None, limits: dict[int, int] | None = None, code: int = 2
) -> str:
    """The one line with which the server refuses to start; it says nothing else."""
    server = Server(directory, flags)
    server.limits = limits or {}
    if configuration is not None:
        path = directory / "bad.json"
        path.write_text(configuration)
        server.flags["config"] = path
    await server.launch()
    try:
        assert await asyncio.wait_for(server.process.wait(), 10) == code, server.log
    finally:
        if server.is_running:
            server.process.kill()
    lines = server.log.splitlines()
    assert len(lines) == 1 and lines[0].startswith("rostrum: "), server.log
    return lines[0]


@pytest.mark.parametrize("key", ["http.port", "media.port"])
async def test_a_port_that_is_taken_is_said_in_one_line(tmp_path, key):
    port = free_port()
    kind = socket.SOCK_STREAM if key == "http.port" else socket.SOCK_DGRAM
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", port))
        if key == "http.port":
            taken.listen()
        line = await refusal(tmp_path, {key: port})
    variable = {"http.port": "ROSTRUM_HTTP_PORT", "media.port": "ROSTRUM_MEDIA_PORT"}[key]
    assert f"port {port} " in line and f"rostrum: {key}: " in line and variable in line


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ({"media.prot": 3478}, "media.prot"),
        ({"media.port": 70_000}, "media.port"),
        ({"media.workers": "many"}, "media.workers"),
        ({"media.sealer": "wax"}, "media.sealer"),
        ({"media.advertise": "localhost"}, "media.advertise"),
    ],
)
async def test_a_bad_setting_is_named_in_one_line(tmp_path, flags, named):
    assert named in await refusal(tmp_path, flags)


@pytest.mark.parametrize(
    "text", ["", "{", '{"media": {"port": "3478"}}', '{"media": []}', '{"x": 1}', '{"a": 1, "a": 2}']
)
async def test_a_bad_configuration_file_is_refused_in_one_line(tmp_path, text):
    assert "bad.json" in await refusal(tmp_path, {}, configuration=text)


@pytest.mark.parametrize("path", ["", "{}", "{}/nowhere/rostrum.db", "{}/text.db"])
async def test_a_database_that_cant_be_opened_is_said_in_one_line(tmp_path, path):
    (tmp_path / "text.db").write_text("certainly not a database, and long enough to be sure of that")
    assert "storage.path" in await refusal(tmp_path, {"storage.path": path.format(tmp_path)})


async def test_a_database_that_another_server_has_is_said_in_one_line(tmp_path, start_server):
    server = await start_server({})
    line = await refusal(tmp_path / "second", {"storage.path": server.directory / "rostrum.db"})
    assert line.startswith("rostrum: storage.path: another server has the database")
    async with server.http.put("/v1/users/ada", json={"name": "Ada"}) as answer:
        assert answer.status == 201
    # However the first one ends, the next one gets in.
    server.process.kill()
    await server.process.wait()
    await server.launch()
    await until(server._is_ready, "the server is ready again")


@pytest.mark.parametrize("files", [24, 32, 40])
async def test_too_few_files_are_said_in_one_line(tmp_path, files):
    line = await refusal(tmp_path, {}, limits={resource.RLIMIT_NOFILE: files})
    assert f"limit of open files (ulimit -n, LimitNOFILE) is {files}" in line


async def test_a_server_that_may_open_no_more_files_says_that_it_is_full(tmp_path):
    server = Server(tmp_path)
    server.limits = {resource.RLIMIT_NOFILE: 96}
    await server.start()
    try:
        sockets, refusals = [], []
        while not refusals and len(sockets) < 96:
            try:
                sockets.append(await ApiSocket.open(server.origin, await server.token("room", "ada")))
            except aiohttp.WSServerHandshakeError as error:
                refusals.append(error.status)
        assert refusals == [503] and len(sockets) > 10
        async with server.http.get("/readyz") as answer:
            assert (answer.status, await answer.json()) == (503, {"status": "full"})
        await sockets.pop().close()

        async def is_ready() -> bool:
            async with server.http.get("/readyz") as answer:
                return answer.status == 200

        await until(is_ready, "the server is ready again")
    finally:
        await server.stop()


@pytest.mark.parametrize("mebibytes", [150, 300, 500, 700])
async def test_too_little_address_space_is_said_in_one_line(tmp_path, mebibytes):
    limits = {resource.RLIMIT_AS: mebibytes << 20}
    assert f"is {mebibytes} MiB" in await refusal(tmp_path, {}, limits=limits, code=1)


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ({"http.tlsCertificate": "{}/no.pem", "http.tlsPrivateKey": "{}/no.pem"}, "http.tlsCertificate"),
        ({"http.tlsCertificate": "{}/text.pem", "http.tlsPrivateKey": "{}/text.pem"}, "http.tlsCertificate"),
        # Of a range for documentation: no machine has it (RFC 5737).
        ({"http.host": "192.0.2.1"}, "http.host"),
        ({"media.host": "192.0.2.1"}, "media"),
        ({"web.directory": "{}/nope"}, "web.directory"),
        ({"web.directory": "{}/text.pem"}, "web.directory"),
        ({"web.directory": "{}"}, "web.directory"),
        # Everything that could be said at the start, were it to succeed.
        ({"storage.path": ":memory:", "http.host": "192.0.2.1", "log.level": "debug"}, "http.host"),
    ],
)
async def test_what_only_the_machine_can_tell_is_said_in_one_line_too(tmp_path, flags, named):
    (tmp_path / "text.pem").write_text("no certificate")
    line = await refusal(tmp_path, {key: value.format(tmp_path) for key, value in flags.items()})
    assert line.startswith(f"rostrum: {named}")


@pytest.mark.parametrize("library", ["libsrtp2.so.1", "libwebsockets.so.17"])
async def test_a_library_that_is_missing_is_said_in_one_line_before_anything_is_done(tmp_path, library):
    """The dynamic loader says it, and ends the process with 127: not a line of the program has run by then."""
    program, name = tmp_path / "rostrum", library.encode() + b"\0"
    missing = b"libnone" + name[7:]
    whole = binary().read_bytes()
    assert whole.count(name) == 1
    program.write_bytes(whole.replace(name, missing))
    program.chmod(0o755)
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        program, "serve", "--auth.keys", "test:0123456789abcdef", "--storage.path", tmp_path / "rostrum.db",
        "--http.port", str(port), "--media.port", str(port), env=environment(), stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    output, errors = await asyncio.wait_for(process.communicate(), 10)
    lines = errors.decode().splitlines()
    assert process.returncode == 127 and output == b"" and len(lines) == 1, errors
    assert missing[:-1].decode() in lines[0] and "cannot open shared object file" in lines[0]
    assert [path.name for path in tmp_path.iterdir()] == ["rostrum"], "no database, nothing else"


async def test_without_a_key_or_a_database_the_server_says_what_to_fill_in(tmp_path):
    keyless = await refusal(tmp_path, {}, configuration='{"storage": {"path": ":memory:"}}')
    assert "auth.keys" in keyless and "ROSTRUM_AUTH_KEYS" in keyless
    untouched = (ROOT / "Config/rostrum.json").read_text()
    assert "auth.keys" in await refusal(tmp_path, {}, configuration=untouched)


async def test_a_configuration_file_that_is_missing_is_named(tmp_path):
    assert "nowhere.json" in await refusal(tmp_path, {"config": tmp_path / "nowhere.json"})


async def test_one_core_is_left_to_everything_but_media_if_there_are_two(server):
    assert f"media workers={max(1, os.cpu_count() - 1)} " in server.log


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"media.segmentationOffload": "off"}, "segmentation offload is off"),
        ({"media.sealer": "openSSL"}, "openSSL"),
        ({"media.ipv6": "off", "media.host": "", "media.advertiseLoopback": True}, "IPv6"),
    ],
)
async def test_a_meeting_works_with_less_and_the_server_says_so(start_server, open_client, flags, said):
    server = await start_server(flags)
    assert re.search(said, server.log, re.IGNORECASE), server.log
    bots = [
        await open_client("one", at=server, hertz=600),
        await open_client("two", at=server, size=(320, 240), hertz=900)]
    for bot, other in (bots, reversed(bots)):
        await bot.sees(other.pid, other.size)
        await bot.hears(other.pid, other.hertz)


async def test_a_server_with_an_address_of_its_own_is_at_no_other(server):
    async with server.http.get("/healthz") as answer:
        assert answer.status == 200
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.2", int(server.flags["http.port"]))


async def test_a_wrong_offer_is_refused_with_its_line_and_the_socket_stays_usable(open_socket):
    socket = await open_socket("ada")
    client = RTCClient(socket, "ada")
    offer = await offer_of(client)
    number = next(n for n, line in enumerate(offer.split("\r\n"), 1) if line.startswith("m=video"))
    broken = {
        1: "hello",
        number: "m=video nine UDP/TLS/RTP/SAVPF 96",
    }
    for line, text in broken.items():
        lines = offer.split("\r\n")
        lines[line - 1] = text
        with pytest.raises(ApiError) as caught:
            await socket.request("joinSession", offer="\r\n".join(lines))
        assert caught.value.code == "ERR_INVALID_OFFER"
        assert caught.value.details["line"] == line
        assert "at" in await socket.request("ping")
    with pytest.raises(ApiError, match="ERR_INVALID_OFFER"):
        await socket.request("joinSession", offer="")
    unknown = re.sub(r"a=rtpmap:(\d+) \S+", r"a=rtpmap:\1 speex/8000", offer)
    with pytest.raises(ApiError) as caught:
        await socket.request("joinSession", offer=unknown)
    assert caught.value.code == "ERR_CODEC_UNSUPPORTED" and caught.value.details["mid"] == "0"
    await client.join()
    await client.connection.close()


async def offer_of(client: RTCClient) -> str:
    """An offer by aiortc, from a connection that is thrown away."""
    other = RTCClient(client.socket, "draft")
    other.connection.addTransceiver("audio", direction="recvonly")
    other.connection.addTransceiver("video", direction="recvonly")
    await other.connection.setLocalDescription(await other.connection.createOffer())
    offer = other.connection.localDescription.sdp
    await other.connection.close()
    return offer


async def test_requests_that_make_no_sense_are_answered_with_errors(open_socket):
    socket = await open_socket("ada")
    for method, params, code in [
        ("flyToTheMoon", {}, "ERR_BAD_REQUEST"),
        ("joinSession", {"offr": ""}, "ERR_BAD_REQUEST"),
        ("joinSession", {"offer": 7}, "ERR_BAD_REQUEST"),
        ("raiseHand", {}, "ERR_NOT_IN_SESSION"),
        ("resumeSession", {"resumeToken": "x", "lastSeq": 1}, "ERR_NOT_IN_SESSION"),
    ]:
        with pytest.raises(ApiError) as caught:
            await socket.request(method, **params)
        assert caught.value.code == code, method
    await socket.request("joinSession")


async def test_an_empty_and_a_forged_token_are_told_apart(server):
    for token, code in (("", "AUTH_ERR_EMPTY_AUTH_TOKEN"), ("x.y.z", "AUTH_ERR_AUTH_TOKEN_NOT_FOUND")):
        socket = await ApiSocket.open(server.origin)
        try:
            with pytest.raises(ApiError, match=code):
                await socket.request("joinSession", callToken=token)
        finally:
            await socket.close()
