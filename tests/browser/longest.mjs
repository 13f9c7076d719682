// Looks at the longest pages of built sites on phones: nothing wider than the window, a contents list that opens where
// the page has headings, and a menu that opens at the current page where the page is in it.
//
//   node tests/browser/longest.mjs [--pages N] [--shots DIR] SITE...
//
// A page's length is that of its Markdown version. Prints a line for each page and width; exits with 1 if one is wrong.

import { mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "./fixture.mjs";

const WIDTHS = [390, 320];

const { values, positionals: sites } = parseArgs({ options: { pages: { type: "string", default: "10" }, shots: { type: "string" } }, allowPositionals: true });
const longest = sites.flatMap(pagesOf).sort((one, other) => other.bytes - one.bytes).slice(0, Number(values.pages));
if (values.shots) mkdirSync(values.shots, { recursive: true });
let isWrong = false;
for (const site of new Set(longest.map((page) => page.site))) {
  const served = await serve(site);
  for (const { path, bytes } of longest.filter((page) => page.site === site)) {
    for (const width of WIDTHS) isWrong = report(site, path, bytes, width, await look(served, site, path, width)) || isWrong;
  }
  await served.close();
}
process.exitCode = isWrong ? 1 : 0;

function pagesOf(site) {
  const files = new Set(readdirSync(site, { recursive: true }));
  const pages = [...files].filter((file) => file.endsWith(".md") && files.has(file.replace(/md$/, "html")));
  return pages.map((file) => ({ site, path: file.replace(/md$/, "html"), bytes: statSync(join(site, file)).size }));
}

async function look(served, site, path, width) {
  const page = await served.open(path, { width, height: 800, hasTouch: true, isMobile: true, reducedMotion: "reduce" });
  await page.evaluate(() => document.fonts.ready);
  const shot = (name) => values.shots && page.screenshot({ path: join(values.shots, `${basename(site)}-${path.replaceAll("/", "-")}-${width}-${name}.png`) });
  await shot("top");
  // Parts far down are laid out late; all of them count.
  await page.addStyleTag({ content: "[data-deferred]{content-visibility:visible!important}" });
  const sizes = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight }));
  const contents = await contentsList(page, shot);
  const menu = await menuPlace(page, shot);
  await page.context().close();
  return { ...sizes, contents, menu };
}

// `none` without headings to list; otherwise how many entries the open list has, or `missing`.
async function contentsList(page, shot) {
  const headings = await page.locator(".dw-toc-item:not([hidden])").count();
  const beside = await page.locator(".dw-examples, .dw-panel").count();
  const bar = page.locator(".dw-contents-bar > summary");
  if (!headings || beside) return "none";
  if (!(await bar.isVisible())) return "missing";
  await bar.click();
  const shown = await page.locator(".dw-toc-item:visible").count();
  await shot("contents");
  await bar.click();
  return shown ? `${shown} of ${headings}` : "missing";
}

// Where the current page is in the open menu: `in sight`, `unlisted`, or `out of sight`.
async function menuPlace(page, shot) {
  const menu = page.locator("#mobile-nav > summary");
  if (!(await menu.count())) return "unlisted";
  await menu.click();
  if (!(await page.locator("#sidebar [aria-current=page]").count())) return "unlisted";
  const place = await page.waitForFunction(() => {
    const box = document.querySelector("#sidebar [aria-current=page]").getBoundingClientRect();
    return box.height > 0 && box.top > 0 && box.bottom < innerHeight;
  }, null, { timeout: 5000 }).then(() => "in sight", () => "out of sight");
  await shot("menu");
  return place;
}

function report(site, path, bytes, width, found) {
  const wrong = [found.wide > width && `${found.wide} px wide`, found.contents === "missing" && "no contents list", found.menu === "out of sight" && "menu elsewhere"].filter(Boolean);
  console.log(`${basename(site)}/${path}: ${bytes} bytes, ${width} px: ${found.height} px high, contents ${found.contents}, menu ${found.menu}${wrong.length ? `  WRONG: ${wrong.join(", ")}` : ""}`);
  return wrong.length > 0;
}
