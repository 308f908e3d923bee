import { RostrumClient } from "/rostrum.js";
import { RostrumError } from "/rostrum/errors.js";
import { hideAllBanners } from "./banners.js";
import { prepareDialog } from "./dialog.js";
import { byId, setIcon, setText } from "./dom.js";
import { Invitation } from "./invitation.js";
import { Lobby, suggestSession } from "./lobby.js";
import { Meeting } from "./meeting.js";
import { followServer } from "./notices.js";
import { WaitingRoom } from "./waiting.js";
import { explain, farewell, meetingNameProblem, UNINVITED } from "./words.js";

/*
 * Parameters of the page's address: `session`, `name`, `token` (a call token: no guest token is asked for),
 * `autojoin=1`, `audio=0`, `video=0`, `codec` (VP8, VP9, H264, AV1), `seats` (pictures at most), `simulcast=1`.
 */
const parameters = new URLSearchParams(location.search);
const wanted = { audio: parameters.get("audio") !== "0", video: parameters.get("video") !== "0" };
const invitation = new Invitation(parameters.get("token"));
let lobby = new Lobby(wanted);
/** The client of the meeting on show, if there is one. */
let current = null;

for (const element of document.querySelectorAll("[data-icon]")) setIcon(element, element.dataset.icon);
byId("name").value = parameters.get("name") ?? invitation.name ?? recall("rostrum.name") ?? "";
byId("session").value = invitation.sessionId ?? parameters.get("session") ?? suggestSession();
showInvitation();
prepareDialog();
byId("session").oninput = checkSession;
byId("join-form").onsubmit = (event) => {
  event.preventDefault();
  join();
};
byId("join-as-guest").onclick = () => {
  invitation.drop();
  showInvitation();
  if (byId("join-form").reportValidity()) join();
};
byId("rejoin").onclick = join;
// Who closes the page, reloads it or goes elsewhere has left, and isn't waited for. That holds for a page too that
// the browser keeps to come back to (`persisted`): it shows then that one has left, with the way back in.
addEventListener("pagehide", () => current?.leave());
if (parameters.get("autojoin") === "1") join();
else arrive();

/** Devices are asked for, and the name, of those who may get in. */
async function arrive() {
  const isWelcome = invitation.token || await invitation.guestsAreWelcome();
  // Who was quicker than the answer has the devices in the meeting already, or reads why there is none.
  if (current) return;
  if (isWelcome === false) showEnd("uninvited", UNINVITED);
  else lobby.open();
}

async function join() {
  const button = byId("join-button");
  if (button.disabled) return;
  button.disabled = true;
  setText(button, "Joining…");
  byId("join-problem").hidden = true;
  hideAllBanners();
  let label = "Join meeting";
  try {
    await enter(byId("session").value.trim(), byId("name").value.trim() || "Guest");
  } catch (error) {
    label = "Try again";
    showView("join");
    lobby.open();
    await showProblem(error);
  } finally {
    button.disabled = false;
    setText(button, label);
    // A disabled button may have lost the focus to the page.
    if (!byId("join").hidden && document.activeElement === document.body) button.focus();
  }
}

/** Three sizes of the camera, the smallest first. */
const SIMULCAST = [["q", 4], ["h", 2], ["f", 1]].map(([rid, scaleResolutionDownBy]) => (
  { rid, scaleResolutionDownBy, scalabilityMode: "L1T1" }));

async function enter(sessionId, name) {
  const client = new RostrumClient();
  current = client;
  window.rostrum = client;
  const given = invitation.token;
  const getToken = given ? undefined : () => invitation.guestToken(sessionId, name);
  // Side by side: opening the devices is what takes time.
  const opening = lobby.open();
  await client.connect({ token: given ?? await getToken(), getToken });
  const ended = endOf(client);
  try {
    // A refused token shows at once, not only when a permission prompt has been answered.
    await Promise.race([opening, ended]);
    const tracks = await lobby.handOver();
    await client.joinSession({
      name, ...tracks, handOverTracks: true, sessionId, deviceId: deviceId(),
      videoSeats: Number(parameters.get("seats")) || 9, videoCodec: parameters.get("codec") ?? undefined,
      videoEncodings: parameters.get("simulcast") === "1" ? SIMULCAST : undefined,
    });
  } catch (error) {
    await client.leave();
    throw error;
  }
  remember("rostrum.name", name);
  if (!given) shareableAddress(sessionId);
  show(client);
}

/** Rejects when the client is out of the session. */
function endOf(client) {
  const ended = new Promise((_, reject) => {
    client.addEventListener("ended", ({ detail: { code = "ERR_DISCONNECTED", message, details } }) => {
      reject(new RostrumError(code, message, details));
    }, { once: true });
  });
  ended.catch(() => {});
  return ended;
}

/** The waiting room and the meeting, as the server has it. Who comes back to a meeting may have to wait again. */
function show(client) {
  let [room, meeting] = [null, null];
  const follow = () => {
    if (client.state === "waiting") {
      room ??= new WaitingRoom(client);
      showView("waiting");
    } else if (client.state === "joined") {
      room?.close();
      room = null;
      showView("meeting");
      meeting ??= new Meeting(client);
    }
  };
  follow();
  followServer(client);
  client.addEventListener("statechange", follow);
  client.addEventListener("ended", ({ detail }) => {
    room?.close();
    meeting?.close();
    hideAllBanners();
    const { name } = client.participant(detail.by?.participantId) ?? {};
    showEnd(detail.reason, farewell(detail, { name, hasBeenIn: meeting !== null }), detail.words);
    lobby = new Lobby({ ...wanted });
  });
}

/** @param {string} [words] somebody else's, shown as theirs */
function showEnd(reason, [title, text], words = "") {
  setText(byId("ended-title"), title);
  setText(byId("ended-text"), text);
  setText(byId("ended-words"), words);
  byId("ended-words").hidden = words === "";
  byId("ended").dataset.reason = reason;
  byId("rejoin").hidden = reason === "removed" || reason === "uninvited";
  byId("new-meeting").hidden = reason === "uninvited";
  showView("ended");
}

/** Says why joining failed, and offers what may help. */
async function showProblem(error) {
  const helps = invitation.isRefusedBy(error) && await invitation.guestsAreWelcome() === true;
  setText(byId("join-problem-text"), explain(error));
  byId("join-as-guest").hidden = !helps;
  byId("join-problem").hidden = false;
  byId("join-problem").scrollIntoView({ block: "nearest" });
}

/** Fits the page to the token in its address, or to there being none (any more). */
function showInvitation() {
  byId("session-field").hidden = !invitation.leavesSessionOpen;
  checkSession();
  byId("invited").hidden = !invitation.token || !invitation.sessionId;
  setText(byId("invited-to"), invitation.sessionId ?? "");
  // Whether a link without the token lets anybody in isn't known: asking for that is an error in the console.
  byId("meeting").dataset.invites = invitation.token ? "no" : "yes";
  if (invitation.token || !parameters.has("token")) return;
  const address = new URL(location.href);
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

/** Says in our words what is wrong with the meeting's name, if anything. */
function checkSession() {
  const field = byId("session");
  field.setCustomValidity(byId("session-field").hidden ? "" : meetingNameProblem(field.value.trim()));
}

function showView(view) {
  if (document.body.dataset.view === view) return;
  document.body.dataset.view = view;
  for (const id of ["meeting", "ended"]) byId(id).hidden = id !== view;
  byId("join").hidden = view !== "join" && view !== "waiting";
  byId("join-form").hidden = view !== "join";
  byId("waiting-room").hidden = view !== "waiting";
  if (view === "waiting") byId("waiting-room-title").focus();
  if (view === "ended") byId("rejoin").focus();
}

/** Leaves in the address bar what can be sent to others: the meeting, not our name. */
function shareableAddress(sessionId) {
  const address = new URL(location.href);
  address.searchParams.set("session", sessionId);
  if (parameters.get("autojoin") !== "1") address.searchParams.delete("name");
  history.replaceState(null, "", address);
}

/** Names this tab, so that a reload takes its old place instead of a second one. */
function deviceId() {
  try {
    sessionStorage["rostrum.device"] ||= `web-${Math.random().toString(36).slice(2, 12)}`;
    return sessionStorage["rostrum.device"];
  } catch {
    return undefined;
  }
}

function remember(key, value) {
  try {
    localStorage[key] = value;
  } catch {
    // Private windows may have no storage; the name is asked for again.
  }
}

function recall(key) {
  try {
    return localStorage[key];
  } catch {
    return undefined;
  }
}
