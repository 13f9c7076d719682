// The page of web analytics beside a deployed site, and reports of its pages to another host, in Chromium.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "./api_client.mjs";
import { deploy } from "./deployed.mjs";
import { pageErrors } from "./page_errors.mjs";
import { readingScript, watchReadingScript } from "./reading_script.mjs";
import { launch } from "./service.mjs";

const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const PASSWORD = "correct horse";
const PAGE = "_docwright/analytics";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
let collector;
let elsewhere;
let folder;
let hosted;
const reports = [];

// A host of the customer's that takes reports.
async function collect() {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      reports.push({ headers: request.headers, method: request.method, body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const source = join(folder, "source");
  mkdirSync(source);
  const config = { theme: "mint", name: "Read", colors: { primary: "#0f766e" }, navigation: { pages: ["index", "guide"] } };
  writeFileSync(join(source, "docs.json"), JSON.stringify(config));
  writeFileSync(join(source, "index.mdx"), "---\ntitle: Home\n---\n[Guide](/guide)\n");
  writeFileSync(join(source, "guide.mdx"), "---\ntitle: Guide\n---\nThe marmot whistles.\n");
  const password = join(folder, "password");
  writeFileSync(password, PASSWORD);
  hosted = await deploy(source, ["--analytics"], ["--analytics-password-file", password]);
  collector = await collect();
  const address = `http://127.0.0.1:${collector.address().port}/reports`;
  elsewhere = await deploy(source, ["--analytics", "--analytics-address", address], []);
  browser = await launch([`--user-agent=${PERSON}`]);
});

after(async () => {
  await browser?.close();
  await hosted?.close();
  await elsewhere?.close();
  collector?.closeAllConnections();
  collector?.close();
  rmSync(folder, { recursive: true, force: true });
});

const table = async (name) => {
  const authorization = `Basic ${Buffer.from(`:${PASSWORD}`).toString("base64")}`;
  const response = await fetch(`${hosted.address}${PAGE}/json?table=${name}`, { headers: { authorization } });
  assert.equal(response.status, 200);
  return response.json();
};

// Waits until reports are as they should be.
async function arrived(are) {
  await until("the reports arrived", async () => {
    await new Promise((done) => { setImmediate(done); });
    return are();
  });
}

// A window that knows the password, and what went wrong in it.
async function open(path, options = {}) {
  const context = await browser.newContext({ httpCredentials: { username: "anyone", password: PASSWORD }, ...options });
  const page = await context.newPage();
  const wrong = pageErrors(page);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  await page.goto(`${hosted.address}${path}`);
  return { context, page, wrong };
}

test("views and reports of a deployed site are on its page", async () => {
  const context = await browser.newContext();
  await watchReadingScript(context);
  const page = await context.newPage();
  await page.goto(hosted.address);
  await page.click("main a[href*=guide]");
  await page.waitForURL(/guide/);
  // The script counts a page that the browser fetched in advance.
  await readingScript(page);
  await page.goto("about:blank");
  await until("both pages were read", async (last) => {
    last.pages = await table("pages");
    return last.pages.length === 2;
  });
  await context.close();
  const analytics = await open(PAGE);
  await analytics.page.getByRole("heading", { name: "Analytics", exact: true }).waitFor();
  await analytics.page.getByRole("link", { name: "7 days" }).click();
  await analytics.page.waitForURL(/range=week/);
  await analytics.page.getByLabel("Path").fill("guide");
  await analytics.page.getByRole("button", { name: "Filter" }).click();
  await analytics.page.waitForURL(/path=guide/);
  assert.equal(await analytics.page.getByRole("rowheader", { name: "guide", exact: true }).count() > 0, true);
  const [download] = await Promise.all([
    analytics.page.waitForEvent("download"),
    analytics.page.getByRole("link", { name: "Download as CSV: Top pages" }).click(),
  ]);
  assert.match(readFileSync(await download.path(), "utf8"), /^page,people,ai_agents,total\r\nguide,1,0,1\r\n/);
  await analytics.page.getByRole("link", { name: "30 minutes" }).click();
  await analytics.page.getByRole("heading", { name: "Views by minute" }).waitFor();
  assert.deepEqual(analytics.wrong, []);
  const fonts = await analytics.page.evaluate(() => getComputedStyle(document.body).fontFamily);
  assert.match(fonts, /Inter/);
  await analytics.context.close();
});

test("page fits its window and is accessible", async () => {
  for (const [name, options] of Object.entries({
    light: { viewport: { width: 1280, height: 900 } },
    dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
    narrow: { viewport: { width: 390, height: 800 } },
  })) {
    const { context, page } = await open(PAGE, { ...options, bypassCSP: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false, name);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((each) => each.id), [], name);
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `hosted-${name}.png`), fullPage: true });
    await context.close();
  }
});

test("scripts of the site cannot read the page", async () => {
  const { context, page } = await open("guide");
  const read = await page.evaluate(async (path) => {
    const response = await fetch(path, { credentials: "include" });
    return [response.status, (await response.text()).includes("Top pages")];
  }, `/${PAGE}`);
  assert.deepEqual(read, [403, false]);
  const [popup] = await Promise.all([context.waitForEvent("page"), page.evaluate((path) => void (window.other = window.open(path)), `/${PAGE}`)]);
  await popup.waitForLoadState();
  const seen = await page.evaluate(() => {
    try {
      return window.other.document.body.textContent;
    } catch (error) {
      return error.name;
    }
  });
  assert.equal(seen, "SecurityError");
  await context.close();
});

test("pages report to the address of the deployment, without cookies", async () => {
  const context = await browser.newContext();
  await context.addCookies([{ name: "own", value: "secret", url: `http://127.0.0.1:${collector.address().port}` }]);
  const page = await context.newPage();
  await page.goto(`${elsewhere.address}guide?utm_source=mail&token=secret`);
  await arrived(() => reports.length > 0);
  await page.goto("about:blank");
  await arrived(() => reports.some(({ body }) => body.includes('"time"')));
  for (const { headers, method, body } of reports) {
    assert.equal(method, "POST");
    assert.equal(headers.cookie, undefined);
    assert.match(headers["content-type"], /^text\/plain/);
    assert.equal(headers.origin, new URL(elsewhere.address).origin);
    assert.doesNotMatch(`${headers.referer} ${body}`, /secret|token/);
    assert.equal(JSON.parse(body).page, "guide");
  }
  assert.deepEqual(JSON.parse(reports[0].body).events[0].view, { referrer: "", utm_source: "mail" });
  await context.close();
});

test("nothing is reported against the wish of a reader", async () => {
  const before = reports.length;
  const context = await browser.newContext();
  await context.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
  const page = await context.newPage();
  await page.goto(`${elsewhere.address}guide`);
  await page.waitForLoadState("networkidle");
  await page.goto("about:blank");
  await context.close();
  assert.equal(reports.length, before);
});
