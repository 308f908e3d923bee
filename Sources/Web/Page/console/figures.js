import { quality } from "./people.js";
import { rate } from "./words.js";

const MOST = 40;

/**
 * Somebody's details as pairs of term and text: what is known of everybody, then what the server measures.
 * @param {object} participant as the API gives one, with statistics
 * @returns {[string, string][]}
 */
export function figures({ participantId, deviceId, connectionQuality, ...rest }) {
  const measured = quality(connectionQuality);
  const pairs = [["Participant", participantId]];
  if (deviceId) pairs.push(["Device", deviceId]);
  pairs.push(["Connection", measured ? `${measured.word}, ${measured.level} of 5` : "not measured yet"]);
  for (const [key, value] of Object.entries(rest)) {
    if (value === null || typeof value !== "object") continue;
    const { seats, ...others } = value;
    pairs.push(...flat(key, others, true));
    if (Array.isArray(seats)) pairs.push(...seats.filter(({ participantId: who }) => who).map(seatPair));
  }
  return pairs.slice(0, MOST);
}

/** One of the seats that somebody sits in: what is sent to it, and why not more. */
function seatPair({ mid, kind, source, layer, bitrateBps = 0, loss = 0, reason, neededBps }) {
  const facts = [source ?? kind];
  if (layer?.rid) facts.push(`size ${layer.rid}`);
  facts.push(layer ? rate(bitrateBps) : "nothing is sent");
  if (loss >= 0.005) facts.push(`${(loss * 100).toFixed(1)} % lost`);
  if (reason) facts.push((REASONS[reason] ?? reason) + (neededBps ? `, more takes ${rate(neededBps)}` : ""));
  return [`Seat ${mid}`, facts.join(" · ")];
}

/** Why a seat doesn't show the best layer. */
const REASONS = {
  bandwidth: "as much as the link carries", viewport: "shown no larger", lastN: "more than the viewer wants",
  paused: "paused by the viewer", sourceOff: "switched off", serverLimit: "limited by the server",
};

/** Numbers and words of nested statistics, each under its path. */
function flat(path, value, isRoot = false) {
  if (Array.isArray(value)) return value.flatMap((one, index) => flat(`${path} ${index + 1}`, one));
  if (value !== null && typeof value === "object") {
    return Object.entries(value).flatMap(([key, inner]) => flat(isRoot ? key : `${path} · ${key}`, inner));
  }
  return [[words(path), written(path, value)]];
}

function written(path, value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value ?? "–");
  if (/Bps$/u.test(path)) return rate(value);
  if (/Ms$/u.test(path)) return `${Math.round(value)} ms`;
  if (/At$/u.test(path)) return new Date(value).toLocaleTimeString();
  if (/(?:Ratio|Fraction|[lL]oss)$/u.test(path)) return `${(value * 100).toFixed(1)} %`;
  return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2);
}

/** `packetsLost` → “Packets lost”; units are said by the value. */
function words(path) {
  const text = path.replace(/(?:Bps|Ms|At)$/u, "").replaceAll(/([a-z])([A-Z])/gu, "$1 $2").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
