import assert from "node:assert/strict";
import { test } from "node:test";
import { Invitation } from "../../Sources/Web/Page/page/invitation.js";
import { RostrumError } from "../../Sources/Web/Page/rostrum/errors.js";

/** A token as the server makes it: base64url of UTF-8. */
function tokenOf(claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.c2ln`;
}

/** The server's answers to requests for guest tokens; returns what it was asked. */
function answering(answer) {
  const asked = [];
  globalThis.fetch = async (path, { method, body }) => {
    asked.push([method, path, JSON.parse(body)]);
    const [status, text] = await answer();
    return { status, ok: status < 300, json: async () => JSON.parse(text) };
  };
  return asked;
}

const refusal = (code) => JSON.stringify({ error: { code, message: "no" } });

test("name and session come from a call token, whatever letters they have", () => {
  const invitation = new Invitation(tokenOf({ typ: "call", name: "Zoë Łukasz 李", sid: "weekly" }));
  assert.equal(invitation.name, "Zoë Łukasz 李");
  assert.equal(invitation.sessionId, "weekly");
  assert.equal(invitation.leavesSessionOpen, false);
});

test("an auth token and no token leave the session to the person", () => {
  assert.equal(new Invitation(tokenOf({ typ: "auth", name: "Ada" })).leavesSessionOpen, true);
  for (const none of [null, ""]) {
    const invitation = new Invitation(none);
    assert.equal(invitation.leavesSessionOpen, true);
    assert.deepEqual([invitation.token, invitation.name, invitation.sessionId], [null, undefined, undefined]);
  }
});

test("what isn't a token, or claims no text, gives no name", () => {
  for (const odd of ["garbage", "a.b.c", tokenOf({ name: 7, sid: {} }), tokenOf({ name: "" })]) {
    const invitation = new Invitation(odd);
    assert.deepEqual([invitation.name, invitation.sessionId], [undefined, undefined]);
    assert.equal(invitation.leavesSessionOpen, false);
  }
});

test("a token is refused by what says so of the token, and only while there is one", () => {
  const invitation = new Invitation(tokenOf({ typ: "call", sid: "s" }));
  assert.equal(invitation.isRefusedBy(new RostrumError("ERR_CALL_TOKEN_EXPIRED", "")), true);
  assert.equal(invitation.isRefusedBy(new RostrumError("AUTH_ERR_AUTH_TOKEN_NOT_FOUND", "")), true);
  assert.equal(invitation.isRefusedBy(new RostrumError("ERR_CALL_FULL", "")), false);
  assert.equal(invitation.isRefusedBy(new DOMException("x", "NotFoundError")), false);
  invitation.drop();
  assert.equal(invitation.isRefusedBy(new RostrumError("ERR_CALL_TOKEN_EXPIRED", "")), false);
  assert.equal(invitation.leavesSessionOpen, true);
});

test("guests are welcome where they get tokens; it is asked once", async () => {
  const asked = answering(() => [201, JSON.stringify({ callToken: "t", sessionId: "guests", uid: "guest-1" })]);
  const invitation = new Invitation("x");
  assert.equal(await invitation.guestsAreWelcome(), true);
  assert.equal(await invitation.guestsAreWelcome(), true);
  assert.deepEqual(asked, [["POST", "/v1/guest-tokens", { sessionId: "guests", name: "Guest" }]]);
});

test("guests aren't welcome where there is nothing for them; who doesn't answer that doesn't say so", async () => {
  answering(() => [404, refusal("ERR_API_NOT_FOUND")]);
  assert.equal(await new Invitation("x").guestsAreWelcome(), false);
  answering(() => [503, refusal("ERR_SERVER_DRAINING")]);
  assert.equal(await new Invitation("x").guestsAreWelcome(), null);
  answering(() => Promise.reject(new TypeError("network")));
  assert.equal(await new Invitation("x").guestsAreWelcome(), null);
});

test("a guest gets a token, or the server's reason", async () => {
  const invitation = new Invitation(null);
  const asked = answering(() => [201, JSON.stringify({ callToken: "t", sessionId: "s", uid: "guest-1" })]);
  assert.equal(await invitation.guestToken("s", "Ada"), "t");
  assert.deepEqual(asked[0][2], { sessionId: "s", name: "Ada" });
  answering(() => [404, refusal("ERR_API_NOT_FOUND")]);
  await assert.rejects(invitation.guestToken("s", "Ada"), { code: "ERR_API_NOT_FOUND" });
  answering(() => [502, "<html>"]);
  await assert.rejects(invitation.guestToken("s", "Ada"), { code: "ERR_EXCEPTION" });
  answering(() => Promise.reject(new TypeError("network")));
  await assert.rejects(invitation.guestToken("s", "Ada"), { code: "ERR_UNREACHABLE" });
});
