/** Who stands above whom. No DOM. */

const RANKS = { viewer: 0, participant: 1, moderator: 2, admin: 3, owner: 4 };

/** The higher, the more somebody of this scope may do. */
export function rank(scope) {
  return RANKS[scope] ?? 0;
}

/** Whether somebody may moderate at all. */
export function isModerator(participant) {
  return rank(participant?.scope) >= RANKS.moderator;
}

/** Whether one participant may act on another one: from moderator on, and only on those below. */
export function mayActOn(one, other) {
  return isModerator(one) && one.uid !== other.uid && rank(one.scope) > rank(other.scope);
}
