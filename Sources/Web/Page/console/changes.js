import { nameOf } from "./people.js";
import { MARKS, SCOPES } from "./words.js";

/** More news than this about the same thing are counted, not told one by one. */
const MOST_NAMES = 3;

/**
 * What has changed from one answer of the server to the next, in sentences for whoever doesn't see it.
 * @param {{session: object, participants: object[]} | null} before `null`: nothing was known, nothing is news
 * @param {{session: object, participants: object[]}} after
 * @returns {string[]}
 */
export function news(before, after) {
  if (!before) return [];
  return [
    ...newsOfPeople(before.participants, after.participants), ...newsOfSession(before.session, after.session),
  ];
}

function newsOfPeople(before, after) {
  const known = new Map(before.map((one) => [one.participantId, one]));
  const still = new Set(after.map((one) => one.participantId));
  const groups = new Map();
  const note = (kind, one) => groups.set(kind, [...groups.get(kind) ?? [], nameOf(one)]);
  for (const one of after) {
    const was = known.get(one.participantId);
    const arrival = one.state === "waiting" ? "waits to be let in" : "joined";
    for (const kind of was ? differences(was, one) : [arrival]) note(kind, one);
  }
  for (const one of before) {
    if (!still.has(one.participantId)) note(one.state === "waiting" ? "waits no longer" : "left", one);
  }
  return [...groups].map(([what, names]) => sentence(names, what));
}

function differences(was, is) {
  const kinds = [];
  const isIn = is.state !== "waiting";
  if (was.state === "waiting" && isIn) kinds.push("joined");
  if (is.state === "reconnecting" && was.state !== "reconnecting") kinds.push("lost the connection");
  if (was.state === "reconnecting" && is.state === "joined") kinds.push("is connected again");
  if (is.audioLocked && !was.audioLocked) kinds.push("was muted and locked");
  else if (is.audioMuted && !was.audioMuted) kinds.push("is muted");
  if (was.audioLocked && !is.audioLocked) kinds.push("may unmute again");
  if (was.audioMuted && !is.audioMuted) kinds.push("is unmuted");
  const turn = (key, on, off) => (was[key] > 0 === is[key] > 0 ? [] : [is[key] > 0 ? on : off]);
  kinds.push(
    ...turn("videoPaused", "is off camera", "is on camera"),
    ...turn("isPresenting", "shares the screen", "shares no more"),
    ...turn("raisedHandAt", "raised a hand", "has the hand down"));
  if (is.scope !== was.scope) kinds.push(`is ${SCOPES[is.scope] ?? is.scope} now`);
  return kinds;
}

function newsOfSession(before, after) {
  const told = [];
  for (const [key, { on, off }] of Object.entries(MARKS)) {
    const was = before?.settings?.[key] ?? before?.[key] ?? false;
    const is = after?.settings?.[key] ?? after?.[key] ?? false;
    if (was !== is) told.push(is ? on : off);
  }
  const limit = after?.settings?.maxParticipants;
  if (before?.settings?.maxParticipants !== limit && limit) told.push(`The meeting has ${limit} places`);
  return told;
}

function sentence(names, what) {
  if (names.length === 1) return `${names[0]} ${what}`;
  const [verb] = what.split(" ");
  const plural = what.replace(verb, PLURALS[verb] ?? verb);
  if (names.length > MOST_NAMES) return `${names.length} people ${plural}`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} ${plural}`;
}

const PLURALS = { is: "are", was: "were", has: "have", waits: "wait", shares: "share" };
