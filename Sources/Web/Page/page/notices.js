import { hideBanner, showBanner } from "./banners.js";
import { draining, LOCKED, moderated, mourn, UNLOCKED } from "./words.js";

/** From here on a notice stays until it is closed: there is time to read it, and to come back to it. */
const LONG_MS = 90_000;
const SOURCES = ["microphone", "camera", "screen"];

/**
 * What one is told about the own microphone, camera and screen. Of each there is one banner, under its name: what is
 * newer takes the place of what was said before, and nothing stays that no longer holds.
 */
export class Notices {
  #client;
  #press;
  #banners;
  #before;

  /**
   * @param {import("/rostrum.js").RostrumClient} client in the meeting
   * @param {(source: "microphone" | "camera") => void} press switches it on as its button does, which says what
   *   goes wrong
   * @param {{show: typeof showBanner, hide: typeof hideBanner}} [banners] for tests
   */
  constructor(client, press, banners = { show: showBanner, hide: hideBanner }) {
    this.#client = client;
    this.#press = press;
    this.#banners = banners;
    this.#before = stateOf(client);
    if (this.#before.locked) banners.show("microphone", LOCKED, { forMs: 10_000 });
    client.addEventListener("localchange", ({ detail }) => this.#followSources(detail));
    client.addEventListener("rosterchange", () => this.#followLock());
    client.addEventListener("unmuteRequested", () => {
      if (!client.audioOn) this.#offer("microphone", "You’re asked to speak.", "Unmute");
    });
  }

  #followSources({ by, ended }) {
    const before = this.#before;
    const now = this.#before = stateOf(this.#client);
    for (const source of SOURCES) if (now[source]) this.#banners.hide(source);
    if (ended) return this.#tellOfEnd(ended);
    const off = SOURCES.find((source) => before[source] && !now[source]);
    if (!by || !off) return;
    const { name } = this.#client.participant(by.participantId) ?? {};
    this.#banners.show(off, moderated(off, by, { name, isLocked: now.locked }), { forMs: 10_000 });
  }

  /** A lock that comes without a mute, on a microphone that was off already, and the end of one. */
  #followLock() {
    // Not known for a moment: on the way back into the meeting.
    if (!this.#client.me) return;
    const before = this.#before;
    const now = this.#before = stateOf(this.#client);
    if (now.locked === before.locked) return;
    if (now.locked) this.#banners.show("microphone", LOCKED, { forMs: 10_000 });
    else this.#offer("microphone", UNLOCKED, "Unmute", { forMs: 10_000 });
  }

  #tellOfEnd(source) {
    const [text, action] = mourn(source);
    if (action) this.#offer(source, text, action, { kind: "error" });
    else this.#banners.show(source, text, { forMs: 4_000 });
  }

  #offer(source, text, action, more = {}) {
    this.#banners.show(source, text, { action, onAction: () => this.#press(source), ...more });
  }
}

/** Which own sources are on, and whether the microphone is locked. */
function stateOf({ audioOn, videoOn, screenOn, me }) {
  return { microphone: audioOn, camera: videoOn, screen: screenOn, locked: me?.audioLocked === true };
}

/** Tells that the server is to stop, to those who wait too. */
export function followServer(client) {
  client.addEventListener("event", ({ detail: { event, at, data } }) => {
    if (event !== "serverDraining") return;
    // By the server's own clock: the one here may be wrong.
    const leftMs = data.deadlineAt - (at ?? Date.now());
    showBanner("draining", draining(leftMs), leftMs > LONG_MS ? {} : { forMs: 15_000 });
  });
}
