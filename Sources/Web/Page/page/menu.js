import { make, setText } from "./dom.js";

/** The page's one menu: it belongs to the button that opened it. */
export class Menu {
  #root;
  #anchor = null;
  #choose = null;

  /** @param {HTMLElement} root an empty element with role `menu` */
  constructor(root) {
    this.#root = root;
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("click", ({ target }) => this.#click(target.closest("[role=menuitem]")));
    root.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !root.contains(relatedTarget)) this.close(false);
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (this.#anchor && !root.contains(target) && !this.#anchor.contains(target)) this.close(false);
    });
    window.addEventListener("resize", () => this.close());
    document.addEventListener("scroll", ({ target }) => {
      if (!root.contains(target)) this.#place();
    }, { capture: true, passive: true });
  }

  /** Is it open for this button? */
  isOpenFor(anchor) {
    return this.#anchor === anchor;
  }

  /**
   * @param {HTMLElement} anchor
   * @param {string} label of the menu
   * @param {{key: string, label: string, why: true | string, danger?: boolean, apart?: boolean}[]} items `why`
   *   says why an item can't be chosen now
   * @param {(key: string) => void} choose called after the menu is closed and the button has the focus
   */
  open(anchor, label, items, choose) {
    if (this.#anchor) this.close(false);
    this.#anchor = anchor;
    this.#choose = choose;
    this.#root.setAttribute("aria-label", label);
    this.#root.replaceChildren(...items.map((item) => make("button", {
      type: "button", role: "menuitem", tabIndex: -1, data: { key: item.key, apart: item.apart === true },
      class: item.danger ? "danger" : "",
    }, make("span", {}), make("small", {}))));
    this.update(items);
    this.#root.hidden = false;
    anchor.setAttribute("aria-expanded", "true");
    this.#place();
    this.#items[0]?.focus();
  }

  /** Brings the items up to date where they stand. */
  update(items) {
    for (const { key, label, why } of items) {
      const item = this.#items.find((one) => one.dataset.key === key);
      if (!item) continue;
      setText(item.firstChild, label);
      setText(item.lastChild, why === true ? "" : why);
      if (why === true) item.removeAttribute("aria-disabled");
      else item.setAttribute("aria-disabled", "true");
    }
  }

  /** @param {boolean} [passFocus] back to the button, if the menu has it */
  close(passFocus = true) {
    const anchor = this.#anchor;
    if (!anchor) return;
    this.#anchor = null;
    const hadFocus = this.#root.contains(document.activeElement);
    anchor.setAttribute("aria-expanded", "false");
    if (passFocus && hadFocus) anchor.focus();
    this.#root.hidden = true;
  }

  /** Closes if the button is gone that it belongs to; a focus that the menu has goes to the one given. */
  keep(fallback) {
    if (!this.#anchor || (this.#anchor.isConnected && !this.#anchor.hidden)) return;
    if (this.#root.contains(document.activeElement)) fallback.focus();
    this.close(false);
  }

  get #items() {
    return [...this.#root.children];
  }

  #click(item) {
    if (!item || item.hasAttribute("aria-disabled")) return;
    const choose = this.#choose;
    this.close();
    choose(item.dataset.key);
  }

  #key(event) {
    const items = this.#items;
    const at = items.indexOf(document.activeElement);
    const to = {
      ArrowDown: (at + 1) % items.length, ArrowUp: (at - 1 + items.length) % items.length, Home: 0,
      End: items.length - 1,
    }[event.key];
    if (to !== undefined) items[to].focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  }

  /** Below the button if there is room, else above; never out of sight. */
  #place() {
    if (!this.#anchor) return;
    const { left, right, top, bottom } = this.#anchor.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.#root;
    const edge = 8;
    const x = Math.max(edge, Math.min(right - width, innerWidth - width - edge, Math.max(left, edge)));
    const below = bottom + 4 + height + edge <= innerHeight;
    const y = below ? bottom + 4 : Math.max(edge, Math.min(top - 4 - height, innerHeight - height - edge));
    this.#root.style.left = `${Math.round(x)}px`;
    this.#root.style.top = `${Math.round(y)}px`;
  }
}
