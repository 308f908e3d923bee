import { hideBanner, showBanner } from "./banners.js";
import { isModerator, mayActOn } from "./clearance.js";
import { ask } from "./dialog.js";
import { announce, avatar, byId, hueOf, initials, make, setAction, setText } from "./dom.js";
import { List } from "./list.js";
import { Menu } from "./menu.js";
import { menuItems, possible, scopeQuestion, VERBS } from "./verbs.js";
import { explain, removalQuestion, waitingRoom } from "./words.js";

/** What moderators can do: a menu for each participant, the waiting room, the whole meeting. */
export class Moderation {
  #client;
  #list;
  #menu = sharedMenu();
  #waiting;
  #told = "";

  /**
   * @param {import("/rostrum.js").RostrumClient} client
   * @param {{open: () => void, isOpen: () => boolean}} list the panel with the list of people
   */
  constructor(client, list) {
    this.#client = client;
    this.#list = list;
    byId("waiting-list").replaceChildren();
    const makeWaiter = () => new Waiter((method, one) => this.#decide(method, one.participantId));
    this.#waiting = new List(byId("waiting-list"), makeWaiter, byId("people-title"));
    byId("mute-all").onclick = () => this.#muteAll();
    byId("lock-session").onclick = () => this.#run(this.#isLocked ? "unlockSession" : "lockSession");
    byId("admit-all").onclick = () => this.#decide("admitParticipant", "all");
  }

  /** Brings the moderator's part of the panel up to date; it is hidden from all others. */
  render() {
    const { me, waiting } = this.#client;
    const mayModerate = isModerator(me);
    byId("moderation").hidden = !mayModerate;
    setText(byId("lock-session"), this.#isLocked ? "Unlock meeting" : "Lock meeting");
    const shown = mayModerate ? waiting : [];
    if (shown.length === 0 && byId("waiting").contains(document.activeElement)) byId("people-title").focus();
    byId("waiting").hidden = shown.length === 0;
    this.#waiting.show(shown.map((one) => [one.participantId, one]));
    this.#tellOfWaiting(shown.map((one) => one.name || one.uid || "Guest"));
  }

  /** Closes the menu of somebody who has gone. */
  settle() {
    this.#menu.keep(byId("people-title"));
  }

  close() {
    this.#menu.close(false);
  }

  /** Whether somebody can be moderated from here. */
  isAbove(one) {
    return mayActOn(this.#client.me, one);
  }

  /** Opens the menu for somebody, or closes it. */
  offer(button, one) {
    if (this.#menu.isOpenFor(button)) return this.#menu.close();
    const { participantId } = one;
    const act = (verb) => this.#act(verb, this.#client.participant(participantId) ?? one);
    this.#menu.open(button, one.name || "Participant", menuItems(possible(one)), act);
  }

  /** Brings somebody's menu up to date, if it is open. */
  refresh(button, one) {
    if (this.#menu.isOpenFor(button)) this.#menu.update(menuItems(possible(one)));
  }

  get #isLocked() {
    return this.#client.session?.settings?.locked === true;
  }

  async #act(verb, one) {
    const { method, params } = VERBS[verb];
    const questions = {
      remove: () => removalQuestion(one),
      scope: () => scopeQuestion(one.name || "this participant", one.scope, this.#client.me?.scope),
    };
    const answers = questions[verb] ? await ask(questions[verb]()) : {};
    if (answers === null || (verb === "scope" && answers.scope === one.scope)) return;
    // A reason that is left empty is none.
    const given = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ""));
    await this.#run(method, { participantId: one.participantId, ...params, ...given });
  }

  async #muteAll() {
    const result = await this.#run("muteAll");
    if (result) announce(`${result.affected ?? 0} muted`);
  }

  async #decide(method, participantId) {
    await this.#run(method, { participantId });
  }

  async #run(method, params) {
    hideBanner("moderation");
    try {
      return await this.#client.request(method, params);
    } catch (error) {
      showBanner("moderation", explain(error), { kind: "error", forMs: 8_000 });
      return null;
    }
  }

  /** A banner, so that nobody waits because a panel is closed; none where the list itself shows it. */
  #tellOfWaiting(names) {
    const text = names.length > 0 ? waitingRoom(names) : "";
    const isOpen = this.#list.isOpen();
    if (!text || isOpen) hideBanner("waiting-room");
    if (text === this.#told) return;
    this.#told = text;
    if (text && isOpen) announce(text);
    else if (text) showBanner("waiting-room", text, { action: "Show", onAction: this.#list.open });
  }
}

/** The menu of the page, whatever meeting is on show. */
let menu = null;
function sharedMenu() {
  menu ??= new Menu(byId("menu"));
  return menu;
}

/** Somebody who waits to be let in. */
class Waiter {
  #one = null;
  #avatar = avatar("");
  #name = make("b", {});
  #buttons;

  /** @param {(method: string, participant: object) => void} decide */
  constructor(decide) {
    const button = (method, label) => make("button", {
      type: "button", class: "secondary", data: { control: label }, onclick: () => decide(method, this.#one),
    }, label);
    this.#buttons = [button("admitParticipant", "Admit"), button("denyParticipant", "Deny")];
    this.element = make("li", { class: "person" }, this.#avatar,
      make("div", { class: "person-name" }, this.#name), ...this.#buttons);
  }

  update(one) {
    this.#one = one;
    const name = one.name || one.uid || "Guest";
    this.element.dataset.participant = one.participantId;
    setText(this.#avatar, initials(name));
    this.#avatar.style.setProperty("--hue", hueOf(name));
    setText(this.#name, name);
    for (const button of this.#buttons) setAction(button, `${button.textContent} ${name}`);
  }
}
