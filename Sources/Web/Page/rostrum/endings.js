/** Events after which this participant is out of the session, and the reason given to `ended`. */
const ENDINGS = {
  removed: "removed", sessionEnded: "ended", sessionTimedOut: "idle", denied: "denied",
};

/**
 * What an event means if it puts this participant out of the session; else null.
 * @param {string} event
 * @param {object} data of the event
 * @param {string} state of the client: somebody else's `denied` is told to those who are in
 * @returns {{reason: string, by?: object, words?: string} | null} `by` whom, if the event says it (empty: a back
 *   end), and in which `words`: the reason that a moderator wrote for the one who is removed
 */
export function endingOf(event, data, state) {
  // Only `sessionLeft` says itself why: left, replaced, removed, …
  const reason = event === "sessionLeft" ? data.reason ?? "left" : ENDINGS[event];
  if (!reason || (event === "denied" && state !== "waiting")) return null;
  const ending = { reason };
  if (data.by) ending.by = data.by;
  if (event === "removed" && data.reason) ending.words = data.reason;
  return ending;
}
