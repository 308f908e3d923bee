"""What all end-to-end tests stand on: server, browsers, clients, relay, and figures for the output."""

import contextlib
import re
import uuid

import pytest
from playwright.async_api import async_playwright

import relay
from harness import chromium, firefox
from harness.meeting_page import MeetingPage
from harness.rtc_client import RTCClient
from harness.server import Server, binary, free_port
from harness.soak import SOAK
from harness.sockets import ApiSocket

figures: list[tuple[str, str]] = []


def pytest_sessionstart(session):
    if not binary().exists():
        pytest.exit(f"{binary()} doesn't exist: build it, or name another in ROSTRUM_BINARY", returncode=2)


def pytest_terminal_summary(terminalreporter):
    if figures:
        terminalreporter.section("figures")
    for test, text in figures:
        terminalreporter.line(f"{test}: {text}")


@pytest.fixture
def report(request):
    """Notes a figure, to be printed at the end."""
    return lambda text: figures.append((request.node.name, text))


@pytest.fixture
def session(request) -> str:
    """A sessionId of the test's own."""
    name = re.sub(r"[^A-Za-z0-9_]", "-", request.node.name)[:60]
    return f"{name}-{uuid.uuid4().hex[:8]}"


# Servers


@pytest.fixture(scope="session")
def free_ports():
    return free_port


@pytest.fixture(name="free_port")
def _free_port():
    """Finds a port that is free on both addresses of the relay's path."""
    return lambda: free_port(("127.0.0.1", "127.0.0.2"))


@pytest.fixture(scope="session")
async def shared_servers(tmp_path_factory):
    running: dict[str, Server] = {}
    yield running
    failures = []
    for server in running.values():
        try:
            await server.stop()
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, "\n".join(failures)


async def _shared(running, tmp_path_factory, name, flags=None) -> Server:
    """The server with this name, started if there is none or if it has crashed under an earlier test."""
    server = running.get(name)
    if server is None or not server.is_running:
        if server is not None:
            await server.http.close()
        server = running[name] = await Server(tmp_path_factory.mktemp(name), flags).start()
    return server


@pytest.fixture
async def server(shared_servers, tmp_path_factory):
    """The server that most tests share. It has to outlive each of them."""
    server = await _shared(shared_servers, tmp_path_factory, "server")
    yield server
    server.check()


@pytest.fixture
async def start_server(tmp_path):
    """Starts a server with other flags; it is stopped, well, after the test."""
    started: list[Server] = []

    async def start(flags: dict[str, object], **more) -> Server:
        server = Server(tmp_path / f"server-{len(started)}", flags, **more)
        started.append(server)
        return await server.start()

    yield start
    for server in started:
        await server.stop()


# The relay


@pytest.fixture(scope="session")
def relay_program(tmp_path_factory):
    return relay.build(tmp_path_factory.mktemp("relay"))


@pytest.fixture(scope="session")
async def relayed_server(tmp_path_factory):
    """A server that can be reached for media only through a relay. Use `bad_network` for the relay."""
    flags = {"media.advertise": "127.0.0.2", "media.tcp": False, "media.estimateBandwidth": SOAK}
    server = await Server(tmp_path_factory.mktemp("relayed"), flags).start()
    yield server
    await server.stop()


@pytest.fixture
async def bad_network(relayed_server, relay_program):
    """The relay before `relayed_server`; it impairs nothing until it is told to."""
    port = relayed_server.media_port
    running = await relay.Relay.start(relay_program, ("127.0.0.2", port), ("127.0.0.1", port), seed=20_251)
    yield running
    relayed_server.check()
    await running.stop()


@pytest.fixture
async def open_link(relayed_server, relay_program):
    """Starts a relay of its own for one viewer: `address, relay = await open_link()`. The address is for `media_host`."""
    port = relayed_server.media_port
    running: list[relay.Relay] = []

    async def open_one(**impairments) -> tuple[str, relay.Relay]:
        address = f"127.0.0.{3 + len(running)}"
        link = await relay.Relay.start(relay_program, (address, port), ("127.0.0.1", port), seed=7 + len(running))
        running.append(link)
        if impairments:
            await link.set("down", **impairments)
        return address, link

    yield open_one
    relayed_server.check()
    for link in running:
        await link.stop()


# Browsers and clients


@pytest.fixture(scope="session")
async def playwright_driver():
    async with async_playwright() as running:
        yield running


@pytest.fixture(scope="session")
async def browser(playwright_driver):
    """One Chromium for all tests."""
    running = await chromium.launch(playwright_driver)
    yield running
    await running.close()


@pytest.fixture
async def new_browser(playwright_driver):
    """A Chromium for one test: one in which many pages were open gets slower."""
    running = await chromium.launch(playwright_driver)
    yield running
    await running.close()


@contextlib.asynccontextmanager
async def _pages(browser, session, server):
    """Opens the meeting page in a new tab; closes all tabs in the end, and minds what went wrong in them."""
    pages: list[MeetingPage] = []
    tabs: list[chromium.ChromiumTab] = []

    async def open_one(person, **options) -> MeetingPage:
        tab = await chromium.ChromiumTab.open(browser)
        tabs.append(tab)
        origin = options.pop("origin", server.origin)
        pages.append(await MeetingPage.open(tab, origin, options.pop("session", session), person, **options))
        return pages[-1]

    yield open_one
    problems = [problem for tab in tabs for problem in tab.problems]
    for tab in tabs:
        await tab.close()
    assert not problems, f"errors in pages: {problems}"


@pytest.fixture
async def open_page(browser, session, server):
    """Opens the meeting page in a new Chromium tab; all are closed after the test."""
    async with _pages(browser, session, server) as open_one:
        yield open_one


@pytest.fixture
async def open_page_in_new_browser(new_browser, session, server):
    """The same in a Chromium of its own."""
    async with _pages(new_browser, session, server) as open_one:
        yield open_one


@pytest.fixture
async def firefox_tab(tmp_path):
    running = await firefox.Firefox.launch(tmp_path / "profile")
    yield await running.tab()
    await running.close()


@pytest.fixture
async def open_socket(server, session):
    """Opens a socket of the control API with a call token for the test's session."""
    sockets: list[ApiSocket] = []

    async def open_one(uid: str, at: Server = server, **token) -> ApiSocket:
        sockets.append(await ApiSocket.open(at.origin, await at.token(session, uid, **token)))
        return sockets[-1]

    yield open_one
    for socket in sockets:
        await socket.close()


@pytest.fixture
async def open_client(server, session):
    """Joins with an aiortc client."""
    clients: list[RTCClient] = []

    async def open_one(uid: str, at: Server = server, **options) -> RTCClient:
        client = RTCClient(await ApiSocket.open(at.origin, await at.token(session, uid)), uid, **options)
        clients.append(client)
        await client.join()
        return client

    yield open_one
    for client in clients:
        await client.close()
