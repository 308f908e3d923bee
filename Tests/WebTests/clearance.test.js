import assert from "node:assert/strict";
import { test } from "node:test";
import { isModerator, mayActOn, rank } from "../../Sources/Web/Page/page/clearance.js";
import { removalQuestion, waitingRoom } from "../../Sources/Web/Page/page/words.js";

const person = (scope, uid = scope) => ({ scope, uid });

test("moderators act on those below them, never on their like or on themselves", () => {
  assert.equal(isModerator(person("moderator")), true);
  assert.equal(isModerator(person("participant")), false);
  assert.equal(isModerator(null), false);
  assert.equal(mayActOn(person("moderator"), person("participant")), true);
  assert.equal(mayActOn(person("moderator", "a"), person("moderator", "b")), false);
  assert.equal(mayActOn(person("owner"), person("admin")), true);
  assert.equal(mayActOn(person("participant"), person("viewer")), false);
  assert.equal(mayActOn(person("admin", "me"), person("viewer", "me")), false);
  assert.equal(mayActOn(null, person("viewer")), false);
});

test("a scope that isn't known stands lowest", () => {
  assert.equal(rank("emperor"), rank("viewer"));
  assert.equal(mayActOn(person("emperor"), person("viewer")), false);
});

test("one who waits is named, several are counted", () => {
  assert.match(waitingRoom(["Zoe"]), /^Zoe is/u);
  assert.match(waitingRoom(["Zoe", "Yan"]), /^2 people are/u);
});

test("a removal promises nothing that doesn’t hold: a guest can come back as another one", () => {
  const zoe = removalQuestion({ name: "Zoe", uid: "zoe" });
  assert.equal(zoe.title, "Remove Zoe?");
  assert.match(zoe.text, /for a minute/u);
  const guest = removalQuestion({ name: "", uid: "guest-1f2e3d" });
  assert.equal(guest.title, "Remove this participant?");
  assert.match(guest.text, /as another guest, unless the meeting is locked/u);
  assert.doesNotMatch(guest.text, /minute/u);
});
