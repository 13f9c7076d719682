// Checks that each page that names an API spec by its path shows the texts of that spec: those of its operation,
// parameters, bodies, and responses.
//
//   node descriptions.mjs SOURCE BUILT [--show N]

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { parse as parseYaml } from "yaml";
import { attribute, elements, parsePage, textBlocks } from "./html.mjs";

const REFERENCE = /^(?:(.+?)\s+)?(get|put|post|delete|options|head|patch|trace|webhook)\s+(\S.*)$/i;
const MINIMUM_LETTERS = 12;

export function compareDescriptions(source, built) {
  const report = { pages: 0, equal: 0, passages: 0, unchecked: [], differing: [] };
  for (const path of pagesBelow(source)) {
    const frontmatter = frontmatterOf(readFileSync(join(source, path), "utf8"));
    const page = join(built, `${path.replace(/\.mdx?$/, "").replace(/(?<=.)\/index$/, "")}.html`);
    const match = typeof frontmatter?.openapi === "string" && frontmatter.openapi.trim().match(REFERENCE);
    const spec = match && match[1] && exactPath(source, path, match[1].trim());
    if (!spec || !existsSync(page)) continue;
    const passages = passagesOf(readDescription(join(source, spec)), match[2].toLowerCase(), match[3], frontmatter);
    if (!passages?.length) {
      report.unchecked.push({ path, reason: passages ? `${spec} has no words for it` : `${spec} has no such operation` });
      continue;
    }
    const shown = letters(contentOf(page));
    const missing = passages.filter((passage) => !shown.includes(letters(passage)));
    report.pages += 1;
    report.passages += passages.length;
    if (missing.length === 0) report.equal += 1;
    else report.differing.push({ path, spec, missing });
  }
  return report;
}

// The file that a name means, as a path from the root or from the page. The extension is optional.
function exactPath(source, page, name) {
  const beside = posix.join(posix.dirname(page), name);
  const belowRoot = name.replace(/^(\.{0,2}\/)+/, "");
  const paths = name.startsWith(".") ? [beside, belowRoot] : [belowRoot, beside];
  const endings = ["", ".json", ".yaml", ".yml"];
  const candidates = paths.flatMap((path) => endings.map((ending) => path + ending));
  return candidates.find((path) => /\.(json|ya?ml)$/.test(path) && !path.startsWith("..") && existsSync(join(source, path)));
}

function frontmatterOf(text) {
  const match = text.match(/^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/);
  try {
    return match && parseYaml(match[1]);
  } catch {
    return null;
  }
}

const known = new Map();

function readDescription(file) {
  if (!known.has(file)) known.set(file, parseYaml(readFileSync(file, "utf8"), { maxAliasCount: -1 }));
  return known.get(file);
}

// Passages of prose that an operation's page must show; null if the operation doesn't exist.
function passagesOf(root, method, path, frontmatter) {
  const resolve = (value) => {
    for (let depth = 0; depth < 20 && typeof value?.$ref === "string" && value.$ref.startsWith("#"); depth += 1) {
      const keys = value.$ref.slice(2).split("/").map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
      value = keys.reduce((part, key) => part?.[key], root);
    }
    return value ?? {};
  };
  const items = Object.entries((method === "webhook" ? root.webhooks : root.paths) ?? {});
  const item = items.find(([key]) => key.replace(/\/+$/, "") === path.trim().replace(/\/+$/, ""))?.[1];
  const operation = method === "webhook" ? Object.values(item ?? {})[0] : item?.[method];
  if (!operation) return null;
  const found = frontmatter.description ? [] : [operation.description];
  const described = (value) => found.push(resolve(value).description);
  const body = (value, hidden) => {
    const media = Object.values(resolve(value).content ?? {});
    for (const property of media.flatMap((each) => Object.values(resolve(each.schema).properties ?? {}))) {
      if (!property.$ref && !property[hidden]) described(property);
    }
  };
  (operation.parameters ?? []).forEach(described);
  body(operation.requestBody, "readOnly");
  for (const response of Object.values(operation.responses ?? {})) {
    described(response);
    body(response, "writeOnly");
  }
  return found.filter((text) => typeof text === "string").flatMap(plainPassages);
}

// Passages without Markdown that are long enough to identify their spec.
function plainPassages(text) {
  const stretches = text.replace(/\]\([^)]*\)/g, "|").split(/[`*_<>[\]#|\n{}\\&]|https?:\S*/);
  return stretches.filter((stretch) => letters(stretch).length >= MINIMUM_LETTERS);
}

function contentOf(page) {
  const main = [...elements(parsePage(page))].find((each) => each.tagName === "main");
  if (!main) throw new Error(`${page}: no main element`);
  return textBlocks(main).join(" \u0000 ");
}

// Not all languages separate words with spaces, and styles can join adjacent words.
function letters(text) {
  return text.normalize("NFC").replace(/[^\p{L}\p{N}\p{M}]+/gu, "");
}

function* pagesBelow(root, folder = root) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory()) yield* pagesBelow(root, path);
    else if (/\.mdx?$/.test(entry.name)) yield relative(root, path).split(sep).join("/");
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [source, built] = process.argv.slice(2);
  const show = process.argv.includes("--show") ? Number(process.argv[process.argv.indexOf("--show") + 1]) : 10;
  const { pages, equal, passages, unchecked, differing } = compareDescriptions(source, built);
  for (const { path, reason } of unchecked.slice(0, show)) console.log(`not checked: ${path}: ${reason}`);
  for (const { path, spec, missing } of differing.slice(0, show)) {
    console.log(`${path} lacks words of ${spec}:`);
    for (const passage of missing.slice(0, 3)) console.log(`  ${JSON.stringify(passage.trim().slice(0, 200))}`);
  }
  console.log(
    `${equal} of ${pages} pages that name a description by its path show its words (${passages} passages); ` +
      `${unchecked.length} pages have nothing to compare`,
  );
  process.exitCode = differing.length === 0 ? 0 : 1;
}
