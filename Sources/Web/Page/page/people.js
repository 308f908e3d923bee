import { avatar, byId, icon, make, setText } from "./dom.js";

/** The list of participants: raised hands first in their order, then everybody in join order. */
export class People {
  /** @param {import("/rostrum.js").RostrumClient} client */
  constructor(client) {
    this.client = client;
  }

  render() {
    const { participants, hands } = this.client;
    setText(byId("people-count"), String(participants.length));
    byId("people-toggle").setAttribute("aria-label", `People, ${participants.length} in the meeting`);
    if (byId("panel").hidden || byId("people").hidden) return;
    const place = (one) => hands.indexOf(one.participantId) + 1 || Infinity;
    const sorted = [...participants].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
    byId("people-list").replaceChildren(...sorted.map((one) => this.#entry(one)));
  }

  #entry(one) {
    const { client } = this;
    const own = one.participantId === client.participantId;
    const name = one.name || one.uid || "Guest";
    const place = client.hands.indexOf(one.participantId) + 1;
    const audio = own ? client.audioOn : !one.audioMuted;
    const video = own ? client.videoOn : !one.videoPaused;
    const states = make("span", { class: "person-states" });
    if (place > 0) {
      const title = `Hand raised, place ${place}`;
      states.append(make("span", { class: "up", title, "aria-label": title }, icon("hand"), String(place)));
    }
    if (one.isPresenting) states.append(state("screen", "sharing the screen"));
    states.append(state(audio ? "mic" : "micOff", audio ? "microphone on" : "muted", !audio));
    states.append(state(video ? "camera" : "cameraOff", video ? "camera on" : "camera off", !video));
    const data = { participant: one.participantId, muted: !audio, camera: video ? "on" : "off", hand: place };
    const lines = [make("b", {}, name), make("small", {}, note(one, own))];
    const text = make("div", { class: "person-name" }, ...lines);
    return make("li", { class: "person", data }, avatar(name), text, states);
  }
}

function note(one, own) {
  const parts = [own && "You", SCOPES[one.scope], one.state === "reconnecting" && "Reconnecting"];
  return parts.filter(Boolean).join(" · ");
}

function state(name, label, off = false) {
  const look = { class: off ? "off" : "on", role: "img", "aria-label": label, title: label };
  return make("span", look, icon(name));
}

const SCOPES = { owner: "Owner", admin: "Admin", moderator: "Moderator", viewer: "Viewer" };
