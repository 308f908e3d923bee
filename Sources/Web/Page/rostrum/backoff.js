/**
 * The waits between attempts to come back: doubling, with jitter so that a crowd doesn't return at once.
 * @param {number} attempt counted from 0
 * @param {() => number} [random] from 0 up to 1
 * @returns {number} milliseconds; 150 to 250 at first, 4 s at most
 */
export function backoffMs(attempt, random = Math.random) {
  const ceiling = Math.min(250 * 2 ** Math.min(attempt, 10), 4_000);
  return Math.round(ceiling * (0.6 + 0.4 * random()));
}

/**
 * The payload of a JWT, unverified: the client only wants to know what its own token says.
 * @returns {object} empty if the token isn't a JWT
 */
export function peekToken(token) {
  try {
    const part = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(part), (letter) => letter.codePointAt(0));
    const payload = JSON.parse(new TextDecoder().decode(bytes));
    return payload !== null && typeof payload === "object" ? payload : {};
  } catch {
    return {};
  }
}
