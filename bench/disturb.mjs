// Disturbs exports of a docs root and the results that they keep, and compares the next export with one without
// results: exports are killed, stopped, or run together, and the file of results is damaged, deleted, or without
// room.
//
//   node bench/disturb.mjs DOCWRIGHT REPOSITORY [--rounds 5] [--seed 1] [--only NAME,NAME] [--keep FOLDER]
//
// REPOSITORY isn't changed: a copy in the folder for temporary files is, with a random edit in each round. Some
// disturbances mount small file systems, and are left out unless the user is root. Needs Linux. Prints a row for each
// disturbance. If an export differs, the docs and the bundles are in FOLDER, and the status is 1.

import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

import { BUILD_DISTURBANCES } from "./disturb/builds.mjs";
import { CACHE_DISTURBANCES } from "./disturb/cache.mjs";
import { Docs, docsRoot } from "./edits/docs.mjs";
import { Exports } from "./edits/exports.mjs";
import { edit } from "./edits/kinds.mjs";
import { choices } from "./edits/random.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    keep: { type: "string", default: "disturb-difference" },
  },
});
const [binary, repository] = positionals;
if (!repository) throw new Error("usage: node bench/disturb.mjs DOCWRIGHT REPOSITORY");

const folder = mkdtempSync(join(tmpdir(), "docwright-disturb-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
// Some exports run as another user.
chmodSync(folder, 0o755);
const docs = new Docs(docsRoot(repository), join(folder, "docs"));
const random = choices(Number(values.seed));
const exports = new Exports(binary, docs, join(folder, "exports"));
let edits = [];

/** Applies an edit after which the docs can still be exported. */
async function change() {
  for (;;) {
    const { kind, what } = await edit({ docs, random });
    if (kind === "undone" || docs.config()) {
      edits.push(what);
      return;
    }
    docs.undo(1);
  }
}

/** The file with the results. */
function resultsOf(cache) {
  const builds = join(cache, "docwright", "builds");
  return join(builds, readdirSync(builds)[0]);
}

const first = await exports.run("warm");
if (first.status !== 0) throw new Error(`${repository}: ${first.said}`);
const { seconds } = await exports.run("cold", { isCold: true });
const file = resultsOf(exports.cache);
const earlier = exports.at("earlier");

/** Disturbs the cache between two exports. Returns the exports to compare, and what repairs the cache. */
async function disturbCache(disturb) {
  copyFileSync(file, earlier);
  await change();
  await exports.run("warm");
  const repair = disturb({ file, earlier, random });
  if (random.chance(0.5)) await change();
  return { ran: [], repair };
}

async function disturbBuild(disturb) {
  const ran = await disturb({ exports, change, random, seconds, file });
  return { ran };
}

/** Disturbs once, and compares. Returns the number of comparisons and the differences; `undefined` if left out. */
async function round(disturb) {
  edits = [];
  await exports.run("warm");
  const { ran, repair } = await disturb();
  if (!ran) return undefined;
  const all = [...ran, await exports.run("next"), await exports.run("warm")];
  const cold = await exports.run("cold", { isCold: true });
  const different = all.map((one) => ({ one, lines: exports.differences(one, one.expected ?? cold) }));
  const found = different.filter(({ lines }) => lines.length > 0);
  if (found.length > 0) exports.keep(values.keep, ...all, cold);
  repair?.();
  // What one disturbance leaves must not be found again after the next one.
  if (found.length > 0) rmSync(exports.cache, { recursive: true, force: true });
  if (cold.status !== 0) docs.undo(docs.steps.length);
  return { compared: all.length, found, cold };
}

const disturbances = [
  ...Object.entries(CACHE_DISTURBANCES).map(([name, disturb]) => [name, () => disturbCache(disturb)]),
  ...Object.entries(BUILD_DISTURBANCES).map(([name, disturb]) => [name, () => disturbBuild(disturb)]),
];
const wanted = values.only === "" ? disturbances : disturbances.filter(([name]) => values.only.split(",").includes(name));
console.log(`${basename(repository)}: ${/"pages":(\d+)/.exec(first.said)[1]} pages, ${seconds.toFixed(2)} s without results\n`);
console.log("| Disturbance | Rounds | Exports compared | Differences |");
console.log("| --- | ---: | ---: | ---: |");
for (const [name, disturb] of wanted) {
  const counts = { rounds: 0, compared: 0, differences: 0 };
  const reports = [];
  while (counts.rounds < Number(values.rounds)) {
    const result = await round(disturb);
    if (!result) break;
    counts.rounds += 1;
    counts.compared += result.compared;
    counts.differences += result.found.length;
    const lines = result.found.flatMap(({ one, lines }) => [`  export ${one.name}:`, ...lines.slice(0, 20).map((line) => `    ${line}`)]);
    if (lines.length > 0) reports.push(`  after ${edits.join("; ") || "no edit"}`, ...lines);
  }
  console.log(counts.rounds === 0 ? `| ${name} | left out | | |` : `| ${name} | ${counts.rounds} | ${counts.compared} | ${counts.differences} |`);
  if (reports.length > 0) {
    console.log(reports.join("\n"));
    process.exitCode = 1;
  }
}
