// Asks one `docwright serve` for a while: readers in open conversations, and a model that answers immediately.
//
//   node bench/answers/load.mjs DOCWRIGHT [--docs docs] [--conversations 200] [--rate 20] [--seconds 300] [--sites 12]
//
// Questions start by a clock, also if earlier ones are slow. Their times start when they are due. First words are the
// first paragraph, which docwright checked. Prints the memory of the service, and exits with status 1 if an answer
// isn't one of the model.
//
// A site takes 1,000 questions in ten minutes, an organization 3,000, and a reader 20. So several sites of several
// organizations are asked, and a reader leaves after 15 questions, for whom another one comes.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

import { Conversation } from "./load/conversation.mjs";
import { Service } from "./load/service.mjs";
import { lag, median, memory, outcomes, percentile } from "./load/figures.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    docs: { type: "string", default: "docs" },
    conversations: { type: "string", default: "200" },
    rate: { type: "string", default: "20" },
    seconds: { type: "string", default: "300" },
    sites: { type: "string", default: "12" },
  },
});
const [binary] = positionals;
const docs = resolve(values.docs);
const [count, rate, seconds, sites] = ["conversations", "rate", "seconds", "sites"].map((name) => Number(values[name]));

/** Questions about the pages, from their headings. */
function suggested() {
  const text = execFileSync(binary, ["answers", "suggest", docs, "--limit", "200"], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return [...text.matchAll(/^- question: (".*")$/gm)].map(([, question]) => JSON.parse(question));
}

/** The model, on a thread of its own so that it doesn't delay the questions. */
function model() {
  const worker = new Worker(new URL("./load/model.mjs", import.meta.url));
  return new Promise((resolve) => worker.once("message", (address) => resolve({ address, stop: () => worker.terminate() })));
}

/** Asks a question at each due time, the conversations in turn. Returns one row for each. */
async function load(service, questions) {
  const conversations = Array.from({ length: count }, (_, number) => new Conversation(service, number));
  await Promise.all(conversations.map((conversation) => conversation.open()));
  const total = Math.round(rate * seconds);
  const start = performance.now() + 1000;
  const asked = [];
  for (let number = 0; number < total; number++) {
    const due = start + (number * 1000) / rate;
    const rest = due - performance.now();
    if (rest > 0) await wait(rest);
    asked.push(conversations[number % count].ask(questions[(number * 7) % questions.length], due));
  }
  const rows = await Promise.all(asked);
  for (const conversation of conversations) conversation.close();
  return rows;
}

const folder = mkdtempSync(join(tmpdir(), "docwright-load-"));
const scripted = await model();
const service = new Service(binary, folder, scripted.address);
process.once("exit", () => {
  service.kill();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const questions = suggested();
await service.start(docs, sites);
console.log(`${sites} sites, ${questions.length} different questions, ${count} open conversations, ${rate} questions a second for ${seconds} seconds`);
const recorded = service.recordMemory();
const rows = await load(service, questions);
await service.stop();
await scripted.stop();

const first = rows.map((row) => row.first).filter((time) => time !== undefined);
const whole = rows.map((row) => row.whole);
const show = (times) => `median ${median(times).toFixed(1)} ms, 99th percentile ${percentile(times, 0.99).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`;
console.log(`Question to first words: ${show(first)} (aims: 50 and 200 ms)`);
console.log(`Question to end: ${show(whole)}`);
console.log(`Start of a question after it was due: ${show(lag(rows))}`);
console.log(`Answers: ${outcomes(rows)}`);
console.log(memory(recorded));
const other = rows.filter((row) => row.outcome !== "answer");
for (const { outcome, question } of other.slice(0, 10)) console.log(`  ${outcome}: ${question}`);
process.exit(other.length > 0 ? 1 : 0);
