import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ACTIONS } from "../../Sources/Web/Page/console/actions.js";
import { menuItems, possible, scopeQuestion, VERBS } from "../../Sources/Web/Page/page/verbs.js";

test("what can't be done says why", () => {
  const one = {
    scope: "participant", audioMuted: true, audioLocked: false, videoPaused: true, raisedHandAt: 0,
  };
  const can = possible(one);
  const done = Object.keys(can).filter((key) => can[key] === true);
  assert.deepEqual(done, ["lock", "ask", "scope", "remove"]);
  assert.equal(can.mute, "Muted");
  assert.ok(Object.values(possible(one, false)).every((why) => why === "Not below you"));
});

test("the console and the page have the same menu, and the page's methods are the API's", () => {
  const api = readFileSync(new URL("../../Sources/Control/README.md", import.meta.url), "utf8");
  const methods = api.split("| method |")[1].split("\n\n")[0];
  for (const [verb, { method }] of Object.entries(VERBS)) {
    assert.ok(ACTIONS[verb], verb);
    assert.ok(methods.includes(`\`${method}\``), method);
  }
  const items = menuItems(possible({ scope: "owner" }));
  assert.deepEqual(items.map(({ key }) => key), Object.keys(VERBS));
  assert.deepEqual(items.filter(({ danger }) => danger).map(({ key }) => key), ["remove"]);
  assert.equal(items.find(({ key }) => key === "scope").why, "Owns the group");
});

test("nobody is offered to give a scope that isn't below the own one; a back end gives all", () => {
  const given = (own) => scopeQuestion("Ben", "viewer", own).fields[0].options.map(([scope]) => scope).join();
  assert.equal(given("moderator"), "participant,viewer");
  assert.equal(given("owner"), "admin,moderator,participant,viewer");
  assert.equal(given(undefined), "admin,moderator,participant,viewer");
  assert.equal(scopeQuestion("Ben", "viewer", "admin").fields[0].value, "viewer");
});
