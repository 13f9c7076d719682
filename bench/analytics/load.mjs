// Counts readers for a while: page requests at a fixed rate, in turns with and without reports of their scripts.
//
//   node bench/analytics/load.mjs DOCWRIGHT [--docs docs] [--pages 500] [--events 5000] [--seconds 300] [--phase 30] [--sites 4]
//
// Requests start by a clock, also if earlier ones are slow, and their times start when they are due. `--seconds` is the
// time with reports; as much is without. Prints times of pages in both, processor time and memory, and whether what was
// counted equals what was sent. Exits with status 1 if it doesn't. Needs `sqlite3`.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

import { percentile } from "../answers/load/figures.mjs";
import { EVENTS } from "./requests.mjs";
import { Service } from "./service.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    docs: { type: "string", default: "docs" },
    pages: { type: "string", default: "500" },
    events: { type: "string", default: "5000" },
    seconds: { type: "string", default: "300" },
    phase: { type: "string", default: "30" },
    sites: { type: "string", default: "4" },
    keep: { type: "boolean", default: false },
  },
});
const [binary] = positionals;
const [pages, events, seconds, length, sites] = ["pages", "events", "seconds", "phase", "sites"].map((name) => Number(values[name]));

/** A thread that sends one kind of requests. */
class Sender {
  constructor(service, kind, rate) {
    const workerData = { base: service.base.href, hosts: service.hosts, pages: service.pages, kind, rate };
    this.worker = new Worker(new URL("./sender.mjs", import.meta.url), { workerData });
    this.worker.on("error", (error) => { throw error; });
  }

  phase(start, seconds) {
    this.worker.postMessage({ start, seconds });
    return new Promise((resolve) => this.worker.once("message", resolve));
  }

  close() {
    this.worker.postMessage("close");
  }
}

/** Sends in turns. Returns what happened in each phase. */
async function run(service) {
  const [readers, scripts] = [new Sender(service, "pages", pages), new Sender(service, "reports", events / EVENTS)];
  // Caches are filled first.
  const phases = [{ ...(await measured(service, [readers, scripts], Math.min(5, length))), isWarmUp: true }];
  for (let turn = 0; turn < Math.ceil(seconds / length); turn++) {
    phases.push(await measured(service, [readers], length));
    phases.push({ ...(await measured(service, [readers, scripts], length)), hasEvents: true });
  }
  readers.close();
  scripts.close();
  return phases;
}

async function measured(service, senders, seconds) {
  const before = service.used();
  const start = Date.now() + 100;
  const sent = await Promise.all(senders.map((sender) => sender.phase(start, seconds)));
  const after = service.used();
  return { times: sent[0].rows, lags: sent[0].lags, sent, processor: (after.processor - before.processor) / seconds, memory: after.memory };
}

/** Adds numbers by name. */
function sum(all) {
  const total = {};
  for (const [name, count] of all.flatMap(Object.entries)) total[name] = (total[name] ?? 0) + count;
  return total;
}

const folder = mkdtempSync(join(tmpdir(), "docwright-analytics-"));
const service = new Service(binary, folder);
process.once("exit", () => {
  service.kill();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await service.start(resolve(values.docs), sites);
console.log(`${sites} sites of ${service.pages.length} pages, process ${service.process.pid}: ${pages} pages a second, in turns without and with ${events} events a second, ${seconds} seconds each`);
const phases = await run(service);
await service.stop();

const figures = [false, true].map((hasEvents) => {
  const own = phases.filter((phase) => !phase.isWarmUp && Boolean(phase.hasEvents) === hasEvents);
  const times = own.flatMap((phase) => [...phase.times]);
  const [median, p99, p999] = [0.5, 0.99, 0.999].map((share) => percentile(times, share));
  const lag = percentile(own.flatMap((phase) => [...phase.lags]), 0.99);
  const processor = own.reduce((total, phase) => total + phase.processor, 0) / own.length;
  const memory = Math.max(...own.map((phase) => phase.memory)) / 1e6;
  const name = hasEvents ? "With events" : "Without";
  console.log(`${name}: pages in ${median.toFixed(1)} ms at the median, 99th percentile ${p99.toFixed(1)} ms, 99.9th ${p999.toFixed(1)} ms, of which the tool itself ${lag.toFixed(1)} ms at the 99th; ${processor.toFixed(2)} processors, up to ${memory.toFixed(0)} MB`);
  return { p99, processor };
});
const [without, withEvents] = figures;
console.log(`99th percentile with events: ${(withEvents.p99 / without.p99).toFixed(2)} times (aim: 2); ${(withEvents.processor - without.processor).toFixed(2)} processors more, ${(((withEvents.processor - without.processor) / events) * 1e6).toFixed(0)} µs an event`);

const sent = sum(phases.flatMap((phase) => phase.sent.map((each) => each.tally)));
const statuses = sum(phases.flatMap((phase) => phase.sent.map((each) => each.statuses)));
console.log(`Responses: ${Object.entries(statuses).map(([status, count]) => `${count} of ${status}`).join(", ")}`);
const counted = service.counted();
const lost = [...new Set([...Object.keys(sent), ...Object.keys(counted)])].filter((name) => (sent[name] ?? 0) !== (counted[name] ?? 0));
for (const name of lost) console.log(`  ${name}: sent ${sent[name] ?? 0}, counted ${counted[name] ?? 0}`);
const total = (all) => Object.entries(all).reduce((total, [name, count]) => total + (name === "views" ? 0 : count), all.views ?? 0);
console.log(`Counted: ${total(counted)} of ${total(sent)} views and values`);
const files = service.events();
console.log(`Files of events: ${files.files}, ${(files.bytes / 1e6).toFixed(1)} MB`);
const isGood = lost.length === 0 && Object.keys(statuses).every((status) => ["200", "204"].includes(status));
process.exit(isGood ? 0 : 1);
