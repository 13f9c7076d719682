// Plain BM25 on the pages of a built site: words without stems, synonyms, or corrections.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MiniSearch from "minisearch";

// A search over some of the fields `title` and `text`, which have the same weight. It returns paths, best first.
export function open(site, pages, fields) {
  const index = new MiniSearch({ idField: "path", fields });
  index.addAll(pages.map((path) => ({ path, ...read(join(site, path)) })));
  return (query) => index.search(query, { combineWith: "OR" }).map((result) => result.id);
}

// The title and the text in the Markdown version of a page; a page without one has a title only.
function read(page) {
  const html = readFileSync(`${page}.html`, "utf8");
  const [, title = ""] = html.match(/<h1[^>]*>([\s\S]*?)<\/h1>/) ?? [];
  const text = existsSync(`${page}.md`) ? readFileSync(`${page}.md`, "utf8") : "";
  return { title: title.replace(/<[^>]+>/g, " "), text };
}
