import { GUESTS_RETURN, isGuest } from "../page/words.js";
import { scopeQuestion } from "../page/verbs.js";
import { nameOf } from "./people.js";
import { BANS } from "./words.js";

/**
 * What can be done to one participant. `failed` begins the sentence when it fails, `run` does it, `question` is
 * asked before, `told` is said after what the next answer of the server doesn't show.
 */
export const ACTIONS = {
  mute: {
    failed: (name) => `Couldn’t mute ${name}`,
    run: (act) => act("mute", {}),
  },
  lock: {
    failed: (name) => `Couldn’t lock ${name}’s microphone`,
    run: (act) => act("mute", { lock: true }),
  },
  unlock: {
    failed: (name) => `Couldn’t unlock ${name}’s microphone`,
    run: (act) => act("unlock", {}),
  },
  ask: {
    failed: (name) => `Couldn’t ask ${name} to unmute`,
    run: (act) => act("ask-to-unmute", {}), told: (name) => `${name} was asked to unmute`,
  },
  pause: {
    failed: (name) => `Couldn’t pause ${name}’s video`,
    run: (act) => act("pause-video", {}),
  },
  stopShare: {
    failed: (name) => `Couldn’t stop ${name}’s sharing`,
    run: (act) => act("stop-screen-share", {}),
  },
  lower: {
    failed: (name) => `Couldn’t lower ${name}’s hand`,
    run: (act) => act("lower-hand", {}),
  },
  scope: {
    failed: (name) => `Couldn’t change ${name}’s scope`,
    question: (one) => scopeQuestion(nameOf(one), one.scope), run: (act, { scope }) => act("scope", { scope }),
  },
  remove: {
    failed: (name) => `Couldn’t remove ${name}`,
    question: removeQuestion, run: (act, answers) => act("remove", removal(answers)),
  },
  admit: {
    failed: (name) => `Couldn’t let ${name} in`,
    run: (act) => act("admit", {}),
  },
  deny: {
    failed: (name) => `Couldn’t turn ${name} away`,
    run: (act) => act("deny", {}),
  },
};

/** The body of a removal, from the answers to its question. */
export function removal({ reason, ban, seconds }) {
  const body = {};
  // Nobody is asked how long a guest is to stay out.
  if (ban !== undefined) body.banSeconds = Number(ban === "other" ? seconds : ban);
  if (reason) body.reason = reason;
  return body;
}

/** The body of “mute all”, from the answers to its question and whether newcomers come in muted now. */
export function muting({ video, lock, onEntry }, muteOnEntry) {
  const body = { kinds: video ? ["audio", "video"] : ["audio"], lock };
  // Left out, it stays as it is.
  if (onEntry || muteOnEntry) body.onEntry = onEntry;
  return body;
}

/** The settings that the answers change; empty: none. */
export function settingsChange({ maxParticipants, ...flags }, settings) {
  const change = {};
  const places = Number(maxParticipants);
  if (places !== settings.maxParticipants) change.maxParticipants = places;
  for (const [key, value] of Object.entries(flags)) {
    if (value !== (settings[key] ?? false)) change[key] = value;
  }
  return change;
}

/** The question before somebody is removed. */
export function removeQuestion(one) {
  const reason = {
    kind: "text", name: "reason", label: "Reason", hint: "told to the one who is removed",
    limits: { maxLength: 100 },
  };
  const ban = [
    { kind: "menu", name: "ban", label: "Keep out", value: "60", options: BANS },
    {
      kind: "number", name: "seconds", label: "Seconds", value: "300", with: "ban=other",
      limits: { min: 1, max: 31_536_000, required: true },
    },
  ];
  const stops = "Sound and picture stop at once.";
  return {
    title: `Remove ${nameOf(one)}?`, action: "Remove", danger: true,
    text: isGuest(one) ? `${stops} ${GUESTS_RETURN}` : stops,
    fields: isGuest(one) ? [reason] : [reason, ...ban],
  };
}

export function muteAllQuestion(settings) {
  return {
    title: "Mute everybody?", action: "Mute all",
    text: "Everybody whom you may moderate. They can unmute again, unless their microphones are locked.",
    fields: [
      { kind: "check", name: "video", label: "Pause cameras too" },
      { kind: "check", name: "lock", label: "Lock microphones", hint: "nobody can unmute until let" },
      {
        kind: "check", name: "onEntry", label: "Mute who joins later, too",
        value: settings.muteOnEntry === true,
      },
    ],
  };
}

export function settingsQuestion(settings) {
  return {
    title: "Places and entry", action: "Save",
    fields: [
      {
        kind: "number", name: "maxParticipants", label: "Places",
        value: String(settings.maxParticipants ?? 50), hint: "nobody has to leave if more are taken",
        limits: { min: 1, max: 100_000, required: true },
      },
      {
        kind: "check", name: "waitingRoom", label: "Waiting room", value: settings.waitingRoom === true,
        hint: "who joins waits to be let in",
      },
      { kind: "check", name: "muteOnEntry", label: "Mute on entry", value: settings.muteOnEntry === true },
      {
        kind: "check", name: "openModeration", label: "Anybody may mute others",
        value: settings.openModeration === true,
      },
    ],
  };
}

export function endQuestion(name, count) {
  return {
    title: "End this meeting for all?", action: "End for all", danger: true,
    text: `${name} ends for everybody who is in it (${count}).`,
  };
}
