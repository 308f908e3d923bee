import { byId, make } from "./dom.js";

const shown = new Map();

/**
 * Shows a banner at the top; one at a time for each key.
 * @param {string} key
 * @param {string} text
 * @param {object} [options]
 * @param {"note" | "error" | "wait"} [options.kind]
 * @param {string} [options.action] label of a button
 * @param {() => void} [options.onAction] what the button does; without it, it only closes
 * @param {number} [options.forMs] goes by itself
 */
export function showBanner(key, text, { kind = "note", action, onAction, forMs } = {}) {
  hideBanner(key);
  const close = () => hideBanner(key);
  const label = action ?? (kind === "wait" ? null : "Close");
  const press = () => {
    close();
    onAction?.();
  };
  const button = label ? make("button", { type: "button", onclick: press }, label) : null;
  const data = { kind, banner: key };
  const banner = make("div", { class: "banner", data }, make("span", {}, text), button);
  byId("banners").append(banner);
  shown.set(key, { banner, timer: forMs ? setTimeout(close, forMs) : null });
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
