import { errorOfClosing, RostrumError } from "./errors.js";

/** The WebSocket subprotocol of version 1 of the control API. */
export const SUBPROTOCOL = "rostrum.v1";
/** The longest message that the server reads, in bytes of UTF-8. */
const MAX_MESSAGE_BYTES = 262_144;

/**
 * One WebSocket: requests matched with answers by id, events handed on in order, a heartbeat.
 *
 * A channel lives as long as its socket; after a loss the client makes a new one.
 */
export class Channel {
  #socket;
  #options;
  #timers;
  #pending = new Map();
  #refuseOpening = null;
  #nextId = 1;
  #heartbeat = null;
  #lastHeard = 0;
  #finished = false;

  /**
   * @param {object} options
   * @param {(envelope: object) => void} options.onEvent called for each event, in order of arrival
   * @param {(error: RostrumError) => void} [options.onError] called for an error that names no request: the
   *   server couldn't read what it is about
   * @param {(info: {code: number, reason: string}) => void} options.onClose called once, if `open` succeeded
   * @param {typeof WebSocket} [options.WebSocket] replaced in tests
   * @param {typeof systemTimers} [options.timers] replaced in tests
   * @param {number} [options.requestTimeoutMs] how long an answer, or the opening, may take
   * @param {number} [options.pingEveryMs] distance of the `ping` requests
   * @param {number} [options.deadAfterMs] silence after which the socket is given up
   */
  constructor({
    onEvent, onError = () => {}, onClose, WebSocket = globalThis.WebSocket, timers = systemTimers,
    requestTimeoutMs = 15_000, pingEveryMs = 10_000, deadAfterMs = 25_000,
  }) {
    this.#options = { onEvent, onError, onClose, WebSocket, requestTimeoutMs, pingEveryMs, deadAfterMs };
    this.#timers = timers;
  }

  /**
   * Opens the socket.
   * @param {string} url `ws:` or `wss:`, with the token in its query if it travels that way
   * @returns {Promise<void>} rejects with `ERR_UNREACHABLE`, `ERR_TIMEOUT`, or what `close` was called for
   */
  open(url) {
    return new Promise((resolve, reject) => {
      const socket = new this.#options.WebSocket(url, [SUBPROTOCOL]);
      const late = this.#timers.setTimeout(() => {
        this.#refuseOpening(new RostrumError("ERR_TIMEOUT", "The server didn't answer."));
        socket.close();
      }, this.#options.requestTimeoutMs);
      this.#socket = socket;
      this.#refuseOpening = (error) => {
        this.#timers.clearTimeout(late);
        this.#refuseOpening = null;
        this.#finished = true;
        reject(error);
      };
      socket.onopen = () => {
        if (this.#finished) return;
        this.#timers.clearTimeout(late);
        this.#refuseOpening = null;
        this.#lastHeard = this.#timers.now();
        this.#heartbeat = this.#timers.setInterval(() => this.#beat(), this.#options.pingEveryMs);
        resolve();
      };
      socket.onmessage = (message) => this.#receive(message.data);
      socket.onclose = ({ code, reason }) => {
        const details = { closeCode: code, reason };
        this.#refuseOpening?.(new RostrumError("ERR_UNREACHABLE", "The server can't be reached.", details));
        this.#finish(code, reason);
      };
    });
  }

  /**
   * Sends a request and waits for its answer.
   * @returns {Promise<object>} the `result`; rejects with a `RostrumError` that carries the server's code, also
   *   if the request is longer than the server would read
   */
  request(method, params = {}) {
    if (!this.isOpen) {
      return Promise.reject(new RostrumError("ERR_DISCONNECTED", "There is no connection to the server."));
    }
    const id = this.#nextId++;
    const text = JSON.stringify({ id, method, params });
    if (isTooLong(text)) {
      const details = { limitBytes: MAX_MESSAGE_BYTES };
      return Promise.reject(new RostrumError("ERR_MESSAGE_TOO_LARGE", "The message is too long.", details));
    }
    return new Promise((resolve, reject) => {
      const timer = this.#timers.setTimeout(() => {
        this.#pending.delete(id);
        reject(new RostrumError("ERR_TIMEOUT", `The server didn't answer ${method}.`));
      }, this.#options.requestTimeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#socket.send(text);
    });
  }

  /** Whether requests can be made. */
  get isOpen() {
    return !this.#finished && this.#socket?.readyState === 1;
  }

  /** Closes the socket; `onClose` is called with this code at once if it was open. Idempotent. */
  close(code = 1000, reason = "") {
    if (!this.#socket || this.#finished) return;
    // A dead network answers no closing handshake, so nobody waits for it.
    this.#socket.close(code, reason);
    this.#refuseOpening?.(errorOfClosing({ code, reason }));
    this.#finish(code, reason);
  }

  #receive(text) {
    if (this.#finished) return;
    this.#lastHeard = this.#timers.now();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message === null || typeof message !== "object") return;
    if (typeof message.event === "string") return this.#options.onEvent(message);
    // Without an id it is about something that the server couldn't read, and no request of ours has failed by it.
    if (message.error && message.id === undefined) return this.#options.onError(errorOf(message.error));
    const waiting = this.#pending.get(message.id);
    if (!waiting) return;
    this.#pending.delete(message.id);
    this.#timers.clearTimeout(waiting.timer);
    if (message.error) waiting.reject(errorOf(message.error));
    else waiting.resolve(message.result ?? {});
  }

  #beat() {
    if (this.#timers.now() - this.#lastHeard > this.#options.deadAfterMs) {
      return this.close(4000, "nothing heard");
    }
    // Any message counts as heard, also an error; a failed ping shows as silence.
    this.request("ping").catch(() => {});
  }

  #finish(code, reason) {
    if (this.#finished) return;
    this.#finished = true;
    this.#timers.clearInterval(this.#heartbeat);
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject, timer } of pending) {
      this.#timers.clearTimeout(timer);
      reject(errorOfClosing({ code, reason }));
    }
    this.#options.onClose({ code, reason });
  }
}

/** An `error` of the server's as what requests reject with. */
function errorOf({ code = "ERR_EXCEPTION", message = code, details }) {
  return new RostrumError(code, message, details);
}

function isTooLong(text) {
  // A UTF-16 unit is three bytes of UTF-8 at most.
  if (text.length * 3 <= MAX_MESSAGE_BYTES) return false;
  return new TextEncoder().encode(text).length > MAX_MESSAGE_BYTES;
}

/** The clock and timers of the platform. */
export const systemTimers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  setInterval: (run, ms) => setInterval(run, ms),
  clearInterval: (timer) => clearInterval(timer),
  now: () => Date.now(),
};
