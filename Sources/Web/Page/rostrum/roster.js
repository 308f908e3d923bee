/**
 * What is known about a session: folded from the answer of `joinSession` and the events after it.
 *
 * Pure state: no socket, no clock, no DOM.
 */
export class Roster {
  /** Participants by participantId, in join order. @type {Map<string, object>} */
  participants = new Map();
  /** participantIds with a raised hand, first raised first. @type {string[]} */
  hands = [];
  /** participantId of the dominant speaker, or null. @type {string | null} */
  dominantSpeaker = null;
  /** Who speaks, the loudest first, for those who are told. @type {{participantId: string, level: number}[]} */
  activeSpeakers = [];
  /** Who waits to be let in, by participantId, in the order of coming; moderators alone are told. */
  waiting = new Map();
  /** The session object, or null before joining. @type {object | null} */
  session = null;
  /** `seq` of the last event taken in. */
  lastSeq = 0;

  /** Starts over from a whole state: the answer of `joinSession`, or the snapshot of `resumeSession`. */
  reset({ session = null, participants = [], waiting = [], hands, dominantSpeaker = null, seq = 0 }) {
    this.session = session;
    this.waiting = new Map(waiting.map((one) => [one.participantId, one]));
    this.participants = new Map(participants.map((one) => [one.participantId, { ...one }]));
    this.hands = [];
    this.#settleHands(hands);
    this.dominantSpeaker = idOf(dominantSpeaker);
    this.activeSpeakers = [];
    this.lastSeq = seq;
  }

  /**
   * Takes in one event.
   * @param {{event: string, seq?: number, at?: number, data?: object}} envelope
   * @returns {{fresh: boolean, gap: {expected: number, got: number} | null}} `fresh` is false for an event
   *   seen before, which changes nothing; `gap` says that events before this one are missing
   */
  apply({ event, seq, at = 0, data = {} }) {
    let gap = null;
    if (typeof seq === "number") {
      if (seq <= this.lastSeq) return { fresh: false, gap: null };
      if (seq > this.lastSeq + 1) gap = { expected: this.lastSeq + 1, got: seq };
      this.lastSeq = seq;
    }
    this.#fold(event, data, at);
    return { fresh: true, gap };
  }

  /** The place of a participant in the queue of hands, counted from 1; 0 if the hand isn't raised. */
  handPlace(participantId) {
    return this.hands.indexOf(participantId) + 1;
  }

  #fold(event, data, at) {
    const patch = PATCHES[event];
    if (patch) return this.#patch(data, typeof patch === "function" ? patch(data, at) : patch);
    switch (event) {
      case "sessionJoined":
      case "sessionUpdated":
        if (data.session) this.session = { ...this.session, ...data.session };
        break;
      case "recordingStarted":
      case "recordingStopped":
        this.session = { ...this.session, recording: event === "recordingStarted" };
        break;
      case "participantListChanged":
        this.participants = new Map(
          (data.participants ?? []).map((one) => [
            one.participantId, { ...this.participants.get(one.participantId), ...one },
          ]));
        this.#settleHands(data.hands);
        break;
      case "participantLeft":
        this.#remove(idOf(data));
        break;
      case "waitingParticipant":
        if (data.participant?.participantId) this.waiting.set(idOf(data), data.participant);
        break;
      case "admitted":
      case "denied":
        this.waiting.delete(idOf(data));
        break;
      case "dominantSpeakerChanged":
        this.dominantSpeaker = idOf(data);
        break;
      case "activeSpeakersChanged":
        this.activeSpeakers = data.speakers ?? [];
        break;
    }
  }

  #patch(data, change) {
    const participantId = idOf(data);
    if (participantId === null) return;
    const whole = typeof data.participant === "object" ? data.participant : {};
    const known = this.participants.get(participantId);
    // Somebody unknown is taken in only with the whole object: a bare id makes no participant.
    if (known || data.participant?.participantId) {
      this.participants.set(participantId, { ...known, ...whole, ...change });
    }
    this.#settleHands(data.hands);
  }

  #remove(participantId) {
    this.participants.delete(participantId);
    this.hands = this.hands.filter((one) => one !== participantId);
    if (this.dominantSpeaker === participantId) this.dominantSpeaker = null;
    this.activeSpeakers = this.activeSpeakers.filter((one) => one.participantId !== participantId);
  }

  /** The server's order if it sent one; else those known before keep their places and new ones queue up. */
  #settleHands(given) {
    if (Array.isArray(given)) {
      this.hands = given.map(idOf).filter((one) => one !== null);
      for (const [participantId, one] of this.participants) {
        const raised = this.hands.includes(participantId);
        if (raised !== one.raisedHandAt > 0) one.raisedHandAt = raised ? 1 : 0;
      }
      return;
    }
    const raised = [...this.participants.values()].filter((one) => one.raisedHandAt > 0);
    raised.sort((a, b) => a.raisedHandAt - b.raisedHandAt);
    const ids = raised.map((one) => one.participantId);
    const kept = this.hands.filter((one) => ids.includes(one));
    this.hands = [...kept, ...ids.filter((one) => !kept.includes(one))];
  }
}

/** What each event about one participant changes in it. */
const PATCHES = {
  participantJoined: {},
  participantUpdated: {},
  participantAudioMuted: { audioMuted: true },
  participantAudioUnmuted: { audioMuted: false },
  participantVideoPaused: { videoPaused: true },
  participantVideoResumed: { videoPaused: false },
  participantStartedScreenShare: { isPresenting: true },
  participantStoppedScreenShare: { isPresenting: false },
  participantConnectionLost: { state: "reconnecting" },
  participantConnectionRestored: { state: "joined" },
  participantHandRaised: (data, at) => ({ raisedHandAt: data.participant?.raisedHandAt || at || 1 }),
  participantHandLowered: { raisedHandAt: 0 },
  connectionQuality: (data) => ({ connectionQuality: data.score }),
};

/** The participantId in an event's data, a participant, an entry of `hands` or a bare id; else null. */
export function idOf(value) {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object") return null;
  return value.participantId ?? idOf(value.participant ?? null);
}
