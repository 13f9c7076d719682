// Edits a docs root at random, exports it after each edit with the results of earlier exports, and compares the bundle
// and the diagnostics with those of an export without any.
//
//   node bench/edits.mjs DOCWRIGHT REPOSITORY [--edits 50] [--at-once N] [--minutes M] [--seed 1] [--cold-every K]
//     [--keep FOLDER] [--verbose]
//
// REPOSITORY isn't changed: a copy in the folder for temporary files is. Each export follows N edits, by default 1.
// Every K-th export is compared; by default each one if an export without results takes less than 3 seconds, otherwise
// each 10th one; the last one always. No edit starts after M minutes. A difference ends the run with status 1, names
// the members that differ and the edits before, and keeps the docs and both bundles in FOLDER. The same seed applies
// the same edits.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

import { Docs, docsRoot } from "./edits/docs.mjs";
import { Exports } from "./edits/exports.mjs";
import { edit } from "./edits/kinds.mjs";
import { choices } from "./edits/random.mjs";

/** Seconds of an export without results after which not each one is compared. */
const SLOW = 3;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    edits: { type: "string", default: "50" },
    "at-once": { type: "string", default: "1" },
    minutes: { type: "string", default: "Infinity" },
    seed: { type: "string", default: "1" },
    "cold-every": { type: "string" },
    keep: { type: "string", default: "edits-difference" },
    verbose: { type: "boolean", default: false },
  },
});
const [binary, repository] = positionals;
if (!repository) throw new Error("usage: node bench/edits.mjs DOCWRIGHT REPOSITORY");

const folder = mkdtempSync(join(tmpdir(), "docwright-edits-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const docs = new Docs(docsRoot(repository), join(folder, "docs"));
const random = choices(Number(values.seed));
const exports = new Exports(binary, docs, join(folder, "exports"));

const end = performance.now() + Number(values.minutes) * 60_000;
const atOnce = Number(values["at-once"]);
const isPlain = docs.config() !== undefined;
let [done, builds] = [0, 0];
const kinds = new Map();
const seconds = { warm: [], cold: [] };
/** The edits since the last comparison. */
let edits = [];
let [comparisons, failures] = [0, 0];

/** Exports without results, and compares with an export with results. */
async function compare(warm) {
  const cold = await exports.run("cold", { isCold: true });
  if (cold.status === 0) seconds.cold.push(cold.seconds);
  comparisons += 1;
  const differences = exports.differences(warm, cold);
  if (differences.length === 0) {
    edits = [];
    return cold;
  }
  console.log(`${basename(repository)}: the bundles or diagnostics differ after:\n  ${edits.join("\n  ") || "no edit"}`);
  console.log(differences.slice(0, 40).join("\n"));
  exports.keep(values.keep, warm, cold);
  console.log(`kept in ${values.keep}; seed ${values.seed}`);
  process.exit(1);
}

const first = await compare(await exports.run("warm"));
if (first.status !== 0) throw new Error(`${repository}: ${first.said}`);
const every = Number(values["cold-every"] ?? (first.seconds < SLOW ? 1 : 10));

/** Applies an edit. Among several, none breaks docs.json: the others would have no effect. */
async function change() {
  const { kind, what } = await edit({ docs, random });
  if (atOnce > 1 && isPlain && kind !== "undone" && !docs.config()) {
    docs.undo(1);
    return;
  }
  done += 1;
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  edits.push(`${done}. ${what}`);
  if (values.verbose) console.log(`${done}. ${kind}: ${what}`);
}

for (let isLast = false; !isLast; ) {
  const before = docs.steps.length;
  const until = Math.min(done + atOnce, Number(values.edits));
  while (done < until) await change();
  builds += 1;
  const warm = await exports.run("warm");
  if (warm.status === 0) seconds.warm.push(warm.seconds);
  isLast = done === Number(values.edits) || performance.now() > end;
  if (warm.status !== 0 || builds % every === 0 || isLast) await compare(warm);
  if (warm.status !== 0) {
    // Both failed alike. The next edits need docs that can be exported.
    failures += 1;
    docs.undo(docs.steps.length > before ? docs.steps.length - before : docs.steps.length);
  }
}

const median = (list) => [...list].sort((one, other) => one - other)[list.length >> 1]?.toFixed(2);
const pages = /"pages":(\d+)/.exec(first.said)[1];
console.log(
  `${basename(repository)}: ${pages} pages, ${done} edits of ${kinds.size} kinds, ${builds} exports, ${comparisons} comparisons, ` +
    `${failures} failed alike, 0 differences, ${median(seconds.warm)} s warm, ${median(seconds.cold)} s cold`,
);
