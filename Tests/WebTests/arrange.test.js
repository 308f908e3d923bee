import assert from "node:assert/strict";
import { test } from "node:test";
import { heir, plan } from "../../Sources/Web/Page/page/arrange.js";

/** Carries out the steps, as a list on the page does. */
function carryOut(current, { removed, placed }) {
  const order = current.filter((key) => !removed.includes(key));
  for (const { key, before } of placed) {
    if (order.includes(key)) order.splice(order.indexOf(key), 1);
    assert.ok(before === null || order.includes(before), `${before} isn't there`);
    order.splice(before === null ? order.length : order.indexOf(before), 0, key);
  }
  return order;
}

/** Numbers from 0 up to a limit, always the same ones. */
function seeded(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
}

function shuffled(keys, next) {
  const rest = [...keys];
  return keys.map(() => rest.splice(next(rest.length), 1)[0]);
}

test("any order becomes any other, and what has the focus never moves", () => {
  const next = seeded(7);
  for (let round = 0; round < 3_000; round++) {
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    const current = shuffled(keys, next).slice(0, next(13));
    const wanted = shuffled(keys, next).slice(0, next(13));
    const focused = next(3) === 0 ? null : keys[next(12)];
    const steps = plan(current, wanted, focused);
    assert.deepEqual(carryOut(current, steps), wanted);
    if (current.includes(focused)) assert.ok(steps.placed.every(({ key }) => key !== focused));
  }
});

test("an order that is right already is left alone, whoever comes last or goes", () => {
  assert.deepEqual(plan(["a", "b"], ["a", "b"]), { removed: [], placed: [] });
  assert.deepEqual(plan(["a", "b"], ["a", "b", "c"]).placed, [{ key: "c", before: null }]);
  assert.deepEqual(plan(["a", "b", "c"], ["a", "c"]), { removed: ["b"], placed: [] });
});

test("the focus goes to the next who stays, else to the one before, else nowhere", () => {
  assert.equal(heir(["a", "b", "c", "d"], ["a", "d"], "b"), "d");
  assert.equal(heir(["a", "b", "c"], ["a", "b"], "c"), "b");
  assert.equal(heir(["a"], [], "a"), null);
});
