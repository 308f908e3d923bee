import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakePeerConnection, FakeWebSocket, settle } from "./support/fakes.js";
import { agreeable, connected, requests, tokenOf, welcome } from "./support/meeting.js";

beforeEach(() => {
  FakeWebSocket.all = [];
  FakePeerConnection.all = [];
  FakePeerConnection.onOffer = null;
});

const token = tokenOf({ typ: "auth", exp: 2_000_000_000 });
const ringing = (over = {}) => ({ sessionId: "call-1", status: "initiated", ...over });

/** Connected with an auth token, to a server that agrees to every change of a call. */
function ready(over = {}) {
  const verbs = ["initiateCall", "acceptCall", "rejectCall", "cancelCall", "endCall"];
  const answers = {
    ...agreeable(), ...Object.fromEntries(verbs.map((verb) => [verb, () => ({ result: { call: ringing() } })])),
    getActiveCall: () => ({ result: {} }), ...over,
  };
  return connected({ answers, access: { token } });
}

test("a call is made, answered, turned down and ended with what the API takes", async () => {
  const { client } = await ready();
  const wanted = { receiverId: "bob", receiverType: "user", type: "audio", timeoutSeconds: 20 };
  assert.deepEqual(await client.initiateCall(wanted), ringing());
  assert.deepEqual(await client.acceptCall("call-1", { deviceId: "phone" }), ringing());
  await client.acceptCall("call-2");
  await client.rejectCall("call-1");
  await client.rejectCall("call-1", "busy");
  await client.cancelCall("call-1");
  await client.endCall("call-1");
  await client.getActiveCall("team");
  assert.deepEqual(await client.getActiveCall(), {});
  assert.deepEqual(requests("initiateCall"), [wanted]);
  assert.deepEqual(requests("acceptCall"), [{ sessionId: "call-1", deviceId: "phone" }, { sessionId: "call-2" }]);
  assert.deepEqual(requests("rejectCall").map(({ status }) => status), ["rejected", "busy"]);
  for (const verb of ["cancelCall", "endCall"]) assert.deepEqual(requests(verb), [{ sessionId: "call-1" }]);
  assert.deepEqual(requests("getActiveCall"), [{ guid: "team" }, {}]);
});

test("a refusal has the API's code", async () => {
  const error = { code: "ERR_CALL_BUSY_USER", message: "busy" };
  const { client } = await ready({ initiateCall: () => ({ error }) });
  await assert.rejects(client.initiateCall({ receiverId: "bob", receiverType: "user" }), { code: error.code });
});

test("what is told of calls arrives as events, and a call's session is joined by its id", async () => {
  const { client } = await ready({ joinSession: () => ({ result: welcome() }) });
  const told = [];
  for (const name of ["incomingCallReceived", "incomingCallCancelled", "callEnded"]) {
    client.addEventListener(name, ({ detail }) => told.push([name, detail]));
  }
  const tell = (event, data) => FakeWebSocket.last.deliver({ event, at: 1, data });
  tell("incomingCallReceived", { call: ringing() });
  tell("incomingCallCancelled", { call: ringing(), reason: "answeredElsewhere" });
  await settle();
  assert.deepEqual(told.map(([name]) => name), ["incomingCallReceived", "incomingCallCancelled"]);
  assert.deepEqual(told[0][1].call, ringing());

  await client.joinSession({ audio: false, video: false, sessionId: "call-1" });
  assert.deepEqual(requests("joinSession").map(({ sessionId }) => sessionId), ["call-1"]);
  tell("callEnded", { call: ringing({ status: "ended" }) });
  await settle();
  assert.equal(told.at(-1)[0], "callEnded");
  assert.equal(client.state, "joined", "the session itself says when it is over");
});
