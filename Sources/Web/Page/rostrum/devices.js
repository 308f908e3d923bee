/** What is asked for when the caller says just `true`. */
const DEFAULTS = {
  audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
};

/** A track and whether we opened it: only what we opened do we stop. */
export class LocalTrack {
  /**
   * @param {MediaStreamTrack | null} track
   * @param {boolean} owned
   * @param {object | true} wish constraints to open it again with
   */
  constructor(track, owned, wish) {
    Object.assign(this, { track, owned, wish });
  }

  /** Switches the device off. A track of the caller's goes on and comes back with `open`. */
  release() {
    if (!this.owned) return;
    this.track?.stop();
    this.track = null;
  }

  /** The live track; asks the device for a new one if the old one was stopped or has ended by itself. */
  async open(kind) {
    if (!this.track || this.track.readyState === "ended") {
      this.track = await openTrack(kind, this.wish);
      this.owned = true;
    }
    return this.track;
  }
}

/**
 * Opens what the caller wishes, with one permission prompt for both kinds.
 * @param {object} wishes
 * @param {boolean | MediaTrackConstraints | MediaStreamTrack} wishes.audio
 * @param {boolean | MediaTrackConstraints | MediaStreamTrack} wishes.video
 * @param {boolean} [wishes.handOverTracks] tracks given become ours to stop
 * @returns {Promise<{audio: LocalTrack, video: LocalTrack}>} rejects with the browser's `DOMException`
 */
export async function openTracks({ audio, video, handOverTracks = false }) {
  const asked = {};
  for (const [kind, wish] of Object.entries({ audio, video })) {
    if (wish && !isTrack(wish)) asked[kind] = wish === true ? DEFAULTS[kind] : wish;
  }
  const stream = Object.keys(asked).length > 0 ? await navigator.mediaDevices.getUserMedia(asked) : null;
  const local = (kind, wish) => {
    // A device may have gone between being chosen and being used.
    if (isTrack(wish)) return new LocalTrack(wish.readyState === "live" ? wish : null, handOverTracks, true);
    const track = stream?.getTracks().find((one) => one.kind === kind) ?? null;
    return new LocalTrack(track, true, wish || true);
  };
  return { audio: local("audio", audio), video: local("video", video) };
}

async function openTrack(kind, wish) {
  const stream = await navigator.mediaDevices.getUserMedia({ [kind]: wish === true ? DEFAULTS[kind] : wish });
  return stream.getTracks()[0];
}

function isTrack(wish) {
  return typeof wish === "object" && wish !== null && typeof wish.kind === "string" && "readyState" in wish;
}
