// Measures the time from a push to the built-in git host until a response has the new page. Arguments: the binary,
// a documentation repository, the number of pushes per project, the number of projects with parallel pushes, and
// more flags for `docwright serve`. Prints the median and the 99th percentile in milliseconds, from the end of
// `git push` and from its start.

import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const [binary, repository, pushes, count, ...flags] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "docwright-bench-"));
const data = join(folder, "data");
const docs = join(folder, "docs");
cpSync(repository, docs, { recursive: true, filter: (path) => !path.endsWith("/.git") });
writeFileSync(join(docs, "bench.mdx"), "---\ntitle: Bench\n---\n\nPush none.\n");
const admin = (...words) => JSON.parse(execFileSync(binary, ["admin", "--json", "--data", data, ...words]));
// One organization per project, because an organization has a limit of parallel pushes.
const projects = Array.from({ length: Number(count) }, (_, number) => {
  const organization = admin("organization", "create", `Bench ${number}`).id;
  const { key } = admin("key", "create", "bench", "--organization", organization);
  const domain = `docs-${number}.example.com`;
  const { id } = admin("project", "create", `Bench ${number}`, "--organization", organization, "--import", docs);
  admin("domain", "create", domain, "--project", id);
  return { id, key, domain, clone: join(folder, `clone-${number}`) };
});

const started = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", ...flags];
const server = spawn(started[0], started.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
const [line] = await new Promise((resolve) => createInterface({ input: server.stdout }).once("line", (...lines) => resolve(lines)));
const base = line.replace("listening on ", "");
const run = promisify(execFile);
const git = (clone, ...words) => run("git", ["-C", clone, "-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...words]);

// Readers keep their connection, like browsers.
const agent = new Agent({ keepAlive: true });
const page = (domain) => new Promise((resolve, reject) => {
  const request = get(`${base}/bench`, { agent, headers: { host: domain } }, (answer) => {
    let text = "";
    answer.on("data", (piece) => (text += piece));
    answer.on("end", () => resolve(/Push (\w+)\./.exec(text)?.[1]));
  });
  request.on("error", reject);
});

async function push({ domain, clone }, number) {
  writeFileSync(join(clone, "bench.mdx"), `---\ntitle: Bench\n---\n\nPush ${number}.\n`);
  await git(clone, "commit", "--quiet", "--all", "--message", `Push ${number}`);
  const began = performance.now();
  await git(clone, "push", "--quiet", "origin", "HEAD:main");
  const ended = performance.now();
  while ((await page(domain)) !== String(number)) await wait(2);
  return [ended, began].map((time) => performance.now() - time);
}

/** The median and the 99th percentile of times. */
function quantiles(times) {
  times.sort((one, other) => one - other);
  const at = (share) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

try {
  for (const project of projects) {
    const address = base.replace("http://", `http://x:${project.key}@`);
    await run("git", ["clone", "--quiet", `${address}/git/${project.id}.git`, project.clone]);
    // The first release is built from scratch, sometimes beside that of the import, whose results it can't have.
    await push(project, "first");
    await push(project, "second");
  }
  const times = [];
  for (let number = 0; number < Number(pushes); number += 1) {
    times.push(...(await Promise.all(projects.map((project) => push(project, number)))));
  }
  const [afterPush, withPush] = [0, 1].map((which) => quantiles(times.map((pair) => pair[which])));
  console.log(`${times.length} pushes to ${projects.length} projects: ${afterPush}; with git push: ${withPush}`);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
