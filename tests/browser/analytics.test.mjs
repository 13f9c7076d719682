// What the script of pages reports in Chromium, where it reports nothing, and that pages don't notice it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { at, launch, said, serve } from "./service.mjs";

// A headless browser names itself, and is a program.
const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const ON = { mode: "on" };

let browser;
let folder;
let key;
let project;
let service;
const deployed = {};

const run = (...args) => execFileSync(process.env.DOCWRIGHT, args, { stdio: "pipe" }).toString();
const admin = (...args) => JSON.parse(run("admin", "--json", "--data", join(folder, "data"), ...args));
const site = (path) => at("docs.localhost", path);

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${service.programs}${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

// Repeats a check until it returns something.
async function until(check) {
  for (;;) {
    const found = await check();
    if (found) return found;
  }
}

const analytics = (path) => call("GET", `/v1/analytics/${project}/${path}`);

async function publish() {
  const { statusId } = await call("POST", `/v1/project/update/${project}`, {});
  await until(async () => (await call("GET", `/v1/project/update-status/${statusId}`)).status === "success");
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const source = join(folder, "source");
  const things = { get: { summary: "List things", responses: { 200: { description: "Things" } } } };
  const text = Array.from({ length: 60 }, (_, line) => `The wombat digs burrow number ${line}.`).join("\n\n");
  const tabs = "<Tabs>\n<Tab title=\"Python\">\nOne\n</Tab>\n<Tab title=\"Ruby\">\nTwo\n</Tab>\n</Tabs>";
  const files = {
    "docs.json": JSON.stringify({
      theme: "mint", name: "Read", colors: { primary: "#0f766e" },
      navigation: { groups: [{ group: "Start", pages: ["index", "guide", "GET /things"], openapi: "api.json" }] },
    }),
    "index.mdx": `---\ntitle: Home\n---\n[Guide](/guide) and [elsewhere](https://elsewhere.example/page?token=secret)\n\n\`\`\`bash\nls\n\`\`\`\n\n${tabs}\n\n${text}\n`,
    "guide.mdx": "---\ntitle: Marmots\n---\nThe marmot whistles.\n",
    "api.json": JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, servers: [{ url: "https://api.example" }], paths: { "/things": things } }),
  };
  mkdirSync(source);
  for (const [path, contents] of Object.entries(files)) writeFileSync(join(source, path), contents);
  const organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--repository", source).id;
  admin("domain", "create", "docs.localhost", "--project", project);
  key = admin("key", "create", "test", "--organization", organization, "--scope", "admin").key;
  service = await serve(folder, join(folder, "data"));
  await publish();
  for (const features of [{ analytics: ON }, {}]) await deploy(features);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  for (const process_ of [service?.process, deployed.process].filter(Boolean)) {
    process_.kill();
    if (process_.exitCode === null) await once(process_, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

// Exports for a client-hosted deployment, and serves the bundle if analytics is on.
async function deploy(features) {
  const name = features.analytics ? "counted" : "plain";
  await call("POST", `/v1/projects/${project}/deployments`, { name, type: "client-hosted", features });
  const started = await call("POST", "/v1/static-export/jobs", { domain: "docs.localhost", deployment: name });
  await until(async () => (await call("GET", `/v1/static-export/jobs/${started.jobId}`)).status === "completed");
  const { bundleUrl } = await call("POST", `/v1/static-export/jobs/${started.jobId}/bundle`);
  const files = join(folder, name);
  mkdirSync(files);
  const bundle = join(folder, `${name}.tar.gz`);
  const link = bundleUrl.replace(/^https?:\/\/[^/]+/, service.programs);
  writeFileSync(bundle, Buffer.from(await (await fetch(link)).arrayBuffer()));
  execFileSync("tar", ["-xzf", bundle, "-C", files]);
  deployed[name] = files;
  if (!features.analytics) return;
  writeFileSync(join(folder, "values.yaml"), `staticExport:\n  bundleUrl: "${bundle}"\n`);
  const flags = ["--values", join(folder, "values.yaml"), "--data", join(folder, "deployed"), "--listen", "127.0.0.1:0"];
  deployed.process = spawn(process.env.DOCWRIGHT, ["deploy", ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  deployed.address = await said(deployed.process.stdout, /listening on (\S+)/);
  await until(async () => (await fetch(`${deployed.address}/readyz`)).ok);
}

// A reader's window. `reports` are the events that its pages sent; `asked` are the paths of all requests.
async function reader(options = {}, init = null) {
  const context = await browser.newContext({ userAgent: PERSON, viewport: { width: 1280, height: 800 }, ...options });
  if (init) await context.addInitScript(init);
  const page = await context.newPage();
  const [reports, asked, errors] = [[], [], []];
  page.on("pageerror", (error) => errors.push(String(error)));
  await context.route("https://elsewhere.example/**", (route) => route.fulfill({ body: "Elsewhere" }));
  context.on("request", (request) => {
    asked.push(new URL(request.url()).pathname);
    if (request.url().endsWith("/_docwright/reading")) reports.push(...JSON.parse(request.postData()).events);
  });
  return { context, page, reports, asked, errors };
}

const loaded = (page) => page.locator("script[src*='_docwright/reading.js']").waitFor({ state: "attached" });
const leave = (page) => page.goto("about:blank");

test("readers who don't want to be measured load no script, and send nothing", async () => {
  for (const init of [
    () => Object.defineProperty(Navigator.prototype, "doNotTrack", { get: () => "1" }),
    () => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true }),
  ]) {
    const { page, asked, errors } = await reader({}, init);
    await page.goto(site("/"), { waitUntil: "load" });
    await page.getByRole("tab", { name: "Ruby" }).click();
    await leave(page);
    assert.deepEqual(asked.filter((path) => path.includes("reading")), []);
    assert.deepEqual(errors, []);
  }
});

test("views of readers without scripts are counted by the server", async () => {
  const before_ = (await analytics("views?path=guide")).totals.human;
  const { page, asked } = await reader({ javaScriptEnabled: false });
  await page.goto(site("/guide"), { waitUntil: "load" });
  await until(async () => (await analytics("views?path=guide")).totals.human === before_ + 1);
  assert.deepEqual(asked.filter((path) => path.includes("reading")), []);
});

test("files, and servers that count nobody, get no report", async () => {
  for (const address of [pathToFileURL(join(deployed.counted, "index.html")).href, `${deployed.address}/`]) {
    const { page, asked, errors } = await reader();
    await page.goto(address, { waitUntil: "load" });
    assert.equal(await page.locator("script[data-script]").count(), 1, "the bundle has the script");
    await page.getByRole("tab", { name: "Ruby" }).click();
    await leave(page);
    assert.deepEqual(asked.filter((path) => path.includes("reading")), []);
    assert.deepEqual(errors, []);
  }
});

test("errors of the script disturb no page", async () => {
  const { page, errors } = await reader({}, () => {
    navigator.sendBeacon = () => { throw new Error("blocked"); };
    performance.getEntriesByType = new Proxy(performance.getEntriesByType, {
      apply(target, self, [kind]) {
        if (kind === "visibility-state") throw new Error("blocked");
        return Reflect.apply(target, self, [kind]);
      },
    });
  });
  await page.goto(site("/"));
  await loaded(page);
  await page.getByRole("tab", { name: "Ruby" }).click();
  assert.equal(await page.getByRole("tab", { name: "Ruby" }).getAttribute("aria-selected"), "true");
  await page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await leave(page);
  assert.deepEqual(errors, []);
});

test("the script comes after the page, and moves nothing", async () => {
  const measured = {};
  for (const [name, address] of [["with", site("/")], ["without", pathToFileURL(join(deployed.plain, "index.html")).href]]) {
    const { page } = await reader();
    await page.goto(address, { waitUntil: "load" });
    if (name === "with") await loaded(page);
    measured[name] = await page.evaluate(async () => {
      const of = (type) => new Promise((done) => {
        const observer = new PerformanceObserver((list) => done(list.getEntries()));
        observer.observe({ type, buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => done(observer.takeRecords())));
      });
      const shift = (await of("layout-shift")).reduce((sum, entry) => sum + entry.value, 0);
      const script = performance.getEntriesByType("resource").find((entry) => entry.name.endsWith("reading.js"));
      const { loadEventStart } = performance.getEntriesByType("navigation")[0];
      return { shift, isAfter: script ? script.startTime >= loadEventStart : null, bytes: script?.encodedBodySize };
    });
  }
  assert.equal(measured.with.shift, measured.without.shift);
  assert.equal(measured.with.shift, 0);
  assert.equal(measured.with.isAfter, true);
  assert.ok(measured.with.bytes > 0 && measured.with.bytes <= 2500, `${measured.with.bytes} bytes`);
});

test("a deployment without analytics has no trace of the script", () => {
  const found = execFileSync("sh", ["-c", "grep -rlE 'reading.js|data-script|_docwright/reading' . || true"], { cwd: deployed.plain });
  assert.equal(found.toString(), "");
});
