// Style sheets of authors are written for the markup of the format: what they place, widen, or hide keeps its place here.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const words = "Some words that fill a line or two of the page, so that places lie apart from each other. ".repeat(4);

const STYLES = `
html:not([data-page-mode="wide"]) #content-area { max-width: 40rem !important; }
#banner::before { content: ""; position: absolute; inset: 0; background: #7f1d1d; }
#banner > * { position: relative; }
#localization-select-trigger { position: fixed !important; bottom: 16px !important; right: 16px !important; }
.update-container > div:first-child { display: none !important; }
#header:has(+ #content[data-page-href$="/changelog"]) #page-title { display: none !important; }
.callout[data-callout-type="note"] [data-component-part="callout-content"] { color: rgb(30, 64, 175) !important; }
.probe { color: rgb(var(--primary)); background: rgb(var(--background-light)); border: 1px solid rgb(var(--gray-500)); }
`;

const PAGE = `---
title: Page
---

## First

${words}

<Note>A note.</Note>

<span className="probe">A color of the format.</span>

## Second

${words}
`;

const EXAMPLES = `---
title: Examples
---

${words}

<RequestExample>
\`\`\`bash Request
curl https://example.com
\`\`\`
</RequestExample>
`;

let site;

before(async () => {
  const pages = ["index", "examples", "wide", "changelog"];
  site = await fixture({
    "docs.json": {
      theme: "almond",
      name: "Fixture",
      colors: { primary: "#0f766e" },
      banner: { content: "News" },
      navigation: { languages: [{ language: "en", pages }, { language: "de", pages: ["de/index"] }] },
    },
    "style.css": STYLES,
    "index.mdx": PAGE,
    "de/index.mdx": PAGE,
    "examples.mdx": EXAMPLES,
    "wide.mdx": `---\ntitle: Wide\nmode: wide\n---\n\n${words}\n`,
    "changelog.mdx": `---\ntitle: Changelog\n---\n\n<Update label="May 2026">\n${words}\n</Update>\n`,
  });
});

after(() => site?.close());

const box = (page, selector) => page.locator(selector).first().boundingBox();

test("content area of the author's width is the text without the column beside it", async () => {
  const page = await site.open("index.html");
  const [area, text, list] = [await box(page, "#content-area"), await box(page, "#content"), await box(page, ".toc")];
  assert.equal(area.width, 640);
  assert.equal(text.width, 640);
  assert.ok(list.x >= area.x + area.width, `the list is at ${list.x}`);
  await page.goto(new URL("wide.html", site.address).href);
  assert.ok((await box(page, "#content-area")).width > 640);
  await page.context().close();
});

for (const width of [1440, 1000, 390]) {
  test(`examples come before the foot of the page at ${width} px`, async () => {
    const page = await site.open("examples.html", { width });
    const [text, examples, foot] = [await box(page, "#content"), await box(page, ".dw-examples"), await box(page, ".dw-pagination")];
    assert.ok(examples.y >= text.y + text.height || examples.x >= text.x + text.width, "the examples cover the text");
    assert.ok(foot.y >= examples.y + examples.height || examples.x >= foot.x + foot.width, "the foot is above the examples");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.context().close();
  });
}

test("layer of a banner covers the banner alone", async () => {
  const page = await site.open("index.html");
  const title = await page.locator("#page-title").evaluate((each) => {
    const { left, top } = each.getBoundingClientRect();
    return document.elementFromPoint(left + 5, top + 5) === each;
  });
  assert.ok(title, "something covers the title");
  await page.context().close();
});

test("fixed part of the header is fixed to the window", async () => {
  const page = await site.open("index.html", { height: 700 });
  // Almond has the menu of languages in the sidebar; pages without one have it in the header.
  const place = await page.evaluate(() => {
    const trigger = document.getElementById("localization-select-trigger");
    document.querySelector(".dw-header-row").append(trigger.closest("details"));
    const { bottom, right } = trigger.getBoundingClientRect();
    return [innerHeight - bottom, document.documentElement.clientWidth - right];
  });
  assert.deepEqual(place, [16, 16]);
  await page.context().close();
});

test("update without its column of dates has the full width", async () => {
  const page = await site.open("changelog.html");
  const [update, content] = [await box(page, ".update"), await box(page, '[data-component-part="update-content"]')];
  assert.equal(content.width, update.width);
  assert.ok(!(await page.locator("#page-title").isVisible()));
  await page.context().close();
});

test("attributes and custom properties of the format select and color", async () => {
  const page = await site.open("index.html");
  const styles = await page.evaluate(() => {
    const probe = getComputedStyle(document.querySelector(".probe"));
    const note = document.querySelector(".callout [data-component-part=callout-content]");
    return [probe.color, probe.backgroundColor, probe.borderTopColor, getComputedStyle(note).color];
  });
  assert.deepEqual(styles, ["rgb(15, 118, 110)", "rgb(255, 255, 255)", "rgb(107, 115, 125)", "rgb(30, 64, 175)"]);
  await page.context().close();
});
