import { showBanner } from "../page/banners.js";
import { announce, byId, make, setText } from "../page/dom.js";
import { report } from "./condition.js";
import { Poller } from "./poller.js";
import { complaint, isOver, isRefused } from "./words.js";

const EVERY_MS = 3_000;
const SENDER = "rostrum.console.sender";

/** What is written in a meeting and kept: history, and a box to write. */
export class Messages {
  #api;
  #sessionId;
  #credential;
  #poller;
  #known = new Map();
  #isFirst = true;
  #onRefused;

  constructor(api, credential, sessionId, onRefused) {
    this.#api = api;
    this.#credential = credential;
    this.#sessionId = sessionId;
    this.#onRefused = onRefused;
    byId("messages-list").replaceChildren();
    byId("messages-empty").hidden = false;
    byId("messages-earlier").hidden = true;
    byId("messages-earlier").onclick = () => this.#fetchEarlier();
    byId("message-as-field").hidden = !credential.isKey;
    byId("message-as").disabled = !credential.isKey;
    byId("message-as").value ||= recallSender();
    byId("message-form").onsubmit = (event) => {
      event.preventDefault();
      this.#send();
    };
    byId("message-text").onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      byId("message-form").requestSubmit();
    };
    this.#poller = new Poller({
      everyMs: EVERY_MS, task: (signal) => this.#fetch(signal),
      onTrouble: (error, retryInMs) => this.#trouble(error, retryInMs),
    });
    this.#poller.start();
  }

  look() { this.#poller.look(); }

  /** Nothing can be written any more; what was written stays on show. */
  end() {
    this.#poller.stop();
    byId("message-form").hidden = true;
  }

  close() {
    this.#poller.stop();
    report("the messages", null);
    byId("message-form").hidden = false;
  }

  async #fetch(signal) {
    const latest = await this.#api.messages(this.#sessionId, undefined, signal);
    report("the messages", null);
    const fresh = latest.filter((one) => !this.#known.has(one.id)).reverse();
    if (this.#isFirst) byId("messages-earlier").hidden = latest.length < 30;
    else this.#tell(fresh);
    this.#isFirst = false;
    if (fresh.length === 0) return;
    const log = byId("messages-list");
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
    log.append(...fresh.map((one) => this.#entry(one)));
    byId("messages-empty").hidden = true;
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  }

  async #fetchEarlier() {
    const [oldest] = this.#known.keys();
    try {
      const earlier = (await this.#api.messages(this.#sessionId, oldest)).reverse();
      const log = byId("messages-list");
      const height = log.scrollHeight;
      const known = this.#known;
      this.#known = new Map();
      const fresh = earlier.filter((one) => !known.has(one.id));
      log.prepend(...fresh.map((one) => this.#entry(one)));
      for (const [id, one] of known) this.#known.set(id, one);
      log.scrollTop += log.scrollHeight - height;
      if (earlier.length < 30) this.#endOfHistory();
    } catch (error) {
      this.#complain("Couldn’t fetch earlier messages", error);
    }
  }

  #endOfHistory() {
    const button = byId("messages-earlier");
    if (document.activeElement === button) byId("messages-list").focus();
    button.hidden = true;
  }

  async #send() {
    const box = byId("message-text");
    const text = box.value.trim();
    if (!text) return;
    const uid = this.#credential.isKey ? byId("message-as").value.trim() : undefined;
    if (uid) rememberSender(uid);
    box.value = "";
    try {
      await this.#api.send(this.#sessionId, text, uid);
      await this.#poller.now();
      byId("messages-list").scrollTop = byId("messages-list").scrollHeight;
      announce("The message was sent");
    } catch (error) {
      box.value ||= text;
      this.#complain("Couldn’t send the message", error);
    }
  }

  #entry(message) {
    this.#known.set(message.id, message);
    const time = new Date(message.sentAt);
    const clock = time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    return make("li", { data: { message: message.id, category: message.category ?? "" } },
      make("div", { class: "said-by" }, make("b", {}, sender(message)), make("time", {
        dateTime: time.toISOString(), title: time.toLocaleString(),
      }, clock), message.category === "custom" ? make("span", { class: "kind" }, message.type) : null),
      make("div", { class: "said" }, bodyOf(message)));
  }

  #tell(fresh) {
    if (fresh.length === 1) announce(`${sender(fresh[0])} wrote: ${bodyOf(fresh[0]).slice(0, 200)}`);
    else if (fresh.length > 1) announce(`${fresh.length} new messages`);
  }

  #trouble(error, retryInMs) {
    if (error && isRefused(error)) return this.#onRefused(error);
    if (error && isOver(error)) return this.#poller.stop();
    report("the messages", error, retryInMs);
  }

  #complain(what, error) {
    showBanner("message", complaint(what, error), { kind: "error" });
  }
}

function sender({ sender: from }) {
  return from?.name || from?.uid || "Somebody";
}

/** What a message says: its text, or what it carries. */
export function bodyOf({ text, customData, data }) {
  if (typeof text === "string") return text;
  const carried = customData ?? data;
  return carried === undefined ? "" : JSON.stringify(carried);
}

function recallSender() {
  try {
    return sessionStorage.getItem(SENDER) || "operator";
  } catch {
    return "operator";
  }
}

function rememberSender(uid) {
  try {
    sessionStorage.setItem(SENDER, uid);
  } catch {
    // It is filled in again by hand.
  }
}
