import { announce, byId, setText } from "../page/dom.js";
import { complaint } from "./words.js";

const troubles = new Map();

/**
 * Says at the top whether what is on show is fresh.
 * @param {string} what that isn't being fetched, such as “the meetings”
 * @param {Error | null} error `null`: it is again
 * @param {number} [retryInMs]
 */
export function report(what, error, retryInMs = 0) {
  const before = troubles.size;
  if (error) troubles.set(what, { error, retryInMs });
  else troubles.delete(what);
  const [[name, trouble] = []] = troubles;
  const line = byId("condition");
  line.dataset.kind = trouble ? "trouble" : "live";
  setText(line, trouble ? sentence(name, trouble) : "Live");
  line.title = line.textContent;
  if (troubles.size > 0 && before === 0) announce(line.textContent);
  if (troubles.size === 0 && before > 0) announce("Up to date again");
}

/** Nothing is fetched any more. */
export function forgetTroubles() {
  troubles.clear();
}

function sentence(name, { error, retryInMs }) {
  const seconds = Math.max(1, Math.round(retryInMs / 1_000));
  return `${complaint(`Couldn’t fetch ${name}`, error)}; again in ${seconds} s`;
}
