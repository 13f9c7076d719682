// Pages of a client-hosted site, on a host without docwright, report to a domain of their project in Chromium. They
// count there together with the readers of the domain, and pages of other hosts don't.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { publish, send, until } from "./api_client.mjs";
import { serve as serveFiles } from "./fixture.mjs";
import { at, launch, serve, stop } from "./service.mjs";

const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const DOMAIN = "docs.localhost";
const REPORTS = at(DOMAIN, "/_docwright/reading");

let browser;
let folder;
let key;
let plant;
let project;
let service;
let stranger;

const admin = (...args) => {
  const output = execFileSync(process.env.DOCWRIGHT, ["admin", "--json", "--data", join(folder, "data"), ...args], { stdio: "pipe" });
  return JSON.parse(output.toString());
};
const call = (...request) => send(service.programs, key, ...request);
const analytics = (path) => call("GET", `/v1/analytics/${project}/${path}`);

async function counted(path, what, expected) {
  await until(`${path} is ${JSON.stringify(expected)}`, async (last) => {
    last.found = what(await analytics(path));
    return JSON.stringify(last.found) === JSON.stringify(expected);
  });
}
const people = (path, expected) => counted(`views?path=${path}`, ({ totals }) => totals.human, expected);
const values = (by, expected) => counted(`breakdown?by=${by}`, (list) => list.values.map(({ value, views }) => [value, views]), expected);

// Serves the pages of a folder on an address of its own.
async function host(name) {
  const files = join(folder, name);
  mkdirSync(files);
  return serveFiles(files);
}

// A bundle of the deployment, unpacked on a host.
async function unpack(...hosts) {
  const started = await call("POST", "/v1/static-export/jobs", { domain: DOMAIN, deployment: "plant" });
  await until("the export is completed", async () => (await call("GET", `/v1/static-export/jobs/${started.jobId}`)).status === "completed");
  const { bundleUrl } = await call("POST", `/v1/static-export/jobs/${started.jobId}/bundle`);
  const bundle = join(folder, "bundle.tar.gz");
  const link = bundleUrl.replace(/^https?:\/\/[^/]+/, service.programs);
  writeFileSync(bundle, Buffer.from(await (await fetch(link)).arrayBuffer()));
  for (const { folder: files } of hosts) execFileSync("tar", ["-xzf", bundle, "-C", files]);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const source = join(folder, "source");
  mkdirSync(source);
  const config = { theme: "mint", name: "Read", colors: { primary: "#0f766e" }, navigation: { pages: ["index", "guide"] } };
  writeFileSync(join(source, "docs.json"), JSON.stringify(config));
  writeFileSync(join(source, "index.mdx"), "---\ntitle: Home\n---\n```bash\nls\n```\n");
  writeFileSync(join(source, "guide.mdx"), "---\ntitle: Guide\n---\nThe marmot whistles.\n");
  const organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--repository", source).id;
  admin("domain", "create", DOMAIN, "--project", project);
  key = admin("key", "create", "test", "--organization", organization, "--scope", "admin").key;
  service = await serve(folder, join(folder, "data"));
  await publish(call, project);
  [plant, stranger] = [await host("plant"), await host("stranger")];
  const features = { analytics: { mode: "on", address: REPORTS } };
  await call("POST", `/v1/projects/${project}/deployments`, { name: "plant", type: "client-hosted", address: plant.address, features });
  await unpack(plant, stranger);
  browser = await launch([`--user-agent=${PERSON}`]);
});

after(async () => {
  await browser?.close();
  await plant?.close();
  await stranger?.close();
  if (service) await stop(service.process);
  rmSync(folder, { recursive: true, force: true });
});

// Reads a page of a site, and returns the status of its first report.
async function read(address, act = () => {}) {
  const context = await browser.newContext({ userAgent: PERSON });
  const page = await context.newPage();
  const answered = context.waitForEvent("response", (response) => response.url() === REPORTS);
  await page.goto(address);
  const status = (await answered).status();
  await act(page);
  await page.goto("about:blank");
  assert.deepEqual(await context.cookies(), []);
  await context.close();
  return status;
}

test("readers of a client-hosted site count in the project, with those of the domain", async () => {
  const own = await browser.newPage();
  await own.goto(at(DOMAIN, "/guide"));
  await people("guide", 1);
  await own.close();
  assert.equal(await read(new URL("guide.html", plant.address).href), 204);
  await people("guide", 2);
  const copied = async (page) => {
    await page.locator(".dw-code-block").first().hover();
    await page.locator(".dw-code-block [data-copy]").first().click();
  };
  assert.equal(await read(plant.address, copied), 204);
  await people("index", 1);
  await values("copied-code", [["bash", 1]]);
});

test("reports of a host that is no deployment's are refused", async () => {
  assert.equal(await read(stranger.address), 403);
  // This one counts, so the one before would show by then.
  assert.equal(await read(plant.address), 204);
  await people("index", 2);
  await values("entry", [["guide", 2], ["index", 2]]);
});
