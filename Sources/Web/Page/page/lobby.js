import { hideBanner, showBanner } from "./banners.js";
import { byId } from "./dom.js";
import { showPreview } from "./preview.js";
import { explainDevice, gone } from "./words.js";

const CONSTRAINTS = {
  audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
};
const NAMES = { audio: "microphone", video: "camera" };

/** Microphone and camera before the meeting: the preview, and what is taken into it. */
export class Lobby {
  #tracks = { audio: null, video: null };
  #opening = Promise.resolve();
  #wanted;

  /** @param {{audio: boolean, video: boolean}} wanted what to switch on at first */
  constructor(wanted) {
    this.#wanted = { ...wanted };
    byId("preview-mic").onclick = () => this.#toggle("audio");
    byId("preview-camera").onclick = () => this.#toggle("video");
  }

  /** Opens the devices that are wanted and not open yet; what can't be opened is left out, and said. */
  open() {
    this.#opening = this.#opening.then(() => this.#openMissing());
    return this.#opening;
  }

  /**
   * Gives the tracks away, for `joinSession`, once a permission prompt that is on show is answered.
   * @returns {Promise<{audio: MediaStreamTrack | false, video: MediaStreamTrack | false}>}
   */
  async handOver() {
    await this.#opening;
    const { audio, video } = this.#tracks;
    this.#tracks = { audio: null, video: null };
    this.#show();
    return { audio: audio ?? false, video: video ?? false };
  }

  async #openMissing() {
    const missing = Object.keys(this.#tracks).filter((kind) => this.#wanted[kind] && !this.#tracks[kind]);
    if (missing.length === 0) return this.#show();
    try {
      await this.#acquire(...missing);
    } catch (error) {
      if (missing.length > 1) await this.#acquireOneByOne(missing);
      else this.#complain(error, missing);
    }
    this.#show();
  }

  async #acquireOneByOne(kinds) {
    const failures = [];
    for (const kind of kinds) await this.#acquire(kind).catch((error) => failures.push({ kind, error }));
    const same = failures.length > 1 && failures.every(({ error }) => error.name === failures[0].error.name);
    if (same) this.#complain(failures[0].error, kinds);
    else for (const { kind, error } of failures) this.#complain(error, [kind]);
  }

  async #acquire(...kinds) {
    if (!navigator.mediaDevices) throw new DOMException("needs https", "SecurityError");
    const asked = Object.fromEntries(kinds.map((kind) => [kind, CONSTRAINTS[kind]]));
    const stream = await navigator.mediaDevices.getUserMedia(asked);
    for (const track of stream.getTracks()) {
      this.#tracks[track.kind] = track;
      track.addEventListener("ended", () => this.#lose(track), { once: true });
    }
  }

  /** A device was unplugged or forbidden while it was on show. */
  #lose(track) {
    const { kind } = track;
    if (this.#tracks[kind] !== track) return;
    this.#tracks[kind] = null;
    this.#wanted[kind] = false;
    showBanner(NAMES[kind], gone(NAMES[kind]), { kind: "error", forMs: 15_000 });
    this.#show();
  }

  #complain(error, kinds) {
    for (const kind of kinds) this.#wanted[kind] = false;
    const text = navigator.mediaDevices
      ? explainDevice(error, kinds.map((kind) => NAMES[kind]).join(" or "))
      : "Browsers give microphone and camera only to pages served over https (or from localhost).";
    showBanner(NAMES[kinds[0]], text, { kind: "error", forMs: 15_000 });
  }

  async #toggle(kind) {
    for (const name of Object.values(NAMES)) hideBanner(name);
    if (this.#tracks[kind]) {
      this.#tracks[kind].stop();
      this.#tracks[kind] = null;
    } else {
      await this.#acquire(kind).catch((error) => this.#complain(error, [kind]));
    }
    this.#wanted[kind] = this.#tracks[kind] !== null;
    this.#show();
  }

  #show() {
    showPreview(this.#tracks.audio !== null, this.#tracks.video);
  }
}

/** A meeting name that is easy to say aloud. */
export function suggestSession() {
  const pick = (words) => words[Math.floor(Math.random() * words.length)];
  const first = ["amber", "brisk", "calm", "dawn", "eager", "fern", "gentle", "hazel", "ivory", "jolly"];
  const second = ["brook", "cedar", "delta", "ember", "falcon", "grove", "harbor", "island", "meadow"];
  return `${pick(first)}-${pick(second)}-${Math.floor(100 + Math.random() * 900)}`;
}
