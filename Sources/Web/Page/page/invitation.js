import { RostrumError } from "../rostrum/errors.js";
import { peekToken } from "../rostrum/backoff.js";

/** Whoever asks only whether guests are let in asks for this. The server keeps nothing of a token that it gives. */
const ANY_GUEST = { sessionId: "guests", name: "Guest" };

/** How long the server may take over a guest's token. */
const PATIENCE_MS = 15_000;

/** Errors after which the same token is of no use any more. */
const REFUSALS = new Set([
  "ERR_CALL_TOKEN_EXPIRED", "ERR_CALL_TOKEN_INVALID", "ERR_AUTH_TOKEN_EXPIRED",
  "AUTH_ERR_AUTH_TOKEN_NOT_FOUND", "AUTH_ERR_EMPTY_AUTH_TOKEN",
]);

/** What lets somebody in: the token in the page's address, or else being a guest, where guests are let in. */
export class Invitation {
  /** The token in the address, or null. @type {string | null} */
  token;
  #guests = null;

  /** @param {string | null} token */
  constructor(token) {
    this.token = token || null;
  }

  /** The name that the token gives, or undefined. */
  get name() { return textOf(this.#claims.name); }
  /** The session that the token is for, or undefined. */
  get sessionId() { return textOf(this.#claims.sid); }
  /** Whether the session is for the person to choose: without a token, or with one for any session. */
  get leavesSessionOpen() { return !this.token || this.#claims.typ === "auth"; }

  /** Whether this error means that the token is of no use any more. */
  isRefusedBy(error) {
    return this.token !== null && REFUSALS.has(error?.code);
  }

  /** Forgets the token: from now on its bearer is a guest. */
  drop() {
    this.token = null;
  }

  /** A call token for a guest. @returns {Promise<string>} rejects with a `RostrumError` */
  async guestToken(sessionId, name) {
    const response = await ask({ sessionId, name });
    const body = await response.json().catch(() => ({}));
    if (response.ok && body.callToken) return body.callToken;
    const { code = "ERR_EXCEPTION", message = "The server refused.", details } = body.error ?? {};
    throw new RostrumError(code, message, details);
  }

  /**
   * Whether this server lets guests in, so that a link without a token is worth something: it gives them tokens, or
   * has nothing at that address. @returns {Promise<boolean | null>} null: it didn't say
   */
  guestsAreWelcome() {
    this.#guests ??= ask(ANY_GUEST).then(({ ok, status }) => ok || (status === 404 ? false : null), () => null);
    return this.#guests;
  }

  get #claims() {
    return this.token ? peekToken(this.token) : {};
  }
}

async function ask(body) {
  try {
    return await fetch("/v1/guest-tokens", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout?.(PATIENCE_MS),
    });
  } catch {
    throw new RostrumError("ERR_UNREACHABLE", "The server can’t be reached.");
  }
}

function textOf(claim) {
  return typeof claim === "string" && claim ? claim : undefined;
}
