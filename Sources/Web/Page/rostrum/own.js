import { openTracks } from "./devices.js";

/**
 * The own microphone, camera and screen: the devices, what is sent, and the server's word about it.
 *
 * Switching off takes effect here at once and then at the server; switching on only after the server agreed.
 */
export class OwnMedia {
  #request;
  #link;
  #emit;
  #local = null;
  #on = { audio: false, video: false };
  #screen = null;

  /**
   * @param {object} hooks
   * @param {(method: string, params?: object) => Promise<object>} hooks.request
   * @param {() => import("./media.js").MediaLink | null} hooks.link the connection of the moment; none while one
   *   waits to be let in
   * @param {(detail: object) => void} hooks.changed something went on or off; `by` if somebody else did it,
   *   `ended` (`microphone`, `camera` or `screen`) if the device or the browser did
   */
  constructor({ request, link, changed }) {
    this.#request = request;
    this.#link = link;
    this.#emit = changed;
  }

  get audioOn() { return this.#on.audio; }
  get videoOn() { return this.#on.video; }
  get screenOn() { return this.#screen !== null; }
  get audioTrack() { return this.#local?.audio.track ?? null; }
  get videoTrack() { return this.#on.video ? this.#local?.video.track ?? null : null; }
  get screenTrack() { return this.#screen?.video ?? null; }

  /** Opens microphone and camera as wished. See `joinSession`. */
  async open({ audio = true, video = true, handOverTracks }) {
    this.#local = await openTracks({ audio, video, handOverTracks });
    const { audio: microphone, video: camera } = this.#local;
    this.#on = { audio: microphone.track !== null, video: camera.track !== null };
    if (microphone.track) this.#watch("audio", microphone.track);
    if (camera.track) this.#watch("video", camera.track);
  }

  async muteAudio() {
    this.#switchAudio(false);
    await this.#request("muteAudio");
  }

  async unmuteAudio() {
    const before = this.#local.audio.track;
    const track = await this.#local.audio.open("audio");
    if (!this.#on.audio) track.enabled = false;
    if (track !== before) {
      this.#watch("audio", track);
      await this.#link()?.publish({ microphone: track });
    }
    await this.#request("unmuteAudio");
    this.#switchAudio(true);
    // It went while the server was asked.
    if (this.#local?.audio.track !== track) await this.#loseMicrophone();
  }

  async pauseVideo() {
    await this.#stopVideo();
    await this.#request("pauseVideo");
  }

  async resumeVideo() {
    const before = this.#local.video.track;
    const track = await this.#local.video.open("video");
    if (track !== before) this.#watch("video", track);
    try {
      await this.#request("resumeVideo");
      await this.#link()?.publish({ camera: track });
    } catch (error) {
      if (!this.#on.video) this.#local.video.release();
      throw error;
    }
    this.#on.video = true;
    this.#emit({});
    if (this.#local?.video.track !== track) await this.#loseCamera();
  }

  async startScreenShare({ stream, audio = true, handOverTracks = !stream } = {}) {
    if (this.#screen) return;
    const captured = stream ?? await navigator.mediaDevices.getDisplayMedia({ video: true, audio });
    const [video] = captured.getVideoTracks();
    const [sound = null] = captured.getAudioTracks();
    video.contentHint ||= "detail";
    const screen = { video, sound, owned: handOverTracks };
    this.#screen = screen;
    video.addEventListener("ended", () => {
      if (this.#screen === screen) this.#retractScreen({ ended: "screen" }).catch(() => {});
    }, { once: true });
    const tracks = sound ? { screen: video, screenAudio: sound } : { screen: video };
    let isAnnounced = false;
    try {
      // The server has to know first: an m-line that nobody announced is a camera to it.
      await this.#link().publish(tracks, async (mids) => {
        const params = sound ? { mid: mids.screen, audioMid: mids.screenAudio } : { mid: mids.screen };
        await this.#request("startScreenSharing", params);
        isAnnounced = true;
      });
    } catch (error) {
      await this.#endScreen();
      if (isAnnounced) await this.#request("stopScreenSharing").catch(() => {});
      throw error;
    }
    // Ended by the browser's own button meanwhile: the word of it overtook the word of the start.
    if (this.#screen !== screen) await this.#retractScreen();
    this.#emit({});
  }

  async stopScreenShare() {
    if (this.#screen) await this.#retractScreen();
  }

  /**
   * Lays the shared screen aside without ending its tracks, to share it again over a new connection.
   * @returns {{tracks: MediaStreamTrack[], owned: boolean} | null}
   */
  takeScreen() {
    const screen = this.#screen;
    this.#screen = null;
    if (screen?.video.readyState !== "live") return null;
    return { tracks: [screen.video, screen.sound].filter(Boolean), owned: screen.owned };
  }

  /** Obeys an event about ourselves: somebody switched us off. */
  obey(event, by) {
    const detail = by ? { by } : {};
    const ignore = () => {};
    if (event === "participantAudioMuted" && this.#on.audio) this.#switchAudio(false, detail);
    else if (event === "participantVideoPaused" && this.#on.video) this.#stopVideo(detail).catch(ignore);
    else if (event === "participantStoppedScreenShare" && this.#screen) this.#endScreen(detail).catch(ignore);
  }

  /** Takes over what a whole state says of ourselves: muted on entry, or switched off while we couldn't be told. */
  agree({ audioMuted, videoPaused }) {
    if (audioMuted && this.#on.audio) this.#switchAudio(false);
    if (videoPaused && this.#on.video) this.#stopVideo().catch(() => {});
  }

  /** After a resumed session: tells the server what was switched off while it couldn't be told. */
  catchUp(me) {
    const late = [];
    if (!me.audioMuted && !this.#on.audio) late.push("muteAudio");
    if (!me.videoPaused && !this.#on.video) late.push("pauseVideo");
    if (me.isPresenting && !this.#screen) late.push("stopScreenSharing");
    for (const method of late) this.#request(method).catch(() => {});
  }

  /** Gives the devices back. */
  release() {
    this.#local?.audio.release();
    this.#local?.video.release();
    this.#on = { audio: false, video: false };
    if (this.#screen?.owned) for (const track of [this.#screen.video, this.#screen.sound]) track?.stop();
    this.#screen = null;
  }

  /** A device that goes (unplugged, forbidden) is to the others the same as switched off. */
  #watch(kind, track) {
    track.addEventListener("ended", () => {
      if (this.#local?.[kind].track !== track) return;
      this.#local[kind].track = null;
      const lost = kind === "audio" ? this.#loseMicrophone() : this.#loseCamera();
      // Without a socket it is told after the return.
      lost.catch(() => {});
    }, { once: true });
  }

  async #loseMicrophone() {
    if (!this.#on.audio) return;
    this.#switchAudio(false, { ended: "microphone" });
    await this.#request("muteAudio");
  }

  async #loseCamera() {
    if (!this.#on.video) return;
    await this.#stopVideo({ ended: "camera" });
    await this.#request("pauseVideo");
  }

  #switchAudio(on, detail = {}) {
    this.#on.audio = on;
    if (this.#local?.audio.track) this.#local.audio.track.enabled = on;
    this.#emit(detail);
  }

  async #stopVideo(detail = {}) {
    this.#on.video = false;
    this.#local?.video.release();
    this.#emit(detail);
    await this.#link()?.silence("camera");
  }

  async #retractScreen(detail) {
    await this.#endScreen(detail);
    await this.#request("stopScreenSharing");
  }

  async #endScreen(detail = {}) {
    const screen = this.#screen;
    this.#screen = null;
    if (screen?.owned) for (const track of [screen.video, screen.sound]) track?.stop();
    this.#emit(detail);
    await this.#link()?.silence("screen");
    await this.#link()?.silence("screenAudio");
  }
}
