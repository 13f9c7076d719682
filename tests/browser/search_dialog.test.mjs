// The search dialog: sections, symbols, filters, corrections, recent pages, keys.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { fixture } from "./fixture.mjs";

const page = (title, body) => `---\ntitle: ${title}\n---\n${body}\n`;
let site;

before(async () => {
  const numbered = Array.from({ length: 24 }, (_, number) => `more/p${number}`);
  site = await fixture({
    "docs.json": {
      theme: "mint", name: "S", colors: { primary: "#0f766e" },
      navigation: {
        languages: [
          {
            language: "en",
            tabs: [
              { tab: "Docs", versions: [{ version: "v2", pages: ["index", "install", ...numbered] }, { version: "v1", pages: ["old"] }] },
              { tab: "Changes", pages: ["changelog"] },
            ],
          },
          { language: "fr", pages: ["fr/index"] },
        ],
      },
    },
    "index.mdx": page("Home", "See [the installation](/install)."),
    "install.mdx": page("Installation", "Begin.\n\n## Variables\n\n| Name | Meaning |\n| --- | --- |\n| `PORT_NUMBER` | The port of the widget |\n\n## On Linux\n\nInstall the widget.\n"),
    "old.mdx": page("Installation of v1", "The widget of old."),
    "changelog.mdx": page("Changelog", "The widget changed."),
    "fr/index.mdx": page("Accueil", "Le widget en français."),
    ...Object.fromEntries(numbered.map((path, number) => [`${path}.mdx`, page(`Widget ${number}`, "A widget.")])),
  });
});

after(() => site.close());

async function search(address, text) {
  const opened = await site.open(address);
  await opened.locator("[data-search-open]").first().click();
  await opened.locator("#search-input").fill(text);
  return opened;
}

const titles = (opened) => opened.locator("#search-results .dw-search-title").allInnerTexts();

test("symbol answers above the pages, and leads to its definition", async () => {
  const opened = await search("index.html", "PORT_NUMBER");
  const symbol = opened.locator("#search-results .dw-search-symbol");
  await symbol.waitFor();
  assert.match(await symbol.innerText(), /PORT_NUMBER\s*Variable/);
  assert.match(await symbol.innerText(), /The port of the widget/);
  await opened.keyboard.press("Enter");
  await opened.waitForURL(/install\.html#variables$/);
});

test("search loads after the page, and keeps what a reader types meanwhile", async () => {
  const opened = await site.open("404.html");
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  let wasLoaded;
  await opened.route("**/_docwright/search.js", async (route) => {
    wasLoaded = await opened.evaluate(() => document.readyState);
    await held;
    await route.continue();
  });
  await opened.goto(new URL("index.html", site.address).href, { waitUntil: "load" });
  await opened.locator("[data-search-open]").first().click();
  await opened.keyboard.type("linu/");
  await opened.keyboard.press("Backspace");
  await opened.keyboard.type("x");
  assert.equal(await opened.locator("#search-input").count(), 0);
  release();
  await opened.locator("#search-results .dw-search-section").first().waitFor();
  assert.equal(await opened.locator("#search-input").inputValue(), "linux");
  assert.equal(wasLoaded, "complete");
});

for (const path of ["index.html", "404.html"]) {
  test(`keys and buttons of ${path} open the same search again and again`, async () => {
    const opened = await site.open(path);
    for (const open of [
      () => opened.keyboard.press("/"),
      () => opened.locator("[data-search-open]").first().click(),
      () => opened.keyboard.press("Control+k"),
    ]) {
      await open();
      await opened.locator("#search-input").fill("linux");
      await opened.locator("#search-results .dw-search-section").first().waitFor();
      assert.equal(await opened.locator("dialog.dw-search-dialog").count(), 1);
      await opened.locator(".dw-search-close").click();
      await opened.locator("#search-input").waitFor({ state: "hidden" });
    }
  });
}

test("page has its sections below, and arrow keys choose them", async () => {
  const opened = await search("index.html", "linux");
  const section = opened.locator("#search-results .dw-search-section");
  await section.first().waitFor();
  assert.match(await section.first().innerText(), /On Linux/);
  await opened.keyboard.press("ArrowDown");
  assert.equal(await section.first().getAttribute("aria-selected"), "true");
  await opened.keyboard.press("Enter");
  await opened.waitForURL(/install\.html#on-linux$/);
});

test("more results load while the reader scrolls", async () => {
  const opened = await search("index.html", "widget ");
  await opened.locator("#search-results .dw-search-title").first().waitFor();
  const few = (await titles(opened)).length;
  assert.ok(few >= 4 && few < 20, `${few} pages`);
  await opened.locator("#search-results").evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await opened.waitForFunction(() => document.querySelectorAll("#search-results .dw-search-title").length > 12);
});

test("filter starts with the version of the page, and readers can change it", async () => {
  const opened = await search("index.html", "installation");
  const version = opened.locator(".dw-search-filters select[aria-label=Version]");
  await version.waitFor();
  assert.equal(await version.inputValue(), "v2");
  assert.ok(!(await titles(opened)).includes("Installation of v1"));
  await version.selectOption("v1");
  await opened.locator(".dw-search-title", { hasText: "Installation of v1" }).waitFor();
});

test("reader can search another language", async () => {
  const opened = await search("index.html", "widget ");
  await opened.locator(".dw-search-filters select[aria-label=Language]").selectOption("fr");
  await opened.locator(".dw-search-title", { hasText: "Accueil" }).waitFor();
});

test("mistyped query is corrected, and its correction is offered", async () => {
  const opened = await search("index.html", "instalation ");
  const correction = opened.locator(".dw-search-hint button");
  await correction.waitFor();
  assert.match(await opened.locator(".dw-search-hint").innerText(), /Did you mean installation/);
  await correction.click();
  assert.match(await opened.locator("#search-input").inputValue(), /^installation/);
});

test("opened pages are recent, and linked pages are suggested, from file:// too", async () => {
  const opened = await search(pathToFileURL(`${site.folder}/index.html`).href, "linux");
  await opened.locator(".dw-search-section").first().waitFor();
  // Chromium can lose what a page stores right before it is left, so this page stays.
  await opened.evaluate(() => document.addEventListener("click", (event) => event.preventDefault(), { once: true }));
  await opened.keyboard.press("Enter");
  await opened.locator(".dw-search-dialog").waitFor({ state: "hidden" });
  await opened.locator("[data-search-open]").first().click();
  await opened.locator("#search-input").fill("");
  await opened.locator(".dw-search-group", { hasText: "Recent" }).waitFor();
  const text = await opened.locator("#search-results").innerText();
  assert.match(text, /Recent\s+Installation\s+Suggested\s+Installation/);
  assert.match(await opened.locator(".dw-search-keys").innerText(), /Select.*Open.*Close/s);
});
