import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { backoffMs, peekToken } from "../../Sources/Web/Page/rostrum/backoff.js";
import { orderCodecs } from "../../Sources/Web/Page/rostrum/codecs.js";
import { summarise } from "../../Sources/Web/Page/rostrum/stats.js";
import { chooseTiles, fitTiles } from "../../Sources/Web/Page/page/fit.js";
import { draining, explain, farewell, meetingNameProblem, moderated } from "../../Sources/Web/Page/page/words.js";

const web = new URL("../../Sources/Web/", import.meta.url);

test("every file of the page is embedded, under its own path", () => {
  const table = readFileSync(new URL("Web.c", web), "utf8");
  const files = readdirSync(new URL("Page/", web), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("//", "/").split("/Page/").at(-1));
  assert.ok(files.length > 20);
  for (const file of files) {
    assert.ok(table.includes(`#embed "Page/${file}"`), `${file} isn't embedded`);
    assert.ok(table.includes(`FILE("/${file}", `), `${file} has no path`);
  }
  assert.equal(table.match(/#embed/gu).length, files.length);
});

test("every element that a script names is in the page", () => {
  const html = readFileSync(new URL("Page/index.html", web), "utf8");
  for (const name of readdirSync(new URL("Page/page/", web)).filter((one) => one.endsWith(".js"))) {
    const script = readFileSync(new URL(`Page/page/${name}`, web), "utf8");
    for (const [, id] of script.matchAll(/byId\("([\w-]+)"\)/gu)) {
      assert.ok(html.includes(`id="${id}"`), `${name} names #${id}`);
    }
  }
});

test("tiles never overflow the floor and keep their shape", () => {
  for (let count = 1; count <= 30; count++) {
    for (const [width, height] of [[1264, 660], [900, 660], [374, 690], [300, 300]]) {
      const tile = fitTiles(count, width, height, 12);
      const rows = Math.ceil(count / tile.columns);
      assert.ok(tile.width > 0 && tile.height > 0);
      assert.ok(tile.columns * tile.width + (tile.columns - 1) * 12 <= width);
      assert.ok(rows * tile.height + (rows - 1) * 12 <= height);
      assert.ok(tile.width / tile.height <= 16 / 9 + 0.1);
      assert.ok(tile.width / tile.height >= 3 / 4 - 0.1);
    }
  }
});

test("two stand side by side on a wide floor, one above the other on a tall one", () => {
  assert.equal(fitTiles(2, 1264, 660, 12).columns, 2);
  assert.equal(fitTiles(2, 374, 690, 8).columns, 1);
  assert.equal(fitTiles(9, 1264, 660, 12).columns, 3);
});

test("tiles go to oneself, the seated, then the others; the last one counts the rest", () => {
  const people = ["a", "b", "me", "c", "d"].map((participantId) => ({ participantId }));
  const seated = (pid) => pid === "c";
  const ids = ({ shown }) => shown.map((one) => one.participantId).join();
  assert.equal(ids(chooseTiles(people, "me", seated, 9)), "me,c,a,b,d");
  const few = chooseTiles(people, "me", seated, 4);
  assert.equal(ids(few), "me,c,a");
  assert.equal(few.more, 2);
});

const codec = (mimeType) => ({ mimeType });
const all = ["video/VP8", "video/rtx", "video/VP9", "video/H264", "video/red"].map(codec);

test("a receiver takes every codec, the preferred first; a sender only that one and its companions", () => {
  const names = (direction) => orderCodecs(all, "VP9", direction).map((one) => one.mimeType.slice(6)).join();
  assert.equal(names("receive"), "VP9,VP8,rtx,H264,red");
  assert.equal(names("send"), "VP9,rtx,red");
  assert.deepEqual(orderCodecs(all, "AV1", "send"), []);
});

test("waits double up to four seconds", () => {
  const waits = [0, 1, 4, 5, 50].map((attempt) => backoffMs(attempt, () => 1));
  assert.deepEqual(waits, [250, 500, 4000, 4000, 4000]);
  assert.equal(backoffMs(0, () => 0), 150);
});

test("a token is read if it is one", () => {
  assert.deepEqual(peekToken(`x.${btoa('{"typ":"call"}')}.y`), { typ: "call" });
  for (const odd of ["", "abc", "a.b.c", undefined, `x.${btoa("7")}.y`]) assert.deepEqual(peekToken(odd), {});
});

test("statistics come by seat, found by mid or by track", () => {
  const seats = [
    { mid: "2", kind: "audio", participantId: "a", source: "microphone", track: { id: "t2" } },
    { mid: "5", kind: "video", participantId: "a", source: "camera", track: { id: "t5" } },
  ];
  const reports = [
    { type: "inbound-rtp", mid: "5", framesDecoded: 9 },
    { type: "inbound-rtp", trackIdentifier: "t2", totalAudioEnergy: 0.5 },
    { type: "outbound-rtp", mid: "1", kind: "video", packetsSent: 3 },
    { type: "candidate-pair", nominated: true, state: "succeeded", currentRoundTripTime: 0.02 },
  ];
  const { path, sent, seats: [audio, video] } = summarise(reports, seats);
  assert.equal(path.currentRoundTripTime, 0.02);
  assert.deepEqual(sent, [{ mid: "1", kind: "video", packetsSent: 3 }]);
  assert.equal(audio.totalAudioEnergy, 0.5);
  assert.equal(video.framesDecoded, 9);
});

test("errors are said in plain words, unknown ones in the server's", () => {
  assert.match(explain({ code: "ERR_CALL_FULL", message: "x" }), /full/u);
  assert.equal(explain({ code: "ERR_NEW", message: "Something new." }), "Something new.");
  assert.ok(explain({}).length > 0);
  assert.match(farewell({ reason: "refused", code: "ERR_CALL_LOCKED" })[1], /locked/u);
});

test("a drain is told by its deadline: soon, or until when one may go on", () => {
  assert.match(draining(30_000), /about to restart/u);
  const late = draining(3_600_000, new Date(2026, 10, 30, 15, 42));
  assert.match(late, /0?3:42|15:42/u);
  assert.match(late, /go on until then/u);
  assert.doesNotMatch(late, /moment/u);
});

test("who was switched off is told what, and by whom", () => {
  const ben = { participantId: "b", uid: "ben" };
  assert.equal(moderated("microphone", ben, { name: "Ben" }), "You were muted by Ben.");
  assert.equal(moderated("microphone", { uid: "ben" }), "You were muted by a moderator.");
  assert.equal(moderated("camera", {}), "Your camera was switched off by the operator.");
  assert.equal(moderated("screen", {}), "Your screen sharing was stopped by the operator.");
  assert.match(moderated("microphone", {}, { isLocked: true }), /by the operator. You can’t unmute until/u);
});

test("who is put out is told by whom, as far as it is known", () => {
  const told = (detail, known) => farewell(detail, known)[1];
  const ada = { uid: "ada", participantId: "a" };
  assert.equal(told({ reason: "removed", by: ada }, { name: "Ada" }), "Ada removed you from this meeting.");
  assert.equal(told({ reason: "removed", by: ada }), "A moderator removed you from this meeting.");
  assert.equal(told({ reason: "removed", by: {} }), "The operator removed you from this meeting.");
  assert.equal(told({ reason: "removed" }), "A moderator removed you from this meeting.");
  assert.equal(told({ reason: "denied", by: {} }), "The operator declined your request to join.");
  assert.match(told({ reason: "denied" }), /^Only members/u, "put out of the group");
  assert.match(farewell({ reason: "left" })[0], /left the meeting/u);
  assert.match(farewell({ reason: "left" }, { hasBeenIn: false })[0], /stopped waiting/u);
});

test("a moderator's words reach the page as text only", () => {
  const parsing =
    /outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|setHTML|eval\(|Function\(|innerHTML = (?!ICONS)/u;
  for (const name of readdirSync(new URL("Page/page/", web)).filter((one) => one.endsWith(".js"))) {
    assert.doesNotMatch(readFileSync(new URL(`Page/page/${name}`, web), "utf8"), parsing, name);
  }
});

test("what is wrong with a meeting's name is said in our words", () => {
  for (const fine of ["weekly", "a.b:c@d_e-1", "x".repeat(100)]) assert.equal(meetingNameProblem(fine), "");
  assert.match(meetingNameProblem("our weekly"), /can’t have spaces .* _ \. : @ -/u);
  assert.match(meetingNameProblem("Zoë"), /“ë”/u);
  assert.match(meetingNameProblem("x".repeat(101)), /100/u);
  assert.match(meetingNameProblem(""), /which meeting/u);
});

test("a badge over a picture can be read on any tile, in a light page as in a dark one", () => {
  const style = (name) => readFileSync(new URL(`Page/page/${name}.css`, web), "utf8");
  const rule = style("meeting").match(/\.state-badge \{([^}]*)\}/u)[1];
  const [r, g, b, alpha] = rule.match(/background: rgb\((\d+) (\d+) (\d+) \/ (\d+)%\)/u).slice(1).map(Number);
  assert.match(rule, /color: #fff;/u);
  const light = ([...channels]) => {
    const [red, green, blue] = channels.map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  // White is the brightest that can be under it.
  const under = [r, g, b].map((one) => (one * alpha + 255 * (100 - alpha)) / 100);
  assert.ok(1.05 / (light(under) + 0.05) >= 4.5);
});
