import { byId, icon, make } from "./dom.js";

/** As many as leave a phone's screen usable. */
const MOST = 3;
const shown = new Map();

/**
 * Shows a banner at the top; one at a time for each key.
 * @param {string} key
 * @param {string} text
 * @param {object} [options]
 * @param {"note" | "error" | "wait"} [options.kind]
 * @param {string} [options.action] label of a button
 * @param {() => void} [options.onAction] what it does, besides closing
 * @param {number} [options.forMs] goes by itself
 */
export function showBanner(key, text, { kind = "note", action, onAction, forMs } = {}) {
  hideBanner(key);
  const close = () => hideBanner(key);
  const press = () => {
    close();
    onAction?.();
  };
  const dismissal = { type: "button", class: "dismiss", "aria-label": "Close", onclick: close };
  const buttons = [
    action ? make("button", { type: "button", onclick: press }, action) : null,
    kind === "wait" ? null : make("button", dismissal, icon("close")),
  ];
  const data = { kind, banner: key };
  const banner = make("div", { class: "banner", data }, make("span", {}, text), ...buttons);
  byId("banners").append(banner);
  shown.set(key, { banner, timer: forMs ? setTimeout(close, forMs) : null });
  makeRoom();
}

/** Keeps the pile low: what was only noted goes first, then what was wrong; what is waited for stays. */
function makeRoom() {
  const rank = { note: 0, error: 1, wait: 2 };
  while (shown.size > MOST) {
    const older = [...shown].slice(0, -1);
    const [key] = older.reduce((least, one) => (
      rank[one[1].banner.dataset.kind] < rank[least[1].banner.dataset.kind] ? one : least));
    hideBanner(key);
  }
}

/** Takes the banner with this key away. */
export function hideBanner(key) {
  const one = shown.get(key);
  if (!one) return;
  clearTimeout(one.timer);
  one.banner.remove();
  shown.delete(key);
}

/** Takes all banners away. */
export function hideAllBanners() {
  for (const key of [...shown.keys()]) hideBanner(key);
}
