// Measures the quality of the search on built sites: hits in the first three results and mean reciprocal rank for
// the queries of a folder, beside Pagefind's on the same pages. `cargo xtask search` builds the sites and runs:
// node measure.mjs SITES QUERIES [--misses]. SITES contains a built site for each file in QUERIES.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as docwright from "./docwright.mjs";
import * as pagefind from "./pagefind.mjs";

// Results that count toward the mean reciprocal rank.
const DEPTH = 10;
const [sites, folder] = process.argv.slice(2);
const withMisses = process.argv.includes("--misses");
const scratch = mkdtempSync(join(tmpdir(), "docwright-search-"));
try {
  await measure();
} finally {
  rmSync(scratch, { recursive: true });
}

async function measure() {
  const outcomes = [];
  const sizes = {};
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".txt"))) {
    const repository = file.replace(/\.txt$/, "");
    const queries = readQueries(join(folder, file));
    const site = join(sites, repository);
    const languages = docwright.open(site);
    sizes[repository] = { docwright: { index: 0, texts: 0 }, pagefind: { index: 0, texts: 0 }, pages: 0 };
    for (const language of new Set(queries.map((query) => query.language))) {
      const ours = languages[language];
      if (!ours) throw new Error(`${repository} has no index of ${language}: it has ${Object.keys(languages).join(", ")}`);
      const theirs = await pagefind.open(site, language, ours.pages, join(scratch, repository, language));
      sizes[repository].pages += ours.pages.length;
      for (const kind of ["index", "texts"]) {
        sizes[repository].docwright[kind] += ours.bytes[kind];
        sizes[repository].pagefind[kind] += theirs.bytes[kind];
      }
      for (const query of queries.filter((query) => query.language === language)) {
        for (const page of query.wanted) {
          if (!ours.pages.includes(page)) throw new Error(`${repository}: ${page} is not in the index`);
        }
        outcomes.push({
          repository, ...query,
          docwright: await ask(docwright.search, ours, query),
          pagefind: await ask(pagefind.search, theirs, query),
        });
      }
    }
  }
  print("repository", outcomes);
  print("language", outcomes);
  print("kind", outcomes);
  printSizes(sizes);
  if (withMisses) printMisses(outcomes);
}

// Rank of the first wanted page (0 if it isn't in the results), and the duration.
async function ask(search, index, { query, wanted }) {
  await search(index, query, DEPTH); // The first search loads data that stays in memory.
  const start = performance.now();
  const found = await search(index, query, DEPTH);
  const milliseconds = performance.now() - start;
  return { rank: found.findIndex((page) => wanted.includes(page)) + 1, milliseconds, found };
}

// Tab-separated lines of language, query, and wanted pages. A line with `#` names a kind of queries.
function readQueries(file) {
  let kind = "";
  const queries = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("# ")) kind = line.slice(2);
    else if (line) {
      const [language, query, wanted] = line.split("\t");
      queries.push({ kind, language, query, wanted: wanted.split(" ") });
    }
  }
  return queries;
}

function print(by, outcomes) {
  const groups = group(outcomes, by);
  groups.set("in sum", outcomes);
  console.log(`\n${by.padEnd(30)} queries   docwright: first   in 3    MRR     ms   Pagefind: first   in 3    MRR     ms`);
  for (const [name, group] of groups) {
    const figures = ["docwright", "pagefind"].map((engine) => {
      const ranks = group.map((each) => each[engine].rank);
      const hits = ranks.filter((rank) => rank >= 1 && rank <= 3).length;
      const reciprocal = mean(ranks.map((rank) => (rank > 0 ? 1 / rank : 0)));
      const time = median(group.map((each) => each[engine].milliseconds));
      const first = ranks.filter((rank) => rank === 1).length;
      const share = (count) => `${((100 * count) / group.length).toFixed(1)}%`;
      return `${share(first).padStart(18)} ${share(hits).padStart(6)} ${reciprocal.toFixed(3).padStart(6)} ${time.toFixed(1).padStart(6)}`;
    });
    console.log(`${name.padEnd(30)} ${String(group.length).padStart(7)}${figures.join("")}`);
  }
}

function printSizes(sizes) {
  console.log("\nkilobytes, compressed          pages   docwright: index   texts   Pagefind: index   texts");
  for (const [repository, { pages, docwright, pagefind }] of Object.entries(sizes)) {
    const kilobytes = [docwright.index, docwright.texts, pagefind.index, pagefind.texts];
    const columns = kilobytes.map((bytes, at) => (bytes / 1000).toFixed(0).padStart([19, 8, 18, 8][at]));
    console.log(`${repository.padEnd(30)} ${String(pages).padStart(5)}${columns.join("")}`);
  }
}

function printMisses(outcomes) {
  console.log("\nnot within the first three");
  for (const { repository, language, query, wanted, docwright } of outcomes) {
    if (docwright.rank >= 1 && docwright.rank <= 3) continue;
    console.log(`${repository} ${language} “${query}”\n  wanted ${wanted.join(", ")} (rank ${docwright.rank || "none"})`);
    console.log(`  found  ${docwright.found.slice(0, 5).join(", ")}`);
  }
}

function group(outcomes, by) {
  const groups = new Map();
  for (const each of outcomes) groups.set(each[by], [...(groups.get(each[by]) ?? []), each]);
  return groups;
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
}
