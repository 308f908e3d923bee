import { avatar, hueOf, icon, initials, make, setAction, setIcon, setText } from "./dom.js";

const SCOPES = { owner: "Owner", admin: "Admin", moderator: "Moderator", viewer: "Viewer" };

/** Somebody in a list of the panel. */
export class Person {
  element;
  #moderation;
  #one = null;
  #parts;

  /** @param {import("./moderation.js").Moderation} moderation */
  constructor(moderation) {
    this.#moderation = moderation;
    const parts = {
      avatar: avatar(""), name: make("b", {}), note: make("small", {}),
      hand: make("span", { class: "up", role: "img" }, icon("hand"), make("span", {})),
      screen: state("sharing the screen"), mic: state(""), camera: state(""),
      more: make("button", {
        type: "button", class: "person-more", data: { control: "more" }, "aria-haspopup": "menu",
        "aria-expanded": "false", onclick: () => moderation.offer(parts.more, this.#one),
      }),
    };
    this.#parts = parts;
    setIcon(parts.screen, "screen");
    setIcon(parts.more, "more");
    const { hand, screen, mic, camera } = parts;
    this.element = make("li", { class: "person" }, parts.avatar,
      make("div", { class: "person-name" }, parts.name, parts.note),
      make("span", { class: "person-states" }, hand, screen, mic, camera), parts.more);
  }

  /** @param {{one: object, own: boolean, place: number, audio: boolean, video: boolean}} facts */
  update({ one, own, place, audio, video }) {
    this.#one = one;
    const { element } = this;
    const parts = this.#parts;
    const name = one.name || one.uid || "Guest";
    Object.assign(element.dataset, {
      participant: one.participantId, muted: !audio, camera: video ? "on" : "off", hand: place,
    });
    setText(parts.avatar, initials(name));
    parts.avatar.style.setProperty("--hue", hueOf(name));
    setText(parts.name, name);
    const notes = [own && "You", SCOPES[one.scope], one.state === "reconnecting" && "Reconnecting"];
    setText(parts.note, notes.filter(Boolean).join(" · "));
    parts.hand.hidden = place === 0;
    setText(parts.hand.lastChild, String(place));
    say(parts.hand, `Hand raised, place ${place}`);
    parts.screen.hidden = !one.isPresenting;
    show(parts.mic, audio, "mic", audio ? "microphone on" : "muted");
    show(parts.camera, video, "camera", video ? "camera on" : "camera off");
    const isBelow = this.#moderation.isAbove(one);
    if (!isBelow && document.activeElement === parts.more) document.getElementById("people-title").focus();
    parts.more.hidden = !isBelow;
    setAction(parts.more, `Moderate ${name}`);
    this.#moderation.refresh(parts.more, one);
  }
}

function state(label) {
  return say(make("span", { class: "on", role: "img" }), label);
}

function say(element, label) {
  element.setAttribute("aria-label", label);
  element.title = label;
  return element;
}

function show(element, isOn, symbol, label) {
  setIcon(element, isOn ? symbol : `${symbol}Off`);
  element.className = isOn ? "on" : "off";
  say(element, label);
}
