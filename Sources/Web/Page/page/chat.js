import { showBanner } from "./banners.js";
import { announce, byId, make } from "./dom.js";
import { explain } from "./words.js";

/** Messages of the same person within this time stand under one name. */
const FOLLOWS_MS = 120_000;
const KEPT = 500;

/** The chat: what was said, and the box to say something. */
export class Chat {
  #client;
  #seen = new Set();
  #last = null;
  #unread = 0;
  #isOpen;

  /**
   * @param {import("/rostrum.js").RostrumClient} client
   * @param {() => boolean} isOpen is the chat on show?
   */
  constructor(client, isOpen) {
    this.#client = client;
    this.#isOpen = isOpen;
    client.addEventListener("message", ({ detail }) => this.#add(detail.message ?? detail));
    byId("chat-log").replaceChildren();
    byId("chat-form").onsubmit = (event) => {
      event.preventDefault();
      this.#send();
    };
    byId("chat-text").onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#send();
    };
    this.#count(0);
  }

  /** The chat came on show. */
  read() {
    this.#count(0);
    const log = byId("chat-log");
    log.scrollTop = log.scrollHeight;
  }

  async #send() {
    const box = byId("chat-text");
    const text = box.value.trim();
    if (!text) return;
    box.value = "";
    try {
      const { message, id } = await this.#client.sendMessage({ type: "chat", text });
      // The server echoes to the sender too or not; whichever comes first is shown, once.
      const { uid, name } = this.#client.me ?? {};
      this.#add(message ?? { id, type: "chat", text, sender: { uid, name }, sentAt: Date.now() });
    } catch (error) {
      box.value ||= text;
      showBanner("chat", explain(error), { kind: "error", forMs: 8_000 });
    }
  }

  #add(message) {
    if (message.type && message.type !== "chat") return;
    if (typeof message.text !== "string") return;
    if (message.id !== undefined && this.#seen.has(message.id)) return;
    this.#seen.add(message.id);
    const own = message.sender?.uid !== undefined && message.sender.uid === this.#client.me?.uid;
    const name = message.sender?.name || message.sender?.uid || "Guest";
    const last = this.#last;
    const follows = last?.uid === message.sender?.uid && message.sentAt - last.at < FOLLOWS_MS;
    this.#last = { uid: message.sender?.uid, at: message.sentAt };

    const log = byId("chat-log");
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
    const time = new Date(message.sentAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    log.append(make("li", { class: "said", data: { own, follows, message: message.id ?? "" } },
      make("div", { class: "said-by" }, own ? "You" : name, make("time", {}, time)),
      make("div", { class: "said-text" }, ...withLinks(message.text))));
    while (log.childElementCount > KEPT) log.firstElementChild.remove();
    if (atEnd || own) log.scrollTop = log.scrollHeight;
    if (own) return;
    announce(`${name}: ${message.text}`);
    if (!this.#isOpen()) this.#count(this.#unread + 1);
  }

  #count(unread) {
    this.#unread = unread;
    const badge = byId("chat-unread");
    badge.hidden = unread === 0;
    badge.textContent = unread > 99 ? "99+" : String(unread);
    byId("chat-toggle").setAttribute("aria-label", unread ? `Chat, ${unread} unread` : "Chat");
  }
}

/** Text with its web addresses as links. */
function withLinks(text) {
  return text.split(/(https?:\/\/[^\s<>"]+)/u).map((part, index) => index % 2 === 0
    ? part
    : make("a", { href: part, target: "_blank", rel: "noopener noreferrer" }, part));
}
