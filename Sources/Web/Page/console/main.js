import { hideAllBanners } from "../page/banners.js";
import { byId, setIcon, setText } from "../page/dom.js";
import { Api } from "./api.js";
import { forgetTroubles } from "./condition.js";
import { Credential } from "./credential.js";
import { prepareDialog } from "../page/dialog.js";
import { followArrows } from "../page/list.js";
import { Meetings } from "./meetings.js";
import { Menu } from "../page/menu.js";
import { SessionView } from "./session.js";
import { isRefused, refusal } from "./words.js";

const menu = new Menu(byId("menu"));
/** What is on show once somebody is let in. */
let shown = null;

for (const element of document.querySelectorAll("[data-icon]")) setIcon(element, element.dataset.icon);
prepareDialog();
followArrows(byId("meetings-list"));
byId("sign-in-form").onsubmit = (event) => {
  event.preventDefault();
  signIn(Credential.readings(byId("credential").value.trim()));
};
byId("sign-out").onclick = () => signOut();
addEventListener("hashchange", () => shown && showSession(true));
document.addEventListener("visibilitychange", () => {
  shown?.meetings.look();
  shown?.session?.look();
});

const kept = Credential.kept();
if (kept) enter(kept);
else showView("sign-in");

/** Tries a credential before it is kept, in one reading after the other. */
async function signIn(readings) {
  const button = byId("sign-in-button");
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  byId("sign-in-problem").hidden = true;
  try {
    const credential = await firstAccepted(readings);
    credential.keep();
    byId("credential").value = "";
    enter(credential);
    byId(credential.isKey ? "meetings-title" : "open-id").focus();
  } catch (error) {
    showProblem(error);
  } finally {
    button.ariaBusy = "false";
  }
}

async function firstAccepted([credential, ...others]) {
  // A token can't list meetings; it shows when one is opened whether it is any good.
  if (credential.isToken) return credential;
  try {
    await new Api(credential.text).sessions();
    return credential;
  } catch (error) {
    if (!isRefused(error) || others.length === 0) throw error;
    return firstAccepted(others);
  }
}

function enter(credential) {
  const api = new Api(credential.text);
  const onRefused = (error) => signOut(error);
  const meetings = new Meetings(api, credential, onRefused);
  shown = { api, credential, menu, onRefused, meetings, session: null };
  showView("console");
  showSession(false);
}

/** @param {Error} [error] why the server doesn’t take the credential any more */
function signOut(error) {
  if (!shown) return;
  shown.session?.close();
  shown.meetings.close();
  shown = null;
  Credential.forget();
  forgetTroubles();
  hideAllBanners();
  menu.close(false);
  document.title = "Console · Rostrum";
  showView("sign-in");
  if (error && isRefused(error)) showProblem(error);
}

/** Shows the meeting that the address names behind its `#`, or none. */
function showSession(passFocus) {
  const sessionId = sessionInAddress();
  const before = shown.sessionId ?? null;
  shown.session?.close();
  shown.session = null;
  shown.sessionId = sessionId;
  document.body.dataset.session = sessionId === null ? "no" : "yes";
  byId("session-none").hidden = sessionId !== null;
  byId("session-show").hidden = sessionId === null;
  hideAllBanners();
  document.title = "Console · Rostrum";
  if (sessionId !== null) shown.session = new SessionView(shown, sessionId);
  shown.meetings.choose(sessionId);
  if (!passFocus) return;
  if (sessionId !== null) byId("session-title").focus();
  else shown.meetings.focus(before);
}

function sessionInAddress() {
  try {
    const id = decodeURIComponent(location.hash.slice(1));
    return /^[\w.:@-]{1,100}$/u.test(id) ? id : null;
  } catch {
    return null;
  }
}

function showProblem(error) {
  const problem = byId("sign-in-problem");
  setText(problem, refusal(error));
  problem.hidden = false;
  byId("credential").focus();
}

function showView(view) {
  document.body.dataset.view = view;
  byId("sign-in").hidden = view !== "sign-in";
  byId("console").hidden = view !== "console";
  if (view === "sign-in") byId("credential").focus();
}
