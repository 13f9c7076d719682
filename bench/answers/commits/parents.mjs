// Asks what a commit adds at its parent, where the pages don't say it yet: node parents.mjs DOCWRIGHT GIT_FOLDER
// DOCS_ROOT FILE. FILE is of `extract.mjs parents`. Prints each question with its outcome, then the share of refusals.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const [docwright, folder, root, file] = process.argv.slice(2);
const output = { maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] };
let refusals = 0;
const questions = [...readFileSync(file, "utf8").matchAll(/^# (\w+) (.*)\n((?:[- ] .*\n)+)/gm)];
for (const [, commit, page, question] of questions) {
  const scratch = mkdtempSync(join(tmpdir(), "docwright-parent-"));
  try {
    writePages(`${commit}^`, scratch);
    writeFileSync(join(scratch, "question.yaml"), question);
    const words = ["answers", "check", join(scratch, "question.yaml"), join(scratch, root), "--json"];
    const [{ refused, sections }] = JSON.parse(execFileSync(docwright, words, output)).questions;
    const cited = [...new Set(sections.map((section) => section.page.replace(/\.html$/, "")))];
    const isSame = cited.includes(page);
    if (refused) refusals += 1;
    console.log(`${commit} ${refused ? "refused" : isSame ? "answered from the same page" : "answered from other pages"}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
console.log(`refused ${refusals} of ${questions.length}`);

// Writes the texts of a docs root. Images don't matter, and large ones can be missing in a copy of a repository.
function writePages(commit, to) {
  const list = execFileSync("git", ["-C", folder, "ls-tree", "-r", "-z", "--name-only", commit, root], { ...output, encoding: "utf8" });
  for (const path of list.split("\0").filter((path) => /\.(mdx?|json|ya?ml|jsx?|tsx?|css)$/.test(path))) {
    let text;
    try {
      text = execFileSync("git", ["-C", folder, "show", `${commit}:${path}`], output);
    } catch {
      continue;
    }
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
  }
}
