import { avatar, byId, icon, make, setText } from "./dom.js";
import { chooseTiles, fitTiles } from "./fit.js";
import { quality } from "./quality.js";

const MOST_WIDE = 16;
const MOST_TALL = 8;

/** The pictures: a tile for each participant in the grid, shared screens on the stage. */
export class Tiles {
  #client;
  #tiles = new Map();
  #streams = new WeakMap();
  #layoutTimer = null;
  #fitting = null;
  #sentLayout = "";
  #more = make("div", { class: "tile", data: { more: "" } });
  #observer = new ResizeObserver(() => this.#fit());

  /** @param {import("/rostrum.js").RostrumClient} client */
  constructor(client) {
    this.#client = client;
    this.#observer.observe(byId("grid"));
    // A session that was joined anew knows nothing of what was told before.
    client.addEventListener("resumed", ({ detail }) => {
      if (detail.rejoined) this.#sentLayout = "";
    });
  }

  /** Brings every tile up to date. */
  render() {
    const { participants, participantId } = this.#client;
    const tall = innerHeight > innerWidth;
    const isSeated = (pid) => this.#client.seatOf(pid) !== null;
    const { shown, more } = chooseTiles(participants, participantId, isSeated, tall ? MOST_TALL : MOST_WIDE);
    const screens = participants.filter((one) => this.#screenTrack(one) !== null);

    const keep = new Set();
    const grid = shown.map((one) => this.#show(one, "camera", keep));
    const stage = screens.map((one) => this.#show(one, "screen", keep));
    for (const [key, tile] of this.#tiles) {
      if (keep.has(key)) continue;
      tile.remove();
      this.#tiles.delete(key);
    }
    setText(this.#more, `+${more}`);
    this.#more.setAttribute("aria-label", `${more} more people`);
    arrange(byId("grid"), more > 0 ? [...grid, this.#more] : grid);
    arrange(byId("stage"), stage);
    byId("stage").hidden = stage.length === 0;
    byId("area").toggleAttribute("data-stage", stage.length > 0);
    byId("alone").hidden = participants.length !== 1 || stage.length > 0;
    // Sizes are read once a frame: joining renders many times in a row.
    this.#fitting ??= requestAnimationFrame(() => {
      this.#fitting = null;
      this.#fit();
    });
    this.#tellLayoutSoon();
  }

  /** Takes all tiles away. */
  close() {
    this.#observer.disconnect();
    cancelAnimationFrame(this.#fitting);
    clearTimeout(this.#layoutTimer);
    byId("grid").replaceChildren();
    byId("stage").replaceChildren();
  }

  #show(participant, source, keep) {
    const key = `${source}:${participant.participantId}`;
    keep.add(key);
    let tile = this.#tiles.get(key);
    if (!tile) {
      tile = makeTile(participant, source);
      this.#tiles.set(key, tile);
    }
    this.#fill(tile, participant, source);
    return tile;
  }

  #fill(tile, participant, source) {
    const client = this.#client;
    const own = participant.participantId === client.participantId;
    const name = participant.name || participant.uid || "Guest";
    const place = client.hands.indexOf(participant.participantId) + 1;
    const speaking = client.dominantSpeaker?.participantId === participant.participantId;
    const track = source === "screen" ? this.#screenTrack(participant) : this.#cameraTrack(participant);
    const muted = own ? !client.audioOn : participant.audioMuted === true;
    Object.assign(tile.dataset, {
      own, muted, hand: place, speaking: speaking && source === "camera" && !muted,
      camera: own ? (client.videoOn ? "on" : "off") : participant.videoPaused ? "off" : "on",
      picture: track ? "on" : "off", state: participant.state ?? "joined",
    });
    const [video, face, plate, hand, state, bars] = tile.children;
    this.#attach(video, track);
    setText(face, avatar(name).textContent);
    face.style.cssText = avatar(name).style.cssText;
    setText(plate.querySelector("span"), label(name, own, source));
    plate.dataset.muted = muted && source === "camera";
    hand.hidden = place === 0 || source === "screen";
    setText(hand.querySelector("b"), String(place));
    hand.title = `Hand raised, number ${place} in the queue`;
    state.hidden = participant.state !== "reconnecting";
    const raised = place > 0 && `hand raised, place ${place}`;
    const connection = source === "camera" ? showQuality(bars, participant.connectionQuality) : null;
    const facts = [name, own && "you", muted && "muted", raised, speaking && "speaking", connection];
    tile.setAttribute("aria-label", facts.filter(Boolean).join(", "));
  }

  #attach(video, track) {
    const wanted = track ? this.#streamOf(track) : null;
    if (video.srcObject === wanted) return;
    video.srcObject = wanted;
    // Muted video may always play; a refusal here only means that the source changed meanwhile.
    if (wanted) video.play().catch(() => {});
  }

  #streamOf(track) {
    if (!this.#streams.has(track)) this.#streams.set(track, new MediaStream([track]));
    return this.#streams.get(track);
  }

  #cameraTrack(participant) {
    const { participantId } = participant;
    if (participantId === this.#client.participantId) return this.#client.videoTrack;
    const seat = this.#client.seatOf(participantId, "camera");
    return seat && !seat.muted && !participant.videoPaused ? seat.track : null;
  }

  #screenTrack({ participantId }) {
    if (participantId === this.#client.participantId) return this.#client.screenTrack;
    return this.#client.seatOf(participantId, "screen")?.track ?? null;
  }

  #fit() {
    const grid = byId("grid");
    const { clientWidth, clientHeight, childElementCount } = grid;
    if (childElementCount > 0 && !byId("area").hasAttribute("data-stage")) {
      const gap = parseFloat(getComputedStyle(grid).columnGap) || 0;
      const { width, height } = fitTiles(childElementCount, clientWidth, clientHeight, gap);
      grid.style.setProperty("--tile-width", `${width}px`);
      grid.style.setProperty("--tile-height", `${height}px`);
    }
    this.#tellLayoutSoon();
  }

  #tellLayoutSoon() {
    clearTimeout(this.#layoutTimer);
    this.#layoutTimer = setTimeout(() => this.#tellLayout(), 600);
  }

  /** Tells the server how large each seat is shown, so that it sends no larger layer than that. */
  #tellLayout() {
    if (this.#client.state !== "joined") return;
    const taken = this.#client.seats.filter((seat) => seat.kind === "video" && seat.participantId);
    const seats = taken.map((seat) => {
      const tile = this.#tiles.get(`${seat.source}:${seat.participantId}`);
      const height = Math.ceil((tile?.clientHeight ?? 0) * devicePixelRatio);
      return { mid: seat.mid, maxHeight: Math.max(height, 90), paused: !tile };
    });
    const layout = byId("area").hasAttribute("data-stage") ? "sidebar" : "tile";
    const text = JSON.stringify([layout, seats]);
    if (text === this.#sentLayout) return;
    this.#sentLayout = text;
    this.#client.setLayout(layout, seats).catch(({ code }) => {
      // Told again when it changes; after a lost connection in any case.
      if (code === "ERR_DISCONNECTED" || code === "ERR_TIMEOUT") this.#sentLayout = "";
    });
  }
}

function makeTile(participant, source) {
  const video = make("video", { autoplay: true, muted: true, playsInline: true, "aria-hidden": "true" });
  const plate = make("div", { class: "plate" }, icon("micOff"), make("span"));
  const hand = make("div", { class: "hand-badge", hidden: true }, icon("hand"), make("b"));
  const state = make("div", { class: "state-badge", hidden: true }, icon("signal"), "Reconnecting");
  const bars = make("div", { class: "quality-badge", hidden: true, "aria-hidden": "true" });
  for (let level = 1; level <= 5; level++) bars.append(make("i"));
  const data = { participant: participant.participantId, source };
  const tile = make("article", { class: "tile", data }, video, avatar(""), plate, hand, state, bars);
  if (source === "screen") tile.ondblclick = () => tile.requestFullscreen?.().catch(() => {});
  return tile;
}

/** Shows how well somebody is connected; returns the words for it, which the tile's own label has. */
function showQuality(bars, score) {
  const measured = quality(score);
  bars.hidden = measured === null;
  if (measured === null) return null;
  const text = `connection ${measured.word}`;
  bars.dataset.level = measured.level;
  bars.title = `C${text.slice(1)}, ${measured.level} of 5`;
  return text;
}

function label(name, own, source) {
  if (source === "screen") return own ? "Your screen" : `${name}’s screen`;
  return own ? `${name} (you)` : name;
}

/** Puts children in this order, moving only what must be: a moved video stops for a moment. */
function arrange(parent, children) {
  for (const child of [...parent.children]) if (!children.includes(child)) child.remove();
  children.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}
