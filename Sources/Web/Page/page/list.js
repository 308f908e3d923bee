import { heir, plan } from "./arrange.js";

/**
 * A list on the page that is brought up to date in place: elements stay as long as their keys, so that the
 * focus, the scrolling and what is being read stay too.
 */
export class List {
  #root;
  #make;
  #fallback;
  /** Entries by key: whatever `make` gave. @type {Map<string, {element: HTMLElement}>} */
  entries = new Map();

  /**
   * @param {HTMLElement} root
   * @param {(key: string) => {element: HTMLElement, update: (item: object) => void}} make
   * @param {HTMLElement} fallback gets the focus when the last entry goes that had it
   */
  constructor(root, make, fallback) {
    this.#root = root;
    this.#make = make;
    this.#fallback = fallback;
  }

  /** @param {[string, object][]} items keys, each once, with what `update` wants */
  show(items) {
    const wanted = items.map(([key]) => key);
    const hasFocus = ([, { element }]) => element.contains(document.activeElement);
    const [focused] = [...this.entries].find(hasFocus) ?? [null];
    const { removed, placed } = plan(this.#order(), wanted, focused);
    if (removed.includes(focused)) this.#passFocus(focused, wanted);
    for (const key of removed) {
      this.entries.get(key).element.remove();
      this.entries.delete(key);
    }
    for (const key of wanted) if (!this.entries.has(key)) this.#add(key);
    for (const { key, before } of placed) {
      this.#root.insertBefore(this.entries.get(key).element, this.entries.get(before)?.element ?? null);
    }
    for (const [key, item] of items) this.entries.get(key).update(item);
  }

  #order() {
    return [...this.#root.children].map((element) => element.dataset.key);
  }

  #add(key) {
    const entry = this.#make(key);
    entry.element.dataset.key = key;
    this.entries.set(key, entry);
  }

  /** To the same control of the next one who stays. */
  #passFocus(leaving, wanted) {
    const next = heir(this.#order(), wanted, leaving);
    const control = document.activeElement.dataset.control;
    const entry = next === null ? null : this.entries.get(next).element;
    const same = entry && [...entry.querySelectorAll("[data-control]")];
    const target = same?.find((one) => one.dataset.control === control && !one.hidden)
      ?? same?.find((one) => !one.hidden) ?? this.#fallback;
    target.focus();
  }
}

/** Up and down go to the same control of the entry above or below, Home and End to the first and last one. */
export function followArrows(root) {
  root.addEventListener("keydown", (event) => {
    const { control } = event.target.dataset;
    if (!control || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const rows = [...root.children];
    const at = rows.findIndex((row) => row.contains(event.target));
    const last = rows.length - 1;
    const targets = { ArrowUp: Math.max(at - 1, 0), ArrowDown: Math.min(at + 1, last), Home: 0, End: last };
    const to = targets[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const controls = [...rows[to].querySelectorAll("[data-control]")].filter((one) => !one.hidden);
    (controls.find((one) => one.dataset.control === control) ?? controls[0])?.focus();
  });
}
