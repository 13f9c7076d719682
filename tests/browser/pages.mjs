// All linked pages of a dashboard, and checks for each. If DOCWRIGHT_TEST_SCREENSHOTS contains the path of a
// folder, screenshots are saved there.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { HtmlValidate } from "html-validate";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const STYLE = ["no-inline-style", "long-title", "no-trailing-whitespace", "require-sri", "prefer-native-element", "doctype-style", "attribute-boolean-style"];
const VALIDATOR = new HtmlValidate({ extends: ["html-validate:standard"], rules: Object.fromEntries(STYLE.map((rule) => [rule, "off"])) });
const WINDOWS = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
];
// The number of checked pages per kind of record, for different states.
const OF_A_KIND = 4;

// Paths found by following links, except downloads and other parts of the service.
export async function pages(instance, page) {
  const kinds = new Map([["/", 1]]);
  const found = ["/"];
  for (const path of found) {
    const answer = await page.goto(instance.address + path);
    if (!answer.headers()["content-type"]?.startsWith("text/html")) continue;
    const links = await page.locator("a[href]:not([download])").evaluateAll((all) => all.map((link) => link.href));
    for (const link of links.map((href) => new URL(href)).filter((url) => url.origin === instance.address)) {
      const path = link.pathname + link.search;
      if (found.includes(path) || /^\/(git|v1|v2|assets|objects|api|openapi|reference)\b|\/csv/.test(path)) continue;
      const kind = path.replaceAll(/[a-z]+_[0-9a-f]{32}/g, "{id}").replaceAll(/\/\d+/g, "/{number}").replaceAll(/(cursor|action|actor|subject)=[^&]*/g, "$1");
      const seen = kinds.get(kind) ?? 0;
      if (seen === (/\{id\}$/.test(kind) ? OF_A_KIND : 1)) continue;
      kinds.set(kind, seen + 1);
      found.push(path);
    }
  }
  return found;
}

// Checks each page in a wide, a dark, and a narrow window with the given cookies.
export async function lookAt(context, instance, paths, storageState) {
  for (const [name, options] of WINDOWS) {
    const page = await instance.open({ storageState, ...options });
    await recordShifts(page);
    for (const [number, path] of paths.entries()) {
      await context.test(`${path} ${name}`, () => look(page, instance.address + path, number, name));
    }
    await page.context().close();
  }
}

// Adds up the layout shifts of each page as `shifts`.
export async function recordShifts(page) {
  await page.addInitScript(() => {
    globalThis.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
}

async function look(page, address, number, name) {
  const answer = await page.goto(address, { waitUntil: "load" });
  await page.evaluate(() => document.fonts.ready);
  await picture(page, `${String(number).padStart(2, "0")}-${name}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `it is ${wide} px too wide`);
  assert.deepEqual(await cut(page), [], "cut off at the end of a table");
  const shifts = await page.evaluate(() => globalThis.shifts);
  assert.ok(shifts < 0.01, `its layout shifts by ${shifts}`);
  await isAccessible(page);
  if (name === "light") await isValid(await answer.text());
}

// What people use or read first in a list, where its table is wider than the window.
function cut(page) {
  return page.locator(".scroll :is(a,button,time)").evaluateAll((all) => {
    const leaves = (each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth;
    return all.filter(leaves).map((each) => each.outerHTML.slice(0, 120));
  });
}

// Checks a page with axe.
export async function isAccessible(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(" ")}`), []);
}

// Checks the sent HTML with a validator.
export async function isValid(html) {
  const { results } = await VALIDATOR.validateString(html);
  assert.deepEqual(results.flatMap((result) => result.messages.map((message) => `${message.ruleId}: ${message.message}`)), []);
}

// Takes a screenshot of the whole page if requested. The name starts with the page's number.
async function picture(page, name) {
  const folder = process.env.DOCWRIGHT_TEST_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const path = new URL(page.url()).pathname.replaceAll(/[a-z]+_[0-9a-f]{32}/g, "id").replaceAll(/[^a-z0-9]+/gi, "-");
  await page.screenshot({ path: join(folder, `${name}${path}.png`), fullPage: true });
}

// Checks that each page has the same text without scripts.
export async function withoutScripts(context, instance, paths, storageState) {
  const [plain, usual] = [await instance.open({ storageState, javaScriptEnabled: false }), await instance.open({ storageState })];
  for (const path of paths) {
    await context.test(path, async () => {
      await usual.goto(instance.address + path);
      await plain.goto(instance.address + path);
      const text = (each) => each.locator("h1").innerText();
      assert.equal(await text(plain), await text(usual));
    });
  }
}

// The controls and images in an element that overlap, or that leave the window.
export function overlaps(page, selector) {
  return page.evaluate((selector) => {
    const shown = [...document.querySelectorAll(`${selector} :is(a,button,summary,img)`)].filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 0);
    const boxes = shown.map((each) => [each, each.getBoundingClientRect()]);
    const found = boxes.filter(([, box]) => box.left < 0 || box.right > innerWidth).map(([each]) => `${each.outerHTML.slice(0, 80)} leaves the window`);
    for (const [one, a] of boxes) {
      for (const [other, b] of boxes) {
        if (one === other || one.contains(other) || other.contains(one)) continue;
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) found.push(`${one.outerHTML.slice(0, 80)} over ${other.outerHTML.slice(0, 80)}`);
      }
    }
    return found;
  }, selector);
}
