/**
 * What every refused request and every failed connection rejects with.
 *
 * `code` is one of the server's stable codes (`ERR_CALL_FULL`, `ERR_AUDIO_LOCKED`, …) or one of the
 * client's own: `ERR_UNREACHABLE` (no connection), `ERR_DISCONNECTED` (the socket went away before the
 * answer came), `ERR_TIMEOUT` (no answer in time), `ERR_STATE` (called at the wrong moment).
 */
export class RostrumError extends Error {
  /**
   * @param {string} code a stable code, see above
   * @param {string} message a sentence for a person
   * @param {object} [details] what the server added, or `{closeCode, reason}` after a closed socket
   */
  constructor(code, message, details = {}) {
    super(message);
    this.name = "RostrumError";
    this.code = code;
    this.details = details;
  }
}

/**
 * What the server's close codes mean: the reason given to `ended`, if coming back is pointless, and the error
 * of what was under way.
 */
const CLOSINGS = {
  4001: ["unauthorized", "AUTH_ERR_EMPTY_AUTH_TOKEN", "The server knows no token for this connection."],
  4003: ["removed", "ERR_CALL_REMOVED", "You were removed from the session."],
  4004: ["ended", "ERR_DISCONNECTED", "The session has ended."],
  4008: [null, "ERR_DISCONNECTED", "The connection was too slow for what the server had to say."],
  4009: ["replaced", "ERR_DISCONNECTED", "The same device has joined again elsewhere."],
  4010: [null, "ERR_SERVER_DRAINING", "The server is about to stop."],
  4029: [null, "ERR_TOO_MANY_REQUESTS", "Too many requests on this connection."],
};

/** A refused token is closed with the code that a request would have been refused with. */
const STABLE_CODE = /^(AUTH_)?ERR_[A-Z_]+$/u;

/**
 * The error of whatever a closed socket leaves undone.
 * @param {{code: number, reason?: string}} closing
 * @returns {RostrumError} with `{closeCode, reason}` as details
 */
export function errorOfClosing({ code, reason = "" }) {
  const details = { closeCode: code, reason };
  if (STABLE_CODE.test(reason)) return new RostrumError(reason, "The server refused the token.", details);
  const [, known = "ERR_DISCONNECTED", text = reason || "The connection was closed."] = CLOSINGS[code] ?? [];
  return new RostrumError(known, text, details);
}

/** The reason given to `ended` for a close code after which coming back is pointless; else null. */
export function finalReason(closeCode) {
  return CLOSINGS[closeCode]?.[0] ?? null;
}

/** Failures that another attempt may get past. */
const PASSING = new Set([
  "ERR_UNREACHABLE", "ERR_DISCONNECTED", "ERR_TIMEOUT", "ERR_TOO_MANY_REQUESTS", "ERR_SERVER_DRAINING",
  "ERR_SERVER_FULL",
]);

/** Whether another attempt may get past this error. */
export function isPassing(error) {
  return PASSING.has(error.code) && finalReason(error.details?.closeCode) === null;
}
