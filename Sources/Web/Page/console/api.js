import { RostrumError } from "../rostrum/errors.js";

/** How long the server may take over an answer. */
const PATIENCE_MS = 10_000;
/** As many as a list's page has at most. */
const PER_PAGE = 100;
/** Pages of a roster that are fetched at most. */
const MOST_PAGES = 50;

/** The moderators' part of the REST API. Everything rejects with a `RostrumError`. */
export class Api {
  #credential;
  #fetch;
  #patienceMs;

  /**
   * @param {string} credential an API key or an auth token; it travels in a header, never in an address
   * @param {object} [environment] for tests
   * @param {typeof fetch} [environment.fetch]
   * @param {number} [environment.patienceMs]
   */
  constructor(credential, { fetch, patienceMs = PATIENCE_MS } = {}) {
    this.#credential = credential;
    this.#fetch = fetch ?? ((...given) => globalThis.fetch(...given));
    this.#patienceMs = patienceMs;
  }

  /** One page of the live sessions: `{data, meta}`. Needs an API key. */
  sessions(page = 1, signal) {
    return this.#get(`/v1/sessions?page=${page}&perPage=${PER_PAGE}`, signal);
  }

  session(sessionId, signal) {
    return this.#get(sessionPath(sessionId), signal);
  }

  /** Everybody who is in, all pages of them. @returns {Promise<object[]>} */
  participants(sessionId, signal) {
    return this.#all(`${sessionPath(sessionId)}/participants?`, signal);
  }

  /** Everybody who waits to be let in; none for those who may not know. @returns {Promise<object[]>} */
  async waiting(sessionId, signal) {
    try {
      return await this.#all(`${sessionPath(sessionId)}/participants?state=waiting&`, signal);
    } catch (error) {
      if (error.code === "ERR_GROUP_NO_MODERATOR_SCOPE") return [];
      throw error;
    }
  }

  async #all(path, signal) {
    const everybody = [];
    for (let page = 1, pages = 1; page <= Math.min(pages, MOST_PAGES); page++) {
      const { data, meta } = await this.#get(`${path}page=${page}&perPage=${PER_PAGE}`, signal);
      everybody.push(...data);
      pages = meta?.pagination?.totalPages ?? 1;
    }
    return everybody;
  }

  /** Somebody with live statistics. */
  participant(sessionId, participantId, signal) {
    return this.#get(participantPath(sessionId, participantId), signal);
  }

  /** The kept messages, the latest first. @param {string} [before] a message's id: only those before it */
  async messages(sessionId, before, signal) {
    const query = before === undefined ? "" : `?before=${encodeURIComponent(before)}`;
    return (await this.#get(`${sessionPath(sessionId)}/messages${query}`, signal)).data;
  }

  /** Writes to everybody. @param {string} [uid] who says it; needed with an API key, refused without */
  send(sessionId, text, uid) {
    const message = { type: "chat", text, ...(uid === undefined ? {} : { uid }) };
    return this.#ask("POST", `${sessionPath(sessionId)}/messages`, message);
  }

  /**
   * Does something to one participant; `all` is everybody who waits.
   * @param {"mute" | "pause-video" | "stop-screen-share" | "lower-hand" | "ask-to-unmute" | "unlock"
   *   | "remove" | "scope" | "admit" | "deny"} verb
   */
  act(sessionId, participantId, verb, body) {
    return this.#ask("POST", `${participantPath(sessionId, participantId)}/${verb}`, body);
  }

  /**
   * Does something to the whole session.
   * @param {"mute-all" | "lower-all-hands" | "lock" | "unlock"} verb
   * @returns {Promise<{affected?: number}>}
   */
  actOnAll(sessionId, verb, body) {
    return this.#ask("POST", `${sessionPath(sessionId)}/${verb}`, body);
  }

  /** Changes some of the session's settings. Needs an API key. */
  change(sessionId, settings) {
    return this.#ask("PATCH", sessionPath(sessionId), { settings });
  }

  /** Ends the session for all. Needs an API key. */
  end(sessionId) {
    return this.#ask("DELETE", sessionPath(sessionId));
  }

  #get(path, signal) {
    return this.#ask("GET", path, undefined, signal);
  }

  async #ask(method, path, body, signal) {
    const abort = new AbortController();
    const giveUp = () => abort.abort();
    const timer = setTimeout(giveUp, this.#patienceMs);
    if (signal?.aborted) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      const response = await this.#fetch(path, {
        method, signal: abort.signal, cache: "no-store", credentials: "omit", redirect: "error",
        headers: {
          Authorization: `Bearer ${this.#credential}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return await read(response);
    } catch (error) {
      if (error instanceof RostrumError) throw error;
      if (signal?.aborted) throw new RostrumError("ERR_STATE", "No longer of interest.");
      if (abort.signal.aborted) throw new RostrumError("ERR_TIMEOUT", "The server didn’t answer in time.");
      throw new RostrumError("ERR_UNREACHABLE", "The server can’t be reached.");
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
  }
}

async function read(response) {
  const text = await response.text();
  const body = parse(text);
  if (response.ok) return body ?? {};
  const { status } = response;
  const { code = "ERR_EXCEPTION", message = `The server answered ${status}.`, details } = body?.error ?? {};
  throw new RostrumError(code, message, { ...details, status });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sessionPath(sessionId) {
  return `/v1/sessions/${segment(sessionId)}`;
}

function participantPath(sessionId, participantId) {
  return `${sessionPath(sessionId)}/participants/${segment(participantId)}`;
}

/** One part of a path. Addresses can't have one of one or two dots: they would name something else. */
function segment(id) {
  if (/^\.{0,2}$/u.test(id)) throw new RostrumError("ERR_BAD_REQUEST", "This id can’t stand in an address.");
  return encodeURIComponent(id);
}
