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
// A window with both colors, and a narrow one.
const WINDOWS = [
  ["wide", ["light", "dark"], {}],
  ["narrow", ["light"], { viewport: { width: 390, height: 844 } }],
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

// Checks each page with the given cookies in a wide window, light and dark, and in a narrow one.
export async function lookAt(context, instance, paths, storageState) {
  const windows = (all) => Promise.all(WINDOWS.map(async ([name, colors, options]) => {
    const page = await instance.open({ storageState, colorScheme: "light", ...options });
    await page.addInitScript(() => {
      globalThis.shifts = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    for (const [number, path] of paths.entries()) {
      await all.test(`${path} ${name}`, () => look(page, instance.address + path, `${String(number).padStart(2, "0")}-${name}`, colors));
    }
    await page.context().close();
  }));
  await context.test("windows", { concurrency: WINDOWS.length }, windows);
}

async function look(page, address, name, colors) {
  await page.emulateMedia({ colorScheme: colors[0] });
  const answer = await page.goto(address, { waitUntil: "load" });
  await page.evaluate(() => document.fonts.ready);
  const shifts = await page.evaluate(() => globalThis.shifts);
  assert.ok(shifts < 0.01, `its layout shifts by ${shifts}`);
  await page.evaluate(AXE);
  for (const color of colors) {
    await page.emulateMedia({ colorScheme: color });
    // Colors change over a moment.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished)));
    await picture(page, `${name}-${color}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${color}: it is ${wide} px too wide`);
    assert.deepEqual(await cut(page), [], "cut off at the end of a table");
    assert.deepEqual(await violations(page), [], color);
  }
  if (colors.length > 1) await isValid(await answer.text());
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
  assert.deepEqual(await violations(page), []);
}

// What axe, which the page has, finds there.
async function violations(page) {
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(" ")}`);
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
      const text = async (page) => {
        await page.goto(instance.address + path);
        return page.locator("h1").innerText();
      };
      const [without, withScripts] = await Promise.all([text(plain), text(usual)]);
      assert.equal(without, withScripts);
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
