// Fonts: what readers really see, what it costs, and that nothing moves when a font arrives.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const TEXT = `A release is one commit of a project, built for one site. Releases never change. A domain serves the active
release of its site. You can activate any ready release until retention removes it: nothing is rebuilt, and readers see
the change immediately. To roll back, activate an earlier release.`;

const PAGE = `---
title: Releases and their domains
description: What is built of a commit, and how readers come to see it.
---

${TEXT}

## Roll back to an earlier release

${TEXT} **The release stays active** until a newer commit is ready, with \`docwright admin release\` and *without* a build.

- Rebuilding a commit doesn't change what readers see.
- To return to the latest commit sooner, activate its [\`release\`](#verify-a-domain).

| Column | Meaning |
| --- | --- |
| \`active\` | The release that a site serves |

\`\`\`js
const release = await activate("rel_1", { force: false }); // it returns the release
\`\`\`

### Verify a domain

${TEXT}
`;

const CONFIG = { theme: "mint", name: "Fonts", colors: { primary: "#0f766e" } };
const navigation = { pages: ["index"] };

let usual, chosen, languages;

before(async () => {
  usual = await fixture({ "docs.json": { ...CONFIG, navigation }, "index.mdx": PAGE });
  const fonts = { heading: { family: "Lora", weight: 600 }, body: { family: "Acme", source: "/fonts/acme.woff2" } };
  chosen = await fixture({ "docs.json": { ...CONFIG, navigation, fonts }, "index.mdx": PAGE, "fonts/acme.woff2": inter() });
  languages = await fixture({
    "docs.json": {
      ...CONFIG,
      navigation: { languages: [{ language: "en", pages: ["index"] }, { language: "ar", pages: ["ar/index"] }, { language: "ja", pages: ["ja/index"] }] },
    },
    "index.mdx": PAGE,
    "ar/index.mdx": "---\ntitle: الإصدارات\n---\n\n## العودة إلى إصدار سابق\n\nالإصدار هو التزام واحد من المشروع.\n",
    "ja/index.mdx": "---\ntitle: リリース\n---\n\n## 以前のリリースに戻す\n\nリリースは変更されません。直す。\n",
  });
});

after(async () => {
  for (const site of [usual, chosen, languages]) await site?.close();
});

// A font file that docwright wrote.
function inter() {
  const folder = join(usual.folder, "_docwright/fonts");
  return readFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith(".inter-latin.woff2"))));
}

// The fonts that the browser draws an element with: those of the site, and those of the system.
async function drawn(page, selector) {
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument");
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector });
  const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
  await session.detach();
  return fonts.map((font) => `${font.familyName}${font.isCustomFont ? "" : " of the system"}`);
}

test("text, headings, and code are in the fonts of the theme", async () => {
  const page = await usual.open("index.html");
  await page.evaluate(() => document.fonts.ready);
  for (const [selector, font] of [["#page-title", "Inter"], [".dw-prose p", "Inter"], [".dw-prose h2", "Inter"], [".dw-prose pre", "JetBrains Mono"]]) {
    const fonts = await drawn(page, selector);
    assert.ok(fonts.length && fonts.every((each) => each.startsWith(font) && !each.endsWith("system")), `${selector}: ${fonts}`);
  }
  await page.context().close();
});

test("text and headings are in the fonts of the configuration", async () => {
  const page = await chosen.open("index.html");
  await page.evaluate(() => document.fonts.ready);
  assert.deepEqual(await drawn(page, "#page-title"), ["Lora"]);
  const style = (selector) => page.locator(selector).first().evaluate((each) => {
    const { fontFamily, fontWeight } = getComputedStyle(each);
    return [fontFamily.split(",")[0], fontWeight];
  });
  assert.deepEqual(await style("#page-title"), ["Lora", "600"]);
  assert.deepEqual(await style(".dw-prose h2"), ["Lora", "600"]);
  assert.deepEqual(await style(".dw-prose p"), ["Acme", "400"]);
  assert.deepEqual(await page.evaluate(() => [...document.fonts].filter((each) => each.family === "Acme").map((each) => each.status)), ["loaded"]);
  await page.context().close();
});

test("page transfers two fonts, from its own host", async (context) => {
  const page = await usual.open("index.html");
  await page.evaluate(() => document.fonts.ready);
  const files = await page.evaluate(() => performance.getEntriesByType("resource").map((each) => [each.name, each.encodedBodySize]));
  assert.ok(files.every(([name]) => name.startsWith(usual.address)), files.join());
  const fonts = files.filter(([name]) => name.endsWith(".woff2"));
  assert.equal(fonts.length, 2, fonts.join());
  const bytes = fonts.reduce((sum, [, size]) => sum + size, 0);
  context.diagnostic(`${bytes} bytes of fonts`);
  assert.ok(bytes < 36_000, `${bytes} bytes`);
  await page.context().close();
});

test("small file of Inter draws text like the one with all weights, which loads with such text alone", async () => {
  const page = await usual.open("index.html");
  await page.evaluate(() => document.fonts.ready);
  const loaded = () => page.evaluate(() => [...document.fonts].filter((each) => each.family === "Inter" && each.status === "loaded").map((each) => each.weight));
  assert.deepEqual(await loaded(), ["400 700"]);
  const folder = join(usual.folder, "_docwright/fonts");
  const files = readdirSync(folder).filter((name) => name.endsWith(".inter-latin.woff2")).map((name) => `/_docwright/fonts/${name}`);
  assert.equal(files.length, 2);
  const widths = await page.evaluate(async (files) => {
    const line = document.createElement("span");
    document.body.append(line);
    const widths = {};
    for (const [index, file] of files.entries()) {
      await document.fonts.add(new FontFace(`Test ${index}`, `url(${file})`, { weight: "400 700" })).ready;
      for (const weight of [400, 500, 550, 620, 700]) {
        for (const text of ["AVATAR To Wy. “Hello”, Æsøp: 1,234 → €5", "1111", "0000"]) {
          line.style = `position:absolute;white-space:nowrap;font:${weight} 100px "Test ${index}";font-variant-numeric:tabular-nums`;
          line.textContent = text;
          await document.fonts.load(`${weight} 100px "Test ${index}"`, text);
          (widths[`${weight} ${text}`] ??= []).push(line.getBoundingClientRect().width);
        }
      }
      line.style = `position:absolute;white-space:nowrap;font:100px "Test ${index}";font-kerning:none`;
      line.textContent = "AVATAR";
      (widths["without kerning"] ??= []).push(line.getBoundingClientRect().width);
    }
    return widths;
  }, files);
  for (const [text, [one, other]] of Object.entries(widths)) assert.ok(Math.abs(one - other) < 2, `${text}: ${one}, ${other}`);
  assert.ok(Math.abs(widths["400 1111"][0] - widths["400 0000"][0]) < 1, "figures have one width");
  await page.evaluate(() => { document.querySelector(".dw-prose p").style.fontWeight = 800; });
  await page.evaluate(() => document.fonts.load("800 16px Inter"));
  assert.deepEqual(await loaded(), ["400 700", "701 900"]);
  await page.context().close();
});

test("page that is opened from a file is in the fonts of the site", async () => {
  const page = await usual.open("index.html");
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(pathToFileURL(join(usual.folder, "index.html")).href);
  await page.evaluate(() => document.fonts.ready);
  // Before the fonts are asked for: the browser's tools can read files in a way that it reports as an error.
  assert.deepEqual(problems, []);
  assert.deepEqual(await drawn(page, "#page-title"), ["Inter"]);
  await page.context().close();
});

test("nothing moves when fonts arrive late", async (context) => {
  for (const width of [1440, 1100, 390]) {
    const page = await usual.open("nowhere.html", { width });
    await page.addInitScript(() => {
      globalThis.shifts = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) globalThis.shifts += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    let release;
    const released = new Promise((resolve) => { release = resolve; });
    await page.route("**/*.woff2", async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(new URL("index.html", usual.address).href, { waitUntil: "commit" });
    await page.locator(".dw-prose h3").waitFor();
    const painted = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))));
    await painted();
    const places = () => page.locator(".dw-content :is(h1,h2,h3,p,li,pre,table)").evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
    const earlier = await places();
    assert.ok((await drawn(page, "#page-title")).every((font) => font.endsWith("of the system")), "the font is late");
    release();
    await page.evaluate(() => document.fonts.ready);
    await painted();
    assert.deepEqual(await drawn(page, "#page-title"), ["Inter"]);
    const later = await places();
    const shifts = await page.evaluate(() => globalThis.shifts);
    context.diagnostic(`${width} px wide: shift ${shifts}`);
    assert.deepEqual(later, earlier, `${width} px wide`);
    assert.equal(shifts, 0, `${width} px wide`);
    await page.context().close();
  }
});

test("page of another script names fonts for its language, and is mirrored if it runs from the right", async () => {
  for (const [path, font, direction] of [["ja.html", "Hiragino Sans", "ltr"], ["ar.html", "SF Arabic", "rtl"]]) {
    const page = await languages.open(path);
    const style = await page.locator(".dw-prose p").first().evaluate((each) => {
      const { fontFamily, direction } = getComputedStyle(each);
      return { fontFamily, direction };
    });
    assert.match(style.fontFamily, new RegExp(`^Inter, "Inter Fallback", "${font}"`));
    assert.equal(style.direction, direction);
    const [sidebar, text] = await Promise.all([".dw-sidebar", ".dw-content"].map((each) => page.locator(each).boundingBox()));
    assert.equal(sidebar.x > text.x, direction === "rtl");
    const spacing = await page.locator("#page-title").evaluate((each) => getComputedStyle(each).letterSpacing);
    assert.equal(spacing === "normal", direction === "rtl");
    await page.context().close();
  }
});
