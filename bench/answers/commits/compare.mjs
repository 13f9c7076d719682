// Compares searches on the questions from commits: docwright's, Pagefind, and plain BM25 over titles or over titles and
// texts. node compare.mjs SITES QUESTIONS. SITES has a built site for each file in QUESTIONS; needs the packages of
// `bench/search`.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as bm25 from "../../search/bm25.mjs";
import * as docwright from "../../search/docwright.mjs";
import * as pagefind from "../../search/pagefind.mjs";

const LANGUAGE = "en";
// Pages that are compared, enough for every figure.
const DEPTH = 50;
const [sites, folder] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "docwright-commits-"));
const ranks = { docwright: [], Pagefind: [], BM25: [], titles: [] };
try {
  for (const file of readdirSync(folder)) await measure(file.replace(/\.yaml$/, ""));
} finally {
  rmSync(scratch, { recursive: true });
}
for (const engine of Object.keys(ranks)) print("all", engine, ranks[engine]);

async function measure(repository) {
  const site = join(sites, repository);
  const { [LANGUAGE]: index } = docwright.open(site);
  const { pages } = index;
  const engines = {
    docwright: (query) => docwright.search(index, query, DEPTH),
    Pagefind: await searchOfPagefind(site, pages, join(scratch, repository)),
    BM25: bm25.open(site, pages, ["title", "text"]),
    titles: bm25.open(site, pages, ["title"]),
  };
  for (const [engine, search] of Object.entries(engines)) {
    const found = [];
    for (const { question, page } of read(join(folder, `${repository}.yaml`))) {
      if (!pages.includes(page)) throw new Error(`${repository}: ${page} is not in the index`);
      found.push((await search(question)).indexOf(page) + 1);
    }
    ranks[engine].push(...found);
    print(repository, engine, found);
  }
}

async function searchOfPagefind(site, pages, to) {
  const index = await pagefind.open(site, LANGUAGE, pages, to);
  return (query) => pagefind.search(index, query, DEPTH);
}

// The questions of a file, which `extract.mjs` wrote.
function read(file) {
  const questions = readFileSync(file, "utf8").matchAll(/^- question: (.*)\n {2}pages: (.*)$/gm);
  return [...questions].map(([, question, pages]) => ({ question: JSON.parse(question), page: JSON.parse(pages)[0] }));
}

function print(repository, engine, ranks) {
  const share = (most) => (ranks.filter((rank) => rank > 0 && rank <= most).length / ranks.length).toFixed(2);
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length;
  console.log(`${repository}\t${engine}\t${ranks.length}\t${share(1)}\t${share(3)}\t${share(5)}\t${reciprocal.toFixed(2)}`);
}
