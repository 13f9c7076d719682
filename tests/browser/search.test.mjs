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

test("forms of a word have one stem in each language, as in the index", () => {
  const rust = readFileSync(new URL("../../crates/docwright-site/src/search/stem.rs", import.meta.url), "utf8");
  const table = (name) => rust.match(new RegExp(`(?:const|static) ${name}: &?\\w+ =[^"]*"([^"]+)"`))[1].replace(/\\\n\s*/g, "");
  const names = { fr: "FRENCH", de: "GERMAN", es: "SPANISH", pt: "PORTUGUESE", it: "ITALIAN", nl: "DUTCH", sv: "SCANDINAVIAN", ru: "SLAVIC" };
  const lines = table("FORMS_BY_LANGUAGE").split("\n");
  assert.ok(lines.length > 5);
  for (const line of lines) {
    const [language, ...forms] = line.split(" ");
    const stem = engine.stemmer(table(names[language]));
    assert.equal(new Set(forms.map(stem)).size, 1, line);
  }
});

test("edit distance counts a transposition as one edit", () => {
  assert.equal(engine.distance("install", "instlal", 2), 1);
  assert.equal(engine.distance("install", "uninstall", 1), 2);
});

// An index of three pages. Postings: see search/postings.rs.
const page = (title, path, crumbs, description, sections, symbols) => JSON.stringify([title, path, crumbs, description, sections, symbols]);
const files = {
  core: {
    count: 3, terms: ["deploy"], pages: [0], titles: "111", factors: "iii", skipped: "how to", stems: "",
    sections: [["Start", ""], [0, 2, 1, 1]], kinds: [["guide"], [0, 3]], versions: [["v2", "v1", ""], [0, 1, 1, 1, 2, 1]],
    labels: {}, languages: [], suggested: [],
  },
  "terms-0": "cli=9 1C1.\ndeploy 1K!0.\ninstall 0K!2:13:32C1.\ninstrument 2B1.\nlinux 0E2:1\nport_number 1E1*1\n",
  words: "0deployA0installB4rumentA0linuxA",
  "pages-0": [
    page("Install", "install", ["Start"], "How to begin", [["", "", "Put it there.", 1], ["linux", "On Linux", "Install it.", 1], ["source", "Install from source", "Install it.", 1]], []),
    page("Deploy", "deploy", ["Start"], "", [["settings", "Settings", "PORT_NUMBER: the port", 1]], [["PORT_NUMBER", 2, 0]]),
    page("Notes", "notes", [], "", [["", "", "Before you install, read.", 1]], []),
  ].join("\n"),
};
const search = engine.Engine((name) => (name in files ? Promise.resolve(files[name]) : Promise.reject(new Error(name))));
const paths = async (query, options) => (await search.search(query, options)).results.map((result) => result.path);

test("titles rank above text, and excerpts show the match", async () => {
  const { results } = await search.search("install");
  assert.deepEqual(results.map((result) => result.path), ["install.html", "notes.html"]);
  assert.ok(results[1].pieces.some(([text, marked]) => marked && text === "install"));
});

test("title hit opens at the top with its sections, other hits at their section", async () => {
  const [title] = (await search.search("how to install")).results;
  assert.deepEqual([title.path, title.id], ["install.html", ""]);
  assert.ok(title.sections.some((section) => section.id === "linux"));
  const [section] = (await search.search("linux")).results;
  assert.deepEqual([section.path, section.id], ["install.html", "linux"]);
});

test("prefixes and mistyped words are found, and corrections are named", async () => {
  assert.equal((await paths("inst"))[0], "install.html");
  const answer = await search.search("instlal");
  assert.deepEqual([answer.results[0].path, answer.correction], ["install.html", "install"]);
  assert.equal((await search.search("install")).correction, "");
  assert.deepEqual(await paths("xyzzy"), []);
  // Another character follows the word, so the word is complete.
  assert.deepEqual(await paths("inst "), []);
  assert.deepEqual(await paths("inst deploy"), ["deploy.html"]);
});

test("synonyms find the pages of the other name", async () => {
  assert.deepEqual(await paths("cli "), ["deploy.html"]);
});

test("quoted words stand close together, as they are written", async () => {
  assert.deepEqual(await paths('linux "install"'), ["install.html", "notes.html"]);
  assert.deepEqual(await paths('"linux install"'), ["install.html"]);
  for (const query of ['"instlal"', '"inst"', '"install port_number"']) {
    const { results, correction } = await search.search(query);
    assert.deepEqual([results, correction], [[], ""], query);
  }
});

test("symbol answers with its definition", async () => {
  const [result] = (await search.search("PORT_NUMBER")).results;
  assert.deepEqual([result.path, result.id], ["deploy.html", "settings"]);
  assert.deepEqual([result.symbol.name, result.symbol.kind, result.symbol.id], ["PORT_NUMBER", "variable", "settings"]);
  assert.match(result.symbol.pieces.map(([text]) => text).join(""), /^the port/);
});

test("filters leave pages of a value, and count the others", async () => {
  assert.deepEqual(await paths("install", { filter: { section: "Start" } }), ["install.html"]);
  // Pages of no version are in every version.
  const answer = await search.search("install", { filter: { version: "v1" } });
  assert.deepEqual(answer.results.map((result) => result.path), ["notes.html"]);
  assert.deepEqual(answer.facets.version, [["v2", 1], ["v1", 0], ["", 1]]);
});

test("words without places on a large site leave the others close to each other", async () => {
  // Of 40 pages, `alpha` is on too many for its places to be in the index.
  const core = {
    ...files.core, count: 40, textBelow: 0.06, terms: ["alpha"], titles: "1".repeat(40), factors: "i".repeat(40),
    sections: [[""], [0, 40]], kinds: [["guide"], [0, 40]], versions: [[""], [0, 40]],
  };
  const terms = "alpha 0N1K1K\nbeta 0N1.1K1.\ngamma 0N5.1K1.\n";
  const pages = ["apart", "near", "other"].map((path) => page(path, path, [], "", [["", "", "Text.", 6]], [])).join("\n");
  const data = { core, "terms-0": terms, words: "", "pages-0": pages };
  const { results } = await engine.Engine((name) => Promise.resolve(data[name])).search("alpha beta gamma ");
  assert.deepEqual(results.slice(0, 2).map((result) => result.path), ["near.html", "apart.html"]);
});
