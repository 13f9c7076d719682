// Compares every diagram of a built site with what mermaid.js draws of the same source, in light and in dark mode.
// `node compare.mjs SITE LIST OUT`: LIST is JSON with the key, the source, the file, and the page of each diagram.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { differences, faint } from "./differences.mjs";
import { facts } from "./facts.mjs";
import { writeSheets } from "./sheet.mjs";

const [site, listed, out] = process.argv.slice(2);
const diagrams = JSON.parse(readFileSync(listed, "utf8"));
const packages = new URL("node_modules/", import.meta.url);
const font = readFileSync(new URL("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2", packages)).toString("base64");
// Both sides have the same face, so that a difference is one of the drawing.
const FACE = `@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,${font}) format("woff2")}`;

const browser = await chromium.launch({
  executablePath: process.env.DOCWRIGHT_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
});

const ours = { light: await drawn("light"), dark: await drawn("dark") };
const theirs = await referenced();

const failing = [];
const counts = { diagrams: diagrams.length, equal: 0, differing: 0, "by the browser": 0, "invalid for both": 0, "only drawn by us": 0, "not drawn": 0 };
for (const diagram of diagrams) {
  const [mine, reference] = [ours.light[diagram.key], theirs[diagram.key]];
  diagram.ours = mine?.svg;
  diagram.theirs = reference.svg;
  diagram.reasons = judged(mine, ours.dark[diagram.key], reference);
  if (diagram.reasons.length) failing.push(diagram);
}
for (const { file, key, reasons } of failing) console.log(`${key} ${file}\n  ${reasons.join("\n  ")}`);
console.log(`\n${Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ")}`);
console.log(`overlaps: ${total(ours.light, "overlaps")} of ours, ${total(theirs, "overlaps")} of mermaid.js; edges through boxes: ${total(ours.light, "crossed")} and ${total(theirs, "crossed")}`);
const styles = readFileSync(join(site, "_docwright/theme.css"), "utf8");
await writeSheets(browser, out, diagrams, styles + FACE);
writeFileSync(join(out, "result.json"), JSON.stringify({ counts, failing: failing.map(({ key, file, reasons, source }) => ({ key, file, reasons, source })) }, null, 1));
await browser.close();

// What is wrong with a diagram, and its line in the counts.
function judged(mine, dark, reference) {
  if (reference.error) {
    counts[mine?.facts ? "only drawn by us" : "invalid for both"] += 1;
    return [];
  }
  if (!mine?.facts) {
    counts["not drawn"] += 1;
    return [`not drawn: ${mine?.reason ?? "no diagram on the page"}`];
  }
  counts["by the browser"] += Number(mine.browser);
  const inDark = faint(dark.facts, reference.facts).map((each) => `dark mode: ${each}`);
  const reasons = [...differences(mine.facts, reference.facts), ...faint(mine.facts, reference.facts), ...inDark];
  counts[reasons.length ? "differing" : "equal"] += 1;
  return reasons;
}

// The diagrams of the site, as a reader sees them.
async function drawn(mode) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: mode });
  const page = await context.newPage();
  const found = {};
  for (const name of new Set(diagrams.map((diagram) => diagram.page))) {
    await page.goto(pathToFileURL(join(site, `${name}.html`)).href);
    await page.addStyleTag({ content: FACE });
    await page.evaluate(() => document.fonts.load('16px Inter').then(() => document.fonts.ready));
    await page.waitForFunction(() => !document.querySelector(".dw-mermaid[data-browser]:not([data-done])"));
    for (const { key } of diagrams.filter((diagram) => diagram.page === name)) {
      const holder = page.locator(`#d-${key}`);
      const svg = holder.locator(".dw-mermaid-scroll > svg").first();
      if (!(await svg.count())) {
        found[key] = { reason: await holder.locator("[data-reason]").first().getAttribute("data-reason", { timeout: 50 }).catch(() => "it is invalid") };
        continue;
      }
      found[key] = {
        svg: await svg.evaluate((element) => element.outerHTML),
        browser: (await holder.locator("[data-browser]").count()) > 0,
        facts: await svg.evaluate(facts),
      };
    }
  }
  await context.close();
  return found;
}

// The same diagrams by mermaid.js.
async function referenced() {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.setContent(`<!doctype html><style>${FACE}</style><body><p style="font-family:Inter">a</p><div id="holder"></div></body>`);
  await page.addScriptTag({ content: readFileSync(new URL("mermaid/dist/mermaid.min.js", packages), "utf8") });
  await page.evaluate(async () => {
    await document.fonts.load("16px Inter");
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", fontFamily: "Inter", themeVariables: { fontFamily: "Inter" } });
  });
  const found = {};
  for (const { key, source } of diagrams) {
    found[key] = await page.evaluate(async ([id, source]) => {
      try {
        const { svg } = await mermaid.render(`m${id}`, source);
        const holder = document.getElementById("holder");
        holder.innerHTML = svg;
        // Its natural size, as on a page that is wide enough.
        const element = holder.querySelector("svg");
        element.style.width = element.style.maxWidth;
        return { svg: element.outerHTML };
      } catch (error) {
        document.querySelectorAll("[id^=dm]").forEach((each) => each.remove());
        document.getElementById("holder").replaceChildren();
        return { error: String(error.message ?? error) };
      }
    }, [key, source]);
    if (!found[key].error) found[key].facts = await page.locator("#holder > svg").evaluate(facts);
  }
  await context.close();
  return found;
}

function total(side, kind) {
  return Object.values(side).reduce((sum, each) => sum + (each.facts?.[kind].length ?? 0), 0);
}
