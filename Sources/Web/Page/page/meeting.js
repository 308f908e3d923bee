import { hideBanner, showBanner } from "./banners.js";
import { Chat } from "./chat.js";
import { Controls } from "./controls.js";
import { dismiss } from "./dialog.js";
import { announce, byId, setText } from "./dom.js";
import { Moderation } from "./moderation.js";
import { Notices } from "./notices.js";
import { Panel } from "./panel.js";
import { People } from "./people.js";
import { Tiles } from "./tiles.js";
import { Voices } from "./voices.js";

/** The meeting on show: ties the client's events to the parts of the page. */
export class Meeting {
  #client;
  #parts;
  #clock;
  #scheduled = false;
  #closed = false;

  /** @param {import("/rostrum.js").RostrumClient} client joined */
  constructor(client) {
    this.#client = client;
    const moderation = new Moderation(client, {
      open: () => panel.open("people"), isOpen: () => panel.shows("people"),
    });
    const people = new People(client, moderation);
    const panel = new Panel((tab) => {
      if (tab === "chat") return chat.read();
      people.render();
      moderation.render();
    });
    const chat = new Chat(client, () => panel.shows("chat"));
    this.#parts = [new Tiles(client), new Voices(client), moderation, people, new Controls(client, panel)];
    for (const name of ["rosterchange", "seatschange", "localchange"]) {
      client.addEventListener(name, () => this.#schedule());
    }
    new Notices(client, (source) => byId({ microphone: "mic", camera: "camera" }[source]).click());
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
      } else if (client.state === "joined" && (path === "failed" || path === "disconnected")) {
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
    client.addEventListener("idleWarning", ({ detail }) => {
      showBanner("idle", `Nobody else is here: the meeting closes in ${detail.secondsLeft} seconds.`, {});
    });
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
  }
}

function clockText(ms) {
  const seconds = Math.floor(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const text = parts.map((part) => String(part).padStart(2, "0"));
  return parts[0] > 0 ? text.join(":") : text.slice(1).join(":");
}
