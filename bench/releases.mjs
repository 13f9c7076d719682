// Runs exports of one site through the API, each of a new commit. Arguments: the binary, a documentation
// repository, the number of exports, and more flags for `docwright serve`. Prints the median time from the request
// to the completed export in milliseconds, the processor time of the server and its builds, the number of responses
// per second to a reader in the meantime, and the final disk and memory usage.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const [binary, repository, count, ...flags] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "docwright-bench-"));
const data = join(folder, "data");
const docs = join(folder, "docs");
cpSync(repository, docs, { recursive: true, filter: (path) => !path.endsWith("/.git") });
const git = (...words) => execFileSync("git", ["-C", docs, "-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...words]);
git("init", "--quiet", "--initial-branch", "main");
const admin = (...words) => JSON.parse(execFileSync(binary, ["admin", "--json", "--data", data, ...words]));
const organization = admin("organization", "create", "Bench").id;
const project = admin("project", "create", "Bench", "--organization", organization, "--repository", docs).id;
const domain = "docs.example.com";
admin("domain", "create", domain, "--project", project);
const { key } = admin("key", "create", "bench", "--organization", organization);

const started = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", ...flags];
const server = spawn(started[0], started.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
const [line] = await new Promise((resolve) => createInterface({ input: server.stdout }).once("line", (...lines) => resolve(lines)));
const base = line.replace("listening on ", "");
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

async function release(number) {
  writeFileSync(join(docs, "bench.mdx"), `---\ntitle: Bench ${number}\n---\n\nRelease ${number}.\n`);
  git("add", "--all");
  git("commit", "--quiet", "--message", `Release ${number}`);
  const began = performance.now();
  const path = `${base}/v1/static-export/jobs`;
  let job = await (await fetch(path, { method: "POST", headers, body: JSON.stringify({ domain }) })).json();
  while (job.status !== "completed") {
    if (job.status === "failed" || job.error) throw new Error(JSON.stringify(job));
    await wait(5);
    job = await (await fetch(`${path}/${job.jobId}`, { headers })).json();
  }
  return performance.now() - began;
}

// A page as a reader gets it: complete, and from a single release.
const page = () => new Promise((resolve, reject) => {
  const request = get(`${base}/bench`, { headers: { host: domain } }, (answer) => {
    let text = "";
    answer.on("data", (piece) => (text += piece));
    answer.on("end", () => resolve({ status: answer.statusCode, title: /<title>Bench (\d+)/.exec(text)?.[1], body: /Release (\d+)\./.exec(text)?.[1] }));
  });
  request.on("error", reject);
});

let reading = true;
let answers = 0;
let newest = -1;
async function read() {
  while (reading) {
    const { status, title, body } = await page();
    if (status !== 200 || title !== body || Number(body) < newest) throw new Error(`a mixed or old answer: ${status} ${title} ${body} after ${newest}`);
    newest = Number(body);
    answers += 1;
    await wait(10);
  }
}

const processorSeconds = () => {
  // utime, stime, cutime and cstime, in hundredths of a second (proc(5)).
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / 100;
};
// Files can disappear during the scan, which `du` reports as a failure.
const megabytes = (path) => Number(spawnSync("du", ["--summarize", "--block-size=1000", path]).stdout.toString().split("\t")[0]) / 1000;

try {
  await release(0);
  const before = processorSeconds();
  const reader = read();
  const times = [];
  for (let number = 1; number <= Number(count); number += 1) times.push(await release(number));
  reading = false;
  await reader;
  times.sort((one, other) => one - other);
  const memory = Object.fromEntries([...readFileSync(`/proc/${server.pid}/status`, "utf8").matchAll(/^(Vm(?:RSS|HWM)):\s+(\d+) kB/gm)].map(([, name, kilobytes]) => [name, Number(kilobytes) / 1000]));
  console.log(JSON.stringify({
    median: times[times.length >> 1],
    slowest: times.at(-1),
    processorSeconds: (processorSeconds() - before) / times.length,
    answers,
    disk: Object.fromEntries(readdirSync(data).map((name) => [name, megabytes(join(data, name))])),
    memory,
    handles: readdirSync(`/proc/${server.pid}/fd`).length,
  }, null, 2));
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
