import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8");
const found = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name).sort();

const api = read("Sources/Control/README.md");
/** Names in the first column of the table with this heading. */
function column(heading) {
  const table = api.split(`| ${heading} |`)[1].split("\n\n")[0];
  const cells = table.split("\n").slice(2).map((line) => line.split("|")[1]);
  assert.ok(cells.length > 3);
  return cells.flatMap((cell) => found(cell, /([\w/-]*\w)/gu)).filter((word) => word !== "also").sort();
}

test("the API's page lists exactly the methods that the socket has", () => {
  const files = readdirSync(new URL("Sources/Control", root), { recursive: true });
  const source = files.filter((name) => /\/Method(\+\w+)?\.swift$/u.test(name))
    .map((name) => read(`Sources/Control/${name}`)).join("");
  const names = found(source, /(?:method|command|verb)\("(\w+)"/gu);
  const aliases = found(source.match(/aliases = \[(.*?)\]/su)[1], /"(\w+)":/gu);
  assert.ok(names.length > 10);
  assert.deepEqual(column("method"), [...names, ...aliases].sort());
});

test("the API's page lists exactly the events that participants get", () => {
  const names = found(read("Sources/Meeting/Session/SessionEvent.swift"), /case \.\w+: "(\w+)"/gu);
  assert.ok(names.length > 10);
  assert.deepEqual(column("event"), names);
});

test("the API's page lists exactly the requests that the server answers", () => {
  const files = readdirSync(new URL("Sources/Control/HTTP", root)).filter((name) => name.startsWith("Route+"));
  const source = files.map((name) => read(`Sources/Control/HTTP/${name}`)).join("");
  const routes = [...source.matchAll(/Route\(\s*\.(\w+), "([^"]+)"/gu)];
  const listed = api.split("| request |")[1].split("\n\n")[0].matchAll(/^\| `(\w+) (\S+)` \|/gmu);
  const texts = (matches) => [...matches].map(([, method, path]) => `${method.toUpperCase()} ${path}`).sort();
  assert.ok(routes.length > 3);
  assert.deepEqual(texts(listed), texts(routes));
});

test("every error code and close code of the page exists, with this status", () => {
  const source = read("Sources/Meeting/Errors/ErrorCode.swift");
  const rows = [...api.matchAll(/^\| `(\w*ERR_\w+)` \| (\d+) \|/gmu)];
  assert.ok(rows.length > 20);
  for (const [, code, status] of rows) {
    const [, name] = source.match(new RegExp(`case (\\w+) = "${code}"`, "u")) ?? assert.fail(code);
    const statuses = source.split("public var status")[1];
    const [, given] = statuses.match(new RegExp(`\\.${name}\\b[^:]*:\\s*(\\d+)`, "u")) ?? assert.fail(code);
    assert.equal(given, status, code);
  }
  const closing = read("Sources/Control/Socket/Socket.swift");
  for (const code of column("close code")) assert.ok(closing.includes(`= ${code}\n`), code);
});

test("the README's links lead somewhere", () => {
  for (const page of ["README.md", "Sources/Web/README.md", "CONTRIBUTING.md"]) {
    const folder = new URL(page, root);
    const links = found(read(page), /\]\(([^)#]+)\)/gu).filter((link) => !/^https?:/u.test(link));
    for (const link of links) assert.ok(readFileSync(new URL(link, folder)).length > 0, link);
  }
});
