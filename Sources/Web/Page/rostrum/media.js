import { RostrumError } from "./errors.js";
import { EncodingHints } from "./hints.js";
import { SeatTable } from "./seats.js";
import { acceptLayers, preferCodec } from "./codecs.js";

/** How long a broken path may mend itself before ICE is restarted. */
const DISCONNECTED_PATIENCE_MS = 2_000;
/** How long a restart may take before the next one. */
const RESTART_PATIENCE_MS = 8_000;
/** What `iceConnectionState` is when nothing gets through. */
const BROKEN = new Set(["failed", "disconnected"]);

/**
 * The one RTCPeerConnection of a participant: what it sends, its seats, and every offer it ever makes.
 *
 * Offers go out one after the other; the first is answered by `joinSession`, later ones by `negotiate`.
 */
export class MediaLink {
  /** The browser's object, for statistics and the curious. @type {RTCPeerConnection} */
  connection;
  /** Offers made so far. People who come, go and speak don't raise it. */
  offerCount = 0;
  /** @type {SeatTable} */
  seats = new SeatTable();
  /** Transceivers of what is sent, by source. @type {Map<string, RTCRtpTransceiver>} */
  sending = new Map();
  #options;
  #queue = Promise.resolve();
  #hints = new EncodingHints();
  #restartTimer = null;
  #closed = false;
  #abandon;
  /** Rejects when the connection is closed: a browser's own promises then stay open for ever. */
  #gone = new Promise((_, reject) => { this.#abandon = reject; });

  /**
   * @param {object} options
   * @param {(sdp: string) => Promise<string>} options.exchange sends a later offer, returns the answer
   * @param {(seat: object) => void} options.onTrack a seat has its track
   * @param {(state: string) => void} options.onState `iceConnectionState` changed
   * @param {object} options.timers see `Channel`
   * @param {typeof RTCPeerConnection} [options.RTCPeerConnection] replaced in tests
   */
  constructor(options) {
    this.#options = options;
    this.#gone.catch(() => {});
    const Connection = options.RTCPeerConnection ?? globalThis.RTCPeerConnection;
    this.connection = new Connection({ bundlePolicy: "max-bundle", rtcpMuxPolicy: "require" });
    this.connection.ontrack = ({ transceiver, track, streams }) => {
      const stream = streams[0] ?? new MediaStream([track]);
      if (this.seats.attach(transceiver.mid, track, stream)) {
        options.onTrack(this.seats.all.find((seat) => seat.mid === transceiver.mid));
      }
    };
    this.connection.oniceconnectionstatechange = () => this.#watchPath();
  }

  /**
   * Lays out the m-lines and makes the first offer.
   * @param {object} plan
   * @param {MediaStreamTrack | null} plan.audioTrack
   * @param {MediaStreamTrack | null} plan.videoTrack
   * @param {number} plan.audioSeats
   * @param {number} plan.videoSeats
   * @param {string} [plan.videoCodec] `VP8`, `VP9`, `H264` or `AV1`
   * @param {RTCRtpEncodingParameters[]} [plan.videoEncodings] simulcast or bitrate limits of the camera
   * @returns {Promise<string>} the SDP
   */
  async open({ audioTrack, videoTrack, audioSeats, videoSeats, videoCodec, videoEncodings }) {
    const send = (source, kind, track, extra = {}) => {
      const transceiver = this.connection.addTransceiver(track ?? kind, { direction: "sendonly", ...extra });
      this.sending.set(source, transceiver);
      return transceiver;
    };
    send("microphone", "audio", audioTrack);
    const encodings = videoEncodings ? { sendEncodings: videoEncodings } : {};
    preferCodec(send("camera", "video", videoTrack, encodings), videoCodec, "send");
    const lines = [];
    for (const [kind, count] of [["audio", audioSeats], ["video", videoSeats]]) {
      for (let k = 0; k < count; k++) {
        const transceiver = this.connection.addTransceiver(kind, { direction: "recvonly" });
        if (kind === "video") {
          preferCodec(transceiver, videoCodec, "receive");
          acceptLayers(transceiver);
        }
        lines.push({ transceiver, kind });
      }
    }
    const sdp = await this.#offer();
    this.seats = new SeatTable(lines.map(({ transceiver, kind }) => ({ mid: transceiver.mid, kind })));
    return sdp;
  }

  /** Sets the server's answer. Takes SDP text, or an object with `sdp`. */
  async accept(answer) {
    const sdp = typeof answer === "string" ? answer : answer?.sdp;
    if (!sdp) throw new RostrumError("ERR_STATE", "The server sent no SDP answer.");
    await this.#unlessGone(this.connection.setRemoteDescription({ type: "answer", sdp }));
  }

  /**
   * Makes a further offer: after `prepare` has added what is new. Waits for offers before it.
   * @param {() => void} [prepare] adds transceivers, restarts ICE
   * @param {() => Promise<void>} [announce] tells the server what it has to know before it sees the offer;
   *   new m-lines have their mids by then
   */
  negotiate(prepare = () => {}, announce = async () => {}) {
    const run = async () => {
      if (this.#closed) return this.#gone;
      prepare();
      const sdp = await this.#offer();
      try {
        await announce();
        await this.accept(await this.#options.exchange(sdp));
      } catch (error) {
        if (!this.#closed && this.connection.signalingState === "have-local-offer") {
          await this.connection.setLocalDescription({ type: "rollback" });
        }
        throw error;
      }
    };
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {});
    return result;
  }

  /**
   * Sends tracks, with new m-lines (in one offer) only for sources that never had one.
   * @param {Record<string, MediaStreamTrack>} tracks by source
   * @param {(mids: Record<string, string>) => Promise<void>} [announce] tells the server which m-line carries
   *   what, before it sees the offer
   */
  async publish(tracks, announce = async () => {}) {
    const fresh = Object.entries(tracks).filter(([source]) => !this.sending.has(source));
    for (const [source, track] of Object.entries(tracks)) {
      await this.#replace(source, track);
    }
    const tell = () => {
      return announce(Object.fromEntries(Object.keys(tracks).map((one) => [one, this.sending.get(one).mid])));
    };
    if (fresh.length === 0) await tell();
    else await this.#addLines(fresh, tell);
  }

  async #addLines(fresh, tell) {
    const add = () => {
      for (const [source, track] of fresh) {
        this.sending.set(source, this.connection.addTransceiver(track, { direction: "sendonly" }));
      }
    };
    try {
      await this.negotiate(add, tell);
    } catch (error) {
      for (const [source] of fresh) {
        // An m-line can't be taken back, so it is put to sleep.
        const transceiver = this.sending.get(source);
        this.sending.delete(source);
        if (!transceiver) continue;
        if (this.#closed) continue;
        transceiver.direction = "inactive";
        await transceiver.sender.replaceTrack(null);
      }
      throw error;
    }
  }

  /** Sends nothing from this source until the next `publish`. */
  async silence(source) {
    await this.#replace(source, null);
  }

  /**
   * Finds a new path to the server; media goes on meanwhile if the old one still carries. While nothing gets through it is
   * tried again and again: a machine that slept, or a network that was away, says nothing when it is back.
   */
  restartIce() {
    this.#watchAgain(RESTART_PATIENCE_MS);
    return this.negotiate(() => this.connection.restartIce());
  }

  /** Switches encodings on and off as the server asks. */
  applyHint(hints = []) { return this.#hints.apply(this.sending.values(), hints); }

  /**
   * Ends the connection. The tracks belong to whoever made them and go on.
   * @param {RostrumError} [error] what is under way rejects with it
   */
  close(error = new RostrumError("ERR_DISCONNECTED", "The connection was closed.")) {
    this.#closed = true;
    this.#abandon(error);
    this.#stopWatching();
    this.connection.ontrack = null;
    this.connection.oniceconnectionstatechange = null;
    this.connection.close();
  }

  async #replace(source, track) {
    await this.#unlessGone(this.sending.get(source)?.sender.replaceTrack(track));
  }

  #unlessGone(promise) {
    return Promise.race([promise, this.#gone]);
  }

  async #offer() {
    this.offerCount += 1;
    // No waiting for candidates: the server is ICE-lite and learns our addresses from our checks.
    await this.#unlessGone(this.connection.setLocalDescription());
    return this.connection.localDescription.sdp;
  }

  #watchPath() {
    const state = this.connection.iceConnectionState;
    this.#stopWatching();
    if (BROKEN.has(state)) this.#watchAgain(state === "failed" ? 0 : DISCONNECTED_PATIENCE_MS);
    this.#options.onState(state);
  }

  /** Restarts ICE after a while if the path is broken then. Without a socket that is refused, and tried later again. */
  #watchAgain(wait) {
    this.#stopWatching();
    if (this.#closed) return;
    this.#restartTimer = this.#options.timers.setTimeout(() => {
      this.#restartTimer = null;
      if (BROKEN.has(this.connection.iceConnectionState)) this.restartIce().catch(() => {});
    }, wait);
  }

  #stopWatching() {
    this.#options.timers.clearTimeout(this.#restartTimer);
    this.#restartTimer = null;
  }
}
