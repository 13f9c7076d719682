// Measures an idle service: the time until it is ready, its memory, and its processor time.
//
//   node bench/idle.mjs DOCWRIGHT FOLDER [--starts 20] [--seconds 60]
//
// FOLDER is the data folder of an instance, such as one that `bench/dashboard.mjs --scale 0.1` made. Needs Linux.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { starts: { type: "string", default: "20" }, seconds: { type: "string", default: "60" } },
});
const [binary, folder] = positionals;
if (!folder) throw new Error("usage: node bench/idle.mjs DOCWRIGHT FOLDER");

// If anything fails, the server still stops.
let running;
process.once("exit", () => running?.kill());

/** Starts the service. Returns it with the milliseconds until it answered that it is healthy. */
async function start() {
  const since = performance.now();
  const server = spawn(binary, ["serve", "--data", folder, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
  running = server;
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).once("line", resolve);
    server.once("exit", (code) => reject(new Error(`the service ended with status ${code}`)));
  });
  const answer = await fetch(`${line.replace("listening on ", "")}/healthz`);
  if (!answer.ok) throw new Error(`/healthz: ${answer.status}`);
  return { server, ready: performance.now() - since };
}

async function stop(server) {
  const closed = new Promise((resolve) => server.once("close", resolve));
  server.removeAllListeners("exit");
  server.kill();
  await closed;
}

/** Processor seconds that a process and its threads used. Linux counts hundredths. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A row of `/proc/PID/status` in megabytes. */
function megabytes(pid, row) {
  const kilobytes = new RegExp(`${row}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
  return (Number(kilobytes) * 1024) / 1e6;
}

const ready = [];
for (let number = 0; number < Number(values.starts); number += 1) {
  const started = await start();
  ready.push(started.ready);
  await stop(started.server);
}
ready.sort((one, other) => one - other);
console.log(`ready           ${ready[ready.length >> 1].toFixed(0)} ms (median of ${ready.length}), ${ready.at(-1).toFixed(0)} ms at most`);

const { server } = await start();
// Tasks that run once after a start don't count.
await setTimeout(10_000);
const before = processorSeconds(server.pid);
await setTimeout(Number(values.seconds) * 1000);
const used = processorSeconds(server.pid) - before;
console.log(`processor       ${((used / Number(values.seconds)) * 100).toFixed(2)}% of a core in ${values.seconds} s`);
console.log(`memory          ${megabytes(server.pid, "VmRSS").toFixed(0)} MB, of it ${megabytes(server.pid, "RssAnon").toFixed(0)} MB not of files`);
await stop(server);
