// A copy of a docs root whose files can be edited, and the earlier contents of its files.

import { spawnSync } from "node:child_process";
import {
  cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";

const CONFIGURATIONS = ["docs.json", "mint.json"];
const SKIPPED = new Set([".git", "node_modules"]);
/** Files with text that more than one page can show. */
const SNIPPET = /(^|\/)_?snippets\//;

/** The docs root of a repository: the repository itself, or its folder `docs`. */
export function docsRoot(repository) {
  const folders = [repository, join(repository, "docs")];
  const root = folders.find((folder) => CONFIGURATIONS.some((name) => existsSync(join(folder, name))));
  if (!root) throw new Error(`no docs.json or mint.json in ${folders.join(" or ")}`);
  return root;
}

export class Docs {
  /** Copies a docs root. The copy has a git repository of its own, since pages can show dates of commits. */
  constructor(from, to) {
    const isCopied = (path) => !relative(from, path).split("/").some((name) => SKIPPED.has(name));
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isCopied });
    this.root = to;
    this.paths = new Set(this.#walk("").sort());
    this.configuration = CONFIGURATIONS.find((name) => this.paths.has(name));
    /** Flags of the command line. */
    this.flags = [];
    /** What edits leave for later ones, such as headings with links. */
    this.memory = { headings: [], snippets: [], components: [] };
    /** The files that each step changed, with their earlier contents. */
    this.steps = [];
    this.git("init", "--quiet");
    this.commit("2025-01-02");
  }

  #walk(folder) {
    return readdirSync(join(this.root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder ? `${folder}/${entry.name}` : entry.name;
      if (SKIPPED.has(entry.name)) return [];
      return entry.isDirectory() ? this.#walk(path) : entry.isFile() ? [path] : [];
    });
  }

  git(...command) {
    const author = ["-c", "user.name=Docs", "-c", "user.email=docs@example.com", "-c", "gc.auto=0"];
    const date = this.date ? `${this.date}T12:00:00Z` : undefined;
    const env = { ...process.env, ...(date && { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }) };
    return spawnSync("git", ["-C", this.root, ...author, ...command], { encoding: "utf8", env, maxBuffer: 1 << 28 });
  }

  /** Commits all pages, as of a date. */
  commit(date) {
    this.date = date;
    this.git("add", "--all", "--", "*.mdx", "*.md", this.configuration);
    this.git("commit", "--quiet", "--allow-empty", "--message", "Change pages");
  }

  /** Paths of files with an ending. */
  files(...endings) {
    return [...this.paths].filter((path) => endings.some((ending) => path.endsWith(ending)));
  }

  pages() {
    return this.files(".mdx", ".md").filter((path) => !SNIPPET.test(path) && !path.startsWith("."));
  }

  snippets() {
    return this.files(".mdx", ".md").filter((path) => SNIPPET.test(path));
  }

  images() {
    return this.files(".png", ".jpg", ".jpeg", ".webp", ".gif");
  }

  has(path) {
    return this.paths.has(path);
  }

  at(path) {
    return join(this.root, path);
  }

  read(path) {
    return readFileSync(this.at(path), "utf8");
  }

  /** Starts a step, which can be undone. */
  begin() {
    this.steps.push({ files: new Map(), flags: this.flags });
  }

  #remember(path) {
    const { files } = this.steps.at(-1);
    if (!files.has(path)) files.set(path, this.has(path) ? readFileSync(this.at(path)) : undefined);
  }

  /** Writes a file. Returns `false` if there is a folder in its place. */
  write(path, contents) {
    if (!this.has(path) && existsSync(this.at(path)) && !lstatSync(this.at(path)).isFile()) return false;
    this.#remember(path);
    this.#put(path, contents);
    return true;
  }

  #put(path, contents) {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), contents);
    this.paths.add(path);
  }

  remove(path) {
    this.#remember(path);
    rmSync(this.at(path));
    this.paths.delete(path);
  }

  /** Moves a file, which keeps its times. */
  move(from, to) {
    this.#remember(from);
    this.#remember(to);
    mkdirSync(dirname(this.at(to)), { recursive: true });
    renameSync(this.at(from), this.at(to));
    this.paths.delete(from);
    this.paths.add(to);
  }

  /** Sets the time of the last change of a file. Its contents stay. */
  touch(path, time) {
    utimesSync(this.at(path), time, time);
  }

  modified(path) {
    return lstatSync(this.at(path)).mtime;
  }

  /** The files of the last step. */
  changed() {
    return [...(this.steps.at(-1)?.files.keys() ?? [])];
  }

  /** Undoes the last steps. */
  undo(count) {
    for (const { files, flags } of this.steps.splice(-count).reverse()) {
      this.flags = flags;
      for (const [path, contents] of files) {
        if (contents) {
          this.#put(path, contents);
        } else if (this.has(path)) {
          rmSync(this.at(path));
          this.paths.delete(path);
        }
      }
    }
  }

  /** The value of docs.json. `undefined` if it isn't plain JSON. */
  config() {
    try {
      return JSON.parse(this.read(this.configuration));
    } catch {
      return undefined;
    }
  }

  setConfig(value) {
    this.write(this.configuration, `${JSON.stringify(value, null, 2)}\n`);
  }
}
