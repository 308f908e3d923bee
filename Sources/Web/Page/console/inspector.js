import { make, setText } from "../page/dom.js";
import { Poller } from "./poller.js";
import { figures } from "./figures.js";
import { complaint } from "./words.js";

const EVERY_MS = 2_000;

/** Somebody's details, of one participant at a time, with live figures. */
export class Inspector {
  #api;
  #sessionId;
  #find;
  #open = null;
  #poller = null;

  /**
   * @param {import("./api.js").Api} api
   * @param {string} sessionId
   * @param {(participantId: string) => import("./person.js").Person | undefined} find
   */
  constructor(api, sessionId, find) {
    this.#api = api;
    this.#sessionId = sessionId;
    this.#find = find;
  }

  /** Opens somebody's details, or closes them. */
  toggle(participantId) {
    const isOpen = this.#open === participantId;
    this.close();
    if (isOpen) return;
    const person = this.#find(participantId);
    if (!person) return;
    this.#open = participantId;
    person.expand(true);
    if (person.details.childElementCount === 0) show(person.details, [["", "Fetching…"]]);
    this.#poller = new Poller({
      everyMs: EVERY_MS,
      task: async (signal) => {
        show(person.details, figures(await this.#api.participant(this.#sessionId, participantId, signal)));
      },
      onTrouble: (error) => error && show(person.details, [["", complaint("No figures", error)]]),
    });
    this.#poller.start();
  }

  /** Closes the details of whoever isn't among these. @param {Set<string>} participantIds */
  keep(participantIds) {
    if (this.#open !== null && !participantIds.has(this.#open)) this.close();
  }

  look() { this.#poller?.look(); }

  close() {
    this.#poller?.stop();
    this.#poller = null;
    if (this.#open !== null) this.#find(this.#open)?.expand(false);
    this.#open = null;
  }
}

/** Writes pairs of term and text where they stand. */
function show(list, pairs) {
  while (list.childElementCount > pairs.length) list.lastElementChild.remove();
  pairs.forEach(([term, text], index) => {
    const row = list.children[index] ?? list.appendChild(make("div", {}, make("dt", {}), make("dd", {})));
    setText(row.firstChild, term);
    setText(row.lastChild, text);
  });
}
