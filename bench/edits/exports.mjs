// Exports of a docs root with and without results of earlier ones, and how their bundles differ.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** Bytes of the output of a command. */
const LARGEST_OUTPUT = 1 << 28;

export class Exports {
  /** Exports of docs by a program. Their bundles and the cache are in a folder. */
  constructor(binary, docs, folder) {
    Object.assign(this, { binary, docs, folder, cache: join(folder, "cache") });
    mkdirSync(folder, { recursive: true });
  }

  at(name) {
    return join(this.folder, name);
  }

  #command(name, { isCold, out = name }) {
    const [bundle, report] = [this.at(`${out}.tar.gz`), this.at(`${out}.diagnostics`)];
    rmSync(report, { force: true });
    const flags = [...(isCold ? ["--no-cache"] : []), ...this.docs.flags];
    return { bundle, report, command: ["export", this.docs.root, "--out", bundle, "--json", "--write-baseline", report, ...flags] };
  }

  /** Starts an export to a bundle with a name. */
  start(name, { isCold = false, cache = this.cache, env = {}, out, ...options } = {}) {
    const { bundle, report, command } = this.#command(name, { isCold, out });
    const since = performance.now();
    const child = spawn(this.binary, command, { env: { ...process.env, XDG_CACHE_HOME: cache, ...env }, ...options });
    const printed = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"]) {
      child[stream].setEncoding("utf8").on("data", (text) => (printed[stream] += text));
    }
    const ended = new Promise((resolve) => {
      child.once("close", (status, signal) => {
        const seconds = (performance.now() - since) / 1000;
        resolve({ name, bundle, status, signal, seconds, notes: printed.stderr, said: said(printed, report) });
      });
    });
    return { child, ended };
  }

  run(name, options) {
    return this.start(name, options).ended;
  }

  /** How two exports differ, in lines. Empty if they don't. */
  differences(one, other) {
    if (one.status !== other.status) return [`status ${one.status} and ${other.status}`, one.said, other.said];
    const printed = one.said === other.said ? [] : lines(one.said, other.said);
    if (one.status !== 0 || spawnSync("cmp", ["--silent", one.bundle, other.bundle]).status === 0) return printed;
    return [...printed, ...this.#members(one.bundle, other.bundle)];
  }

  #members(...bundles) {
    const folders = bundles.map((bundle) => {
      const folder = `${bundle}.members`;
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      const unpacked = spawnSync("tar", ["-xzf", bundle, "-C", folder], { encoding: "utf8" });
      return { folder, error: unpacked.status === 0 ? [] : [`${bundle}: ${unpacked.stderr}`] };
    });
    const names = folders.map(({ folder }) => basename(folder));
    const options = { cwd: this.folder, encoding: "utf8", maxBuffer: LARGEST_OUTPUT };
    const compared = spawnSync("diff", ["-rq", ...names], options).stdout;
    for (const { folder } of folders) rmSync(folder, { recursive: true });
    const members = compared.trim().split("\n").filter(Boolean);
    const errors = folders.flatMap(({ error }) => error);
    return [...errors, ...(members.length > 0 ? members : ["the members are the same, and the bundles aren't"])];
  }

  /** Keeps the docs and the bundles of exports in a folder. */
  keep(folder, ...exports) {
    mkdirSync(folder, { recursive: true });
    for (const { bundle, name } of exports) if (existsSync(bundle)) cpSync(bundle, join(folder, `${name}.tar.gz`));
    cpSync(this.docs.root, join(folder, "docs"), { recursive: true, verbatimSymlinks: true });
  }
}

/** All that an export says about the docs, without times. */
function said({ stdout, stderr }, report) {
  const summary = stdout.replace(/"seconds":[\d.]+/, '"seconds":0');
  const notes = stderr.split("\n").filter((line) => !line.startsWith("note: results not cached")).join("\n");
  return [summary, notes, existsSync(report) ? readFileSync(report, "utf8") : ""].join("\n");
}

/** The lines of one text that the other lacks, and the other way round; the first ones. */
function lines(one, other) {
  const lacking = (text, from) => {
    const known = new Set(from.split("\n"));
    return text.split("\n").filter((line) => !known.has(line)).slice(0, 10);
  };
  return [...lacking(one, other).map((line) => `< ${line}`), ...lacking(other, one).map((line) => `> ${line}`)];
}
