import { peekToken } from "../../../Sources/Web/Page/rostrum/backoff.js";

export const API_KEY = "a-secret";

/** Fields that the body of each request may have. */
const FIELDS = {
  mute: ["kinds", "lock"], "pause-video": [], "stop-screen-share": [], "lower-hand": [], "ask-to-unmute": [],
  remove: ["reason", "banSeconds"], scope: ["scope"], admit: [], deny: [], lock: [], unlock: [],
  "mute-all": ["kinds", "except", "lock", "onEntry"], "lower-all-hands": [], change: ["settings"],
  messages: ["type", "text", "data", "uid"],
};

/** The moderators' part of the REST API, as far as the console uses it, without a network. */
export class FakeServer {
  sessions = new Map();
  /** Requests in their order: `[method, path, body]`. */
  requests = [];
  /** Answers with this instead, if it gives something. @type {(request: object) => Response | undefined} */
  intercept = () => undefined;
  #ids = 0;

  add(sessionId, { settings = {}, ...more } = {}) {
    const session = {
      sessionId, meetingId: `m-${sessionId}`, type: "video", mode: "meet", startedAt: 1_764_460_800_000,
      settings: { maxParticipants: 50, locked: false, waitingRoom: false, muteOnEntry: false, ...settings },
      recording: false, ...more,
    };
    this.sessions.set(sessionId, { session, people: [], messages: [] });
    return this;
  }

  join(sessionId, uid, more = {}) {
    const one = {
      participantId: `p-${uid}`, uid, name: uid, scope: "participant", state: "joined", audioMuted: false,
      audioLocked: false, videoPaused: false, isPresenting: false, isRecorder: false, raisedHandAt: 0,
      joinedAt: 1_764_460_800_000 + this.#ids++, ...more,
    };
    this.sessions.get(sessionId).people.push(one);
    return one;
  }

  /** In the place of the browser's `fetch`. */
  fetch = async (path, { method, headers, body, signal }) => {
    const request = { method, path, headers, signal, body: body && JSON.parse(body) };
    this.requests.push([method, path, request.body]);
    const given = await this.intercept(request);
    if (given) return given;
    try {
      return json(...this.#answer(request));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json({ error: { code: error.code, message: error.message } }, error.status);
    }
  };

  #answer({ method, path, headers, body }) {
    const url = new URL(path, "http://localhost");
    const secret = headers.Authorization?.replace(/^Bearer /u, "");
    const caller = secret === API_KEY ? "back end" : peekToken(secret ?? "").sub;
    if (!caller) throw new Refusal(401, "AUTH_ERR_AUTH_TOKEN_NOT_FOUND", "no such token");
    const [, , , sessionId, part, pid, verb] = url.pathname.split("/").map(decodeURIComponent);
    if (sessionId === undefined) {
      if (caller !== "back end") throw new Refusal(401, "AUTH_ERR_APIKEY_NOT_FOUND", "this needs an API key");
      return [page([...this.sessions.values()].map((one) => whole(one)), url)];
    }
    const session = this.sessions.get(sessionId);
    if (!session) throw new Refusal(404, "ERR_CALL_SESSION_NOT_FOUND", "the meeting is over");
    if (part === undefined) return this.#session(method, session, body);
    if (part === "messages") {
      return method === "GET" ? history(session, url) : this.#send(session, caller, body);
    }
    if (part !== "participants") return act(part, session, body);
    if (pid === undefined) return [page(roster(session, caller, url), url)];
    if (pid === "all" && verb === "admit") return admitAll(session);
    const one = session.people.find(({ participantId }) => participantId === pid);
    if (!one) throw new Refusal(404, "ERR_PARTICIPANT_NOT_FOUND", "no such participant");
    return verb === undefined ? [one] : moderate(verb, session, one, body);
  }

  #session(method, entry, body) {
    if (method === "DELETE") {
      this.sessions.delete(entry.session.sessionId);
      return [null, 204];
    }
    if (method === "PATCH") {
      check("change", body);
      Object.assign(entry.session.settings, body.settings);
    }
    return [whole(entry)];
  }

  #send(session, caller, body) {
    check("messages", body);
    const uid = caller === "back end" ? body.uid : caller;
    if (!uid) throw new Refusal(400, "ERR_BAD_REQUEST", "uid is missing");
    const { type, text } = body;
    const message = {
      id: `message-${this.#ids++}`, sender: { uid, name: uid }, category: "text", type, text,
      sentAt: this.#ids,
    };
    session.messages.unshift(message);
    return [message, 201];
  }
}

class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

function check(verb, body = {}) {
  if (!FIELDS[verb]) throw new Refusal(404, "ERR_API_NOT_FOUND", "there is nothing here");
  for (const field of Object.keys(body)) {
    if (!FIELDS[verb].includes(field)) throw new Refusal(400, "ERR_BAD_REQUEST", `${field} is unknown`);
  }
}

function act(verb, { session, people }, body = {}) {
  check(verb, body);
  const inside = people.filter(({ state }) => state !== "waiting");
  if (verb === "lock" || verb === "unlock") {
    session.settings.locked = verb === "lock";
    return [{ affected: 0 }];
  }
  if (verb === "lower-all-hands") {
    const up = inside.filter(({ raisedHandAt }) => raisedHandAt > 0);
    for (const one of up) one.raisedHandAt = 0;
    return [{ affected: up.length }];
  }
  const changed = inside.filter((one) => !one.audioMuted);
  for (const one of changed) Object.assign(one, { audioMuted: true, audioLocked: body.lock === true });
  if (body.onEntry !== undefined) session.settings.muteOnEntry = body.onEntry;
  return [{ affected: changed.length }];
}

function moderate(verb, session, one, body = {}) {
  check(verb, body);
  switch (verb) {
    case "mute":
      Object.assign(one, { audioMuted: true, audioLocked: one.audioLocked || body.lock === true });
      break;
    case "unlock": one.audioLocked = false; break;
    case "pause-video": one.videoPaused = true; break;
    case "stop-screen-share": one.isPresenting = false; break;
    case "lower-hand": one.raisedHandAt = 0; break;
    case "scope": one.scope = body.scope; break;
    case "admit": one.state = "joined"; break;
    case "remove":
    case "deny": session.people.splice(session.people.indexOf(one), 1); break;
  }
  return [{}];
}

/** Those who wait are for moderators to know. */
function roster({ people }, caller, url) {
  const isAsked = url.searchParams.get("state") === "waiting";
  const own = people.find(({ uid }) => uid === caller);
  if (isAsked && caller !== "back end" && own?.scope !== "moderator") {
    throw new Refusal(403, "ERR_GROUP_NO_MODERATOR_SCOPE", "this needs scope moderator");
  }
  return people.filter(({ state }) => (state === "waiting") === isAsked);
}

function admitAll({ people }) {
  const waiting = people.filter(({ state }) => state === "waiting");
  for (const one of waiting) one.state = "joined";
  return [{ affected: waiting.length }];
}

function whole({ session, people }) {
  return { ...session, participantCount: people.filter(({ state }) => state !== "waiting").length };
}

function history({ messages }, url) {
  const before = url.searchParams.get("before");
  const from = before === null ? 0 : messages.findIndex(({ id }) => id === before) + 1;
  return [{ data: messages.slice(from, from + 30) }];
}

function page(all, url) {
  const currentPage = Number(url.searchParams.get("page") ?? 1);
  const perPage = Number(url.searchParams.get("perPage") ?? 30);
  const data = all.slice((currentPage - 1) * perPage, currentPage * perPage);
  const totalPages = Math.ceil(all.length / perPage);
  const pagination = { total: all.length, count: data.length, perPage, currentPage, totalPages };
  return { data, meta: { pagination } };
}

function json(body, status = 200) {
  return new Response(body === null ? null : JSON.stringify(body), { status });
}
