// The search of a built site in Node, with the script and index of browsers.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

// A search engine for each language of a site, with data on its pages. It can leave out the lines of synonyms.
export function open(site, { synonyms = true } = {}) {
  const { Engine } = createRequire(import.meta.url)(join(site, "_docwright/search.js"));
  const languages = {};
  const root = join(site, "_docwright/search");
  for (const language of readdirSync(root)) {
    const { parts, bytes } = read(join(root, language));
    if (!synonyms) for (const part of Object.values(parts)) part.data = withoutSynonyms(part.data);
    const moved = new Set();
    languages[language] = {
      pages: pagesOf(parts),
      bytes,
      moved,
      engine: Engine((name) => {
        moved.add(name);
        return Promise.resolve(parts[name].data);
      }),
      // Compressed bytes of the files that a query with an empty cache loads.
      first: async (query, limit) => {
        const files = new Set();
        const engine = Engine((name) => {
          files.add(parts[name].file);
          return Promise.resolve(parts[name].data);
        });
        await engine.search(query, { limit });
        return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
      },
    };
  }
  return languages;
}

// Paths of the best pages for a query, without `.html`.
export async function search(language, query, limit) {
  const { results } = await language.engine.search(query, { limit });
  return results.map((result) => result.path.replace(/\.html$/, ""));
}

// The parts of an index by name, and its compressed bytes: the data for queries and the texts of pages.
function read(folder) {
  const parts = {};
  const bytes = { index: 0, texts: 0 };
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const script = readFileSync(file, "utf8");
    bytes[name.startsWith("pages-") ? "texts" : "index"] += gzipSync(script).length;
    for (const [, part, data] of script.matchAll(/^docwrightSearch\.receive\("[^"]*\/([^"]+)",(.*)\)$/gm)) {
      parts[part] = { file, data: JSON.parse(data) };
    }
  }
  return { parts, bytes };
}

// The lines of synonyms end their names with `=` and a number.
function withoutSynonyms(data) {
  return typeof data === "string" ? data.replace(/^[^ \n]*=\d+ .*\n/gm, "") : data;
}

function pagesOf(parts) {
  const files = Object.keys(parts).filter((name) => name.startsWith("pages-"));
  return files.flatMap((name) => parts[name].data.split("\n").map((page) => JSON.parse(page)[1]));
}
