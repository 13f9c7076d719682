// Turns the history of a documentation repository into golden questions: the subject of a commit is the question, and
// the page that it changed is the answer. `rule.mjs` decides which commits count.
// node extract.mjs questions|parents GIT_FOLDER COMMIT DOCS_ROOT > FILE
// `questions` prints commits whose page is still there. `parents` prints those that add something that their parent's
// pages don't say yet, for `parents.mjs`.

import { execFileSync } from "node:child_process";
import { navigationOf } from "./navigation.mjs";
import * as rule from "./rule.mjs";

const [mode, folder, commit, root] = process.argv.slice(2);
const inRoot = root === "." ? "" : `${root}/`;
if (mode === "questions") print(questions(), "pages");
else if (mode === "parents") print(parents(), "unanswered");
else throw new Error("the first argument is `questions` or `parents`");

function questions() {
  const counts = new Map();
  const subjects = new Set();
  const chosen = [];
  for (const candidate of candidates()) {
    const { page, question } = candidate;
    const count = counts.get(page) ?? 0;
    if (chosen.length === rule.MOST_OF_REPOSITORY || count === rule.MOST_OF_PAGE || subjects.has(question)) continue;
    counts.set(page, count + 1);
    subjects.add(question);
    chosen.push(candidate);
  }
  return chosen;
}

function parents() {
  const added = [...candidates()].filter(({ question, added, removed }) => rule.isNew(question, added, removed));
  return added.filter(({ hash }) => has(`${hash}^:${inRoot}docs.json`)).slice(0, rule.MOST_PARENTS);
}

// The commits that fit the rule, newest first.
function* candidates() {
  const names = renames();
  const inDocs = (path) => read(`${commit}:${inRoot}${path}`);
  const pages = new Set(navigationOf(inDocs));
  const { name: product } = JSON.parse(inDocs("docs.json"));
  const format = "--format=%x01%H%x02%an %ae%x02%s";
  const log = git("log", "--topo-order", "--no-merges", "--no-renames", "--name-status", format, commit);
  for (const entry of log.split("\u0001").slice(1)) {
    const [head, ...lines] = entry.trim().split("\n");
    const [hash, author, subject] = head.split("\u0002");
    const changes = lines.filter(Boolean).map((line) => line.split("\t"));
    const changed = rule.changedPage(changes.map(([, path]) => path), inRoot);
    if (!changed || rule.isAutomatic(author, subject)) continue;
    const path = current(changed, names);
    const page = path.slice(inRoot.length).replace(/\.mdx?$/, "");
    const question = rule.questionOf(subject, page, product);
    if (!question || !pages.has(page)) continue;
    const { added, removed } = difference(hash, changed);
    if (rule.isKept(added, read(`${commit}:${path}`))) yield { hash, question, page, added, removed };
  }
}

// Later names of pages that were moved: `[commit, old path, new path]`, newest first.
function renames() {
  const log = git("log", "--topo-order", "--no-merges", "-M", "-l2000", "--diff-filter=R", "--name-status", "--format=", commit, "--", "*.mdx", "*.md");
  const names = new Map();
  for (const line of log.split("\n").filter(Boolean)) {
    const [, old, later] = line.split("\t");
    // A path that has a later name already was used again after this commit.
    if (!names.has(old)) names.set(old, later);
  }
  return names;
}

// The path at the commit that is built.
function current(path, names) {
  const seen = new Set();
  while (!has(`${commit}:${path}`) && names.has(path) && !seen.has(path)) {
    seen.add(path);
    path = names.get(path);
  }
  return path;
}

// Lines that a commit added to a page and removed from it, without blank ones.
function difference(hash, path) {
  const lines = git("show", "--format=", "--unified=0", "--no-renames", hash, "--", path).split("\n");
  const body = lines.slice(lines.findIndex((line) => line.startsWith("@@")));
  const of = (sign) => body.filter((line) => line.startsWith(sign)).map((line) => line.slice(1).trim()).filter(Boolean);
  return { added: of("+"), removed: of("-") };
}

function print(chosen, kind) {
  for (const { hash, question, page } of chosen) {
    console.log(`# ${hash.slice(0, 10)}${kind === "unanswered" ? ` ${page}` : ""}`);
    console.log(`- question: ${JSON.stringify(question)}`);
    console.log(kind === "pages" ? `  pages: [${JSON.stringify(page)}]` : "  unanswered: true");
  }
}

function read(object) {
  return has(object) ? git("show", object) : "";
}

function has(object) {
  try {
    git("cat-file", "-e", object);
    return true;
  } catch {
    return false;
  }
}

function git(...words) {
  const options = { encoding: "utf8", maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] };
  return execFileSync("git", ["-C", folder, "-c", "core.quotePath=false", ...words], options);
}
