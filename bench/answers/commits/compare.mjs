// Compares searches on questions that name their pages: docwright's with and without synonyms, Pagefind, and plain BM25
// over titles or over titles and texts. node compare.mjs SITES QUESTIONS [SEARCH...]. QUESTIONS is `questions` here, or
// `../questions`. SITES has a built site for each of its files; needs the packages of `bench/search`.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as bm25 from "../../search/bm25.mjs";
import * as docwright from "../../search/docwright.mjs";
import * as pagefind from "../../search/pagefind.mjs";

const LANGUAGE = "en";
// Pages that are compared, enough for every figure.
const DEPTH = 50;
const [sites, folder, ...chosen] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "docwright-commits-"));
// How to open each search of a site.
const SEARCHES = {
  docwright: ({ site }) => searchOfDocwright(docwright.open(site)),
  "no synonyms": ({ site }) => searchOfDocwright(docwright.open(site, { synonyms: false })),
  Pagefind: ({ site, pages, scratch }) => searchOfPagefind(site, pages, scratch),
  BM25: ({ site, pages }) => bm25.open(site, pages, ["title", "text"]),
  titles: ({ site, pages }) => bm25.open(site, pages, ["title"]),
};
const compared = Object.keys(SEARCHES).filter((name) => chosen.length === 0 || chosen.includes(name));
const ranks = Object.fromEntries(compared.map((name) => [name, []]));
try {
  for (const file of readdirSync(folder)) await measure(file.replace(/\.yaml$/, ""));
} finally {
  rmSync(scratch, { recursive: true });
}
for (const engine of Object.keys(ranks)) print("all", engine, ranks[engine]);

async function measure(repository) {
  const site = join(sites, repository);
  const { [LANGUAGE]: { pages } } = docwright.open(site);
  for (const engine of compared) {
    const search = await SEARCHES[engine]({ site, pages, scratch: join(scratch, repository) });
    const found = [];
    for (const { question, wanted } of read(join(folder, `${repository}.yaml`))) {
      if (!wanted.some((page) => pages.includes(page))) throw new Error(`${repository}: ${wanted} is not in the index`);
      found.push((await search(question)).findIndex((page) => wanted.includes(page)) + 1);
    }
    ranks[engine].push(...found);
    print(repository, engine, found);
  }
}

function searchOfDocwright({ [LANGUAGE]: index }) {
  return (query) => docwright.search(index, query, DEPTH);
}

async function searchOfPagefind(site, pages, to) {
  const index = await pagefind.open(site, LANGUAGE, pages, to);
  return (query) => pagefind.search(index, query, DEPTH);
}

// The questions of a file that pages answer, each with these pages.
function read(file) {
  const questions = readFileSync(file, "utf8").matchAll(/^- question: (.*)\n {2}pages: \[(.*)\]$/gm);
  return [...questions].map(([, question, pages]) => ({ question: JSON.parse(question), wanted: pages.split(", ").map((page) => page.replaceAll('"', "")) }));
}

function print(repository, engine, ranks) {
  const share = (most) => (ranks.filter((rank) => rank > 0 && rank <= most).length / ranks.length).toFixed(2);
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length;
  console.log(`${repository}\t${engine}\t${ranks.length}\t${share(1)}\t${share(3)}\t${share(5)}\t${reciprocal.toFixed(2)}`);
}
