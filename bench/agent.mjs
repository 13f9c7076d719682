// Measures agent jobs from the POST to a pull request on the built-in git host, with a model that answers
// immediately. Arguments: the binary, a documentation repository, and the number of jobs. Prints the median and the
// slowest time in milliseconds. The first job fills the cache and isn't counted.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const [binary, repository, count] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "docwright-bench-"));
const admin = (...words) => JSON.parse(execFileSync(binary, ["admin", "--json", "--data", folder, ...words]));
const organization = admin("organization", "create", "Bench").id;
const project = admin("project", "create", "Bench", "--organization", organization, "--import", repository).id;
const { key } = admin("key", "create", "bench", "--organization", organization);

const server = spawn(binary, ["serve", "--data", folder, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
const [line] = await new Promise((resolve) => createInterface({ input: server.stdout }).once("line", (...lines) => resolve(lines)));
const base = line.replace("listening on ", "");
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

async function job(number) {
  const started = performance.now();
  const body = JSON.stringify({ prompt: `add page bench-${number} titled "Bench ${number}"` });
  const path = `${base}/v2/agent/${project}/job`;
  let state = await (await fetch(path, { method: "POST", headers, body })).json();
  while (state.status === "active") {
    await wait(2);
    state = await (await fetch(`${path}/${state.id}`, { headers })).json();
  }
  if (!state.prLink) throw new Error(JSON.stringify(state));
  return performance.now() - started;
}

try {
  await job(0);
  const times = [];
  for (let number = 1; number <= Number(count); number += 1) times.push(await job(number));
  times.sort((one, other) => one - other);
  console.log(JSON.stringify({ median: times[times.length >> 1], slowest: times.at(-1) }));
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
