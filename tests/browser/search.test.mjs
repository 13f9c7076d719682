// The search engine outside a browser: the same terms as in Rust, typing errors, and ranking.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

// The browser's script, from a site with one page.
assert.ok(process.env.DOCWRIGHT, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
const folder = mkdtempSync(join(tmpdir(), "docwright-"));
writeFileSync(join(folder, "docs.json"), JSON.stringify({ theme: "mint", name: "S", colors: { primary: "#0f766e" }, navigation: { pages: ["index"] } }));
writeFileSync(join(folder, "index.mdx"), "# Home\n");
execFileSync(process.env.DOCWRIGHT, ["build", folder, "--out", join(folder, "site")], { stdio: "pipe" });
const engine = createRequire(import.meta.url)(join(folder, "site/_docwright/search.js"));
rmSync(folder, { recursive: true });

test("terms match the index", () => {
  // The same vectors as in search/tokenize.rs.
  assert.deepEqual(engine.terms("Installing the CLIs"), ["install", "the", "cli"]);
  assert.deepEqual(engine.terms("useState snake_case"), ["usest", "use", "state", "snake_case", "snak", "case"]);
  assert.deepEqual(engine.terms("Café naïve"), ["cafe", "naiv"]);
  assert.deepEqual(engine.terms("快速入门"), ["快速", "速入", "入门"]);
  assert.deepEqual(engine.terms("policies classes status"), ["policy", "class", "status"]);
  assert.deepEqual(engine.terms("Self-host a co-op-x1"), ["self", "host", "selfhost", "a", "co", "op", "x1"]);
});

test("forms of a word are one term, as in the index", () => {
  const rust = readFileSync(new URL("../../crates/docwright-site/src/search/tokenize.rs", import.meta.url), "utf8");
  const lines = rust.match(/const FORMS: &str = "([^"]+)"/)[1].split("\n");
  assert.ok(lines.length > 10);
  for (const line of lines) assert.equal(new Set(engine.terms(line)).size, 1, line);
  for (const different of ["note not", "status state", "state stats", "section session", "format form"]) {
    assert.equal(new Set(engine.terms(different)).size, 2, different);
  }
});

test("edit distance counts a transposition as one edit", () => {
  assert.equal(engine.distance("install", "instlal", 2), 1);
  assert.equal(engine.distance("install", "uninstall", 1), 2);
});

// Pages: title, path, breadcrumbs. Postings: page step and weight in base 36.
const files = {
  core: {
    pages: [["Install", "install", [0]], ["Deploy", "deploy", [0]], ["Notes", "notes", []]],
    names: ["Start"], chunks: ["deploy"], skipped: "how to",
  },
  "terms-0": "deploy 1e\ninstall 0e,21\ninstrument 21\nlinux 05\n",
  vocabulary: "0deploy 0install 4rument 0linux",
  "page-0": ["How to begin", [["", "", "Put it there."], ["linux", "On Linux", "Install it."], ["source", "Install from source", "Install it."]]],
  "page-2": ["", [["", "", "Before you install, read."]]],
};
const search = engine.Engine((name) => (name in files ? Promise.resolve(files[name]) : Promise.reject(new Error(name))));

test("titles rank above text, and excerpts show the match", async () => {
  const found = await search.search("install", 5);
  assert.deepEqual(found.map((result) => result.path), ["install.html", "notes.html"]);
  const excerpt = await search.excerpt(found[1]);
  assert.ok(excerpt.pieces.some(([text, marked]) => marked && text === "install"));
});

test("title hit opens at the top, other hits at their section", async () => {
  const [title] = await search.search("how to install", 5);
  assert.deepEqual([title.path, (await search.excerpt(title)).id], ["install.html", ""]);
  const [section] = await search.search("linux", 5);
  assert.deepEqual([section.path, (await search.excerpt(section)).id], ["install.html", "linux"]);
});

test("prefixes and mistyped words are found", async () => {
  assert.equal((await search.search("inst", 5))[0].path, "install.html");
  assert.equal((await search.search("instlal", 5))[0].path, "install.html");
  assert.equal((await search.search("xyzzy", 5)).length, 0);
  // Another character follows the word, so the word is complete.
  assert.equal((await search.search("inst ", 5)).length, 0);
  assert.deepEqual((await search.search("inst deploy", 5)).map((result) => result.path), ["deploy.html"]);
});
