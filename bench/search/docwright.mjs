// The search of a built site in Node, with the script and index of browsers.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

// A search engine for each language of a site, with data on its pages.
export function open(site) {
  const { Engine } = createRequire(import.meta.url)(join(site, "_docwright/search.js"));
  const languages = {};
  const root = join(site, "_docwright/search");
  for (const language of readdirSync(root)) {
    const read = (name) => {
      const script = readFileSync(join(root, language, `${name}.js`), "utf8");
      return JSON.parse(script.slice(script.indexOf(",") + 1, -1));
    };
    languages[language] = {
      pages: read("core").pages.map((page) => page[1]),
      engine: Engine((name) => Promise.resolve(read(name))),
      bytes: sizes(join(root, language)),
    };
  }
  return languages;
}

// Paths of the best pages for a query, without `.html`.
export async function search(language, query, limit) {
  const found = await language.engine.search(query, limit);
  return found.map((result) => result.path.replace(/\.html$/, ""));
}

// Compressed bytes of the index: the data for queries and the texts for excerpts.
function sizes(folder) {
  const bytes = { index: 0, texts: 0 };
  for (const file of readdirSync(folder)) {
    bytes[file.startsWith("page-") ? "texts" : "index"] += gzipSync(readFileSync(join(folder, file))).length;
  }
  return bytes;
}
