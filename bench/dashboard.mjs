// Measures every page of the dashboard in an instance with 10,000 projects, 1,000,000 releases, 1,000,000 jobs, and
// 10,000,000 audit entries. Creates the instance first unless --filled is set.
//
//   node bench/dashboard.mjs DOCWRIGHT FOLDER [DATABASE_URL] [--scale 1] [--filled] [--times 30] [--only TEXT]
//
// Without a DATABASE_URL, the database is SQLite in FOLDER. A DATABASE_URL names an empty PostgreSQL database whose
// user can turn triggers off (a superuser). Needs `sqlite3` or `psql`, and 12 GB of disk at full scale. Prints a
// row for each request: median and 99th percentile in milliseconds, database statements, bytes.

import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

import { Database } from "./dashboard/database.mjs";
import { Instance } from "./dashboard/instance.mjs";
import { requests } from "./dashboard/pages.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: "string", default: "1" }, filled: { type: "boolean" }, times: { type: "string", default: "30" }, only: { type: "string", default: "" } },
});
const [binary, folder, url] = positionals;
const times = Number(values.times);
const made = join(folder, "bench.json");
const environment = { ...process.env, DOCWRIGHT_ROLE: "api", DOCWRIGHT_PREVIEW_DOMAIN: "preview.example.com" };
if (url) Object.assign(environment, { DOCWRIGHT_DATABASE_URL: url, DOCWRIGHT_ROOT_SECRET: "01".repeat(32) });
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Creates the instance, or finds an existing one. */
function filled() {
  const database = new Database(url ?? join(folder, "docwright.db"));
  if (values.filled) {
    const { scale, now } = JSON.parse(readFileSync(made, "utf8"));
    return new Instance(database, scale, now);
  }
  if (existsSync(made)) throw new Error(`${folder} has an instance already; say --filled, or remove it`);
  mkdirSync(folder, { recursive: true });
  // The binary creates the tables. Rows that it adds are removed.
  execFileSync(binary, ["admin", "--data", folder, "organization", "create", "Bench"], { env: environment });
  database.run("DELETE FROM organizations", "DELETE FROM audit_entries");
  const instance = new Instance(database, Number(values.scale));
  const began = performance.now();
  const indexes = database.dropIndexes();
  for (const [table, statement] of instance.statements()) {
    const since = performance.now();
    database.run(statement);
    console.error(`${table}: ${seconds(since)}`);
  }
  for (const index of indexes) {
    const since = performance.now();
    database.run(index);
    console.error(`${/INDEX (\w+) /.exec(index)[1]}: ${seconds(since)}`);
  }
  database.run(...instance.last());
  writeFileSync(made, JSON.stringify({ scale: Number(values.scale), now: instance.now }));
  console.error(`made in ${seconds(began)}`);
  return instance;
}

/** Sessions of the callers, and an invitation, with tokens known only to this run. */
function signIn(instance) {
  const { database, now } = instance;
  const token = () => randomBytes(32).toString("hex");
  const tokens = { operator: token(), admin: token(), waiting: token(), invitation: token() };
  const hash = (text) => createHash("sha256").update(text).digest("hex");
  const session = (who, account, complete) => `INSERT INTO sessions (id, token_hash, account_id, complete, user_agent, created_at, seen_at, expires_at) VALUES ('ses_${hash(tokens[who]).slice(0, 32)}', '${hash(tokens[who])}', '${instance.id("account", account)}', ${complete}, 'bench', ${Date.now()}, ${Date.now() + 3_600_000}, ${now + 20 * 86_400_000})`;
  database.run(
    session("operator", 1, 1), session("admin", 2, 1), session("waiting", 2, 0),
    `UPDATE invitations SET token_hash = '${hash(tokens.invitation)}' WHERE id = '${instance.id("invitation", 100)}'`,
  );
  return tokens;
}

/** Starts the service; `log` receives its log. */
async function serve(log, level) {
  const since = performance.now();
  const file = openSync(log, "w");
  const server = spawn(binary, ["serve", "--data", folder, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", file], env: { ...environment, RUST_LOG: level } });
  closeSync(file);
  // If anything fails, the server still stops.
  process.once("exit", () => server.kill());
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).once("line", resolve);
    server.once("exit", () => reject(new Error(readFileSync(log, "utf8"))));
  });
  console.error(`started in ${seconds(since)}`);
  return { base: line.replace("listening on ", ""), stop: () => new Promise((resolve) => { server.once("exit", resolve); server.kill(); }) };
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Requests a page. Downloads are aborted after the first bytes. */
function ask(base, { path, who }, tokens) {
  const headers = who ? { cookie: `docwright=${tokens[who]}` } : {};
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const request = get(base + path, { agent, headers }, (answer) => {
      let bytes = 0;
      const end = () => resolve({ status: answer.statusCode, bytes, took: performance.now() - since });
      answer.on("data", (piece) => {
        bytes += piece.length;
        if (answer.headers["content-disposition"]) {
          end();
          request.destroy();
        }
      });
      answer.on("end", end);
    });
    request.on("error", reject);
  });
}

/** Replaces the contents of a cursor from the service: `ID`, or `TEXT~ID` for a list sorted by a text. */
async function deep(base, each, tokens) {
  const [path, wanted] = each.path.split(/[?&]cursor=/);
  if (wanted === undefined) return;
  const text = await fetch(base + path, { headers: { cookie: `docwright=${tokens[each.who]}` } }).then((answer) => answer.text());
  const [, given] = /[?&;]cursor=([\w-]+)[^>]*rel="next"/.exec(text) ?? /rel="next"[^>]*[?&;]cursor=([\w-]+)/.exec(text) ?? [];
  // The list fits on one page.
  if (!given) return;
  const [list] = JSON.parse(Buffer.from(given, "base64url"));
  const [id, beside = ""] = decodeURIComponent(wanted).split("~").reverse();
  const cursor = Buffer.from(JSON.stringify([list, beside, id])).toString("base64url");
  each.path = `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
  each.name = `${path} deep in the list`;
}

/** Creates a key of the assistant, whose secret only the service can encrypt. Returns its ID. */
async function createAssistantKey(base, project, tokens) {
  const body = new URLSearchParams({ name: "Bench", domain: "docs-1.example.com", origins: "https://shop.example.com" });
  const answer = await fetch(`${base}/projects/${project}/settings/assistant-keys`, { method: "POST", body, redirect: "manual", headers: { cookie: `docwright=${tokens.admin}` } });
  if (answer.status !== 303) throw new Error(`no assistant key: ${answer.status}`);
  return answer.headers.get("location").split("/").at(-1);
}

const instance = filled();
const tokens = signIn(instance);
const log = join(folder, "bench.log");
let server = await serve(log, "warn");
const assistantKey = await createAssistantKey(server.base, instance.id("project", 1), tokens);
const all = requests(instance, tokens, assistantKey).filter(({ path }) => path.includes(values.only));
for (const each of all) {
  await deep(server.base, each, tokens);
  const took = [];
  while (took.length < times) {
    const answer = await ask(server.base, each, tokens);
    took.push(answer.took);
    Object.assign(each, answer);
    // Requests that take seconds aren't repeated.
    if (answer.took > 2_000 && took.length > 2) break;
  }
  took.sort((one, other) => one - other);
  each.median = took[took.length >> 1];
  each.last = took[Math.floor(took.length * 0.99)];
}
await server.stop();
// Runs again with a log of statements, which would slow down the measurement.
server = await serve(log, "warn,sqlx::query=debug");
for (const each of all) {
  await ask(server.base, each, tokens);
  const before = statSync(log).size;
  await ask(server.base, each, tokens);
  each.statements = readFileSync(log).subarray(before).toString().split("\n").filter((line) => line.includes("sqlx::query")).length;
}
await server.stop();
all.sort((one, other) => other.last - one.last);
console.log("| median ms | p99 ms | statements | kB | status | page |\n| ---: | ---: | ---: | ---: | ---: | --- |");
for (const { median, last, statements, bytes, status, path, name, who } of all) {
  console.log(`| ${median.toFixed(1)} | ${last.toFixed(1)} | ${statements} | ${(bytes / 1000).toFixed(0)} | ${status} | ${name ?? path} (${who ?? "signed out"}) |`);
}
const slow = all.filter(({ last }) => last >= 100);
console.log(`${all.length - slow.length} of ${all.length} requests take less than 100 ms`);
