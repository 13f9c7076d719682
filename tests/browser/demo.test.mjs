// The demo's dashboard in Chromium: it refreshes automatically, works without scripts, and passes html-validate and
// axe.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { launchChromium } from "./chromium.mjs";
import { stop } from "./service.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = new HtmlValidate({
  extends: ["html-validate:standard"],
  // Maud writes void elements and boolean attributes differently than these rules want, but validly.
  rules: { "void-style": "off", "no-inline-style": "error", "long-title": "off", "attribute-boolean-style": "off" },
});

let demo, browser, folder, project, cookies;

before(async () => {
  assert.ok(process.env.DOCWRIGHT, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
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
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button").click();
  await page.waitForURL("**/organizations/**");
  cookies = await context.cookies();
  await context.close();
});

after(async () => {
  await browser?.close();
  await stop(demo);
  rmSync(folder, { recursive: true, force: true });
});

async function signedIn(options = {}) {
  const context = await browser.newContext(options);
  await context.addCookies(cookies);
  return context.newPage();
}

test("steps of a job appear without a reload", async () => {
  const page = await signedIn();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(`${project}/jobs/new`);
  await page.getByLabel("Prompt").fill('Add page live titled "Live" with text "Live."');
  await page.getByRole("button", { name: "Start job" }).click();
  await page.waitForURL(/\/jobs\/agt_/);
  await page.evaluate(() => { globalThis.sameDocument = true; });
  await page.getByText("Pull request opened").waitFor();
  await page.getByRole("heading", { name: "Follow up" }).waitFor();
  assert.equal(await page.locator("#job[aria-busy]").count(), 0);
  assert.equal(await page.evaluate(() => globalThis.sameDocument), true);
  assert.deepEqual(problems, [], "the policy of the page lets its own script work");
});

test("job is started and key created and revoked without scripts", async () => {
  const page = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${project}/jobs/new`);
  await page.getByLabel("Prompt").fill("Fix the broken links.");
  await page.getByRole("button", { name: "Start job" }).click();
  assert.match(page.url(), /\/jobs\/agt_/);
  await page.goto(new URL("/", project).href);
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("link", { name: "New key" }).click();
  await page.getByLabel("Name").fill("without scripts");
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await page.locator("code").first().textContent();
  const ask = () => fetch(new URL("/v1/projects", project), { headers: { authorization: `Bearer ${key}` } });
  assert.equal((await ask()).status, 200);
  await page.reload();
  const row = page.locator("li", { hasText: "without scripts" });
  await row.locator("summary").click();
  await row.getByRole("button", { name: "Revoke key" }).click();
  assert.equal((await ask()).status, 401);
});

test("key is created with the keyboard alone", async () => {
  const page = await signedIn();
  await page.goto(new URL("/", project).href);
  await page.getByRole("link", { name: "API keys" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "New key" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/keys/new");
  await page.getByLabel("Name").focus();
  await page.keyboard.type("typed");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("API key created").waitFor();
});

test("axe and html-validate find no error", async () => {
  const page = await signedIn();
  await page.goto(new URL("/", project).href);
  const organization = page.url();
  await page.goto(`${project}/jobs`);
  const job = new URL(await page.locator(".rows a").last().getAttribute("href"), project).href;
  const found = [];
  for (const address of [
    `${project}/jobs`, `${project}/jobs?status=failed`, `${project}/jobs/new`, job,
    `${organization}/keys`, `${organization}/keys/new`, `${organization}/plan`,
    `${organization}/audit`, `${organization}/audit?action=none`,
    ...["/organizations", "/plans", "/instance"].map((path) => new URL(path, project).href),
    `${project}/pull-requests`, `${project}/pull-requests/1`,
  ]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const response = await page.goto(address);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      found.push(...violations.map((each) => `${address} ${colorScheme}: ${each.id} ${each.nodes[0].html}`));
      const report = await RULES.validateString(await response.text());
      const messages = report.results.flatMap((result) => result.messages);
      if (colorScheme === "light") found.push(...messages.map((each) => `${address}:${each.line}:${each.column} ${each.message}`));
    }
  }
  assert.deepEqual(found, []);
});
