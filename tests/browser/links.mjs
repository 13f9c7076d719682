// Checks that every internal link, image, script, and style of a built site leads to a file of the site, and every
// fragment to an id on that page.
//
//   node links.mjs BUILT

import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { attribute, elements, parsePage } from "./html.mjs";

const ADDRESSES = ["href", "src", "poster", "srcset"];

export function checkLinks(root) {
  const pages = new Map();
  for (const file of htmlBelow(root)) pages.set(file, readPage(join(root, file)));
  const broken = [];
  let checked = 0;
  for (const [file, page] of pages) {
    for (const address of page.addresses) {
      if (isExternal(address)) continue;
      checked += 1;
      const problem = problemOf(root, pages, file, address);
      if (problem) broken.push({ page: file, address, problem });
    }
  }
  return { pages: pages.size, checked, broken };
}

function readPage(file) {
  const addresses = new Set();
  const ids = new Set();
  for (const element of elements(parsePage(file))) {
    const id = attribute(element, "id") ?? (element.tagName === "a" ? attribute(element, "name") : undefined);
    if (id !== undefined) ids.add(id);
    // Canonical and alternate addresses are absolute by definition.
    if (element.tagName === "link" && /canonical|alternate/.test(attribute(element, "rel") ?? "")) continue;
    for (const name of ADDRESSES) {
      const value = attribute(element, name);
      if (value === undefined) continue;
      const values = name === "srcset" ? value.split(",").map((part) => part.trim().split(/\s+/)[0]) : [value];
      for (const each of values) addresses.add(each);
    }
  }
  return { addresses, ids };
}

function isExternal(address) {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address);
}

function problemOf(root, pages, from, address) {
  const [beforeFragment, fragment] = splitAt(address, "#");
  let [path] = splitAt(beforeFragment, "?");
  // Hosts serve this page at any depth; its script finds the root of the site.
  if (from === "404.html" && path.startsWith("/")) path = path.slice(1);
  if (path.startsWith("/")) return "starts at the root of the host, so it breaks below a base path";
  let file;
  try {
    file = path === "" ? from : normalize(join(dirname(from), decodeURIComponent(path)));
  } catch {
    return "is not validly percent-encoded";
  }
  if (file.startsWith("..")) return "leaves the site";
  if (!existsSync(join(root, file)) || statSync(join(root, file)).isDirectory()) return "leads to no file";
  if (!fragment || !pages.has(file)) return null;
  const ids = pages.get(file).ids;
  return ids.has(fragment) || ids.has(safeDecode(fragment)) ? null : "leads to no id on that page";
}

function splitAt(text, separator) {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function safeDecode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function* htmlBelow(root, folder = "") {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) yield* htmlBelow(root, path);
    else if (entry.name.endsWith(".html")) yield path;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { pages, checked, broken } = checkLinks(process.argv[2]);
  for (const { page, address, problem } of broken.slice(0, 50)) console.log(`${page}: ${address} ${problem}`);
  console.log(`${checked} internal links on ${pages} pages, ${broken.length} broken`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
