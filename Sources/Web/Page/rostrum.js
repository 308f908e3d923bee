/**
 * rostrum.js: a client for the Rostrum meeting server. No dependencies, one ES module to import.
 *
 *     import { RostrumClient } from "https://meet.example.org/rostrum.js";
 *     const client = new RostrumClient();
 *     await client.connect({ server: "https://meet.example.org", token: callToken });
 *     await client.joinSession({ name: "Ada", audio: true, video: true });
 *
 * @module rostrum
 */
import { backoffMs, peekToken } from "./rostrum/backoff.js";
import { Channel, systemTimers } from "./rostrum/channel.js";
import { endingOf } from "./rostrum/endings.js";
import { errorOfClosing, finalReason, isPassing, RostrumError } from "./rostrum/errors.js";
import { MediaLink } from "./rostrum/media.js";
import { OwnMedia } from "./rostrum/own.js";
import { idOf, Roster } from "./rostrum/roster.js";
import { summarise } from "./rostrum/stats.js";

export { RostrumError };

/**
 * One participant in one session.
 *
 * Every event of the control API is dispatched under its own name with the event's data as `detail`
 * (`participantJoined`, `participantHandRaised`, `dominantSpeakerChanged`, `message`, `seatsChanged`, …).
 * The client adds its own, in lower case:
 *
 * | event | detail |
 * |---|---|
 * | `statechange` | `{state}`: see `state` |
 * | `rosterchange` | `{}`: `participants`, `hands`, `waiting`, `dominantSpeaker` or `session` changed |
 * | `seatschange` | `{seats}`: somebody sits elsewhere, or a seat got its track |
 * | `localchange` | `{by?, ended?}`: an own source went on or off; `by` whom, or which `ended` by itself |
 * | `icestatechange` | `{state}`: the media path |
 * | `gap` | `{expected, got}`: events were missed; the client fetches the roster anew by itself |
 * | `resumed` | `{rejoined}`: back after a lost socket; `rejoined` if as a new participant |
 * | `error` | a `RostrumError`: the server couldn't read something, and can't say which request it was |
 * | `ended` | `{reason, by?, words?}`: out of the session, for good; `by` a moderator or back end, in whose `words` |
 * | | `{reason, code, message, details}`: the same after an error; as of a `RostrumError` |
 * | `event` | the whole envelope of each API event, app-wide ones too |
 */
export class RostrumClient extends EventTarget {
  #environment;
  #state = "idle";
  #channel = null;
  #access = null;
  #media = null;
  #offersBefore = 0;
  #roster = new Roster();
  #plan = null;
  #own = new OwnMedia({
    request: (method, params) => this.#tell(method, params),
    link: () => this.#media,
    changed: (detail) => this.#emit("localchange", detail),
  });
  #resumeToken = null;
  #early = null;
  #wake = null;
  #over = null;
  #greeting = null;
  #admission = null;

  /**
   * @param {object} [environment] for tests and odd hosts
   * @param {typeof WebSocket} [environment.WebSocket]
   * @param {typeof RTCPeerConnection} [environment.RTCPeerConnection]
   * @param {object} [environment.timers] see `Channel`
   * @param {number} [environment.giveUpAfterMs] how long a lost connection is tried again; 120,000
   */
  constructor(environment = {}) {
    super();
    this.#environment = { timers: systemTimers, giveUpAfterMs: 120_000, ...environment };
  }

  /** `idle`, `connecting`, `connected`, `waiting` (room), `joined`, `reconnecting` or `closed`. */
  get state() { return this.#state; }
  /** The own participantId, once joined. @type {string | null} */
  participantId = null;
  /** The own participant, or null. */
  get me() { return this.#roster.participants.get(this.participantId) ?? null; }
  /** Everybody in the session, oneself too, in join order. @type {object[]} */
  get participants() { return [...this.#roster.participants.values()]; }
  /** The participant with this id, or null. */
  participant(participantId) { return this.#roster.participants.get(participantId) ?? null; }
  /** participantIds of raised hands, first raised first. @type {string[]} */
  get hands() { return [...this.#roster.hands]; }
  /** Who waits to be let in, in the order of coming; moderators alone are told. @type {object[]} */
  get waiting() { return [...this.#roster.waiting.values()]; }
  /** The dominant speaker's participant, or null. */
  get dominantSpeaker() { return this.participant(this.#roster.dominantSpeaker); }
  /**
   * Who speaks, the loudest first; told to those who joined with `activeSpeakers`.
   * @type {{participantId: string, level: number}[]} `level` in decibels above silence, 1 to 127
   */
  get activeSpeakers() { return [...this.#roster.activeSpeakers]; }
  /** The session object, or null. */
  get session() { return this.#roster.session; }
  /** `seq` of the last event. */
  get lastSeq() { return this.#roster.lastSeq; }
  /** All seats, audio first, in the order of the offer. @type {import("./rostrum/seats.js").Seat[]} */
  get seats() { return this.#media?.seats.all ?? []; }
  /** The seat that holds this source of this participant (`camera`, `screen`, `microphone`, …), or null. */
  seatOf(participantId, source = "camera") { return this.#media?.seats.find(participantId, source) ?? null; }
  /** SDP offers made since the client was created. People who come, go, mute or speak don't raise it. */
  get offerCount() { return this.#offersBefore + (this.#media?.offerCount ?? 0); }
  /** The browser's connection, for the curious. @type {RTCPeerConnection | null} */
  get peerConnection() { return this.#media?.connection ?? null; }
  /** Is the own microphone, camera or screen being sent? */
  get audioOn() { return this.#own.audioOn; }
  get videoOn() { return this.#own.videoOn; }
  get screenOn() { return this.#own.screenOn; }
  /** Own tracks, to show them; picture and screen are null while off. @type {MediaStreamTrack | null} */
  get audioTrack() { return this.#own.audioTrack; }
  get videoTrack() { return this.#own.videoTrack; }
  get screenTrack() { return this.#own.screenTrack; }

  // Connection

  /**
   * Opens the socket.
   * @param {object} access
   * @param {string} [access.server] origin of the server (`https://…`); by default that of the page
   * @param {string} access.token call token or auth token
   * @param {"url" | "login"} [access.tokenIn] in the URL's `access_token` (default), or as first message
   * @param {() => Promise<string>} [access.getToken] fetches a new call token when the session has to be
   *   joined anew, after a connection was lost for longer than the server waits
   */
  async connect({ server = globalThis.location?.origin, token, tokenIn = "url", getToken }) {
    this.#expect("idle", "closed");
    this.#access = { server, token, tokenIn, getToken };
    this.#over = null;
    this.#setState("connecting");
    try {
      await this.#openChannel(token);
      this.#expect("connecting");
      this.#greet();
    } catch (error) {
      this.#channel?.close();
      if (this.#state === "connecting") this.#setState("idle");
      throw error;
    }
    this.#setState("connected");
  }

  /**
   * Sends any request of the control API, moderators' ones too.
   * @param {string} method e.g. `muteParticipant`
   * @param {object} [params] e.g. `{participantId}`
   * @returns {Promise<object>} the result; rejects with a `RostrumError`
   */
  request(method, params = {}) {
    if (!this.#channel) return Promise.reject(new RostrumError("ERR_STATE", "Not connected."));
    return this.#channel.request(method, params);
  }

  /**
   * Joins the session: one offer for everything that is sent and for all seats.
   * @param {object} options
   * @param {string} [options.name] shown to the others; else the token's name
   * @param {boolean | MediaTrackConstraints | MediaStreamTrack} [options.audio] `false`: join muted
   * @param {boolean | MediaTrackConstraints | MediaStreamTrack} [options.video] `false`: camera off
   * @param {boolean} [options.handOverTracks] tracks given become the client's, which stops them when
   *   they are switched off; otherwise they stay the caller's
   * @param {number} [options.videoSeats] pictures received at most; 9
   * @param {number} [options.audioSeats] voices received at most; three more than pictures
   * @param {"VP8" | "VP9" | "H264" | "AV1"} [options.videoCodec] sent if the browser can
   * @param {RTCRtpEncodingParameters[]} [options.videoEncodings] e.g. simulcast layers with `rid`
   * @param {string} [options.sessionId] needed with an auth token; a call token names its session
   * @param {string} [options.deviceId] the same user and device joining again replaces the first
   * @param {boolean} [options.activeSpeakers] to be told of all who speak, not of the dominant speaker only
   * @param {object} [options.settings] further `settings` of `joinSession`
   * @returns {Promise<object>} the server's answer: the whole state. Rejects with the browser's
   *   `DOMException` if a device can't be opened, else with a `RostrumError`. A token that the server doesn't
   *   accept shows here: browsers call a socket open before the server has looked at the token.
   */
  async joinSession(options = {}) {
    this.#expect("connected");
    const { videoSeats = 9 } = options;
    this.#plan = { ...options, videoSeats, audioSeats: options.audioSeats ?? videoSeats + 3 };
    try {
      await this.#own.open(options);
      this.#expect("connected");
      return await this.#enter();
    } catch (error) {
      this.#own.release();
      throw error;
    }
  }

  /** Leaves the session and closes the socket, soon even if the server doesn't answer. Idempotent. */
  async leave() {
    if (this.#state === "closed" || this.#state === "idle") return;
    if (this.#state === "joined") {
      const farewell = this.#channel.request("leaveSession").catch(() => {});
      await Promise.race([farewell, this.#pause(FAREWELL_MS)]);
    }
    this.#finish("left");
  }

  // Ringing, which needs an auth token. `incomingCallReceived`, `outgoingCallAccepted`, … arrive as events.

  /**
   * Rings a user or a group.
   * @param {{receiverId: string, receiverType: "user" | "group", type?: "audio" | "video",
   *   timeoutSeconds?: number, metadata?: object, deviceId?: string}} call
   * @returns {Promise<object>} the call: join its `sessionId` after `outgoingCallAccepted`
   */
  initiateCall(call) { return this.#call("initiateCall", call); }
  /** Takes a call, whose `sessionId` can then be joined. `deviceId`: which of the user's devices this is. */
  acceptCall(sessionId, { deviceId } = {}) { return this.#call("acceptCall", { sessionId, deviceId }); }
  /** Turns a call down, or says that one is `busy`. */
  rejectCall(sessionId, status = "rejected") { return this.#call("rejectCall", { sessionId, status }); }
  /** Gives up before anybody answered. */
  cancelCall(sessionId) { return this.#call("cancelCall", { sessionId }); }
  /** Hangs up; a group's call goes on for the others. */
  endCall(sessionId) { return this.#call("endCall", { sessionId }); }
  /** What goes on in a group, `{session?, isLocked?, isFull?, call?}`, or one's own `{call?}`. */
  getActiveCall(guid) { return this.request("getActiveCall", { guid }); }

  async #call(method, params) { return (await this.request(method, params)).call; }

  // Own state. While one waits to be let in, microphone and camera switch here alone: one comes in as they are then.

  /** Silences the own microphone, here at once and at the server. */
  async muteAudio() { await this.#mine().muteAudio(); }
  /** Opens the own microphone. Rejects with `ERR_AUDIO_LOCKED` if a moderator has locked it. */
  async unmuteAudio() { await this.#mine().unmuteAudio(); }
  /** Switches the camera off, its light too. */
  async pauseVideo() { await this.#mine().pauseVideo(); }
  /** Switches the camera on, asking the browser for one if there is none (any more). */
  async resumeVideo() { await this.#mine().resumeVideo(); }
  /** Raises the hand; raising twice keeps the first place. */
  raiseHand() { return this.request("raiseHand"); }
  /** Lowers the hand. */
  lowerHand() { return this.request("lowerHand"); }

  /**
   * Sends a message to the session.
   * @param {{type: string, text?: string, data?: object, to?: string[], persist?: boolean}} message
   */
  sendMessage(message) { return this.request("sendMessage", message); }

  /** Tells the server what is on show, which drives its choice of layers. See `setLayout` in the API. */
  setLayout(layout, seats) { return this.request("setLayout", seats ? { layout, seats } : { layout }); }

  /** Says how much to receive, `{maxBitrateBps?, lastN?, videoPaused?}`; `videoPaused`: nothing but voices. */
  setReceiveLimits(limits = {}) { return this.request("setReceiveLimits", limits); }

  /**
   * Shares the screen: asks the browser for one unless a stream is given.
   * @param {{stream?: MediaStream, audio?: boolean, handOverTracks?: boolean}} [options] tracks of a stream
   *   that is given stay the caller's to stop, unless they are handed over
   */
  async startScreenShare(options) {
    this.#expect("joined");
    await this.#own.startScreenShare(options);
  }

  /** Stops sharing. Idempotent. */
  stopScreenShare() { return this.#own.stopScreenShare(); }

  /** Restarts ICE by hand; the client does it by itself when the path breaks. */
  restartIce() { return this.#media.restartIce(); }

  /** What this browser measures: `{offers, path, sent[], seats[]}`. */
  async getStats() {
    const report = await this.#media.connection.getStats();
    return { offers: this.offerCount, ...summarise(report.values(), this.seats) };
  }

  /** What the server measures and decided, and why: `getStats` of the API. */
  getServerStats() { return this.request("getStats"); }

  #mine() {
    this.#expect("joined", "reconnecting", "waiting");
    return this.#own;
  }

  /** Tells the server of an own source; while one waits, the next `joinSession` does. */
  #tell(method, params) {
    if (this.#admission) return this.#admission.then(() => this.request(method, params));
    return this.#state === "waiting" ? Promise.resolve({}) : this.request(method, params);
  }

  // Joining and coming back

  async #openChannel(token) {
    const { server, tokenIn } = this.#access;
    const url = new URL("/v1/connect", server);
    url.protocol = url.protocol.replace("http", "ws");
    if (token && tokenIn === "url") url.searchParams.set("access_token", token);
    const { WebSocket, timers } = this.#environment;
    const channel = new Channel({
      ...(WebSocket ? { WebSocket } : {}), timers,
      onEvent: (envelope) => this.#channel === channel && this.#receive(envelope),
      onError: (error) => this.#channel === channel && this.#emit("error", error),
      onClose: (info) => this.#channel === channel && this.#lost(info),
    });
    this.#channel = channel;
    await channel.open(url.href);
    if (token && tokenIn === "login") await channel.request("login", { token });
  }

  /**
   * Asks for a word from the server before it is sent an offer: one that refuses the token closes the socket,
   * and its reason may be lost to a peer with much on the way. Costs no time while devices are opened.
   */
  #greet() {
    this.#greeting = this.request("ping");
    this.#greeting.catch(() => {});
  }

  async #enter() {
    const { RTCPeerConnection, timers } = this.#environment;
    const media = new MediaLink({
      RTCPeerConnection, timers,
      exchange: async (offer) => (await this.request("negotiate", { offer })).answer,
      onTrack: () => this.#emit("seatschange", { seats: this.seats }),
      onState: (state) => this.#emit("icestatechange", { state }),
    });
    this.#offersBefore = this.offerCount;
    this.#media = media;
    this.#early = [];
    try {
      const { audioTrack, videoTrack } = this.#own;
      const offer = await media.open({ ...this.#plan, audioTrack, videoTrack });
      await this.#greeting;
      const result = await this.request("joinSession", this.#joinParams(offer));
      this.#expectNotOver();
      if (result.state === "waiting") this.#wait(result);
      else await this.#settle(result);
      return result;
    } catch (error) {
      this.#dropMedia();
      throw error;
    } finally {
      this.#flushEarly();
    }
  }

  #dropMedia(error) {
    this.#offersBefore = this.offerCount;
    this.#media?.close(error);
    this.#media = null;
  }

  /** Nothing is sent or received until one is let in, and then there is another offer. */
  #wait({ session = null }) {
    this.#dropMedia();
    this.participantId = null;
    this.#roster.reset({ session });
    this.#emit("rosterchange", {});
    this.#setState("waiting");
  }

  #joinParams(offer) {
    const { name, deviceId, sessionId, activeSpeakers, settings } = this.#plan;
    const params = {
      offer,
      settings: {
        sessionType: "video", startAudioMuted: !this.audioOn, startVideoPaused: !this.videoOn, ...settings,
      },
    };
    if (name) params.settings.displayName = name;
    if (activeSpeakers) params.settings.activeSpeakers = true;
    if (deviceId) params.settings.deviceId = deviceId;
    if (peekToken(this.#access.token).typ === "call") params.callToken = this.#access.token;
    else if (sessionId) params.sessionId = sessionId;
    return params;
  }

  async #settle(result) {
    this.participantId = result.participant.participantId;
    this.#takeState(result);
    if (result.iceServers?.length) this.#media.connection.setConfiguration({ iceServers: result.iceServers });
    await this.#media.accept(result.answer);
    if (!this.#channel.isOpen) throw new RostrumError("ERR_DISCONNECTED", "The connection was lost again.");
    this.#resumeToken = result.resumeToken;
    this.#setState("joined");
  }

  #takeState(whole) {
    this.#roster.reset(whole);
    if (whole.participant && !this.me) this.#roster.participants.set(this.participantId, whole.participant);
    if (this.me) this.#own.agree(this.me);
    this.#media.seats.vacate();
    this.#media.seats.update(whole.seats);
    this.#emit("rosterchange", {});
    this.#emit("seatschange", { seats: this.seats });
  }

  /** Events that overtook the answer which they belong behind. */
  #flushEarly() {
    const early = this.#early ?? [];
    this.#early = null;
    for (const envelope of early) this.#receive(envelope);
  }

  #lost({ code, reason }) {
    if (this.#state === "reconnecting" || this.#state === "closed" || this.#state === "connecting") return;
    const final = finalReason(code);
    if (final || this.#state !== "joined") {
      return this.#finish(final ?? "disconnected", errorOfClosing({ code, reason }));
    }
    this.#setState("reconnecting");
    this.#comeBack(code === 4029 ? 2_000 : 0);
  }

  async #comeBack(extraMs) {
    const { timers, giveUpAfterMs } = this.#environment;
    const lostAt = timers.now();
    for (let attempt = 0; this.#state === "reconnecting"; attempt++) {
      await this.#pause(backoffMs(attempt) + (attempt === 0 ? extraMs : 0));
      if (this.#state !== "reconnecting") return;
      if (timers.now() - lostAt > giveUpAfterMs) return this.#finish("disconnected");
      try {
        await this.#resumeOrRejoin();
        return;
      } catch (error) {
        this.#channel?.close();
        if (this.#state !== "reconnecting") return;
        if (!isPassing(error)) {
          return this.#finish(finalReason(error.details?.closeCode) ?? "refused", error);
        }
      }
    }
  }

  async #resumeOrRejoin() {
    if (!this.#resumeToken) return this.#rejoin();
    this.#early = [];
    try {
      await this.#openChannel(this.#tokenToResumeWith());
      const params = { resumeToken: this.#resumeToken, lastSeq: this.lastSeq };
      const result = await this.request("resumeSession", params);
      if (this.#state === "reconnecting") this.#takeResumed(result);
      else this.#channel.close();
    } catch (error) {
      this.#early = null;
      const final = finalReason(error.details?.closeCode);
      const isRefused = final ? final === "unauthorized" : !isPassing(error);
      if (!isRefused || this.#state !== "reconnecting") throw error;
      if (error.code === "ERR_CALL_REMOVED" || !(this.#access.getToken || this.#tokenIsValid())) throw error;
      this.#resumeToken = null;
      await this.#rejoin();
    }
  }

  /** The resume token says who we are: a call token is for joining, and good for minutes only. */
  #tokenToResumeWith() {
    const { typ } = peekToken(this.#access.token);
    return typ === "auth" && this.#tokenIsValid() ? this.#access.token : null;
  }

  #tokenIsValid() {
    const { exp = Infinity } = peekToken(this.#access.token);
    return exp * 1000 > this.#environment.timers.now();
  }

  #takeResumed({ events = [], snapshot, resumeToken }) {
    if (resumeToken) this.#resumeToken = resumeToken;
    if (snapshot) this.#takeState(snapshot);
    this.#setState("joined");
    this.#early = [...events, ...this.#early];
    this.#flushEarly();
    this.#emit("resumed", { rejoined: false });
    this.#afterReturn();
  }

  /** Joins anew, as a new participant with a new connection: the server has given up the old one. */
  async #rejoin() {
    if (this.#access.getToken) this.#access.token = await this.#access.getToken();
    this.#expectNotOver();
    this.#channel?.close();
    await this.#openChannel(this.#access.token);
    this.#expectNotOver();
    this.#greet();
    this.#media?.close();
    const screen = this.#own.takeScreen();
    await this.#enter();
    this.#emit("resumed", { rejoined: true });
    this.#emit("localchange", {});
    if (screen) {
      const stream = new MediaStream(screen.tracks);
      const sharing = this.startScreenShare({ stream, handOverTracks: screen.owned });
      sharing.catch(() => screen.tracks.forEach((track) => track.stop()));
    }
  }

  /** What was switched off while nobody could be told, and a path that broke meanwhile. */
  #afterReturn() {
    if (this.me) this.#own.catchUp(this.me);
    const path = this.#media.connection.iceConnectionState;
    if (path === "failed" || path === "disconnected") this.restartIce().catch(() => {});
  }

  #pause(ms) {
    return new Promise((resolve) => {
      const { timers } = this.#environment;
      const timer = timers.setTimeout(resolve, ms);
      // The system knows first when the network is back.
      this.#wake = () => { timers.clearTimeout(timer); resolve(); };
      globalThis.addEventListener?.("online", this.#wake, { once: true });
    }).finally(() => globalThis.removeEventListener?.("online", this.#wake));
  }

  // Events

  #receive(envelope) {
    if (this.#early) return this.#early.push(envelope);
    const { fresh, gap } = this.#roster.apply(envelope);
    if (!fresh) return;
    const { event, data = {} } = envelope;
    this.#react(event, data);
    this.#emit("event", envelope);
    this.#emit(event, data);
    if (this.#state === "closed") return;
    if (typeof envelope.seq === "number") this.#emit("rosterchange", {});
    if (gap) this.#mend(gap);
    const ending = endingOf(event, data, this.#state);
    if (ending) this.#finish(ending.reason, null, ending);
  }

  #react(event, data) {
    if (event === "seatsChanged") {
      this.#media?.seats.update(data.seats);
      this.#emit("seatschange", { seats: this.seats });
    } else if (event === "publishHint") {
      this.#media?.applyHint(data.encodings);
    } else if (event === "admitted" && this.#state === "waiting") {
      this.#admit();
    } else if (this.participantId !== null && idOf(data) === this.participantId) {
      this.#own.obey(event, data.by);
    }
  }

  #admit() {
    this.#admission = this.#enter().catch((error) => this.#finish("refused", error))
      .finally(() => { this.#admission = null; });
  }

  async #mend(gap) {
    this.#emit("gap", gap);
    const { participants } = await this.request("getParticipants").catch(() => ({}));
    if (!participants) return;
    this.#roster.apply({ event: "participantListChanged", data: { participants } });
    this.#emit("rosterchange", {});
  }

  /**
   * @param {string} reason
   * @param {Error | null} [error] what is under way rejects with it, and `ended` tells its code and message
   * @param {object} [account] what else `ended` tells
   */
  #finish(reason, error = null, account = {}) {
    if (this.#state === "closed") return;
    this.#over = error ?? new RostrumError("ERR_STATE", `The session is over: ${reason}.`);
    this.#setState("closed");
    this.#dropMedia(this.#over);
    this.#early = null;
    this.#own.release();
    this.#channel?.close();
    this.#wake?.();
    const { code, message, details } = error ?? {};
    this.#emit("ended", error ? { ...account, reason, code, message, details } : { ...account, reason });
  }

  #expect(...states) {
    if (states.includes(this.#state)) return;
    throw this.#over ?? new RostrumError("ERR_STATE", `Not possible while ${this.#state}.`);
  }

  #expectNotOver() {
    if (this.#over) throw this.#over;
  }

  #setState(state) {
    if (this.#state === state) return;
    this.#state = state;
    this.#emit("statechange", { state });
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** How long the server may take to say goodbye. */
const FAREWELL_MS = 2_000;
