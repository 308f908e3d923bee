import { hideBanner, showBanner } from "./banners.js";
import { byId, setAction, setIcon, setText } from "./dom.js";
import { explain, explainDevice } from "./words.js";

const KEYS = { m: "mic", v: "camera", h: "hand", c: "chat-toggle", p: "people-toggle" };
/** What each button is about: a banner about the same takes the place of the one before. */
const ABOUT = { mic: "microphone", camera: "camera", share: "screen", hand: "hand", leave: "leave" };

/** The buttons at the bottom, and their keys. */
export class Controls {
  #client;
  #panel;
  /** What each button that is at work promised when it was pressed. */
  #busy = new Map();
  /** Buttons that were pressed again when they promised something else already. */
  #again = new Set();

  /**
   * @param {import("/rostrum.js").RostrumClient} client
   * @param {import("./panel.js").Panel} panel
   */
  constructor(client, panel) {
    this.#client = client;
    this.#panel = panel;
    const actions = {
      mic: () => (client.audioOn ? client.muteAudio() : client.unmuteAudio()),
      camera: () => (client.videoOn ? client.pauseVideo() : client.resumeVideo()),
      share: () => (client.screenOn ? client.stopScreenShare() : client.startScreenShare()),
      hand: () => (this.#handIsUp ? client.lowerHand() : client.raiseHand()),
      leave: () => client.leave(),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).onclick = () => this.#run(id, action);
    byId("share").hidden = !navigator.mediaDevices?.getDisplayMedia;
    byId("copy-link").onclick = () => this.#copyLink();
    document.onkeydown = (event) => this.#key(event);
  }

  /** Brings every button up to date. */
  render() {
    const { audioOn, videoOn, screenOn, me } = this.#client;
    const locked = me?.audioLocked === true && !audioOn;
    const muting = audioOn ? "Mute" : "Unmute";
    show("mic", audioOn ? "mic" : "micOff", muting, {
      off: !audioOn, action: `${muting} your microphone`, key: "M",
      ...(locked ? { hint: "A moderator has muted you" } : {}),
    });
    show("camera", videoOn ? "camera" : "cameraOff", "Camera", {
      off: !videoOn, action: `Turn your camera ${videoOn ? "off" : "on"}`, key: "V",
    });
    show("share", "screen", screenOn ? "Stop" : "Share", {
      active: screenOn, action: screenOn ? "Stop sharing your screen" : "Share your screen",
    });
    const up = this.#handIsUp;
    show("hand", "hand", up ? "Lower" : "Hand", {
      active: up, action: `${up ? "Lower" : "Raise"} your hand`, key: "H",
    });
  }

  /** Unhooks the keys. */
  close() {
    document.onkeydown = null;
  }

  get #handIsUp() {
    return this.#client.hands.includes(this.#client.participantId);
  }

  async #run(id, action) {
    const promise = byId(id).ariaLabel;
    if (this.#busy.has(id)) {
      if (this.#busy.get(id) !== promise) this.#again.add(id);
      return;
    }
    this.#busy.set(id, promise);
    try {
      await action();
      hideBanner(ABOUT[id]);
    } catch (error) {
      const dismissed = id === "share" && error.name === "NotAllowedError";
      if (!dismissed) {
        const text = error instanceof DOMException ? explainDevice(error, ABOUT[id]) : explain(error);
        showBanner(ABOUT[id], text, { kind: "error", forMs: 8_000 });
      }
    } finally {
      this.#busy.delete(id);
      this.render();
      if (this.#again.delete(id)) this.#run(id, action);
    }
  }

  #key(event) {
    if (byId("meeting").hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest?.("dialog, [role=menu]")) return;
    if (event.key === "Escape") return this.#panel.close();
    if (/^(input|textarea|select)$/iu.test(event.target.tagName)) return;
    const id = KEYS[event.key.toLowerCase()];
    if (!id) return;
    event.preventDefault();
    byId(id).click();
  }

  async #copyLink() {
    const link = new URL(location.origin);
    link.searchParams.set("session", this.#client.session?.sessionId ?? byId("session").value);
    try {
      await navigator.clipboard.writeText(link.href);
      showBanner("copied", "Link copied. Everyone who opens it joins this meeting.", { forMs: 4_000 });
    } catch {
      showBanner("copied", link.href, {});
    }
  }
}

function show(id, symbol, text, { off = false, active = false, action, key, hint }) {
  const button = byId(id);
  setIcon(button, symbol);
  setText(button.querySelector("span"), text);
  setAction(button, action, hint ?? (key ? `${action} (${key})` : action));
  button.dataset.off = off;
  button.dataset.active = active;
}
