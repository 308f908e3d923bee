/** What error codes mean for the person who reads them. */
const WORDS = {
  ERR_CALL_FULL: "This meeting is full. Try again when somebody has left.",
  ERR_PRESENTER_LIMIT: "There are already as many presenters as this meeting allows.",
  ERR_SERVER_FULL: "The server has no room for more people right now. Try again in a minute.",
  ERR_SERVER_DRAINING: "The server is about to restart. Try again in a moment.",
  ERR_CALL_LOCKED: "This meeting is locked: nobody new can join.",
  ERR_CALL_REMOVED: "You were removed from this meeting and can’t join it again for now.",
  ERR_BANNED_GROUPMEMBER: "You can’t join meetings of this group.",
  ERR_NOT_GROUP_MEMBER: "Only members of this group can join its meetings.",
  ERR_GUID_NOT_FOUND: "There is no such meeting.",
  ERR_CALL_SESSION_NOT_FOUND: "There is no such meeting.",
  ERR_CALL_TOKEN_EXPIRED: "This invitation has expired. Ask for a new link.",
  ERR_AUTH_TOKEN_EXPIRED: "Your sign-in has expired. Sign in again.",
  ERR_CALL_TOKEN_INVALID: "This invitation isn’t valid. Ask for a new link.",
  AUTH_ERR_AUTH_TOKEN_NOT_FOUND: "This invitation isn’t valid. Ask for a new link.",
  AUTH_ERR_EMPTY_AUTH_TOKEN: "You need an invitation to join.",
  AUTH_ERR_NO_ACCESS: "This server doesn’t let guests in. You need an invitation.",
  ERR_API_NOT_FOUND: "This server doesn’t let guests in. You need an invitation.",
  ERR_AUDIO_LOCKED: "A moderator has muted you. Raise your hand to ask for the floor.",
  ERR_PUBLISH_NOT_ALLOWED: "You’re not allowed to send this in this meeting.",
  ERR_INVALID_OFFER: "This browser and the server couldn’t agree on how to send sound and picture.",
  ERR_CODEC_UNSUPPORTED: "This browser and the server have no video format in common.",
  ERR_TOO_MANY_REQUESTS: "That was a bit fast. Wait a moment and try again.",
  ERR_MESSAGE_TOO_LARGE: "That message is too long.",
  ERR_NOT_IN_SESSION: "You were away for too long. Join again.",
  ERR_UNREACHABLE: "The server can’t be reached. Check your connection and try again.",
  ERR_DISCONNECTED: "The connection to the server was lost.",
  ERR_TIMEOUT: "The server didn’t answer in time. Try again.",
};

/** The same for close codes that say more than the error's code. */
const CLOSED = {
  4004: "This meeting has just ended.",
  4008: "Your connection is too slow for this meeting. Try again.",
  4009: "You joined from this device again; this is the older window.",
};

/** A sentence for an error: ours if the code is known, else the server's. */
export function explain(error) {
  const known = CLOSED[error?.details?.closeCode] ?? WORDS[error?.code];
  if (known) return known;
  return error?.message || "Something went wrong. Try again.";
}

/**
 * Headline and sentence for the end of a meeting.
 * @param {{reason: string, by?: {uid?: string}, code?: string, message?: string}} detail of `ended`
 * @param {{name?: string, hasBeenIn?: boolean}} [known] the name of whoever did it, and whether one was in at all
 */
export function farewell({ reason, by, code, message }, { name, hasBeenIn = true } = {}) {
  switch (reason) {
    case "left":
      return hasBeenIn
        ? ["You left the meeting", "Come back at any time while it goes on."]
        : ["You stopped waiting", "Join again if you’d like to be let in after all."];
    case "removed": return ["You were removed", `${author(by, name, true)} removed you from this meeting.`];
    case "ended": return ["The meeting has ended", "Thanks for being there."];
    case "idle": return ["The meeting has ended", "It was closed because nobody else was there."];
    case "replaced": return ["You’re in from elsewhere", "You joined this meeting again from this device."];
    case "denied":
      return ["You weren’t let in", by
        ? `${author(by, name, true)} declined your request to join.`
        : "Only members of this group can join its meetings."];
    case "unauthorized":
      return ["You’re signed out", explain({ code: code ?? "ERR_CALL_TOKEN_INVALID" })];
    case "timeout":
    case "disconnected": return ["Connection lost", "The server couldn’t be reached any more."];
    default: return ["You’re out of the meeting", explain({ code, message })];
  }
}

/** Whoever did something: by name if it is known. @param {{uid?: string}} [by] as in the event; empty: a back end */
function author(by, name, isFirst = false) {
  const [a, the] = isFirst ? ["A", "The"] : ["a", "the"];
  return name || (!by || by.uid ? `${a} moderator` : `${the} operator`);
}

/**
 * What a server that is to stop means for a meeting.
 * @param {number} [leftMs] until it stops at the latest
 * @param {Date} [at] when that is, by the clock of the one who reads
 */
export function draining(leftMs = 0, at = new Date(Date.now() + leftMs)) {
  if (leftMs < 90_000) return "The server is about to restart. This page tries to bring you back in.";
  const time = at.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
  return `The server restarts at ${time} at the latest. You can go on until then, but nobody new can join.`;
}

/**
 * What somebody else has switched off.
 * @param {"microphone" | "camera" | "screen"} source
 * @param {{uid?: string}} by as in the event: empty for a back end
 * @param {{name?: string, isLocked?: boolean}} [known] their name, and whether one can't switch it on again
 */
export function moderated(source, by, { name, isLocked = false } = {}) {
  const who = author(by, name);
  switch (source) {
    case "microphone":
      return `You were muted by ${who}.${isLocked ? " You can’t unmute until a moderator lets you." : ""}`;
    case "camera": return `Your camera was switched off by ${who}.`;
    default: return `Your screen sharing was stopped by ${who}.`;
  }
}

/** What the one reads who has no invitation, where it takes one. */
export const UNINVITED = [
  "You need an invitation", "This server doesn’t let guests in. Open the link that you were sent, or ask for one.",
];

/** What is wrong with a meeting’s name, or nothing. The server takes `A-Z a-z 0-9 _ . : @ -`, up to 100. */
export function meetingNameProblem(name) {
  if (name === "") return "Say which meeting to join.";
  if (/^[\w.:@-]{1,100}$/u.test(name)) return "";
  const odd = name.match(/[^\w.:@-]/u)?.[0];
  if (odd === undefined) return "A meeting’s name has at most 100 characters.";
  const what = /\s/u.test(odd) ? "spaces" : `“${odd}”`;
  return `A meeting’s name can’t have ${what} in it: only letters A to Z, digits and _ . : @ -`;
}

/** What the one reads whose microphone was off already, when it is locked and when it is not any more. */
export const LOCKED = "Your microphone was locked. You can’t unmute until a moderator lets you.";
export const UNLOCKED = "You can unmute again.";

/** Who waits, for moderators. */
export function waitingRoom(names) {
  if (names.length === 1) return `${names[0]} is waiting to be let in.`;
  return `${names.length} people are waiting to be let in.`;
}

/**
 * Whether somebody is a guest, by the id that the server makes for each token of a guest: who comes back has
 * another one.
 */
export function isGuest({ uid }) {
  return /^guest-/u.test(uid ?? "");
}

/** What a removal can’t do. */
export const GUESTS_RETURN = "Guests can come back at once, as another guest, unless the meeting is locked.";

/** The question before somebody is removed. */
export function removalQuestion(one) {
  return {
    title: `Remove ${one.name || "this participant"}?`, action: "Remove", danger: true,
    text: isGuest(one) ? GUESTS_RETURN : "They can’t come back for a minute.",
    fields: [{
      kind: "text", name: "reason", label: "Reason", hint: "told to the one who is removed",
      limits: { maxLength: 100 },
    }],
  };
}

/** What to say when a device has gone before the meeting. @param {"microphone" | "camera"} name */
export function gone(name) {
  return `Your ${name} is gone or was blocked.`;
}

/** What to say when a device or a shared screen ended by itself, and the name of the button that mends it. */
export function mourn(source) {
  switch (source) {
    case "microphone":
      return ["You’re muted: your microphone is gone or was blocked.", "Unmute"];
    case "camera":
      return ["Your camera is off: it is gone or was blocked.", "Turn on"];
    default: return ["Your screen is no longer shared.", null];
  }
}

/** What went wrong with microphone or camera, from the browser's `DOMException`. */
export function explainDevice(error, what) {
  switch (error?.name) {
    case "NotAllowedError":
      return `This page may not use your ${what}. Allow it in the address bar and try again.`;
    case "NotFoundError":
    case "OverconstrainedError": return `No ${what} was found.`;
    case "NotReadableError": return `Your ${what} is in use by another program.`;
    default: return `Your ${what} couldn’t be opened.`;
  }
}
