import { avatar, icon, initials, hueOf, make, setAction, setIcon, setText } from "../page/dom.js";
import { menuItems, possible } from "../page/verbs.js";
import { nameOf, quality } from "./people.js";
import { SCOPES, since } from "./words.js";

/** One participant in the list: who it is, what it sends, what can be done. */
export class Person {
  element;
  #context;
  #one = null;
  #can = {};
  #parts = {};

  /**
   * @param {object} context
   * @param {(action: string, participant: object) => void} context.act
   * @param {import("../page/menu.js").Menu} context.menu
   * @param {(participantId: string | null) => void} context.inspect opens or closes somebody's details
   * @param {string} key the participantId
   */
  constructor(context, key) {
    this.#context = context;
    const control = (name, more = {}) => (
      make("button", { type: "button", class: "state", data: { control: name }, ...more }));
    const parts = this.#parts;
    parts.avatar = avatar("");
    parts.title = make("b", {});
    parts.note = make("small", {});
    parts.name = make("button", {
      type: "button", class: "person-name", data: { control: "name" }, "aria-expanded": "false",
      "aria-controls": `details-${key}`, onclick: () => context.inspect(key),
    }, parts.title, parts.note);
    const bars = [1, 2, 3, 4, 5].map(() => make("i", {}));
    parts.quality = make("span", { class: "quality", role: "img" }, ...bars);
    parts.hand = control("hand", { class: "state hand", onclick: () => this.#do("lower") });
    parts.hand.append(icon("hand"), make("span", {}));
    parts.screen = control("screen", { onclick: () => this.#do("stopShare") });
    parts.camera = control("camera", { onclick: () => this.#do("pause") });
    parts.mic = control("mic", { onclick: () => this.#do(this.#one.audioMuted ? "ask" : "mute") });
    parts.more = control("more", {
      "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => this.#offer(),
    });
    setIcon(parts.screen, "screen");
    setIcon(parts.more, "more");
    parts.details = make("dl", { class: "details", id: `details-${key}`, hidden: true });
    this.element = make("li", { class: "person", data: { participant: key } }, make("div", { class: "row" },
      parts.avatar, parts.name, parts.hand, parts.screen, parts.quality, parts.camera, parts.mic, parts.more,
    ), parts.details);
  }

  /** Where somebody's details are shown. */
  get details() { return this.#parts.details; }

  /** @param {{one: object, place: number, allowed: boolean, now: number}} item `place` of the hand, or 0 */
  update({ one, place, allowed, now }) {
    this.#one = one;
    this.#can = possible(one, allowed);
    const { element } = this;
    const parts = this.#parts;
    const name = nameOf(one);
    setText(parts.avatar, initials(name));
    parts.avatar.style.setProperty("--hue", hueOf(name));
    setText(parts.title, name);
    setText(parts.note, note(one, now));
    this.#showQuality(quality(one.connectionQuality));
    Object.assign(element.dataset, {
      state: one.state, muted: one.audioMuted, locked: one.audioLocked === true,
      camera: one.videoPaused ? "off" : "on", hand: place, scope: one.scope,
    });
    this.#hide(parts.hand, place === 0);
    setText(parts.hand.lastChild, String(place));
    this.#name(parts.hand, `Lower ${name}’s hand, place ${place}`, this.#can.lower);
    this.#hide(parts.screen, !one.isPresenting);
    this.#name(parts.screen, `Stop ${name}’s screen sharing`, this.#can.stopShare);
    setIcon(parts.camera, one.videoPaused ? "cameraOff" : "camera");
    const filming = one.videoPaused ? `${name}’s camera is off` : `Pause ${name}’s video`;
    this.#name(parts.camera, filming, this.#can.pause);
    setIcon(parts.mic, one.audioMuted ? (one.audioLocked ? "micLocked" : "micOff") : "mic");
    const muted = one.audioLocked ? "muted and locked" : "muted";
    this.#name(parts.mic, one.audioMuted ? `${name} is ${muted}: ask to unmute` : `Mute ${name}`,
      one.audioMuted ? this.#can.ask : this.#can.mute);
    setAction(parts.more, `More for ${name}`);
    if (this.#context.menu.isOpenFor(parts.more)) this.#context.menu.update(menuItems(this.#can));
  }

  /** Shows whether the details are open. */
  expand(isOpen) {
    this.#parts.name.setAttribute("aria-expanded", String(isOpen));
    this.#parts.details.hidden = !isOpen;
  }

  #do(action) {
    if (this.#can[action] === true) this.#context.act(action, this.#one);
  }

  #offer() {
    const { menu, act } = this.#context;
    const { more } = this.#parts;
    if (menu.isOpenFor(more)) return menu.close();
    menu.open(more, nameOf(this.#one), menuItems(this.#can), (key) => act(key, this.#one));
  }

  /** Hides a control, and hands the focus on that it may have. */
  #hide(control, isHidden) {
    if (isHidden && document.activeElement === control) this.#parts.more.focus();
    control.hidden = isHidden;
  }

  #name(control, label, can) {
    setAction(control, label);
    if (can === true) control.removeAttribute("aria-disabled");
    else control.setAttribute("aria-disabled", "true");
  }

  #showQuality(measured) {
    const { quality: bars } = this.#parts;
    // Hidden, it keeps its place: what stands beside it stays in line.
    bars.dataset.level = measured?.level ?? "none";
    const label = measured ? `Connection ${measured.word}, ${measured.level} of 5` : "Connection not measured";
    bars.setAttribute("aria-label", label);
    bars.title = label;
  }
}

function note(one, now) {
  const states = { reconnecting: "reconnecting", joining: "coming in" };
  const scope = one.scope === "participant" ? null : SCOPES[one.scope] ?? one.scope;
  const parts = [one.uid, scope, states[one.state], since(one.joinedAt, now)];
  return parts.filter(Boolean).join(" · ");
}
