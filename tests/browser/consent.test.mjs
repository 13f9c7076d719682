// The banner that asks before services of other hosts load: what is requested before and after each answer, where nothing
// asks, and that the banner is usable everywhere. A local server stands in for the hosts of the services.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";
import { isAccessible, overlaps } from "./pages.mjs";
import { files, THEMES } from "./theme_site.mjs";

const SERVICE = "globalThis.launches = (globalThis.launches ?? 0) + 1; document.cookie = 'followed=1'; fetch(new URL('/event', document.currentScript.src));";
const NAMES = "PostHog, Adobe";

let host;
const sites = {};

// The host of the services, with the paths that were requested of it.
async function standIn() {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(new URL(request.url, "http://x").pathname);
    response.writeHead(200, { "content-type": "text/javascript", "access-control-allow-origin": "*" });
    response.end(request.url.includes("launch") ? SERVICE : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, requests, address: `http://127.0.0.1:${server.address().port}` };
}

function site(theme, integrations, options) {
  const all = files(theme, options);
  return fixture({ ...all, "docs.json": { ...all["docs.json"], integrations } }, { flags: ["--integrations"] });
}

before(async () => {
  host = await standIn();
  const services = { adobe: { launchUrl: `${host.address}/launch.js` }, posthog: { apiKey: "phc_1", apiHost: host.address } };
  for (const theme of THEMES) sites[theme] = await site(theme, services, { languages: true });
  sites.own = await site("mint", { ...services, cookies: { key: "agreed", value: "yes" } });
  sites.counting = await site("mint", { plausible: { domain: "docs.example.com" } });
});

after(async () => {
  for (const each of Object.values(sites)) await each.close();
  host?.server.closeAllConnections();
  host?.server.close();
});

// Opens a page, and waits until it requests nothing anymore. `init` runs before its scripts.
async function open(site, path = "index.html", { init, ...options } = {}) {
  host.requests.length = 0;
  const page = await site.open("404.html", { ...options });
  if (init) await page.addInitScript(init);
  await page.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries().map((entry) => entry.value))).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(new URL(path, site.address).href, { waitUntil: "networkidle" });
  return page;
}

const banner = (page) => page.locator(".dw-consent");
const button = (page, name) => banner(page).getByRole("button", { name, exact: true });
const cookieSettings = (page) => page.locator(".dw-site-footer").getByRole("button", { name: "Cookie settings" });
const launches = (page) => page.evaluate(() => globalThis.launches ?? 0);
const launched = (page) => page.waitForFunction(() => globalThis.launches === 1);
const idle = (page) => page.waitForLoadState("networkidle");
const reload = (page) => page.reload({ waitUntil: "networkidle" });

test("nothing is requested before an answer, and the banner names the services", async () => {
  const page = await open(sites.mint);
  assert.ok(await banner(page).isVisible());
  assert.match(await banner(page).innerText(), new RegExp(`about your visit: ${NAMES}`));
  await page.goto(new URL("send.html", sites.mint.address).href, { waitUntil: "networkidle" });
  assert.ok(await banner(page).isVisible(), "another page still asks");
  assert.deepEqual(host.requests, []);
  assert.deepEqual(await page.evaluate(() => [document.cookie, Object.keys(localStorage)]), ["", []]);
  await page.context().close();
});

test("services load once after Accept, and after a reload without asking", async () => {
  const page = await open(sites.mint);
  await button(page, "Accept").click();
  await launched(page);
  await idle(page);
  assert.deepEqual(host.requests.toSorted(), ["/event", "/launch.js", "/static/array.js"]);
  assert.ok(await banner(page).isHidden());
  host.requests.length = 0;
  await reload(page);
  await launched(page);
  assert.ok(await banner(page).isHidden());
  assert.deepEqual(host.requests.toSorted(), ["/event", "/launch.js", "/static/array.js"]);
  await page.context().close();
});

test("nothing is requested after Decline, and no page asks again", async () => {
  const page = await open(sites.mint);
  await button(page, "Decline").click();
  assert.ok(await banner(page).isHidden());
  await reload(page);
  assert.ok(await banner(page).isHidden());
  await page.goto(new URL("ar.html", sites.mint.address).href, { waitUntil: "networkidle" });
  assert.ok(await banner(page).isHidden());
  assert.deepEqual(host.requests, []);
  await page.context().close();
});

test("the answer is changed in the footer", async () => {
  const page = await open(sites.mint);
  await button(page, "Decline").click();
  await cookieSettings(page).click();
  assert.ok(await banner(page).isVisible());
  await button(page, "Accept").click();
  await launched(page);
  // What runs can't be stopped but by another document.
  const again = page.waitForEvent("load");
  await cookieSettings(page).click();
  await button(page, "Decline").click();
  await again;
  await idle(page);
  assert.equal(await launches(page), 0);
  host.requests.length = 0;
  await reload(page);
  assert.deepEqual(host.requests, []);
  await page.context().close();
});

test("an answer counts in other tabs", async () => {
  const page = await open(sites.mint);
  const other = await page.context().newPage();
  await other.goto(new URL("send.html", sites.mint.address).href);
  await button(other, "Accept").click();
  await launched(page);
  assert.ok(await banner(page).isHidden());
  await page.context().close();
});

for (const signal of ["globalPrivacyControl", "doNotTrack"]) {
  test(`${signal} declines without asking, until the reader accepts`, async () => {
    const init = `Object.defineProperty(Navigator.prototype, "${signal}", { get: () => ${signal === "doNotTrack" ? "'1'" : "true"} })`;
    const page = await open(sites.mint, "index.html", { init });
    assert.ok(await banner(page).isHidden());
    // What was accepted before the browser said so doesn't count.
    await page.evaluate(() => localStorage.setItem("docwright-consent", "accepted"));
    await reload(page);
    assert.ok(await banner(page).isHidden());
    assert.deepEqual(host.requests, []);
    await cookieSettings(page).click();
    await button(page, "Accept").click();
    await launched(page);
    await reload(page);
    await launched(page);
    await page.context().close();
  });
}

test("a browser without storage asks on each page, and takes the answer for it", async () => {
  const init = "Object.defineProperty(globalThis, 'localStorage', { get() { throw new Error('forbidden'); } })";
  const page = await open(sites.mint, "index.html", { init });
  await button(page, "Accept").click();
  await launched(page);
  await reload(page);
  assert.ok(await banner(page).isVisible());
  assert.equal(await launches(page), 0);
  await page.context().close();
});

test("the keyboard answers, opens, and closes", async () => {
  const page = await open(sites.mint);
  const tab = async (selector) => {
    for (let steps = 0; steps < 5; steps += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) return;
    }
    assert.fail(`five steps don't lead to ${selector}`);
  };
  // Escape doesn't pass for an answer.
  await page.keyboard.press("Escape");
  await tab("[data-consent-answer=accepted]");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Decline");
  await page.keyboard.press("Enter");
  assert.ok(await banner(page).isHidden());
  await cookieSettings(page).focus();
  await page.keyboard.press("Enter");
  assert.ok(await banner(page).evaluate((each) => each === document.activeElement));
  await page.keyboard.press("Escape");
  assert.ok(await banner(page).isHidden());
  assert.ok(await cookieSettings(page).evaluate((each) => each === document.activeElement), "focus returns");
  await page.keyboard.press("Enter");
  await tab("[data-consent-answer=accepted]");
  await page.keyboard.press("Space");
  await launched(page);
  assert.ok(await cookieSettings(page).evaluate((each) => each === document.activeElement), "focus returns");
  await page.context().close();
});

test("the banner shifts nothing and isn't printed", async () => {
  for (const [width, path] of [[1440, "index.html"], [390, "index.html"], [390, "ar.html"]]) {
    const page = await open(sites.mint, path, { width });
    await button(page, path === "ar.html" ? "رفض" : "Decline").click();
    assert.deepEqual(await page.evaluate(() => globalThis.shifts), [], `${width} ${path}`);
    await page.locator("[data-consent-open]").click();
    await page.emulateMedia({ media: "print" });
    assert.ok(await banner(page).isHidden());
    await page.context().close();
  }
});

test("pages without scripts ask nothing and load nothing", async () => {
  const page = await open(sites.mint, "index.html", { javaScriptEnabled: false });
  assert.ok(await banner(page).isHidden());
  assert.ok(await page.locator("[data-consent-open]").isHidden());
  assert.deepEqual(host.requests, []);
  await page.context().close();
});

test("a banner of the author decides alone", async () => {
  const page = await open(sites.own);
  assert.equal(await banner(page).count(), 0);
  assert.deepEqual(host.requests, []);
  await page.evaluate(() => localStorage.setItem("agreed", "yes"));
  await reload(page);
  await launched(page);
  await page.context().close();
});

test("services that only count load without a banner", async () => {
  const page = await sites.counting.open("404.html");
  const asked = [];
  await page.route("https://plausible.io/**", (route) => {
    asked.push(new URL(route.request().url()).host);
    return route.fulfill({ contentType: "text/javascript", body: "" });
  });
  await page.goto(new URL("index.html", sites.counting.address).href, { waitUntil: "networkidle" });
  assert.equal(await banner(page).count(), 0);
  assert.deepEqual(asked, ["plausible.io"]);
  await page.context().close();
});

for (const theme of THEMES) {
  test(`${theme} shows a banner without an error of axe`, async () => {
    const looks = [[1440, "light", "index.html"], [1440, "dark", "index.html"], [390, "light", "index.html"], [390, "dark", "ar.html"], [1440, "light", "ar.html"]];
    for (const [width, colorScheme, path] of looks) {
      const page = await open(sites[theme], path, { width, height: 844, colorScheme });
      assert.ok(await banner(page).isVisible());
      const [accept, decline] = await banner(page).getByRole("button").evaluateAll((all) => all.map((each) => {
        const { width, height } = each.getBoundingClientRect();
        const { color, backgroundColor, borderColor, fontWeight } = getComputedStyle(each);
        return { width, height, color, backgroundColor, borderColor, fontWeight };
      }));
      assert.deepEqual(accept, decline, "both buttons weigh the same");
      assert.deepEqual(await overlaps(page, ".dw-consent"), []);
      await picture(page, `${theme}-${width}-${colorScheme}-${path.replace(/\W.*/, "")}`);
      await isAccessible(page);
      await page.context().close();
    }
  });
}

// Takes a screenshot if requested.
async function picture(page, name) {
  const folder = process.env.DOCWRIGHT_TEST_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `consent-${name}.png`) });
}
