import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("../../../Sources/Web/Page/console/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const html = read("index.html");
const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));

test("every element that a script of the console names is in its page", () => {
  assert.ok(scripts.length > 10);
  for (const name of scripts) {
    for (const [, id] of read(name).matchAll(/byId\("([\w-]+)"\)/gu)) {
      assert.ok(html.includes(`id="${id}"`), `${name} names #${id}`);
    }
  }
});

test("names and messages of others reach the page as text only", () => {
  const parsing =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|setHTML|eval\(|Function\(/u;
  for (const name of scripts) assert.doesNotMatch(read(name), parsing, name);
});

test("the page needs nothing that the policy forbids: no script or style in it, nothing from elsewhere", () => {
  assert.doesNotMatch(html, /<script(?![^>]* src="\/)|<style|\son\w+=|\sstyle=|javascript:|https?:/u);
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".css"))) {
    assert.doesNotMatch(read(name), /@import|url\((?!"\/)/u, name);
  }
});

test("the credential's field has no name, so that no form could ever put it into an address", () => {
  const [field] = html.match(/<input id="credential"[^>]*>/u);
  assert.doesNotMatch(field, /\sname=/u);
  assert.match(field, /type="password"/u);
  for (const name of scripts) assert.doesNotMatch(read(name), /localStorage/u, name);
});

test("every control that is written into the page has a name", () => {
  for (const [tag] of html.matchAll(/<(?:input|textarea)\b[^>]*>/gu)) {
    const id = tag.match(/id="([\w-]+)"/u)[1];
    const isWrapped = new RegExp(`<label[^>]*>[^<]*<input id="${id}"`, "u").test(html);
    assert.ok(/aria-label=/u.test(tag) || html.includes(`for="${id}"`) || isWrapped, tag);
  }
});
