import { hideBanner, showBanner } from "../page/banners.js";
import { announce, byId, make, setText } from "../page/dom.js";
import { ACTIONS } from "./actions.js";
import { HAND_BUTTONS, Line, WAITING_BUTTONS } from "./asides.js";
import { news } from "./changes.js";
import { report } from "./condition.js";
import { ask, dismiss } from "../page/dialog.js";
import { Inspector } from "./inspector.js";
import { followArrows, List } from "../page/list.js";
import { Messages } from "./messages.js";
import { isAbove, matches, nameOf, places, sort } from "./people.js";
import { Person } from "./person.js";
import { Poller } from "./poller.js";
import { Tools } from "./tools.js";
import { complaint, isOver, isRefused, MARKS, since } from "./words.js";

const EVERY_MS = 1_500;

/** One meeting on show: who is in it, who waits, whose hand is up, and all that can be done. */
export class SessionView {
  #api;
  #credential;
  #sessionId;
  #menu;
  #onRefused;
  #state = null;
  #lists;
  #poller;
  #messages;
  #inspector;
  #tools;

  /**
   * @param {object} context
   * @param {import("./api.js").Api} context.api
   * @param {import("./credential.js").Credential} context.credential
   * @param {import("../page/menu.js").Menu} context.menu
   * @param {(error: Error) => void} context.onRefused
   * @param {string} sessionId
   */
  constructor({ api, credential, menu, onRefused }, sessionId) {
    this.#api = api;
    this.#credential = credential;
    this.#sessionId = sessionId;
    this.#menu = menu;
    this.#onRefused = onRefused;
    this.#lists = this.#makeLists();
    this.#tools = new Tools({
      api, credential, sessionId, state: () => this.#state, refresh: () => this.#poller.now(),
      work: (...given) => this.#work(...given), end: () => this.#end(null),
    });
    this.#open();
    this.#messages = new Messages(api, credential, sessionId, onRefused);
    this.#inspector = new Inspector(api, sessionId, (key) => this.#lists.people.entries.get(key));
    this.#poller = new Poller({
      everyMs: EVERY_MS, task: (signal) => this.#fetch(signal),
      onTrouble: (error, retryInMs) => this.#trouble(error, retryInMs),
    });
    this.#poller.start();
  }

  look() {
    this.#poller.look();
    this.#messages.look();
    this.#inspector.look();
  }

  close() {
    this.#poller.stop();
    this.#messages.close();
    this.#inspector.close();
    this.#menu.close();
    dismiss();
    report("the meeting", null);
  }

  #open() {
    setText(byId("session-title"), this.#sessionId);
    setText(byId("session-facts"), "Fetching…");
    byId("session-marks").replaceChildren();
    byId("session-over").hidden = true;
    byId("session-tools").hidden = false;
    byId("people-filter").value = "";
    byId("people-filter").oninput = () => this.#state && this.#show();
    byId("admit-all").onclick = () => this.#admitAll();
    this.#showAsides([], [], 0);
    this.#lists.people.show([]);
    setText(byId("people-count"), "");
    byId("people-empty").hidden = true;
  }

  #makeLists() {
    const act = (action, one) => this.#act(action, one);
    const context = { act, menu: this.#menu, inspect: (key) => this.#inspector.toggle(key) };
    const listOf = (id, entry) => {
      byId(`${id}-list`).replaceChildren();
      return new List(byId(`${id}-list`), entry, byId(`${id}-title`));
    };
    return {
      waiting: listOf("waiting", (key) => new Line(act, WAITING_BUTTONS, key)),
      hands: listOf("hands", (key) => new Line(act, HAND_BUTTONS, key)),
      people: listOf("people", (key) => new Person(context, key)),
    };
  }

  async #fetch(signal) {
    // First whether it goes on: of one that is over nothing else is asked.
    const session = await this.#api.session(this.#sessionId, signal);
    const [inside, waiting] = await Promise.all(["participants", "waiting"].map(
      (what) => this.#api[what](this.#sessionId, signal)));
    const before = this.#state;
    this.#state = { session, participants: [...inside, ...waiting] };
    report("the meeting", null);
    const told = news(before, this.#state);
    if (told.length > 0) announce(`${told.join(". ")}.`);
    this.#show();
  }

  #show() {
    const { session, participants } = this.#state;
    const { inside, waiting, hands } = sort(participants);
    const now = Date.now();
    this.#showHead(session, inside, now);
    const place = new Map(hands.map((one, index) => [one.participantId, index + 1]));
    const filter = byId("people-filter").value;
    const shown = inside.filter((one) => matches(one, filter));
    this.#lists.people.show(shown.map((one) => [one.participantId, {
      one, now, place: place.get(one.participantId) ?? 0,
      allowed: isAbove(one, participants, this.#credential.uid),
    }]));
    this.#menu.keep(byId("people-title"));
    this.#inspector.keep(new Set(shown.map((one) => one.participantId)));
    byId("people-empty").hidden = shown.length > 0;
    setText(byId("people-empty"), inside.length > 0 ? "Nobody matches." : "Nobody is in.");
    setText(byId("people-count"), String(inside.length));
    this.#showAsides(waiting, hands, now);
  }

  #showHead(session, inside, now) {
    const name = session.title || session.sessionId;
    setText(byId("session-title"), name);
    document.title = `${name} · Console · Rostrum`;
    const facts = [
      session.title ? session.sessionId : null, `${places(session)} places`, session.type,
      session.guid ? `group ${session.guid}` : null, since(session.startedAt, now),
    ];
    setText(byId("session-facts"), facts.filter(Boolean).join(" · "));
    const marks = Object.entries(MARKS)
      .filter(([key]) => session.settings?.[key] ?? session[key]).map(([, { mark }]) => mark);
    const list = byId("session-marks");
    if ([...list.children].map((one) => one.textContent).join() !== marks.join()) {
      list.replaceChildren(...marks.map((mark) => make("li", {}, mark)));
    }
    list.hidden = marks.length === 0;
    this.#tools.update(session, inside);
  }

  #showAsides(waiting, hands, now) {
    this.#lists.waiting.show(waiting.map((one) => [one.participantId, { one, at: one.joinedAt, now }]));
    this.#lists.hands.show(hands.map((one, index) => (
      [one.participantId, { one, place: index + 1, at: one.raisedHandAt, now }])));
    for (const [id, many] of [["waiting", waiting.length], ["hands", hands.length]]) {
      setText(byId(`${id}-count`), String(many));
      if (many === 0 && byId(id).contains(document.activeElement)) byId("people-title").focus();
      byId(id).hidden = many === 0;
    }
  }

  /** Does something to somebody, after asking if it has to be asked. */
  async #act(action, one) {
    const { failed, question, run, told } = ACTIONS[action];
    const answers = question ? await ask(question(one)) : {};
    if (answers === null) return;
    const name = nameOf(one);
    const act = (verb, body) => this.#api.act(this.#sessionId, one.participantId, verb, body);
    await this.#work(failed(name), () => run(act, answers), () => told?.(name));
  }

  async #admitAll() {
    await this.#work("Couldn’t let everybody in", () => this.#api.act(this.#sessionId, "all", "admit", {}));
  }

  /**
   * Does something at the server, shows what came of it, or why nothing did.
   * @param {string} failed how the sentence begins that says so
   * @param {() => Promise<object>} work
   * @param {(result: object) => string | undefined} [told] said after what the page itself doesn't show
   */
  async #work(failed, work, told) {
    hideBanner("action");
    try {
      const result = await work();
      const text = told?.(result);
      if (text) announce(text);
    } catch (error) {
      if (isRefused(error)) return this.#onRefused(error);
      showBanner("action", complaint(failed, error), { kind: "error" });
    }
    await this.#poller.now();
  }

  #trouble(error, retryInMs) {
    if (error && isRefused(error)) return this.#onRefused(error);
    if (error && isOver(error)) return this.#end(error);
    report("the meeting", error, retryInMs);
  }

  /** @param {Error | null} error null: it was ended from here */
  #end(error) {
    this.#poller.stop();
    this.#messages.end();
    this.#inspector.close();
    this.#menu.close();
    dismiss();
    const had = byId("session-show").contains(document.activeElement);
    this.#lists.people.show([]);
    this.#showAsides([], [], 0);
    byId("people-empty").hidden = false;
    setText(byId("people-empty"), "Nobody is in.");
    setText(byId("people-count"), "");
    byId("session-tools").hidden = true;
    byId("session-marks").hidden = true;
    byId("session-over").hidden = false;
    setText(byId("session-facts"), this.#state ? "over" : complaint("Not there", error));
    report("the meeting", null);
    announce("This meeting is over.");
    if (had || document.activeElement === document.body) byId("session-title").focus();
  }
}

for (const id of ["people", "waiting", "hands"]) followArrows(byId(`${id}-list`));
