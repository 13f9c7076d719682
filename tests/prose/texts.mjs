// The texts that people read: the manual, the documents at the root, the API reference, and the words of the
// dashboard. The manual's reference holds the help of commands, the rules, and the errors of the program.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** The line breaks of a text. */
const blank = (text) => text.replace(/[^\n]/g, "");

/** MDX as Markdown with the same lines: without tags, expressions, comments, and the keys of frontmatter. */
export function markdown(mdx) {
  return mdx
    .replace(/^---\n[^]*?\n---\n/, (head) =>
      head.replace(/^(title|description|sidebarTitle): *(.*)$|.+/gm, (line, key, value) =>
        key ? value.replaceAll('"', "") : blank(line),
      ),
    )
    .replace(/^(```+|~~~+)[^]*?^\1 *$/gm, blank)
    .replace(/^export (?:const|function) [^]*?^[})][;)]*$/gm, blank)
    .replace(/\{\/\*[^]*?\*\/\}/g, blank)
    .replace(/<\/?[A-Za-z](?:[^>`"{]|"[^"]*"|\{[^}]*\})*>/g, blank)
    // MDX has no code by indentation.
    .replace(/^[ \t]+/gm, "");
}

/** The sentences of an OpenAPI document: every summary and description. */
export function sentences(value, path = "") {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string"
      ? ["summary", "description"].includes(key) ? [[`${path}/${key}`, inner]] : []
      : sentences(inner, `${path}/${key}`),
  );
}

/** The constants of a file of words. What a macro or a function puts together is left out. */
export function constants(rust) {
  const found = rust.matchAll(/const ([A-Z_]+): &str =\s*"((?:[^"\\]|\\.)*)";/g);
  return [...found].map(([, name, text]) => [name, text.replace(/\\\n\s*/g, "").replaceAll('\\"', '"')]);
}

const list = (...patterns) =>
  execFileSync("git", ["ls-files", "--", ...patterns], { cwd: root, encoding: "utf8" }).trim().split("\n");
const read = (file) => readFileSync(join(root, file), "utf8");

/** All texts: where each is, and its Markdown. */
export function texts() {
  const pages = list("docs/*.mdx", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md");
  const words = list("crates/docwright-dashboard/src/words/*.rs");
  const api = "docs/api/openapi.json";
  return [
    ...pages.map((file) => [file, markdown(read(file))]),
    ...words.flatMap((file) => constants(read(file)).map(([name, text]) => [`${file} ${name}`, text])),
    ...sentences(JSON.parse(read(api))).map(([path, text]) => [`${api}#${path}`, text]),
  ];
}
