// Built sites in Chromium: below `/`, below a base path, and from `file://`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launchChromium } from "./chromium.mjs";
import { checkLinks } from "./links.mjs";
import { pageErrors } from "./page_errors.mjs";
import { compareSite } from "./words.mjs";

const manual = new URL("../../docs", import.meta.url).pathname;
const binary = process.env.DOCWRIGHT;
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };

let folder;
let site;
let server;
let browser;

before(async () => {
  assert.ok(binary, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  site = join(folder, "site");
  const archive = join(folder, "bundle.tar.gz");
  execFileSync(binary, ["export", manual, "--out", archive], { stdio: "pipe" });
  execFileSync("mkdir", [site]);
  execFileSync("tar", ["-xzf", archive, "-C", site]);
  server = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  browser = await launchChromium();
});

after(async () => {
  await browser?.close();
  server?.close();
  if (folder) rmSync(folder, { recursive: true });
});

// A static host without docwright-specific behavior, with the site below `/` and `/some/base/`.
function serve(request, response) {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/^\/some\/base\//, "/");
  const file = join(site, normalize(path.endsWith("/") ? `${path}index.html` : path));
  if (!existsSync(file) || statSync(file).isDirectory()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  response.end(readFileSync(file));
}

test("every internal link of the bundle resolves", () => {
  const { checked, broken } = checkLinks(site);
  assert.ok(checked > 100);
  assert.deepEqual(broken, []);
});

test("every block of prose in the manual is on its page", async () => {
  const report = await compareSite(manual, site);
  assert.ok(report.pages > 5 && report.blocks > 50);
  assert.deepEqual(report.unreadable, []);
  assert.deepEqual(report.differing, []);
});

test("manifest agrees with sha256sum", () => {
  const manifest = JSON.parse(readFileSync(join(site, "manifest.json"), "utf8"));
  const sums = execFileSync("sha256sum", manifest.files.map((file) => file.path), { cwd: site, encoding: "utf8" });
  const expected = manifest.files.map((file) => `${file.sha256}  ${file.path}\n`).join("");
  assert.equal(sums, expected);
});

const places = {
  "under /": () => `http://127.0.0.1:${server.address().port}/`,
  "under /some/base/": () => `http://127.0.0.1:${server.address().port}/some/base/`,
  "from file://": () => `${pathToFileURL(site)}/`,
};

for (const [name, base] of Object.entries(places)) {
  test(`pages and search work ${name}`, async () => {
    const { page, problems } = await open();
    const start = base();
    for (const path of ["index.html", "write/components.html", "export/bundle.html"]) {
      await page.goto(start + path);
      assert.ok((await page.locator("h1").first().innerText()).length > 0);
    }
    await page.locator("[data-search-open]").click();
    await page.keyboard.type("expot bundel");
    const first = page.locator("#search-results [role=option] a").first();
    await first.waitFor();
    const texts = await page.locator("#search-results .dw-search-title").allInnerTexts();
    assert.ok(texts.some((text) => /export API|bundle|Client-hosted|Limits/i.test(text)), texts.join());
    await page.locator("#search-input").fill("components");
    await page.locator(".dw-search-title", { hasText: /^Components$/ }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/write\/components\.html/);
    assert.deepEqual(problems(start), []);
    await page.context().close();
  });
}

test("tabs, color mode, and menu work on small screens", async () => {
  const { page, problems } = await open({ viewport: { width: 390, height: 800 } });
  await page.goto(`${places["under /"]()}write/components.html`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "the page scrolls sideways");
  await page.getByRole("tab", { name: "macOS" }).click();
  assert.ok(await page.getByText("Use the archive.").isVisible());
  assert.ok(!(await page.getByText("Use the package manager.").isVisible()));
  await page.locator("[data-mode-toggle]").click();
  assert.ok(await page.evaluate(() => document.documentElement.classList.contains("dark")));
  assert.deepEqual(problems(places["under /"]()), []);
  await page.context().close();
});

test("pages are readable and linked without scripts", async () => {
  const { page } = await open({ javaScriptEnabled: false });
  await page.goto(`${places["under /"]()}write/components.html`);
  assert.ok(await page.getByText("Use the archive.").isVisible());
  assert.ok(await page.getByText("Use the package manager.").isVisible());
  // The sidebar is long, so other groups are one link away.
  const sidebar = page.locator("#sidebar");
  await sidebar.getByRole("link", { name: "Start", exact: true }).click();
  await sidebar.getByRole("link", { name: "Quickstart" }).click();
  assert.match(page.url(), /quickstart\.html$/);
  await page.context().close();
});

// A page and its errors: console errors, failed requests, and requests to other hosts.
async function open(options = {}) {
  const page = await (await browser.newContext(options)).newPage();
  const errors = pageErrors(page);
  const requests = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  // Leaving a page cancels its requests, which isn't a failure.
  const left = (request) => request.failure()?.errorText === "net::ERR_ABORTED";
  page.on("requestfailed", (request) => left(request) || errors.push(`failed: ${request.url()}`));
  page.on("request", (request) => requests.push(request.url()));
  const elsewhere = (start) => requests.filter((url) => !url.startsWith(start) && !url.startsWith("data:"));
  return { page, problems: (start) => [...errors, ...elsewhere(start)] };
}
