import { isModerator, rank } from "../page/clearance.js";

/** What is known about participants, sorted and judged. No DOM. */

/**
 * Who is in, in join order; who waits, in the order of coming; whose hand is up, first raised first.
 * @param {object[]} participants as the API lists them
 */
export function sort(participants) {
  const waiting = participants.filter((one) => one.state === "waiting");
  const inside = participants.filter((one) => one.state !== "waiting");
  const hands = inside.filter((one) => one.raisedHandAt > 0);
  // Stable: of two in the same millisecond the one who joined first.
  hands.sort((a, b) => a.raisedHandAt - b.raisedHandAt);
  return { inside, waiting, hands };
}

/** The name to show: never empty. */
export function nameOf(participant) {
  return participant.name?.trim() || participant.uid || "Somebody";
}

/** Whether somebody is meant by what is written in the filter. */
export function matches(participant, filter) {
  const wanted = filter.trim().toLocaleLowerCase();
  return [nameOf(participant), participant.uid ?? "", participant.scope ?? ""]
    .some((text) => text.toLocaleLowerCase().includes(wanted));
}

/**
 * Whether the one at the console stands above somebody, as far as can be known here; the server decides.
 * @param {object} target
 * @param {object[]} participants
 * @param {string | undefined} uid of the one at the console; undefined: an API key, which is above everybody
 */
export function isAbove(target, participants, uid) {
  if (uid === undefined) return true;
  if (target.uid === uid) return false;
  const own = participants.filter((one) => one.uid === uid);
  // Not in: the group may know this user, only the server can tell.
  return own.length === 0 || own.some((one) => isModerator(one) && rank(one.scope) > rank(target.scope));
}

export { quality } from "../page/quality.js";

/** The number of places that are taken, of how many. */
export function places({ participantCount = 0, settings = {} }) {
  return [participantCount, settings.maxParticipants].filter((one) => one !== undefined).join(" of ");
}
