// Pagefind on the pages of a built site, in Node with its browser script.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as pagefind from "pagefind";

// Indexes the pages of one language of a site, and opens the index.
export async function open(site, language, pages, folder) {
  const { index } = await pagefind.createIndex({
    rootSelector: "article",
    // Text that is the same on every page, not written by the author.
    excludeSelectors: ["#page-context-menu", "#pagination", "#table-of-contents", "footer", "form", "[id$='-toolbar']"],
    forceLanguage: language,
  });
  for (const page of pages) {
    const content = readFileSync(join(site, `${page}.html`), "utf8");
    const { errors } = await index.addHTMLFile({ url: `/${page}`, content });
    if (errors.length > 0) throw new Error(`Pagefind can't read ${page}: ${errors.join(", ")}`);
  }
  await index.writeFiles({ outputPath: folder });
  await index.deleteIndex();
  fetchFiles();
  const client = await import(pathToFileURL(join(folder, "pagefind.js")));
  await client.options({ basePath: pathToFileURL(folder).href + "/", baseUrl: "/" });
  await client.init();
  return { client, bytes: sizes(folder) };
}

// Paths of the best pages for a query.
export async function search({ client }, query, limit) {
  const { results } = await client.search(query);
  const found = await Promise.all(results.slice(0, limit).map((result) => result.data()));
  return found.map((page) => page.raw_url.replace(/^\//, ""));
}

// Bytes of the index, which is stored compressed: the data for queries and the texts of pages.
function sizes(folder) {
  const bytes = { index: 0, texts: 0 };
  for (const file of readdirSync(folder, { recursive: true })) {
    const stat = statSync(join(folder, file));
    if (!stat.isFile() || /\.(js|css|json)$|wasm/.test(file)) continue;
    bytes[file.startsWith("fragment") ? "texts" : "index"] += stat.size;
  }
  return bytes;
}

// Pagefind's script fetches its files; here, they are on disk.
function fetchFiles() {
  globalThis.fetch = async (address) => {
    const body = readFileSync(new URL(String(address).replace(/\?.*$/, "")));
    return new Response(body, { status: 200 });
  };
}
