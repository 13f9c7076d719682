// Runs everything in parallel for a while: readers, searching agents, the API, git, releases, exports, agent jobs
// with events, and feedback. Arguments: the binary, a documentation repository, minutes of load, minutes to wait
// for the clean-up, and more flags for `docwright serve`. Prints the server's resources (memory, handles, disk,
// database) at the start, every minute, and at the end.
//
// With libfaketime (FAKETIME_LIBRARY is its file, FAKETIME_TIMESTAMP_FILE a file to write to), everything expires
// after the load: the server's clock jumps by 400 days, and by another 400 days at its last restart.

import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const [binary, repository, minutes, rest, ...flags] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "docwright-soak-"));
const data = join(folder, "data");
const docs = join(folder, "docs");
const domain = "docs.example.com";
cpSync(repository, docs, { recursive: true, filter: (path) => !path.endsWith("/.git") });
const admin = (...words) => JSON.parse(execFileSync(binary, ["admin", "--json", "--data", data, ...words], { stdio: ["ignore", "pipe", "ignore"] }));
const organization = admin("organization", "create", "Soak").id;
const project = admin("project", "create", "Soak", "--organization", organization, "--import", docs).id;
admin("domain", "create", domain, "--project", project);
const { key } = admin("key", "create", "soak", "--organization", organization);

const clock = process.env.FAKETIME_TIMESTAMP_FILE;
const log = openSync(join(tmpdir(), "docwright-soak.log"), "w");
let server;
let base;
async function serve(days) {
  if (clock) writeFileSync(clock, `+${days}d`);
  // Only the server's clock changes.
  const environment = clock ? { ...process.env, LD_PRELOAD: process.env.FAKETIME_LIBRARY } : process.env;
  server = spawn(binary, ["serve", "--data", data, "--listen", "127.0.0.1:0", ...flags], { stdio: ["ignore", "pipe", log], env: environment });
  base = await new Promise((resolve) => createInterface({ input: server.stdout }).once("line", (line) => resolve(new URL(line.replace("listening on ", "")))));
}
async function stop() {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill();
  await ended;
}
await serve(0);

const connections = new Agent({ keepAlive: true, maxSockets: 64 });
const counts = {};
const count = (what) => (counts[what] = (counts[what] ?? 0) + 1);

/** One request; `what` is the name for counting its status. */
const ask = (what, path, { host = base.host, method = "GET", headers = {}, body } = {}) => new Promise((resolve, reject) => {
  const sent = request({ agent: connections, host: base.hostname, port: base.port, path, method, headers: { host, ...headers } }, (answer) => {
    const pieces = [];
    answer.on("data", (piece) => pieces.push(piece));
    answer.on("end", () => {
      count(`${what} ${answer.statusCode}`);
      resolve({ status: answer.statusCode, text: Buffer.concat(pieces).toString() });
    });
    answer.on("error", reject);
  });
  sent.on("error", reject);
  sent.end(body);
});
const authorized = { authorization: `Bearer ${key}` };
const json = { "content-type": "application/json" };
const call = async (what, method, path, body) => {
  const { text, status } = await ask(what, path, { method, headers: { ...authorized, ...json }, body: body && JSON.stringify(body) });
  return { status, ...JSON.parse(text || "{}") };
};

// The load: each function repeats one action with pauses.
const pages = ["/", "/quickstart", "/commands", "/nowhere", "/sitemap.xml", "/llms.txt", "/index.md"];
const loads = [
  ...Array.from({ length: 8 }, (_, reader) => [5, async (turn) => {
    const encoding = turn % 2 ? { "accept-encoding": "gzip" } : {};
    await ask("page", pages[(turn + reader) % pages.length], { host: domain, headers: encoding });
  }]),
  [1000, async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: { query: "export a site" } } });
    await ask("search", "/mcp", { host: domain, method: "POST", headers: { ...json, accept: "application/json, text/event-stream" }, body });
  }],
  [3000, async (turn) => {
    const body = JSON.stringify({ page: "quickstart", helpful: turn % 2 === 0 });
    await ask("feedback", "/_docwright/feedback", { host: domain, method: "POST", headers: { ...json, origin: `http://${domain}` }, body });
  }],
  [10, async () => await call("list", "GET", `/v2/agent/${project}/jobs`)],
  [10, async () => await ask("wrong key", `/v2/agent/${project}/jobs`, { headers: { authorization: "Bearer dw_0123456789abcdef_0123456789abcdef" } })],
  [4000, async (turn) => await push(turn)],
  [6000, async () => {
    const job = await call("export", "POST", "/v1/static-export/jobs", { domain });
    let state = job;
    while (loading && state.status !== "completed" && state.status !== "failed") {
      await wait(50);
      state = await call("export status", "GET", `/v1/static-export/jobs/${job.jobId}`);
    }
    count(`export ${state.status}`);
    if (state.status === "completed") {
      const bundle = await call("bundle", "POST", `/v1/static-export/jobs/${job.jobId}/bundle`);
      const link = new URL(bundle.bundleUrl);
      await ask("download", link.pathname + link.search);
    }
  }],
  [38_000, async (turn) => {
    const job = await call("prompt", "POST", `/v2/agent/${project}/job`, { prompt: `add page soak-${turn} titled "Soak ${turn}"` });
    await ask("events", `/v2/agent/${project}/job/${job.id}/events`, { headers: authorized });
    const { prLink } = await call("agent job", "GET", `/v2/agent/${project}/job/${job.id}`);
    if (!prLink) return count("no pull request");
    const path = new URL(prLink).pathname;
    await ask("pull request", path, { headers: authorized });
    await ask("merge", `${path}/${turn % 2 ? "merge" : "close"}`, { method: "POST", headers: authorized });
  }],
];

const run = promisify(execFile);
const clone = join(folder, "clone");
const git = (...words) => run("git", ["-c", "user.name=Soak", "-c", "user.email=soak@example.com", ...words], { env: { ...process.env, GIT_TERMINAL_PROMPT: "0" } });
const remote = () => `http://soak:${key}@${base.host}/git/${project}.git`;
/** A new clone, a commit, and a push, like a writer. */
async function push(turn) {
  rmSync(clone, { recursive: true, force: true });
  await git("clone", "--quiet", remote(), clone);
  writeFileSync(join(clone, "soak.mdx"), `---\ntitle: Soak\n---\n\nTurn ${turn}.\n`);
  await git("-C", clone, "add", "--all");
  await git("-C", clone, "commit", "--quiet", "--message", `Turn ${turn}`);
  await git("-C", clone, "push", "--quiet", "origin", "HEAD:main");
  count("push");
}

let loading = true;
const repeat = async ([pause, act]) => {
  for (let turn = 0; loading; turn += 1) {
    try {
      await act(turn);
    } catch (error) {
      count(`error: ${error.message.split("\n")[0].slice(0, 80)}`);
    }
    await wait(pause);
  }
};

const kilobytes = (path) => Number(spawnSync("du", ["--summarize", "--block-size=1000", path]).stdout.toString().split("\t")[0]);
const size = (path) => { try { return statSync(path).size; } catch { return 0; } };
const measure = (when) => {
  const memory = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1];
  const sample = {
    when,
    memoryMB: Math.round(memory / 1000),
    handles: readdirSync(`/proc/${server.pid}/fd`).length,
    threads: readdirSync(`/proc/${server.pid}/task`).length,
    databaseKB: Math.round((size(join(data, "docwright.db")) + size(join(data, "docwright.db-wal"))) / 1000),
    diskKB: Object.fromEntries(readdirSync(data).map((name) => [name, kilobytes(join(data, name))])),
  };
  console.log(JSON.stringify(sample));
};

try {
  await wait(5000);
  measure("start");
  const loops = loads.map(repeat);
  for (let minute = 1; minute <= Number(minutes); minute += 1) {
    await wait(60_000);
    measure(`minute ${minute}`);
  }
  loading = false;
  await Promise.all(loops);
  connections.destroy();
  measure("load ended");
  if (clock) writeFileSync(clock, "+400d");
  for (let minute = 1; minute <= Number(rest); minute += 1) {
    await wait(60_000);
    measure(`rest ${minute}`);
  }
  await stop();
  await serve(800);
  await wait(30_000);
  measure("started again");
  console.log(JSON.stringify(counts, null, 1));
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
