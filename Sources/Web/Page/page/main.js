import { RostrumClient } from "/rostrum.js";
import { RostrumError } from "/rostrum/errors.js";
import { hideAllBanners, hideBanner, showBanner } from "./banners.js";
import { byId, setIcon, setText } from "./dom.js";
import { Lobby, suggestSession } from "./lobby.js";
import { Meeting } from "./meeting.js";
import { explain, farewell } from "./words.js";

/*
 * Parameters of the page's address: `session`, `name`, `token` (a call token: no guest token is asked for),
 * `autojoin=1`, `audio=0`, `video=0`, `codec` (VP8, VP9, H264, AV1), `seats` (pictures at most).
 */
const parameters = new URLSearchParams(location.search);
const wanted = { audio: parameters.get("audio") !== "0", video: parameters.get("video") !== "0" };
let lobby = new Lobby(wanted);

for (const element of document.querySelectorAll("[data-icon]")) setIcon(element, element.dataset.icon);
byId("name").value = parameters.get("name") ?? recall("rostrum.name") ?? "";
byId("session").value = parameters.get("session") ?? suggestSession();
byId("session-field").hidden = parameters.has("token");
byId("join-form").onsubmit = (event) => {
  event.preventDefault();
  join();
};
byId("rejoin").onclick = join;
if (parameters.get("autojoin") === "1") join();
else lobby.open();

async function join() {
  const button = byId("join-button");
  if (button.disabled) return;
  button.disabled = true;
  setText(button, "Joining…");
  hideAllBanners();
  try {
    await enter(byId("session").value.trim(), byId("name").value.trim() || "Guest");
  } catch (error) {
    showView("join");
    showBanner("join", explain(error), { kind: "error" });
    lobby.open();
  } finally {
    button.disabled = false;
    setText(button, "Join meeting");
  }
}

async function enter(sessionId, name) {
  const client = new RostrumClient();
  window.rostrum = client;
  const given = parameters.get("token");
  const getToken = given ? undefined : () => guestToken(sessionId, name);
  // Side by side: opening the devices is what takes time.
  const [token] = await Promise.all([given ?? getToken(), lobby.open()]);
  await client.connect({ token, getToken });
  const tracks = await lobby.handOver();
  try {
    await client.joinSession({
      name, ...tracks, handOverTracks: true, sessionId, deviceId: deviceId(),
      videoSeats: Number(parameters.get("seats")) || 9, videoCodec: parameters.get("codec") ?? undefined,
    });
  } catch (error) {
    await client.leave();
    throw error;
  }
  remember("rostrum.name", name);
  if (!given) shareableAddress(sessionId);
  show(client);
}

function show(client) {
  if (client.state === "waiting") {
    showBanner("waiting", "A moderator will let you in soon.", { kind: "wait" });
  }
  showView("meeting");
  const meeting = new Meeting(client);
  client.addEventListener("statechange", ({ detail }) => detail.state === "joined" && hideBanner("waiting"));
  client.addEventListener("ended", ({ detail }) => {
    meeting.close();
    hideAllBanners();
    const [title, text] = farewell(detail);
    setText(byId("ended-title"), title);
    setText(byId("ended-text"), text);
    byId("ended").dataset.reason = detail.reason;
    byId("rejoin").hidden = detail.reason === "removed";
    showView("ended");
    lobby = new Lobby({ ...wanted });
  });
}

async function guestToken(sessionId, name) {
  let response;
  try {
    response = await fetch("/v1/guest-tokens", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sessionId, name }),
    });
  } catch {
    throw new RostrumError("ERR_UNREACHABLE", "The server can’t be reached.");
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok && body.callToken) return body.callToken;
  const { code = "ERR_EXCEPTION", message = "The server refused.", details } = body.error ?? {};
  throw new RostrumError(code, message, details);
}

function showView(view) {
  document.body.dataset.view = view;
  for (const id of ["join", "meeting", "ended"]) byId(id).hidden = id !== view;
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
