import { avatar, hueOf, initials, make, setAction, setText } from "../page/dom.js";
import { nameOf } from "./people.js";
import { SCOPES, since } from "./words.js";

/** A line with a name and two buttons: somebody who waits, or whose hand is up. */
export class Line {
  #one = null;
  #parts;
  #names;

  /**
   * @param {(action: string, participant: object) => void} act
   * @param {{action: string, label: string, name: (who: string) => string, primary?: boolean}[]} buttons
   * @param {string} key the participantId
   */
  constructor(act, buttons, key) {
    this.#names = buttons;
    const made = buttons.map(({ action, label, primary }) => make("button", {
      type: "button", class: primary ? "plain strong" : "plain", data: { control: action },
      onclick: () => act(action, this.#one),
    }, label));
    this.#parts = {
      place: make("span", { class: "place", "aria-hidden": "true" }), avatar: avatar(""),
      title: make("b", {}), note: make("small", {}), buttons: made,
    };
    const { place, avatar: face, title, note } = this.#parts;
    this.element = make("li", { class: "line", data: { participant: key } },
      place, face, make("div", { class: "person-name" }, title, note), ...made);
  }

  /** @param {{one: object, place?: number, at: number, now: number}} item `at`: since when */
  update({ one, place = 0, at, now }) {
    this.#one = one;
    const name = nameOf(one);
    const { buttons, avatar: face } = this.#parts;
    setText(face, initials(name));
    face.style.setProperty("--hue", hueOf(name));
    setText(this.#parts.place, place > 0 ? String(place) : "");
    this.#parts.place.hidden = place === 0;
    setText(this.#parts.title, name);
    const scope = one.scope === "participant" ? null : SCOPES[one.scope] ?? one.scope;
    setText(this.#parts.note, [one.uid, scope, since(at, now)].filter(Boolean).join(" · "));
    this.#names.forEach(({ name: say }, index) => setAction(buttons[index], say(name)));
  }
}

export const WAITING_BUTTONS = [
  { action: "admit", label: "Admit", name: (who) => `Admit ${who}`, primary: true },
  { action: "deny", label: "Deny", name: (who) => `Deny ${who}` },
];

export const HAND_BUTTONS = [
  { action: "ask", label: "Ask", name: (who) => `Ask ${who} to unmute`, primary: true },
  { action: "lower", label: "Lower", name: (who) => `Lower ${who}’s hand` },
];
