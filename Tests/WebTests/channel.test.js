import assert from "node:assert/strict";
import { test } from "node:test";
import { Channel } from "../../Sources/Web/Page/rostrum/channel.js";
import { FakeTimers, FakeWebSocket } from "./support/fakes.js";

async function opened() {
  const timers = new FakeTimers();
  const events = [];
  const errors = [];
  const closes = [];
  const channel = new Channel({
    WebSocket: FakeWebSocket, timers, onEvent: (one) => events.push(one),
    onError: (one) => errors.push(one), onClose: (one) => closes.push(one),
  });
  const opening = channel.open("ws://x/v1/connect");
  FakeWebSocket.last.accept();
  await opening;
  return { channel, socket: FakeWebSocket.last, timers, events, errors, closes };
}

test("the socket asks for the subprotocol", async () => {
  const { socket } = await opened();
  assert.deepEqual(socket.protocols, ["rostrum.v1"]);
});

test("answers find their request by id, in any order", async () => {
  const { channel, socket } = await opened();
  const first = channel.request("raiseHand");
  const second = channel.request("sendMessage", { text: "hi" });
  const [one, two] = socket.sent;
  assert.deepEqual(two, { id: two.id, method: "sendMessage", params: { text: "hi" } });
  socket.deliver({ id: two.id, result: { n: 2 } });
  socket.deliver({ id: one.id, result: { n: 1 } });
  assert.deepEqual(await Promise.all([first, second]), [{ n: 1 }, { n: 2 }]);
});

test("a refusal rejects with code, message and details", async () => {
  const { channel, socket } = await opened();
  const request = channel.request("joinSession");
  const error = { code: "ERR_CALL_FULL", message: "full", details: { maxParticipants: 2 } };
  socket.deliver({ id: socket.sent[0].id, error });
  await assert.rejects(request, { name: "RostrumError", ...error });
});

test("events are handed on in order, apart from answers", async () => {
  const { socket, events } = await opened();
  socket.deliver({ event: "a", seq: 1 });
  socket.deliver({ event: "b", seq: 2 });
  assert.deepEqual(events.map((one) => one.event), ["a", "b"]);
});

test("what isn't JSON, isn't an object or answers nothing is passed over", async () => {
  const { socket, events } = await opened();
  for (const data of ["{", "null", "7", '"x"', '{"id":99,"result":{}}', "{}"]) socket.onmessage({ data });
  assert.deepEqual(events, []);
});

test("a request without an answer times out, and a late answer is ignored", async () => {
  const { channel, socket, timers } = await opened();
  const request = channel.request("getSession");
  const refused = assert.rejects(request, { code: "ERR_TIMEOUT" });
  await timers.advance(15_000);
  await refused;
  socket.deliver({ id: 1, result: {} });
});

test("a closed socket rejects what waits, tells once, and takes no more", async () => {
  const { channel, socket, closes, timers } = await opened();
  const request = channel.request("getSession");
  socket.drop(4003, "removed");
  const details = { closeCode: 4003, reason: "removed" };
  await assert.rejects(request, { code: "ERR_CALL_REMOVED", details });
  channel.close();
  assert.deepEqual(closes, [{ code: 4003, reason: "removed" }]);
  await assert.rejects(channel.request("ping"), { code: "ERR_DISCONNECTED" });
  assert.equal(timers.pending, 0);
});

test("a server that can't be reached rejects the opening and closes nothing", async () => {
  const closes = [];
  const channel = new Channel({
    WebSocket: FakeWebSocket, timers: new FakeTimers(), onEvent() {}, onClose: (one) => closes.push(one),
  });
  const opening = channel.open("ws://x/");
  FakeWebSocket.last.drop();
  await assert.rejects(opening, { code: "ERR_UNREACHABLE" });
  assert.deepEqual(closes, []);
});

test("an opening that nobody answers is given up", async () => {
  const timers = new FakeTimers();
  const channel = new Channel({ WebSocket: FakeWebSocket, timers, onEvent() {}, onClose: assert.fail });
  const refused = assert.rejects(channel.open("ws://x/"), { code: "ERR_TIMEOUT" });
  await timers.advance(15_000);
  await refused;
  assert.equal(FakeWebSocket.last.readyState, 3);
  assert.equal(timers.pending, 0);
});

test("closing a socket that isn't open yet rejects the opening", async () => {
  const timers = new FakeTimers();
  const channel = new Channel({ WebSocket: FakeWebSocket, timers, onEvent() {}, onClose: assert.fail });
  const refused = assert.rejects(channel.open("ws://x/"), { code: "ERR_DISCONNECTED" });
  channel.close();
  await refused;
  assert.equal(timers.pending, 0);
});

test("an error without id is reported by itself, and no request is rejected for it", async () => {
  const { channel, socket, errors } = await opened();
  const first = channel.request("sendMessage");
  const second = channel.request("raiseHand");
  socket.deliver({ error: { code: "ERR_BAD_REQUEST", message: "no JSON", details: { line: 1 } } });
  socket.deliver({ error: {} });
  assert.deepEqual(errors.map(({ code, message, details }) => ({ code, message, details })), [
    { code: "ERR_BAD_REQUEST", message: "no JSON", details: { line: 1 } },
    { code: "ERR_EXCEPTION", message: "ERR_EXCEPTION", details: {} },
  ]);
  socket.deliver({ id: socket.sent[1].id, result: { hands: [] } });
  socket.deliver({ id: socket.sent[0].id, result: { messageId: "m" } });
  assert.deepEqual(await second, { hands: [] });
  assert.deepEqual(await first, { messageId: "m" });
});

test("a request that the server wouldn't read for its length is rejected here", async () => {
  const { channel, socket } = await opened();
  const details = { limitBytes: 262_144 };
  const longest = 262_144 - JSON.stringify({ id: 1, method: "sendMessage", params: { text: "" } }).length;
  const fits = channel.request("sendMessage", { text: "x".repeat(longest) });
  for (const text of ["x".repeat(longest + 1), "€".repeat(longest / 3 + 1)]) {
    await assert.rejects(channel.request("sendMessage", { text }), { code: "ERR_MESSAGE_TOO_LARGE", details });
  }
  assert.equal(socket.sent.length, 1);
  socket.deliver({ id: 1, result: {} });
  assert.deepEqual(await fits, {});
});

test("a socket that falls silent is given up; one that answers pings stays", async () => {
  const { socket, timers, closes } = await opened();
  socket.answers = { ping: () => ({ result: { at: 1 } }) };
  await timers.advance(120_000);
  assert.deepEqual(closes, []);
  socket.answers = {};
  await timers.advance(40_000);
  assert.equal(closes.length, 1);
  assert.equal(socket.closedWith, 4000);
});
