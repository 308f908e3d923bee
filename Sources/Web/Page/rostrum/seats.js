/**
 * A place in which somebody is received: one receive-only m-line of the offer.
 *
 * Its mid, track and stream never change; who sits there does.
 * @typedef {object} Seat
 * @property {string} mid
 * @property {"audio" | "video"} kind
 * @property {number} index k: the k-th audio and the k-th video seat always hold the same participant
 * @property {MediaStreamTrack | null} track
 * @property {MediaStream | null} stream `seat-k`, shared by the pair
 * @property {string | null} participantId who sits here, or null
 * @property {string | null} source `camera`, `microphone`, `screen`, `screenAudio`, or null
 * @property {boolean} muted nothing is sent at the moment
 * @property {object | null} layer `{rid?, spatial, temporal, height?}` where the server says it, which it does in `getStats`
 */

/** The seats of one connection, by mid. Pure state. */
export class SeatTable {
  #seats = new Map();

  /** @param {{mid: string, kind: "audio" | "video"}[]} lines receive-only m-lines, in the offer's order */
  constructor(lines = []) {
    const counts = { audio: 0, video: 0 };
    for (const { mid, kind } of lines) {
      this.#seats.set(mid, {
        mid, kind, index: counts[kind]++, track: null, stream: null,
        participantId: null, source: null, muted: false, layer: null,
      });
    }
  }

  /** All seats, in the order of the offer. @returns {Seat[]} */
  get all() {
    return [...this.#seats.values()];
  }

  /** Notes which track and stream arrive on a mid. Returns false for a mid that is no seat. */
  attach(mid, track, stream) {
    const seat = this.#seats.get(mid);
    if (!seat) return false;
    Object.assign(seat, { track, stream });
    return true;
  }

  /**
   * Takes in the server's word on who sits where; seats that aren't mentioned stay as they are.
   * @param {object[]} seats as in `joinSession` and `seatsChanged`
   * @returns {Seat[]} those whose occupant or source changed
   */
  update(seats = []) {
    const changed = [];
    for (const given of seats) {
      const seat = this.#seats.get(String(given.mid));
      if (!seat) continue;
      const participantId = given.participantId || null;
      const source = participantId ? given.source ?? defaultSource(seat.kind) : null;
      if (seat.participantId !== participantId || seat.source !== source) changed.push(seat);
      const { muted = false, layer = null } = given;
      Object.assign(seat, { participantId, source, muted, layer });
    }
    return changed;
  }

  /** Empties every seat: the state before the first `update`. */
  vacate() {
    for (const seat of this.#seats.values()) {
      Object.assign(seat, { participantId: null, source: null, muted: false, layer: null });
    }
  }

  /** The seat in which this participant's source is received, or null. @returns {Seat | null} */
  find(participantId, source) {
    return this.all.find((seat) => seat.participantId === participantId && seat.source === source) ?? null;
  }
}

function defaultSource(kind) {
  return kind === "audio" ? "microphone" : "camera";
}
