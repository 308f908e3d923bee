// Node 18, which Debian 12 has, knows it only behind a flag.
globalThis.CustomEvent ??= class CustomEvent extends Event {
  constructor(type, { detail = null, ...rest } = {}) {
    super(type, rest);
    this.detail = detail;
  }
};

/** A WebSocket under the test's hand: what was sent is read, what arrives is written. */
export class FakeWebSocket {
  static all = [];
  readyState = 0;
  sent = [];

  constructor(url, protocols) {
    Object.assign(this, { url, protocols });
    FakeWebSocket.all.push(this);
    FakeWebSocket.onCreate?.(this);
  }

  static get last() { return FakeWebSocket.all.at(-1); }

  accept() {
    this.readyState = 1;
    this.onopen();
  }

  send(text) {
    const request = JSON.parse(text);
    this.sent.push(request);
    const answer = this.answers?.[request.method];
    if (!answer) return;
    queueMicrotask(() => {
      const message = answer(request.params);
      if (message) this.deliver({ id: request.id, ...message });
    });
  }

  deliver(message) {
    if (this.readyState === 1) this.onmessage({ data: JSON.stringify(message) });
  }

  close(code) {
    this.readyState = 3;
    this.closedWith = code;
  }

  /** The network's or the server's doing. */
  drop(code = 1006, reason = "") {
    this.readyState = 3;
    this.onclose({ code, reason });
  }
}

/** A clock that stands still until it is moved. */
export class FakeTimers {
  #now = 1_000_000;
  #next = 1;
  #due = new Map();

  now = () => this.#now;
  setTimeout = (run, ms) => this.#add(run, ms, null);
  setInterval = (run, ms) => this.#add(run, ms, ms);
  clearTimeout = (id) => { this.#due.delete(id); };
  clearInterval = (id) => { this.#due.delete(id); };

  get pending() { return this.#due.size; }

  /** Moves the clock and runs what falls due, letting promises settle in between. */
  async advance(ms) {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = [...this.#due].filter(([, one]) => one.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!next) break;
      const [id, one] = next;
      this.#now = one.at;
      if (one.every === null) this.#due.delete(id);
      else one.at += one.every;
      one.run();
    }
    this.#now = end;
    await settle();
  }

  #add(run, ms, every) {
    const id = this.#next++;
    this.#due.set(id, { run, at: this.#now + ms, every });
    return id;
  }
}

/** Lets everything that hangs on promises run. */
export async function settle() {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The header extension by which AV1's spatial layers are put together. */
export const DEPENDENCY_DESCRIPTOR =
  "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension";

/** As much of an RTCPeerConnection as the client touches. */
export class FakePeerConnection {
  static all = [];
  /** Awaited by each local description: whatever happens meanwhile. */
  static onOffer = null;
  signalingState = "stable";
  iceConnectionState = "new";
  transceivers = [];
  restarts = 0;
  closed = false;

  constructor() { FakePeerConnection.all.push(this); }

  static get last() { return FakePeerConnection.all.at(-1); }

  addTransceiver(trackOrKind, { direction, sendEncodings = [{}] }) {
    const track = typeof trackOrKind === "string" ? null : trackOrKind;
    const sender = {
      track,
      parameters: { encodings: sendEncodings.map((one) => ({ ...one })) },
      replaceTrack: async (next) => { sender.track = next; },
      getParameters: () => structuredClone(sender.parameters),
      setParameters: async (next) => { sender.parameters = next; },
    };
    const transceiver = {
      mid: null, kind: track?.kind ?? trackOrKind, direction, sender,
      // As Chromium does: it knows the last one, and doesn't offer it by itself.
      extensions: [
        { uri: "urn:ietf:params:rtp-hdrext:sdes:mid", direction: "sendrecv" },
        { uri: DEPENDENCY_DESCRIPTOR, direction: "stopped" },
      ],
      getHeaderExtensionsToNegotiate: () => structuredClone(transceiver.extensions),
      setHeaderExtensionsToNegotiate: (next) => { transceiver.extensions = next; },
    };
    this.transceivers.push(transceiver);
    return transceiver;
  }

  async setLocalDescription(description) {
    if (description?.type === "rollback") {
      this.signalingState = "stable";
      return;
    }
    await FakePeerConnection.onOffer?.();
    await this.#unlessClosed();
    this.transceivers.forEach((one, index) => { one.mid ??= String(index); });
    this.signalingState = "have-local-offer";
    this.localDescription = { type: "offer", sdp: `offer of ${this.transceivers.length} lines` };
  }

  async setRemoteDescription({ sdp }) {
    if (sdp === "broken") throw new Error("broken SDP");
    await this.#unlessClosed();
    this.signalingState = "stable";
    this.answers = [...this.answers ?? [], sdp];
  }

  setConfiguration(configuration) { this.configuration = configuration; }
  restartIce() { this.restarts += 1; }
  close() { this.closed = true; }

  /** As in browsers: what is asked of a closed connection never comes to an end. */
  #unlessClosed() {
    return this.closed ? new Promise(() => {}) : undefined;
  }

  /** The path changes. */
  path(state) {
    this.iceConnectionState = state;
    this.oniceconnectionstatechange?.();
  }
}

/** A track, as far as the client looks at it. */
export function fakeTrack(kind) {
  const track = new EventTarget();
  return Object.assign(track, {
    kind, readyState: "live", enabled: true, contentHint: "", id: `${kind}-track`,
    stop() { track.readyState = "ended"; },
    /** Unplugged, or forbidden. */
    end() {
      track.readyState = "ended";
      track.dispatchEvent(new Event("ended"));
    },
  });
}

/** Devices: `opened` has the tracks that were asked for; `answer` may refuse, or keep one waiting. */
export function fakeDevices(answer = async () => {}) {
  const devices = { opened: [], answer };
  const getUserMedia = async (asked) => {
    await devices.answer();
    const tracks = Object.keys(asked).map(fakeTrack);
    devices.opened.push(...tracks);
    return { getTracks: () => tracks };
  };
  const value = { mediaDevices: { getUserMedia } };
  Object.defineProperty(globalThis, "navigator", { value, configurable: true });
  return devices;
}
