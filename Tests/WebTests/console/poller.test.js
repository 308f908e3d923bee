import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseMs, Poller } from "../../../Sources/Web/Page/console/poller.js";
import { RostrumError } from "../../../Sources/Web/Page/rostrum/errors.js";
import { FakeTimers, settle } from "../support/fakes.js";

/** A poller whose questions are answered by hand. */
function setUp(over = {}) {
  const timers = new FakeTimers();
  const asked = [];
  const troubles = [];
  const poller = new Poller({
    everyMs: 1_000, timers, isSeen: () => true, random: () => 1,
    task: (signal) => new Promise((resolve, reject) => asked.push({ signal, resolve, reject })),
    onTrouble: (error, ms) => troubles.push([error?.code ?? null, ms]), ...over,
  });
  return { timers, asked, troubles, poller };
}

test("the next question comes a while after the answer, never beside another", async () => {
  const { timers, asked, poller } = setUp();
  poller.start();
  await timers.advance(60_000);
  assert.equal(asked.length, 1);
  asked[0].resolve();
  await timers.advance(999);
  assert.equal(asked.length, 1);
  await timers.advance(1);
  assert.equal(asked.length, 2);
});

test("failures make the waits longer, up to half a minute; an answer makes them short again", async () => {
  const { timers, asked, troubles, poller } = setUp();
  poller.start();
  for (let number = 0; number < 7; number++) {
    asked.at(-1).reject(new RostrumError("ERR_UNREACHABLE", ""));
    await settle();
    await timers.advance(troubles.at(-1)[1]);
  }
  assert.deepEqual(troubles.map(([, ms]) => ms), [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(asked.length, 8);
  asked.at(-1).resolve();
  await timers.advance(1_000);
  assert.deepEqual(troubles.at(-1), [null, 1_000]);
  assert.equal(asked.length, 9);
});

test("a server that says how long to wait is given that time", () => {
  const fast = new RostrumError("ERR_TOO_MANY_REQUESTS", "", { retryAfterMs: 9_000 });
  assert.equal(pauseMs(1_000, 0, fast, () => 0), 9_000);
  const full = new RostrumError("ERR_SERVER_FULL", "", { retryAfterSeconds: 7_000 });
  assert.equal(pauseMs(1_000, 0, full, () => 0), 30_000);
  assert.equal(pauseMs(1_000, 0, new RostrumError("ERR_TIMEOUT", ""), () => 0), 1_500);
});

test("asking now waits for a question that began afterwards: an older one may not know yet", async () => {
  const { asked, poller } = setUp();
  poller.start();
  let isDone = false;
  const done = poller.now().then(() => { isDone = true; });
  asked[0].resolve();
  await settle();
  assert.equal(asked.length, 2);
  assert.equal(isDone, false);
  asked[1].resolve();
  await done;
});

test("asking now is over when its question fails, too", async () => {
  const { timers, asked, poller } = setUp();
  poller.start();
  asked[0].resolve();
  await settle();
  const done = poller.now();
  asked[1].reject(new RostrumError("ERR_UNREACHABLE", ""));
  await done;
  await timers.advance(2_000);
  assert.equal(asked.length, 3);
});

test("nothing is asked while nobody looks, and at once when somebody does again", async () => {
  let isSeen = true;
  const { timers, asked, poller } = setUp({ isSeen: () => isSeen });
  poller.start();
  isSeen = false;
  asked[0].resolve();
  await timers.advance(600_000);
  assert.equal(asked.length, 1);
  isSeen = true;
  poller.look();
  assert.equal(asked.length, 2);
});

test("stopping drops the question under way, tells nobody of it, and lets nobody wait", async () => {
  const { timers, asked, troubles, poller } = setUp();
  poller.start();
  const done = poller.now();
  poller.stop();
  await done;
  assert.equal(asked[0].signal.aborted, true);
  asked[0].reject(new RostrumError("ERR_STATE", ""));
  await timers.advance(600_000);
  assert.equal(asked.length, 1);
  assert.deepEqual(troubles, []);
  await poller.now();
});

test("one that is stopped by the trouble it tells of asks no more", async () => {
  const { timers, asked, poller } = setUp({ onTrouble: () => poller.stop() });
  poller.start();
  asked[0].reject(new RostrumError("ERR_CALL_SESSION_NOT_FOUND", ""));
  await timers.advance(600_000);
  assert.equal(asked.length, 1);
  assert.equal(timers.pending, 0);
});
