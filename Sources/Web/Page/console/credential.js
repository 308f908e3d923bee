import { peekToken } from "../rostrum/backoff.js";

const KEY = "rostrum.console";

/**
 * What the one at the console showed to get in. It lives in this tab's `sessionStorage`: gone with the tab,
 * not sent anywhere by itself, and in no address.
 */
export class Credential {
  /** @param {string} text an API key or an auth token */
  constructor(text) {
    this.text = text;
    const { typ, sub } = peekToken(text);
    this.isToken = typeof typ === "string";
    /** Whom a token speaks for; undefined: a back end, which stands above everybody. */
    this.uid = this.isToken && typeof sub === "string" ? sub : undefined;
  }

  /**
   * What somebody may have meant, in the order to try: as it stands, and as `id:secret`, which the command line takes;
   * secrets may have colons.
   * @returns {Credential[]}
   */
  static readings(text) {
    const colon = text.indexOf(":");
    const whole = new Credential(text);
    return whole.isToken || colon < 0 ? [whole] : [whole, new Credential(text.slice(colon + 1))];
  }

  /** Whether it is an API key. */
  get isKey() { return !this.isToken; }

  keep(storage = globalThis.sessionStorage) {
    try {
      storage.setItem(KEY, this.text);
    } catch {
      // Without storage a reload asks again.
    }
  }

  /** The one that was kept, or null. */
  static kept(storage = globalThis.sessionStorage) {
    try {
      const text = storage.getItem(KEY);
      return text ? new Credential(text) : null;
    } catch {
      return null;
    }
  }

  static forget(storage = globalThis.sessionStorage) {
    try {
      storage.removeItem(KEY);
    } catch {
      // Then nothing was kept.
    }
  }
}
