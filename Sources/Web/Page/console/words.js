/** What the console says. */

export const SCOPES = {
  owner: "owner", admin: "admin", moderator: "moderator", participant: "participant", viewer: "viewer",
};

/** Settings that are worth a mark while they are on, and how their change is told. */
export const MARKS = {
  locked: { mark: "Locked", on: "The meeting is locked", off: "The meeting is unlocked" },
  waitingRoom: { mark: "Waiting room", on: "The waiting room is on", off: "The waiting room is off" },
  muteOnEntry: {
    mark: "Muted on entry", on: "Who joins comes in muted", off: "Who joins no longer comes in muted",
  },
  openModeration: {
    mark: "Anybody may mute", on: "Anybody may mute others", off: "Only moderators may mute others",
  },
  recording: { mark: "Recording", on: "The meeting is recorded", off: "The meeting is no longer recorded" },
};

/** How long somebody stays out. */
export const BANS = [
  ["60", "for a minute"], ["600", "for ten minutes"], ["3600", "for an hour"],
  ["-1", "for the rest of this meeting"], ["0", "not at all: may come back at once"],
  ["other", "for so many seconds…"],
];

/** An error as it is shown: what failed, the server's words, and the code to look up. */
export function complaint(what, error) {
  const message = String(error?.message || "Something went wrong").replace(/[.\s]+$/u, "");
  const code = error?.code ?? "ERR_EXCEPTION";
  return `${what}: ${message} (${code})`;
}

/** Why the way in is barred. */
export function refusal(error) {
  if (error?.code === "AUTH_ERR_APIKEY_NOT_FOUND") {
    return `Wrong key: the server knows no such API key. Paste its secret, or id:secret (${error.code})`;
  }
  return complaint("The server doesn’t let you in", error);
}

/** Errors after which the credential is of no use any more. */
export function isRefused(error) {
  return error?.details?.status === 401;
}

/** The meeting isn't there (any more). */
export function isOver(error) {
  return error?.code === "ERR_CALL_SESSION_NOT_FOUND" || error?.code === "ERR_GUID_NOT_FOUND";
}

/** “1 person”, “3 people”. */
export function counted(count, one = "person", many = "people") {
  return `${count} ${count === 1 ? one : many}`;
}

/** How long something has been going on, roughly: “0 min”, “12 min”, “3 h 05 min”, “2 d 4 h”. */
export function since(startedAt, now) {
  const minutes = Math.max(0, Math.floor((now - startedAt) / 60_000));
  if (!Number.isFinite(minutes)) return "";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A bit rate for people. */
export function rate(bps) {
  if (bps >= 1_000_000) return `${(bps / 1_000_000).toFixed(1)} Mbit/s`;
  return bps >= 1_000 ? `${Math.round(bps / 1_000)} kbit/s` : `${Math.round(bps)} bit/s`;
}
