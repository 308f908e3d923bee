"""The relay itself: what it is told to do to packets is what it does."""

import asyncio
import itertools
import socket
import struct
import time

import pytest

from relay import Relay

PACKETS = 20_000
BATCH = 100


class Echo(asyncio.DatagramProtocol):
    """A server that remembers who sent, and sends everything back."""

    def __init__(self):
        self.addresses = set()

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        self.addresses.add(address)
        self.transport.sendto(data, address)


class Counter(asyncio.DatagramProtocol):
    """A client that notes the number in each packet and how long it took."""

    def __init__(self):
        self.numbers = []
        self.delays = []

    def datagram_received(self, data, address):
        number, sent_at = struct.unpack("!Id", data[:12])
        self.numbers.append(number)
        self.delays.append(time.monotonic() - sent_at)


@pytest.fixture
async def path(relay_program, free_port):
    """(relay, client transport, client, server)"""
    loop = asyncio.get_running_loop()
    port = free_port()
    server_side, server = await loop.create_datagram_endpoint(Echo, local_addr=("127.0.0.1", port))
    relay = await Relay.start(relay_program, ("127.0.0.2", port), ("127.0.0.1", port), seed=7)
    client_side, client = await loop.create_datagram_endpoint(Counter, remote_addr=("127.0.0.2", port))
    for transport in (server_side, client_side):
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    yield relay, client_side, client, server
    client_side.close()
    server_side.close()
    await relay.stop()


async def send(transport, count, size=100):
    """Sends numbered packets, in batches that no socket buffer is too small for."""
    padding = bytes(size - 12)
    for first in range(0, count, BATCH):
        for number in range(first, min(first + BATCH, count)):
            transport.sendto(struct.pack("!Id", number, time.monotonic()) + padding)
        await asyncio.sleep(0.004)


async def settled(relay):
    """Waits until the relay holds nothing and nothing more arrives."""
    before = None
    for _ in range(100):
        stats = await relay.stats()
        if stats["waiting"] == 0 and stats == before:
            return stats
        before = stats
        await asyncio.sleep(0.05)
    raise AssertionError(f"the relay doesn't come to rest: {before}")


async def test_a_good_network_loses_and_reorders_nothing(path):
    relay, transport, client, _ = path
    await send(transport, 2_000)
    await settled(relay)
    assert client.numbers == list(range(2_000))


async def test_loss_is_as_told_each_way(path, report):
    relay, transport, client, _ = path
    await relay.set("up", loss=5)
    await relay.set("down", loss=15)
    await send(transport, PACKETS)
    stats = await settled(relay)
    up, down = stats["up"], stats["down"]
    lost = 100 * up["lost"] / up["received"], 100 * down["lost"] / down["received"]
    report(f"loss told 5 % and 15 %, found {lost[0]:.2f} % and {lost[1]:.2f} % of {up['received']} packets")
    assert up["received"] == PACKETS
    assert lost[0] == pytest.approx(5, abs=0.6)
    assert lost[1] == pytest.approx(15, abs=1.1)
    assert len(client.numbers) == down["forwarded"] == PACKETS - up["lost"] - down["lost"]


async def test_delay_is_as_told_and_keeps_the_order(path, report):
    relay, transport, client, _ = path
    await relay.set("up", delay=30)
    await relay.set("down", delay=50, jitter=10)
    await send(transport, PACKETS)
    stats = await settled(relay)
    up, down = stats["up"]["heldMs"], stats["down"]["heldMs"]
    report(f"delay told 30 ms and 50 ± 10 ms, found {up:.1f} ms and {down:.1f} ms of {PACKETS} packets")
    assert up == pytest.approx(30, abs=3)
    # Packets that follow closely wait for those before them, so that jitter moves the middle up.
    assert 45 <= down <= 65
    assert client.numbers == list(range(PACKETS))
    assert min(client.delays) >= 0.070


async def test_duplicates_and_reordering_are_as_told(path):
    relay, transport, client, _ = path
    await relay.set("down", dup=10, reorder=2, hold=15)
    await send(transport, 5_000)
    stats = await settled(relay)
    repeated = len(client.numbers) - len(set(client.numbers))
    late = sum(later < earlier for earlier, later in itertools.pairwise(client.numbers))
    assert set(client.numbers) == set(range(5_000))
    assert repeated == pytest.approx(500, abs=100)
    assert stats["down"]["reordered"] == pytest.approx(110, abs=40)
    # Several that were held back may come together, and look like one.
    assert 10 <= late <= stats["down"]["reordered"]


async def test_a_bottleneck_passes_its_rate_and_drops_the_rest(path):
    relay, transport, client, _ = path
    await relay.set("up", rate=1_000_000, queue=50_000)
    started = time.monotonic()
    await send(transport, 1_000, size=250)
    stats = await settled(relay)
    assert stats["up"]["overflowed"] > 0
    passed = len(client.numbers) * 250 * 8
    assert passed <= 1_000_000 * (time.monotonic() - started)
    assert len(client.numbers) >= 200


async def test_rebinding_changes_the_address_that_the_server_sees(path):
    relay, transport, client, server = path
    await send(transport, 10)
    await settled(relay)
    assert len(server.addresses) == 1
    assert await relay.rebind() == 1
    await send(transport, 10)
    await settled(relay)
    assert len(server.addresses) == 2
    assert client.numbers == [*range(10), *range(10)]


async def test_clients_have_an_address_each_and_get_their_own_answers(path):
    relay, transport, client, server = path
    other_side, other = await asyncio.get_running_loop().create_datagram_endpoint(
        Counter, remote_addr=transport.get_extra_info("peername")
    )
    await send(transport, 10)
    await send(other_side, 5)
    stats = await settled(relay)
    other_side.close()
    assert stats["clients"] == len(server.addresses) == 2
    assert (len(client.numbers), len(other.numbers)) == (10, 5)


async def test_unknown_settings_are_refused(path):
    relay = path[0]
    for settings in ({"los": 5}, {"loss": -1}):
        with pytest.raises(ValueError):
            await relay.set("up", **settings)
