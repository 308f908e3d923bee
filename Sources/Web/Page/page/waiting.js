import { hideBanner, showBanner } from "./banners.js";
import { byId, setText } from "./dom.js";
import { showPreview } from "./preview.js";
import { explain, explainDevice, gone } from "./words.js";

/** Waiting to be let in: the own picture, microphone and camera as one will come in, and the way out. */
export class WaitingRoom {
  #client;
  #busy = new Set();
  #end = new AbortController();

  /** @param {import("/rostrum.js").RostrumClient} client waiting */
  constructor(client) {
    this.#client = client;
    const { title, sessionId } = client.session ?? {};
    const name = title || sessionId || "the meeting";
    setText(byId("waiting-for"), name);
    document.title = `Waiting · ${name} · Rostrum`;
    byId("preview-mic").onclick = () => this.#switch(
      "microphone", () => (client.audioOn ? client.muteAudio() : client.unmuteAudio()));
    byId("preview-camera").onclick = () => this.#switch(
      "camera", () => (client.videoOn ? client.pauseVideo() : client.resumeVideo()));
    byId("stop-waiting").onclick = () => client.leave();
    client.addEventListener("localchange", ({ detail }) => {
      if (detail.ended) showBanner(detail.ended, gone(detail.ended), { kind: "error", forMs: 15_000 });
      this.#show();
    }, { signal: this.#end.signal });
    this.#show();
  }

  /** Ends the wait: the tracks are the client's and go on. */
  close() {
    this.#end.abort();
    showPreview(false, null);
    document.title = "Rostrum";
  }

  #show() {
    showPreview(this.#client.audioOn, this.#client.videoTrack);
  }

  async #switch(source, action) {
    if (this.#busy.has(source)) return;
    this.#busy.add(source);
    hideBanner(source);
    try {
      await action();
    } catch (error) {
      const text = error instanceof DOMException ? explainDevice(error, source) : explain(error);
      if (this.#client.state !== "closed") showBanner(source, text, { kind: "error", forMs: 15_000 });
    } finally {
      this.#busy.delete(source);
    }
  }
}
