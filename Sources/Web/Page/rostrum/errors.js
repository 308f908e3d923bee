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

/** Close codes after which coming back is pointless: the server has decided. */
export const FINAL_CLOSE_CODES = new Set([4001, 4003, 4004, 4009]);
