// Measures whether the cost of a build grows faster than its input: exports generated docs at several sizes along each
// dimension, such as pages, operations, or redirects.
//
//   node bench/growth.mjs DOCWRIGHT FOLDER [--only DIMENSION,DIMENSION] [--largest 1]
//
// FOLDER is used for the docs and their bundles, and is empty again at the end. `--largest 0.25` leaves out sizes above
// a quarter of the largest one. Needs GNU time. Prints a row for each size: processor seconds, peak memory, bytes of
// the bundle, and what each unit cost beyond the same site without it. The last column compares the cost of a unit at
// this size with that at the smallest one, relative to the bytes that a unit adds to the bundle.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { DIMENSIONS } from "./growth/dimensions.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, largest: { type: "string", default: "1" } },
});
const [binary, folder] = positionals;
if (!folder) throw new Error("usage: node bench/growth.mjs DOCWRIGHT FOLDER");

/** Exports a docs root. Returns the processor seconds, peak memory in bytes, and bytes of the bundle. */
function measure(docs) {
  const [bundle, figures] = [join(folder, "bundle.tar.gz"), join(folder, "figures")];
  const command = ["--format", "%U %S %M", "--output", figures, binary, "export", docs, "--no-cache", "--out", bundle];
  const ran = spawnSync("/usr/bin/time", command, { encoding: "utf8", maxBuffer: 1 << 30 });
  if (ran.status !== 0) throw new Error(`${docs}: ${ran.stderr.slice(-2000)}`);
  const [user, system, kilobytes] = readFileSync(figures, "utf8").trim().split(" ").map(Number);
  const measured = { seconds: user + system, memory: kilobytes * 1024, bytes: statSync(bundle).size };
  rmSync(bundle);
  return measured;
}

/** Generates docs with some units of a dimension, and measures them. */
function measureAt({ make }, count) {
  const docs = join(folder, "docs");
  mkdirSync(docs, { recursive: true });
  make(docs, count);
  const measured = measure(docs);
  rmSync(docs, { recursive: true });
  return measured;
}

const wanted = values.only === "" ? Object.keys(DIMENSIONS) : values.only.split(",");
const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
console.log("| Dimension | Units | Processor s | Memory MB | Bundle MB | ms a unit | kB of memory a unit | Growth |");
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const name of wanted) {
  const dimension = DIMENSIONS[name];
  if (!dimension) throw new Error(`there is no dimension ${name}; there are ${Object.keys(DIMENSIONS).join(", ")}`);
  const base = measureAt(dimension, 1);
  const largest = dimension.sizes.at(-1) * Number(values.largest);
  let first;
  for (const count of dimension.sizes.filter((size) => size <= largest)) {
    const { seconds, memory, bytes } = measureAt(dimension, count);
    const unit = { seconds: (seconds - base.seconds) / count, bytes: (bytes - base.bytes) / count, memory: (memory - base.memory) / count };
    first ??= unit;
    const growth = unit.seconds / first.seconds / Math.max(1, unit.bytes / first.bytes);
    console.log(`| ${name} | ${count.toLocaleString("en-US")} | ${seconds.toFixed(2)} | ${megabytes(memory)} | ${megabytes(bytes)} | ${(unit.seconds * 1000).toFixed(3)} | ${(unit.memory / 1000).toFixed(1)} | ${growth.toFixed(2)} |`);
  }
}
rmSync(join(folder, "figures"), { force: true });
