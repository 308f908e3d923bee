import { rank } from "./clearance.js";

/** What moderators do to somebody who is in, from the page as from the console. No DOM. */

/** In the order of the menu: what each is called, and the method that does it. */
export const VERBS = {
  mute: { label: "Mute", method: "muteParticipant" },
  lock: { label: "Mute and lock", method: "muteParticipant", params: { lock: true } },
  unlock: { label: "Unlock microphone", method: "unlockParticipant" },
  ask: { label: "Ask to unmute", method: "askToUnmute" },
  pause: { label: "Pause video", method: "pauseParticipantVideo", apart: true },
  stopShare: { label: "Stop sharing", method: "stopParticipantScreenShare" },
  lower: { label: "Lower hand", method: "lowerParticipantHand" },
  scope: { label: "Change scope…", method: "setParticipantScope", apart: true },
  remove: { label: "Remove…", method: "removeParticipant", apart: true, danger: true },
};

/**
 * What can be done to somebody now, by verb: `true`, or why not.
 * @param {object} target a participant
 * @param {boolean} [allowed] whether one stands above it
 * @returns {Record<string, true | string>}
 */
export function possible(target, allowed = true) {
  const unless = (reason, holds) => (!allowed ? "Not below you" : holds ? reason : true);
  return {
    mute: unless("Muted", target.audioMuted),
    lock: unless("Locked", target.audioMuted && target.audioLocked),
    unlock: unless("Not locked", !target.audioLocked),
    ask: unless("Not muted", !target.audioMuted),
    pause: unless("Camera off", target.videoPaused),
    stopShare: unless("No screen", !target.isPresenting),
    lower: unless("Not raised", !(target.raisedHandAt > 0)),
    scope: unless("Owns the group", target.scope === "owner"),
    remove: unless("", false),
  };
}

/** The items of somebody's menu. @param {Record<string, true | string>} can see `possible` */
export function menuItems(can) {
  return Object.entries(VERBS).map(([key, { label, danger = false, apart = false }]) => (
    { key, label, why: can[key], danger, apart }));
}

/** Scopes that can be given, the highest first, and what each means; `owner` comes by a transfer only. */
const GIVEN_SCOPES = [
  ["admin", "moderates, moderators too"], ["moderator", "mutes, removes, lets people in"],
  ["participant", "speaks and shows"], ["viewer", "sees and hears only"],
];

/**
 * The question for somebody's scope.
 * @param {string} name
 * @param {string} scope of now
 * @param {string} [own] the scope of the one who gives it, who gives only what is below; a back end gives all
 */
export function scopeQuestion(name, scope, own = "owner") {
  const given = GIVEN_SCOPES.filter(([one]) => rank(one) < rank(own));
  return {
    title: `Scope of ${name}`, action: "Change scope",
    fields: [{
      kind: "choice", name: "scope", label: "May from now on", value: scope,
      options: given.map(([one, hint]) => [one, one, hint]),
    }],
  };
}
