import { byId, icon, make, setText } from "../page/dom.js";
import { report } from "./condition.js";
import { List } from "../page/list.js";
import { places } from "./people.js";
import { Poller } from "./poller.js";
import { isRefused, since } from "./words.js";

const EVERY_MS = 2_000;

/** The list of meetings that go on. */
export class Meetings {
  #api;
  #poller = null;
  #page = 1;
  #all = null;
  #list;
  #chosen = null;
  #onRefused;

  /**
   * @param {import("./api.js").Api} api
   * @param {import("./credential.js").Credential} credential a token opens meetings by their id only
   * @param {(error: Error) => void} onRefused
   */
  constructor(api, credential, onRefused) {
    this.#api = api;
    this.#onRefused = onRefused;
    byId("meetings-list").replaceChildren();
    this.#list = new List(byId("meetings-list"), (key) => new Entry(key), byId("meetings-title"));
    byId("open-form").hidden = credential.isKey;
    byId("meetings-filter").hidden = !credential.isKey;
    byId("meetings-count").hidden = !credential.isKey;
    byId("meetings-empty").hidden = true;
    byId("meetings-pages").hidden = true;
    byId("meetings-filter").oninput = () => this.#show();
    byId("open-form").onsubmit = (event) => {
      event.preventDefault();
      location.hash = encodeURIComponent(byId("open-id").value.trim());
    };
    byId("meetings-earlier").onclick = () => this.#turn(-1);
    byId("meetings-later").onclick = () => this.#turn(1);
    if (!credential.isKey) {
      setText(byId("condition"), "Signed in");
      return;
    }
    this.#poller = new Poller({
      everyMs: EVERY_MS, task: (signal) => this.#fetch(signal),
      onTrouble: (error, retryInMs) => this.#trouble(error, retryInMs),
    });
    this.#poller.start();
  }

  /** Marks the meeting that is on show. @param {string | null} sessionId */
  choose(sessionId) {
    this.#chosen = sessionId;
    this.#show();
  }

  /** Puts the focus on the meeting that was on show. */
  focus(sessionId) {
    const entry = this.#list.entries.get(sessionId);
    (entry ? entry.link : byId("meetings-title")).focus();
  }

  look() { this.#poller?.look(); }
  refresh() { this.#poller?.now(); }

  close() {
    this.#poller?.stop();
  }

  async #fetch(signal) {
    const { data, meta } = await this.#api.sessions(this.#page, signal);
    this.#all = data;
    const { total = data.length, totalPages = 1 } = meta?.pagination ?? {};
    setText(byId("meetings-count"), String(total));
    byId("meetings-pages").hidden = totalPages <= 1 && this.#page === 1;
    setText(byId("meetings-page"), `${this.#page} of ${Math.max(totalPages, this.#page)}`);
    able(byId("meetings-earlier"), this.#page > 1);
    able(byId("meetings-later"), this.#page < totalPages);
    report("the meetings", null);
    this.#show();
  }

  #turn(by) {
    const button = byId(by < 0 ? "meetings-earlier" : "meetings-later");
    if (button.hasAttribute("aria-disabled")) return;
    this.#page += by;
    this.#poller.now();
  }

  #trouble(error, retryInMs) {
    if (error && isRefused(error)) return this.#onRefused(error);
    report("the meetings", error, retryInMs);
  }

  #show() {
    const wanted = byId("meetings-filter").value.trim().toLocaleLowerCase();
    const shown = (this.#all ?? []).filter((one) => (
      `${one.title ?? ""} ${one.sessionId}`.toLocaleLowerCase().includes(wanted)));
    const now = Date.now();
    this.#list.show(shown.map((one) => (
      [one.sessionId, { one, now, isChosen: one.sessionId === this.#chosen }])));
    if (this.#all === null) return;
    setText(byId("meetings-empty"), wanted ? "No meeting matches." : "No meeting is going on.");
    byId("meetings-empty").hidden = shown.length > 0;
  }
}

/** A button that stays where it is, and has the focus if it had it, while it can't be used. */
function able(button, isAble) {
  if (isAble) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

/** A meeting in the list. */
class Entry {
  #title = make("b", {});
  #lock = make("span", { class: "lock", title: "Locked", hidden: true }, icon("lock"),
    make("span", { class: "unseen" }, "locked"));
  #note = make("small", {});

  constructor(sessionId) {
    const properties = { href: `#${encodeURIComponent(sessionId)}`, data: { control: "meeting" } };
    this.link = make("a", properties, this.#title, this.#lock, this.#note);
    this.element = make("li", {}, this.link);
  }

  update({ one, now, isChosen }) {
    setText(this.#title, one.title || one.sessionId);
    this.#lock.hidden = !one.settings?.locked;
    const parts = [one.title ? one.sessionId : null, places(one), since(one.startedAt, now)];
    setText(this.#note, parts.filter(Boolean).join(" · "));
    if (isChosen) this.link.setAttribute("aria-current", "page");
    else this.link.removeAttribute("aria-current");
  }
}
