/**
 * Which steps turn one order of keys into another, without moving the element that has the focus: a moved
 * element loses it.
 * @param {string[]} current keys in their order now
 * @param {string[]} wanted keys in the order to come, each once
 * @param {string | null} [focused] the key whose element must not be moved
 * @returns {{removed: string[], placed: {key: string, before: string | null}[]}} `placed` is to be carried out
 *   in turn: put `key` before `before`, or at the end. An order that is right already needs none
 */
export function plan(current, wanted, focused = null) {
  const keep = new Set(wanted);
  const order = current.filter((key) => keep.has(key));
  const removed = current.filter((key) => !keep.has(key));
  const placed = [];
  const place = (key, before) => {
    const at = order.indexOf(key);
    if (at >= 0) order.splice(at, 1);
    order.splice(before === null ? order.length : order.indexOf(before), 0, key);
    placed.push({ key, before });
  };
  const anchor = order.includes(focused) ? wanted.indexOf(focused) : -1;
  // Behind the anchor from front to back, before it from back to front: each next to one that stands right.
  for (let index = anchor + 1; index < wanted.length; index++) {
    const at = index === 0 ? 0 : order.indexOf(wanted[index - 1]) + 1;
    if (order[at] !== wanted[index]) place(wanted[index], order[at] ?? null);
  }
  for (let index = anchor - 1; index >= 0; index--) {
    const next = order.indexOf(wanted[index + 1]);
    if (order[next - 1] !== wanted[index]) place(wanted[index], wanted[index + 1]);
  }
  return { removed, placed };
}

/**
 * Whose turn it is to have the focus when the one who had it goes: the next that stays, or the one before.
 * @returns {string | null} null: nobody is left
 */
export function heir(current, wanted, leaving) {
  const keep = new Set(wanted);
  const at = current.indexOf(leaving);
  return current.slice(at + 1).find((key) => keep.has(key))
    ?? current.slice(0, at).reverse().find((key) => keep.has(key)) ?? null;
}
