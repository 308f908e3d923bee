"""HTTPS and wss, with certificates that are made here."""

import asyncio
import os
import contextlib
import signal
import socket
import ssl

import pytest
from cryptography import x509

from harness.certificates import Authority
from harness.chromium import ChromiumTab
from harness.commands import rostrum
from harness.meeting_page import ADA, MeetingPage
from harness.server import Server
from harness.sockets import ApiSocket
from harness.waiting import until
from test_start import refusal


@pytest.fixture
def authority(tmp_path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
async def secure(authority, start_server) -> Server:
    return await start_server(authority.flags(), trust=authority.trust)


def handshake(server: Server, trust: ssl.SSLContext) -> ssl.SSLSocket:
    plain = socket.create_connection(("127.0.0.1", int(server.flags["http.port"])), timeout=10)
    return trust.wrap_socket(plain, server_hostname="127.0.0.1")


def presented(server: Server, authority: Authority) -> int:
    """The serial number of the certificate that a new connection gets, and verifies."""
    with handshake(server, authority.trust) as connection:
        return x509.load_der_x509_certificate(connection.getpeercert(binary_form=True)).serial_number


async def test_requests_and_sockets_are_encrypted_and_verified(secure, authority, session):
    async with secure.http.get("/healthz") as response:
        assert response.status == 200
    socket = await ApiSocket.open(secure.origin, await secure.token(session, "ada"), authority.trust)
    assert (await socket.request("joinSession"))["participant"]["uid"] == "ada"
    # More than fits into one record, both ways.
    text = "x" * 60_000
    await socket.request("sendMessage", type="chat", text=text)
    assert (await socket.event("message"))["data"]["message"]["text"] == text
    await socket.close()
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(secure, ssl.create_default_context())


def context_of(authority: Authority, version: ssl.TLSVersion) -> ssl.SSLContext:
    trust = authority.trust
    trust.minimum_version = trust.maximum_version = version
    return trust


async def test_tls_is_new_enough_keeps_what_was_said_secret_and_is_http_1_1(secure, authority):
    def versions() -> None:
        for version, name in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
            trust = context_of(authority, version)
            trust.set_alpn_protocols(["h2", "http/1.1"])
            with handshake(secure, trust) as connection:
                assert connection.version() == name
                assert connection.selected_alpn_protocol() == "http/1.1"
        old = context_of(authority, ssl.TLSVersion.TLSv1_1)
        old.set_ciphers("ALL:@SECLEVEL=0")
        with pytest.raises(ssl.SSLError):
            handshake(secure, old)
        # Without ephemeral keys, whoever gets the server's key later can read everything.
        lasting = context_of(authority, ssl.TLSVersion.TLSv1_2)
        lasting.set_ciphers("AES128-GCM-SHA256:AES256-GCM-SHA384")
        with pytest.raises(ssl.SSLError):
            handshake(secure, lasting)

    await asyncio.to_thread(versions)


async def test_plain_http_gets_no_answer_there(secure):
    reader, writer = await asyncio.open_connection("127.0.0.1", int(secure.flags["http.port"]))
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    answer = b""
    with contextlib.suppress(ConnectionResetError):
        answer = await asyncio.wait_for(reader.read(), 30)
    assert b"HTTP" not in answer
    assert reader.at_eof() or reader.exception(), "the connection has ended"
    writer.close()


async def test_a_new_certificate_is_taken_without_cutting_anybody_off(secure, authority, session):
    first = await asyncio.to_thread(presented, secure, authority)
    socket = await ApiSocket.open(secure.origin, await secure.token(session, "ada"), authority.trust)
    await socket.request("joinSession")

    async def renew(certificate: bytes, key: bytes) -> None:
        lines = len(secure.log.splitlines())
        authority.put(certificate, key)
        secure.process.send_signal(signal.SIGHUP)
        await until(lambda: len(secure.log.splitlines()) > lines, "the log says what became of it")

    # Of another kind: the old one mustn't be left for those who would rather have it.
    current = first
    for kind in ("rsa", "ec", "rsa"):
        certificate, key, serial = authority.issue(kind)
        await renew(certificate, key)
        assert await asyncio.to_thread(presented, secure, authority) == serial != current
        current = serial
    assert "error" not in secure.log.lower()

    good, good_key, _ = authority.issue()
    other, other_key, _ = authority.issue()
    locked, locked_key, _ = authority.issue(password=b"secret")
    broken = [
        (b"", good_key), (good, b""), (b"garbage", good_key), (good, other_key), (locked, locked_key),
        (good[: len(good) // 3], good_key),
    ]
    for certificate, key in broken:
        await renew(certificate, key)
        assert "stays in use" in secure.log.splitlines()[-1]
        assert await asyncio.to_thread(presented, secure, authority) == current
    assert sum("stays in use" in line for line in secure.log.splitlines()) == len(broken)
    authority.files[0].unlink()
    secure.process.send_signal(signal.SIGHUP)
    await until(lambda: "No such file" in secure.log, "the missing file is said")
    # Nobody writes into it: whoever waited for that would serve no more.
    os.mkfifo(authority.files[0])
    secure.process.send_signal(signal.SIGHUP)
    await until(lambda: "no regular file" in secure.log, "the pipe is said")
    assert await asyncio.to_thread(presented, secure, authority) == current
    authority.files[0].unlink()

    certificate, key, serial = authority.issue()
    await renew(certificate, key)
    assert await asyncio.to_thread(presented, secure, authority) == serial
    # The one who was there from the beginning has noticed nothing.
    await socket.request("raiseHand")
    assert socket.close_code is None
    await socket.close()


async def test_a_server_without_certificate_takes_sighup_calmly(server):
    server.process.send_signal(signal.SIGHUP)
    await until(lambda: "no certificate" in server.log, "the log says so")
    server.check()


async def test_an_expired_certificate_is_used_and_said(authority, tmp_path):
    server = Server(tmp_path / "server", authority.flags(days=-1))
    await server.launch()
    await until(lambda: "Open https://" in server.log, "it serves")
    assert "expired" in server.log
    await server.stop()


@pytest.mark.parametrize("fault", ["missing", "garbage", "of another", "password", "alone"])
async def test_a_certificate_that_cant_be_used_is_said_in_one_line(tmp_path, authority, fault):
    flags = authority.flags()
    certificate, key = authority.files
    named = key
    if fault == "missing":
        named = certificate
        certificate.unlink()
    elif fault == "garbage":
        named = certificate
        certificate.write_text("certainly no certificate")
    elif fault == "of another":
        key.write_bytes(authority.issue()[1])
    elif fault == "password":
        authority.put(*authority.issue(password=b"secret")[:2])
    else:
        named = "http.tlsPrivateKey"
        del flags["http.tlsPrivateKey"]
    assert str(named) in await refusal(tmp_path / "server", flags)


async def test_links_are_https_and_the_page_meets_there(secure, authority, browser, session):
    assert f"Open {secure.origin}/?session=demo" in secure.log
    flags = [f"--{name}={secure.flags[name]}" for name in secure.flags if name.startswith("http.")]
    link = await rostrum(
        "token", "call", "--config", secure.directory / "rostrum.json", "--session", session, "--uid", "ben",
        "--open", *flags)
    assert link.output.startswith(f"{secure.origin}/?token="), link.errors
    context = await browser.new_context(ignore_https_errors=True, viewport={"width": 640, "height": 480})
    tab = ChromiumTab(await context.new_page())
    page = await MeetingPage.open(tab, secure.origin, session, ADA)
    await tab.navigate(link.output.strip())
    assert await page.evaluate("isSecureContext && location.protocol === 'https:'")
    await tab.close()
