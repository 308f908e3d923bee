import { byId, setText } from "../page/dom.js";
import { endQuestion, muteAllQuestion, muting, settingsChange, settingsQuestion } from "./actions.js";
import { ask } from "../page/dialog.js";
import { counted } from "./words.js";

/** The buttons for the whole meeting. */
export class Tools {
  #context;

  /**
   * @param {object} context
   * @param {import("./api.js").Api} context.api
   * @param {import("./credential.js").Credential} context.credential
   * @param {string} context.sessionId
   * @param {() => {session: object, participants: object[]} | null} context.state
   * @param {Function} context.work does something at the server, see `SessionView`
   * @param {() => void} context.end shows that the meeting is over
   */
  constructor(context) {
    this.#context = context;
    const buttons = {
      "mute-all": () => this.#muteAll(), "lower-all": () => this.#lowerAll(), lock: () => this.#lock(),
      settings: () => this.#change(), end: () => this.#end(),
    };
    for (const [id, press] of Object.entries(buttons)) byId(id).onclick = () => context.state() && press();
    // The API gives these to back ends alone.
    for (const id of ["settings", "end"]) byId(id).hidden = !context.credential.isKey;
  }

  update(session) {
    setText(byId("lock"), session.settings?.locked ? "Unlock" : "Lock");
  }

  async #muteAll() {
    const { api, sessionId, state, work } = this.#context;
    const settings = state().session.settings ?? {};
    const answers = await ask(muteAllQuestion(settings));
    if (!answers) return;
    await work("Couldn’t mute everybody",
      () => api.actOnAll(sessionId, "mute-all", muting(answers, settings.muteOnEntry === true)),
      ({ affected = 0 }) => `${counted(affected)} muted`);
  }

  #lowerAll() {
    const { api, sessionId, work } = this.#context;
    return work("Couldn’t lower all hands", () => api.actOnAll(sessionId, "lower-all-hands", {}),
      ({ affected = 0 }) => `${counted(affected, "hand", "hands")} lowered`);
  }

  #lock() {
    const { api, sessionId, state, work } = this.#context;
    const verb = state().session.settings?.locked ? "unlock" : "lock";
    return work(`Couldn’t ${verb} the meeting`, () => api.actOnAll(sessionId, verb, {}));
  }

  async #change() {
    const { api, sessionId, state, work } = this.#context;
    const settings = state().session.settings ?? {};
    const answers = await ask(settingsQuestion(settings));
    if (!answers) return;
    const change = settingsChange(answers, settings);
    if (Object.keys(change).length === 0) return;
    await work("Couldn’t change the settings", () => api.change(sessionId, change));
  }

  async #end() {
    const { api, sessionId, state, work, end } = this.#context;
    const { session } = state();
    const question = endQuestion(session.title || sessionId, counted(session.participantCount ?? 0));
    if (!await ask(question)) return;
    await work("Couldn’t end the meeting", () => api.end(sessionId), end);
  }
}
