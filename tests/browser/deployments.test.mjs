// The table of features by type of deployment, in Chromium: what readers have where a feature is on, and that nothing
// of it is left where it is off. Each site goes the whole way: project, deployment, release or export, server.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { publish, send, until } from "./api_client.mjs";
import { field, panel, turn } from "./assistant_reader.mjs";
import { recorder } from "./playground_api.mjs";
import { at, launch, said, serve, stop } from "./service.mjs";

const [ON, OFF] = [{ mode: "on" }, { mode: "off" }];
// The deployments besides `cloud`, by name.
const DEPLOYMENTS = {
  client: { type: "client-hosted" },
  "client-proxy": { type: "client-hosted", features: { assistant: ON, playground: { mode: "proxy" }, integrations: ON } },
  "client-quiet": { type: "client-hosted", features: { search: OFF, playground: OFF } },
  air: { type: "air-gapped" },
  "air-show": { type: "air-gapped", features: { search: OFF, playground: { mode: "show" } } },
};

let api;
let browser;
let folder;
let key;
let project;
let service;
const deployed = {};

const run = (...args) => execFileSync(process.env.DOCWRIGHT, args, { stdio: "pipe" }).toString();
const admin = (...args) => JSON.parse(run("admin", "--json", "--data", join(folder, "data"), ...args));

const call = (...request) => send(service.programs, key, ...request);

before(async () => {
  api = await recorder();
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const source = join(folder, "source");
  const things = { get: { summary: "List things", responses: { 200: { description: "Things" } } } };
  const files = {
    "docs.json": JSON.stringify({
      theme: "mint", name: "Table", colors: { primary: "#0f766e" },
      navigation: { groups: [{ group: "Start", pages: ["index", "GET /things"], openapi: "api.json" }] },
      integrations: { plausible: { domain: "docs.example.com" } },
    }),
    "index.mdx": "---\ntitle: Home\n---\nThe wombat digs.\n\n## Burrows\n\nA wombat digs burrows up to thirty meters long.\n",
    "api.json": JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, servers: [{ url: api.address }], paths: { "/things": things } }),
  };
  mkdirSync(source);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(source, path), text);
  const organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--repository", source).id;
  admin("domain", "create", "docs.localhost", "--project", project);
  key = admin("key", "create", "test", "--organization", organization, "--scope", "admin").key;
  service = await serve(folder, join(folder, "data"), { DOCWRIGHT_PRIVATE_HOSTS: new URL(api.address).host });
  await publish(call, project);
  for (const [name, deployment] of Object.entries(DEPLOYMENTS)) {
    await call("POST", `/v1/projects/${project}/deployments`, { name, ...deployment });
    deployed[name] = await deploy(name);
  }
  browser = await launch();
});

after(async () => {
  await browser?.close();
  const processes = [service?.process, ...Object.values(deployed).map((site) => site.process)].filter(Boolean);
  for (const process_ of processes) {
    await stop(process_);
  }
  api?.close();
  rmSync(folder, { recursive: true, force: true });
});

// Exports for a deployment, and serves the bundle. Returns its `address`, `files`, and `process`.
async function deploy(name) {
  const started = await call("POST", "/v1/static-export/jobs", { domain: "docs.localhost", deployment: name });
  await until("the export is completed", async () => {
    const job = await call("GET", `/v1/static-export/jobs/${started.jobId}`);
    assert.notEqual(job.status, "failed", job.error);
    return job.status === "completed";
  });
  const { bundleUrl } = await call("POST", `/v1/static-export/jobs/${started.jobId}/bundle`);
  const place = join(folder, name);
  const files = join(place, "files");
  mkdirSync(files, { recursive: true });
  const link = bundleUrl.replace(/^https?:\/\/[^/]+/, service.programs);
  writeFileSync(join(place, "bundle.tar.gz"), Buffer.from(await (await fetch(link)).arrayBuffer()));
  execFileSync("tar", ["-xzf", join(place, "bundle.tar.gz"), "-C", files]);
  writeFileSync(join(place, "values.yaml"), `staticExport:\n  bundleUrl: "${join(place, "bundle.tar.gz")}"\n`);
  const flags = ["--values", join(place, "values.yaml"), "--data", join(place, "data"), "--listen", "127.0.0.1:0"];
  const hosts = ["--private-hosts", new URL(api.address).host];
  const process_ = spawn(process.env.DOCWRIGHT, ["deploy", ...flags, ...hosts], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await said(process_.stdout, /listening on (\S+)/);
  await until("the bundle is served", async () => (await fetch(`${address}/readyz`)).ok);
  return { address, files, process: process_ };
}

// Opens a page. `foreign` are the requests to other hosts than its own; they get no response.
async function open(address) {
  const page = await (await browser.newContext()).newPage();
  const foreign = [];
  const own = new URL(address).host;
  await page.route("**/*", (route) => {
    const { host } = new URL(route.request().url());
    if (host === own) return route.continue();
    foreign.push(host);
    return host === new URL(api.address).host ? route.continue() : route.abort();
  });
  await page.goto(address);
  return { page, foreign };
}

const cloud = (path) => at("docs.localhost", path);
const THINGS = "/api-reference/list-things.html";

async function searches({ page }) {
  await page.keyboard.press("Control+k");
  await page.locator("#search-input").fill("wombat");
  await page.locator("#search-results .dw-search-title", { hasText: "Home" }).waitFor();
}

async function hasNoSearch({ page }) {
  await page.keyboard.press("Control+k");
  assert.equal(await page.locator("#search-input, [data-search-open], dialog[open]").count(), 0);
}

// Sends the request of the API page. Returns what arrived.
async function sends({ page }) {
  await page.locator("[data-playground-open]").click();
  const dialog = page.locator("dialog.dw-playground[open]");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await dialog.locator(".dw-playground-status b", { hasText: "200" }).waitFor();
  return api.last();
}

async function hasNoPlayground({ page }) {
  assert.equal(await page.locator("[data-playground-open], dialog.dw-playground").count(), 0);
}

// Asks the server of the site. The answer quotes the page.
async function answers({ page }) {
  await page.locator("[data-assistant-open]:visible").first().click();
  await field(page).fill("How long are the burrows of a wombat?");
  await field(page).press("Enter");
  await turn(page).locator(".dw-assistant-tools").waitFor();
  assert.match(await turn(page).innerText(), /From the pages[^]*up to thirty meters long/);
  await panel(page).getByRole("link", { name: /Burrows/ }).first().click();
  await page.waitForURL(/#burrows$/);
}

async function hasNoAssistant({ page }) {
  await page.keyboard.press("Control+i");
  assert.equal(await page.locator("[data-assistant-open], [id^=chat-assistant]").count(), 0);
}

test("search of a cloud site", async () => {
  const opened = await open(cloud("/"));
  await searches(opened);
  assert.deepEqual(opened.foreign, []);
});

test("search of a client-hosted site, unless it is off", async () => {
  const opened = await open(`${deployed.client.address}/`);
  await searches(opened);
  assert.deepEqual(opened.foreign, []);
  await hasNoSearch(await open(`${deployed["client-quiet"].address}/`));
});

test("search of an air-gapped site, unless it is off", async () => {
  const opened = await open(`${deployed.air.address}/`);
  await searches(opened);
  assert.deepEqual(opened.foreign, []);
  await hasNoSearch(await open(`${deployed["air-show"].address}/`));
});

test("playground of a cloud site sends through the service", async () => {
  const opened = await open(cloud(THINGS));
  const arrived = await sends(opened);
  assert.deepEqual([arrived.url, arrived.headers.origin], ["/things", undefined], "the browser isn't involved");
  assert.deepEqual(opened.foreign, []);
});

test("playground of a client-hosted site sends from the browser, or through its own server", async () => {
  const opened = await open(`${deployed.client.address}${THINGS}`);
  const arrived = await sends(opened);
  assert.equal(arrived.headers.origin, deployed.client.address);
  assert.deepEqual([...new Set(opened.foreign)], [new URL(api.address).host]);
  const proxied = await open(`${deployed["client-proxy"].address}${THINGS}`);
  assert.equal((await sends(proxied)).headers.origin, undefined);
  assert.ok(!proxied.foreign.includes(new URL(api.address).host));
  await hasNoPlayground(await open(`${deployed["client-quiet"].address}${THINGS}`));
});

test("playground of an air-gapped site is off, or only shows requests", async () => {
  const count = api.requests.length;
  const opened = await open(`${deployed.air.address}${THINGS}`);
  await hasNoPlayground(opened);
  const shown = await open(`${deployed["air-show"].address}${THINGS}`);
  await shown.page.locator("[data-playground-open]").click();
  const dialog = shown.page.locator("dialog.dw-playground[open]");
  await dialog.waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Send", exact: true }).count(), 0);
  assert.deepEqual([opened.foreign, shown.foreign, api.requests.length], [[], [], count]);
});

test("assistant of a cloud site, once it is on", async () => {
  await hasNoAssistant(await open(cloud("/")));
  const path = `/v1/projects/${project}/deployments/cloud`;
  await call("PATCH", path, { features: { assistant: ON } });
  await publish(call, project);
  const opened = await open(cloud("/"));
  await answers(opened);
  assert.deepEqual(opened.foreign, []);
});

test("assistant of a client-hosted site answers from its own server, once it is on", async () => {
  await hasNoAssistant(await open(`${deployed.client.address}/`));
  const opened = await open(`${deployed["client-proxy"].address}/`);
  await answers(opened);
  assert.ok(opened.foreign.every((host) => host === "plausible.io"), opened.foreign);
});

test("air-gapped site has no assistant, and can't have one", async () => {
  await hasNoAssistant(await open(`${deployed.air.address}/`));
  const body = { name: "air-assistant", type: "air-gapped", features: { assistant: ON } };
  await assert.rejects(call("POST", `/v1/projects/${project}/deployments`, body), /400[^]*features.assistant.mode/);
});

for (const name of ["client", "air"]) {
  test(`exported files of the deployment ${name} work without a server`, async () => {
    const page = await (await browser.newContext({ offline: true })).newPage();
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).protocol));
    await page.goto(pathToFileURL(join(deployed[name].files, "index.html")).href);
    await searches({ page });
    assert.deepEqual([...new Set(asked)], ["file:"]);
  });
}

test("cloud site is exported, too", async () => {
  const exported = await deploy("cloud");
  deployed.cloud = exported;
  await searches(await open(`${exported.address}/`));
});

test("scripts of other services load only where integrations are on", async () => {
  for (const [name, expected] of [["client-proxy", ["plausible.io"]], ["client", []], ["air", []]]) {
    const { page, foreign } = await open(`${deployed[name].address}/`);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(foreign, expected, name);
  }
});

test("cloud site loses what is turned off", async () => {
  const path = `/v1/projects/${project}/deployments/cloud`;
  await call("PATCH", path, { features: { search: OFF, assistant: OFF, playground: OFF } });
  await publish(call, project);
  await hasNoSearch(await open(cloud("/")));
  await hasNoAssistant(await open(cloud("/")));
  await hasNoPlayground(await open(cloud(THINGS)));
});
