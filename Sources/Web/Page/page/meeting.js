import { hideBanner, showBanner } from "./banners.js";
import { Chat } from "./chat.js";
import { Controls } from "./controls.js";
import { dismiss } from "./dialog.js";
import { announce, byId, setText } from "./dom.js";
import { Moderation } from "./moderation.js";
import { Panel } from "./panel.js";
import { People } from "./people.js";
import { Tiles } from "./tiles.js";
import { Voices } from "./voices.js";
import { draining, moderated, mourn } from "./words.js";

/** The meeting on show: ties the client's events to the parts of the page. */
export class Meeting {
  #client;
  #parts;
  #clock;
  #scheduled = false;
  #closed = false;

  /** @param {import("/rostrum.js").RostrumClient} client joined, or about to be */
  constructor(client) {
    this.#client = client;
    const moderation = new Moderation(client, () => panel.open("people"));
    const people = new People(client, moderation);
    const panel = new Panel((tab) => (tab === "chat" ? chat.read() : people.render()));
    const chat = new Chat(client, () => panel.shows("chat"));
    this.#parts = [new Tiles(client), new Voices(client), moderation, people, new Controls(client, panel)];
    for (const name of ["rosterchange", "seatschange", "localchange"]) {
      client.addEventListener(name, () => this.#schedule());
    }
    this.#followConnection();
    this.#followPeople();
    const startedAt = Date.now();
    this.#clock = setInterval(() => setText(byId("clock"), clockText(Date.now() - startedAt)), 1_000);
    setText(byId("clock"), clockText(0));
    this.render();
  }

  /** Brings the whole page up to date. */
  render() {
    const { session } = this.#client;
    const title = session?.title || session?.sessionId || "Meeting";
    setText(byId("title"), title);
    document.title = `${title} · Rostrum`;
    byId("recording").hidden = !session?.recording;
    for (const part of this.#parts) part.render();
  }

  /** Ends the show. */
  close() {
    this.#closed = true;
    clearInterval(this.#clock);
    for (const part of this.#parts) part.close?.();
    dismiss();
    document.title = "Rostrum";
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A timer, not a frame: a hidden tab draws no frames but its sound has to go on.
    setTimeout(() => {
      this.#scheduled = false;
      if (!this.#closed) this.render();
    }, 16);
  }

  #followConnection() {
    const client = this.#client;
    let path = "new";
    const tell = () => {
      if (client.state === "reconnecting") {
        showBanner("connection", "Connection lost. Getting you back in…", { kind: "wait" });
      } else if (path === "failed" || path === "disconnected") {
        showBanner("connection", "Sound and picture are interrupted. Finding a new way…", { kind: "wait" });
      } else {
        hideBanner("connection");
      }
    };
    client.addEventListener("statechange", tell);
    client.addEventListener("icestatechange", ({ detail }) => {
      path = detail.state;
      tell();
    });
    client.addEventListener("event", ({ detail: { event, at, data } }) => {
      if (event !== "serverDraining") return;
      // By the server's own clock: the one here may be wrong.
      const leftMs = data.deadlineAt - (at ?? Date.now());
      showBanner("draining", draining(leftMs), leftMs > LONG_MS ? {} : { forMs: 15_000 });
    });
    client.addEventListener("idleWarning", ({ detail }) => {
      showBanner("idle", `Nobody else is here: the meeting closes in ${detail.secondsLeft} seconds.`, {});
    });
  }

  #tellOfEnd(source) {
    const [text, action] = mourn(source);
    if (!action) return showBanner(`ended-${source}`, text, { forMs: 4_000 });
    const id = source === "microphone" ? "mic" : "camera";
    showBanner(`ended-${source}`, text, { kind: "error", action, onAction: () => byId(id).click() });
  }

  #followPeople() {
    const client = this.#client;
    const idIn = (detail) => detail.participant?.participantId ?? detail.participantId;
    const known = (detail) => detail.participant ?? client.participant(detail.participantId);
    const nameOf = (detail) => known(detail)?.name || "Somebody";
    const isMe = (detail) => idIn(detail) === client.participantId;
    const say = (event, text) => client.addEventListener(event, ({ detail }) => {
      if (!isMe(detail)) announce(text(nameOf(detail)));
    });
    say("participantJoined", (name) => `${name} joined`);
    say("participantLeft", (name) => `${name} left`);
    say("participantHandRaised", (name) => `${name} raised a hand`);
    say("participantStartedScreenShare", (name) => `${name} shares the screen`);
    client.addEventListener("participantJoined", () => hideBanner("idle"));
    let before = sources(client);
    client.addEventListener("localchange", ({ detail }) => {
      const now = sources(client);
      const off = Object.keys(now).find((source) => before[source] && !now[source]);
      before = now;
      if (detail.by && off) {
        const name = client.participant(detail.by.participantId)?.name;
        const text = moderated(off, detail.by, { name, isLocked: client.me?.audioLocked === true });
        showBanner("moderated", text, { forMs: 10_000 });
      }
      if (detail.ended) this.#tellOfEnd(detail.ended);
      for (const [source, isOn] of [["microphone", client.audioOn], ["camera", client.videoOn]]) {
        if (isOn) hideBanner(`ended-${source}`);
      }
      if (client.audioOn) hideBanner("unmute");
    });
    client.addEventListener("unmuteRequested", () => {
      // The button asks the device and says what goes wrong.
      const onAction = () => byId("mic").click();
      showBanner("unmute", "You’re asked to speak.", { action: "Unmute", onAction });
    });
  }
}

/** From here on a notice stays until it is closed: there is time to read it, and to come back to it. */
const LONG_MS = 90_000;

/** Which own sources are on. */
function sources({ audioOn, videoOn, screenOn }) {
  return { microphone: audioOn, camera: videoOn, screen: screenOn };
}

function clockText(ms) {
  const seconds = Math.floor(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const text = parts.map((part) => String(part).padStart(2, "0"));
  return parts[0] > 0 ? text.join(":") : text.slice(1).join(":");
}
