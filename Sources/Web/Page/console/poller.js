import { systemTimers } from "../rostrum/channel.js";

/** Waits between attempts grow up to this. */
const LONGEST_MS = 30_000;

/**
 * Asks again and again while the page is seen: one question at a time, more seldom while answers fail.
 */
export class Poller {
  #options;
  #isOn = false;
  #timer = null;
  #abort = null;
  #failures = 0;
  #wanted = [];
  #running = [];

  /**
   * @param {object} options
   * @param {(signal: AbortSignal) => Promise<void>} options.task
   * @param {number} options.everyMs from an answer to the next question
   * @param {(error: Error | null, retryInMs: number) => void} [options.onTrouble] `null`: it is over
   * @param {() => boolean} [options.isSeen]
   * @param {object} [options.timers]
   * @param {() => number} [options.random]
   */
  constructor(options) {
    this.#options = {
      onTrouble: () => {}, isSeen: () => !document.hidden, timers: systemTimers, random: Math.random,
      ...options,
    };
  }

  start() {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#failures = 0;
    this.#run();
  }

  /** Asks no more, and drops the question that is under way. */
  stop() {
    this.#isOn = false;
    this.#clear();
    this.#abort?.abort();
    this.#abort = null;
    for (const tell of [...this.#wanted, ...this.#running]) tell();
    this.#wanted = [];
    this.#running = [];
  }

  /** Asks now. Resolves after a question that was asked after this call; never rejects. */
  now() {
    if (!this.#isOn) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wanted.push(resolve);
      if (!this.#abort) this.#run();
    });
  }

  /** The page has come to be seen again, or has not. */
  look() {
    if (this.#isOn && !this.#abort && this.#options.isSeen()) this.#run();
  }

  async #run() {
    this.#clear();
    this.#running = this.#wanted;
    this.#wanted = [];
    const abort = new AbortController();
    this.#abort = abort;
    let trouble = null;
    try {
      await this.#options.task(abort.signal);
    } catch (error) {
      trouble = error;
    }
    if (this.#abort === abort) this.#abort = null;
    if (abort.signal.aborted) return;
    const waitMs = this.#settle(trouble);
    for (const tell of this.#running.splice(0)) tell();
    if (!this.#isOn) return;
    if (this.#wanted.length > 0) this.#run();
    else if (this.#options.isSeen()) this.#timer = this.#options.timers.setTimeout(() => this.#run(), waitMs);
  }

  #settle(trouble) {
    const { everyMs, onTrouble } = this.#options;
    if (!trouble) {
      if (this.#failures > 0) onTrouble(null, everyMs);
      this.#failures = 0;
      return everyMs;
    }
    const waitMs = pauseMs(everyMs, this.#failures, trouble, this.#options.random);
    this.#failures += 1;
    onTrouble(trouble, waitMs);
    return waitMs;
  }

  #clear() {
    this.#options.timers.clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/**
 * How long to wait after a failure: twice as long each time, with jitter, never shorter than the server asks.
 * @param {number} everyMs the wait after an answer
 * @param {number} failures how many there were before in a row
 * @param {Error} error
 * @param {() => number} random from 0 up to 1
 */
export function pauseMs(everyMs, failures, { details = {} }, random) {
  const grown = Math.min(everyMs * 2 ** Math.min(failures + 1, 10), LONGEST_MS) * (0.75 + 0.25 * random());
  const asked = details.retryAfterMs ?? (details.retryAfterSeconds ?? 0) * 1_000;
  return Math.round(Math.max(grown, Math.min(asked, LONGEST_MS)));
}
