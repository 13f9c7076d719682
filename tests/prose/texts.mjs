// The texts that people read: the manual, the documents in the root, the API reference, and the dashboard's texts.
// The manual's reference contains the help of commands, the rules, and the program's errors.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** The line breaks of a text. */
const blank = (text) => text.replace(/[^\n]/g, "");

/** MDX as Markdown with the same lines, without tags, expressions, comments, and frontmatter keys. */
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
    // MDX has no indented code.
    .replace(/^[ \t]+/gm, "");
}

/** Every summary and description of an OpenAPI document. */
export function sentences(value, path = "") {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string"
      ? ["summary", "description"].includes(key) ? [[`${path}/${key}`, inner]] : []
      : sentences(inner, `${path}/${key}`),
  );
}

/** The constants in a file of texts. Texts built by macros and functions are omitted. */
export function constants(rust) {
  const found = rust.matchAll(/const ([A-Z_]+): &str =\s*"((?:[^"\\]|\\.)*)";/g);
  return [...found].map(([, name, text]) => [name, text.replace(/\\\n\s*/g, "").replaceAll('\\"', '"')]);
}

const list = (...patterns) =>
  execFileSync("git", ["ls-files", "--", ...patterns], { cwd: root, encoding: "utf8" }).trim().split("\n");
const read = (file) => readFileSync(join(root, file), "utf8");

/** All texts: their location and their Markdown. */
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
