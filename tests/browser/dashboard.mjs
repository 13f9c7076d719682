// Takes screenshots of the dashboard after `docwright demo`.
//
//   DOCWRIGHT=target/release/docwright node tests/browser/dashboard.mjs            the two of the README
//   DOCWRIGHT=target/release/docwright node tests/browser/dashboard.mjs --all DIR  every page: light, dark, narrow
//
// With --all, it also checks each page with axe and fails if axe reports anything.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { launchChromium } from "./chromium.mjs";
import { ask } from "./dashboard_questions.mjs";
import { stop } from "./service.mjs";

const MANUAL = new URL("../../docs", import.meta.url).pathname;
const README = new URL("../../docs/images/", import.meta.url).pathname;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Starts the demo in a folder. Returns the printed addresses of a project and of the sign-in page.
async function demo(folder) {
  const child = spawn(process.env.DOCWRIGHT, ["demo", "--repo", MANUAL, "--data", folder], { stdio: ["ignore", "pipe", "inherit"] });
  const found = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, address] = /^(Dashboard|Sign in)\s+(\S+)/.exec(line) ?? [];
    if (name) found[name] = address;
    if (name === "Sign in") break;
  }
  if (!found["Sign in"]) throw new Error("the demo printed no sign-in; does it run on its own?");
  return { child, project: found.Dashboard, link: found["Sign in"] };
}

async function signedIn(browser, link) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button").click();
  await page.waitForURL("**/organizations/**");
  return { page, organization: page.url() };
}

async function shoot(page, address, file, { dark = false, width = 1280, height = 800, full = false } = {}) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  await page.goto(address);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: file, fullPage: full });
}

// Every page of the demo, by name.
async function pages(page, project, organization) {
  const { origin } = new URL(project);
  await page.goto(`${project}/jobs`);
  const job = await page.locator(".rows a").first().getAttribute("href");
  return {
    projects: organization,
    project,
    releases: `${project}/releases`,
    jobs: `${project}/jobs`,
    "job-new": `${project}/jobs/new`,
    job: origin + job,
    analytics: `${project}/analytics`,
    "analytics-live": `${project}/analytics/live`,
    ...(await ask(page, project)),
    pulls: `${project}/pull-requests`,
    pull: `${project}/pull-requests/1`,
    members: `${organization}/members`,
    keys: `${organization}/keys`,
    "key-new": `${organization}/keys/new`,
    audit: `${organization}/audit`,
    "audit-none": `${organization}/audit?action=none`,
    plan: `${organization}/plan`,
    organizations: `${origin}/organizations`,
    plans: `${origin}/plans`,
    instance: `${origin}/instance`,
    accounts: `${origin}/accounts`,
    account: `${origin}/account`,
    tokens: `${origin}/account/tokens`,
    "token-new": `${origin}/account/tokens/new`,
    "account-delete": `${origin}/account/delete`,
    missing: `${origin}/projects/prj_none`,
  };
}

async function diagnostics(page) {
  // The page's policy blocks scripts, except those of the driver.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.target).join(" ")}`);
}

async function all(page, { project, organization }, folder) {
  mkdirSync(folder, { recursive: true });
  const found = [];
  for (const [name, address] of Object.entries(await pages(page, project, organization))) {
    for (const [look, options] of [["light", {}], ["dark", { dark: true }], ["narrow", { width: 390, height: 844 }]]) {
      await shoot(page, address, join(folder, `${name}-${look}.png`), { ...options, full: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) found.push(`${name} ${look}: ${wide} px wider than the window`);
      found.push(...(await diagnostics(page)).map((each) => `${name} ${look}: ${each}`));
    }
  }
  return found;
}

const folder = mkdtempSync(join(tmpdir(), "docwright-"));
const browser = await launchChromium();
const { child, project, link } = await demo(join(folder, "demo"));
try {
  const { page, organization } = await signedIn(browser, link);
  const [flag, into] = process.argv.slice(2);
  if (flag === "--all") {
    const found = await all(page, { project, organization }, into);
    for (const each of found) console.log(each);
    process.exitCode = found.length > 0 ? 1 : 0;
  } else {
    mkdirSync(README, { recursive: true });
    // Waits for the pull request's preview, after which nothing changes.
    await page.goto(project);
    await page.getByText(/Building|Queued/).first().waitFor({ state: "detached" });
    for (const [name, dark] of [["light", false], ["dark", true]]) {
      await shoot(page, project, join(README, `dashboard-${name}.png`), { dark, width: 1120, height: 640 });
    }
  }
} finally {
  await browser.close();
  await stop(child);
  rmSync(folder, { recursive: true, force: true });
}
