// From one page to the next: hints for the browser, and motion.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { fixture } from "./fixture.mjs";

let site;

before(async () => {
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      navigation: { languages: [{ language: "en", pages: ["index", "other"] }, { language: "fr", pages: ["fr/index"] }] },
    },
    "fr/index.mdx": "---\ntitle: Accueil\n---\n\nTexte.\n",
    "index.mdx": "---\ntitle: Home\n---\n\n[Other](/other)\n",
    "other.mdx": "---\ntitle: Other\n---\n\n<Accordion title=\"More\">Text.</Accordion>\n",
  });
});

after(() => site?.close());

test("links of the site are hints for the browser, except from files", async () => {
  const page = await site.open("index.html");
  const session = await page.context().newCDPSession(page);
  const found = new Promise((resolve) => session.on("Preload.ruleSetUpdated", ({ ruleSet }) => resolve(ruleSet)));
  await session.send("Preload.enable");
  const rules = await found;
  assert.equal(rules.errorMessage, undefined);
  const [rule] = JSON.parse(rules.sourceText).prefetch;
  assert.equal(rule.eagerness, "moderate");
  assert.equal(rule.where.and[0].href_matches, "/*");
  await page.goto(pathToFileURL(join(site.folder, "index.html")).href);
  assert.equal(await page.locator("script[type=speculationrules]").count(), 0);
  await page.context().close();
});

test("page fades into the next one, unless readers want no motion", async () => {
  for (const [reducedMotion, fades] of [["no-preference", true], ["reduce", false]]) {
    const page = await site.open("index.html", { reducedMotion });
    await page.addInitScript(() => addEventListener("pagereveal", (event) => { globalThis.fades = Boolean(event.viewTransition); }));
    // A slow machine can let the browser give up a fade: one of several navigations is enough.
    const seen = [];
    for (let attempt = 0; attempt < 5 && !seen.includes(true); attempt += 1) {
      await page.goto(new URL("index.html", site.address).href);
      await page.locator(".mdx-content a").click();
      await page.waitForURL(/other\.html/);
      await page.waitForFunction(() => globalThis.fades !== undefined);
      seen.push(await page.evaluate(() => globalThis.fades));
    }
    assert.equal(seen.includes(true), fades, reducedMotion);
    const times = await page.evaluate(() => getComputedStyle(document.querySelector(".accordion"), "::details-content").transitionDuration);
    assert.equal(times.includes("0.12s"), fades, times);
    await page.context().close();
  }
});

test("chosen language is kept for the home page, below the base path too", async () => {
  for (const base of ["/", "/some/base/"]) {
    const page = await site.open(`${base}index.html`);
    await page.locator("#localization-select-trigger").click();
    await page.locator("a[hreflang=fr]:visible").click();
    await page.waitForURL(/fr\.html/);
    const cookies = await page.context().cookies(page.url());
    const [cookie] = cookies.filter(({ name }) => name === "docwright_language");
    assert.deepEqual({ value: cookie?.value, path: cookie?.path }, { value: "fr", path: base });
    await page.context().close();
  }
});
