// Automatic refreshes of the dashboard in Chromium: new jobs appear on idle pages, without disturbing readers and
// writers.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { launchChromium } from "./chromium.mjs";
import { stop } from "./service.mjs";

let demo, browser, folder, work, project, context;

before(async () => {
  assert.ok(process.env.DOCWRIGHT, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  folder = mkdtempSync(join(tmpdir(), "docwright-live-"));
  demo = spawn(process.env.DOCWRIGHT, ["demo", "--data", join(folder, "demo")], { stdio: ["ignore", "pipe", "inherit"] });
  let link;
  for await (const line of createInterface({ input: demo.stdout })) {
    const [, name, address] = /^(Dashboard|Sign in)\s+(\S+)/.exec(line) ?? [];
    if (name === "Dashboard") project = address;
    if (name === "Sign in") {
      link = address;
      break;
    }
  }
  browser = await launchChromium();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button").click();
  await page.waitForURL("**/organizations/**");
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("link", { name: "New key" }).click();
  await page.getByLabel("Name").fill("push");
  await page.getByRole("radio", { name: /Write/ }).check();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await page.locator(".secret code").first().textContent();
  const { host, pathname } = new URL(project);
  work = join(folder, "work");
  git(folder, "clone", "--quiet", `http://me:${key}@${host}/git/${pathname.split("/")[2]}.git`, work);
  await page.close();
});

after(async () => {
  await browser?.close();
  await stop(demo);
  if (folder) rmSync(folder, { recursive: true, force: true });
});

function git(where, ...words) {
  execFileSync("git", ["-C", where, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words], { env: { ...process.env, GIT_TERMINAL_PROMPT: "0" } });
}

let pushes = 0;

function push(message) {
  pushes += 1;
  writeFileSync(join(work, "notes.mdx"), `---\ntitle: Notes\n---\n\nPush ${pushes}.\n`);
  git(work, "add", "--all");
  git(work, "commit", "--quiet", "--message", message);
  git(work, "push", "--quiet", "origin", "HEAD:main");
}

async function open(path, options = {}) {
  const page = await (options.context ?? context).newPage();
  await page.goto(project + path);
  await page.evaluate(() => { globalThis.sameDocument = true; });
  return page;
}

// Waits until no job runs, so that idle pages must detect the next change.
const idle = (page) => page.locator("[data-version]:not([aria-busy])").waitFor();
const asked = (page) => {
  const all = [];
  page.on("request", (request) => request.headers()["hx-request"] && all.push(request.url()));
  return all;
};

test("push appears on idle pages without a reload", async () => {
  const pages = await Promise.all([open("/releases"), open("")]);
  await Promise.all(pages.map(idle));
  push("Say what is new");
  for (const page of pages) {
    await page.getByRole("link", { name: "Say what is new" }).waitFor({ timeout: 20_000 });
    await page.locator("tr", { hasText: "Say what is new" }).getByText("Active").waitFor({ timeout: 20_000 });
    assert.equal(await page.evaluate(() => globalThis.sameDocument), true);
    await page.close();
  }
});

test("job started by another member appears in the list", async () => {
  const page = await open("/jobs");
  await idle(page);
  const before = await page.locator("a[href*='/jobs/agt_']").count();
  const other = await open("/jobs/new");
  await other.getByLabel("Prompt").fill('Add page elsewhere titled "Elsewhere" with text "Started elsewhere."');
  await other.getByRole("button", { name: "Start job" }).click();
  await page.waitForFunction((count) => document.querySelectorAll("a[href*='/jobs/agt_']").length > count, before, { timeout: 20_000 });
  assert.equal(await page.evaluate(() => globalThis.sameDocument), true);
  // The tab Changes appears after the job has finished.
  await other.getByRole("heading", { name: "Changes" }).waitFor({ timeout: 60_000 });
  await other.locator("pre.diff .added", { hasText: "Started elsewhere." }).waitFor();
  await Promise.all([page.close(), other.close()]);
});

test("hidden window sends no requests until it is visible again", async () => {
  const page = await open("/releases");
  await idle(page);
  const hide = (isHidden) => page.evaluate((isHidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  await hide(true);
  const requests = asked(page);
  push("While nobody looks");
  // The time of two refreshes on the window's own clock.
  await page.evaluate(() => new Promise((resolve) => { setTimeout(resolve, 11_000); }));
  assert.deepEqual(requests, []);
  const seen = page.waitForRequest((request) => Boolean(request.headers()["hx-request"]), { timeout: 3_000 });
  await hide(false);
  await seen;
  await page.getByRole("link", { name: "While nobody looks" }).waitFor();
  await page.close();
});

test("refresh keeps scroll position and focus", async () => {
  const small = await browser.newContext({ storageState: await context.storageState(), viewport: { width: 900, height: 300 } });
  const page = await open("/releases", { context: small });
  await idle(page);
  const link = page.getByRole("link", { name: "Say what is new" });
  await link.focus();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const top = () => link.evaluate((each) => each.getBoundingClientRect().top);
  const before = await top();
  push("Above what is read");
  await page.getByRole("link", { name: "Above what is read" }).waitFor({ state: "attached", timeout: 20_000 });
  // Windows scroll by whole pixels, and rows needn't be whole pixels high.
  assert.ok(Math.abs((await top()) - before) < 1, `${before} became ${await top()}`);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Say what is new");
  await small.close();
});

test("refresh keeps typed text", async () => {
  const page = await open("/jobs");
  await page.locator("a[href*='/jobs/agt_']").first().click();
  const prompt = page.getByLabel("Prompt");
  await prompt.fill("Half a sentence");
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("button", { name: "Archive job" }).click();
  await other.getByText("Archived").first().waitFor();
  const requests = asked(page);
  await page.waitForFunction(() => document.querySelector("#prompt") === document.activeElement);
  while (requests.length < 2) await page.waitForRequest((request) => Boolean(request.headers()["hx-request"]));
  assert.equal(await prompt.inputValue(), "Half a sentence");
  // After the text is cleared, the page shows the state of the job.
  await prompt.fill("");
  await page.locator("h1").click();
  await page.getByText("Archived").first().waitFor({ timeout: 20_000 });
  await Promise.all([page.close(), other.close()]);
});

test("many windows leave connections for the next one", async () => {
  const pages = await Promise.all(Array.from({ length: 10 }, () => open("/releases")));
  const requests = pages.map(asked);
  const began = Date.now();
  const page = await open("");
  assert.ok(Date.now() - began < 5_000, "the eleventh window waits");
  // Each window sends requests, but never two at a time.
  await Promise.all(pages.map((each, number) => requests[number].length > 0 || each.waitForRequest((request) => Boolean(request.headers()["hx-request"]))));
  await Promise.all([page, ...pages].map((each) => each.close()));
});
