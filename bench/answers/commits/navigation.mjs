// The English pages in the navigation of a docs root.

import { posix } from "node:path";

// Paths without extension. `read(path)` returns the text of a file, or nothing. Of several languages, English counts;
// of several versions, the one that opens first.
export function navigationOf(read) {
  const pages = [];
  const visit = (node, folder) => {
    if (typeof node === "string") {
      const page = node.replace(/^\//, "").replace(/\.mdx?$/, "");
      if (read(`${page}.mdx`) || read(`${page}.md`)) pages.push(page);
    } else if (Array.isArray(node)) {
      for (const each of node) visit(each, folder);
    } else if (node?.$ref) {
      const path = posix.join(folder, node.$ref);
      visit(JSON.parse(read(path)), posix.dirname(path));
    } else if (node) {
      for (const [key, value] of Object.entries(node)) visit(opensFirst(key, value), folder);
    }
  };
  visit(JSON.parse(read("docs.json")).navigation, ".");
  return pages;
}

function opensFirst(key, value) {
  if (key === "languages") return value.find(({ language }) => language === "en") ?? [];
  if (key === "versions") return value.find((version) => version.default) ?? value[0];
  return value;
}
