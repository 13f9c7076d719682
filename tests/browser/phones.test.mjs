// What readers of a site meet on a phone: the contents list, the menu, code, and nothing wider than the window.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";
import { isAccessible } from "./pages.mjs";

const words = "Some words that fill a line or two of the page, so that places lie apart from each other. ".repeat(4);
const sections = Array.from({ length: 24 }, (_, number) => `## Section ${number + 1}\n\n${words}\n`).join("\n");
const pages = (count, name) => Array.from({ length: count }, (_, number) => `${name}/page-${number}`);
const LONG = "x".repeat(90);

const WIDE = `---
title: ${LONG}
description: ${LONG}
---

## \`${LONG}\`

A word that is long: ${LONG}, a formula $${Array.from({ length: 20 }, (_, number) => `y_{${number}}`).join(" + ")}$ in a sentence, and one of its own:

$$
${Array.from({ length: 40 }, (_, number) => `x_{${number}}`).join(" + ")}
$$

| Name | ${LONG} |
| --- | --- |
| ${LONG} | Text |

<Tabs>
  <Tab title="${LONG}">One.</Tab>
  <Tab title="Second">Two.</Tab>
</Tabs>

<Steps><Step title="${LONG}">A step.</Step></Steps>

<Card title="${LONG}">A card.</Card>

<Accordion title="${LONG}">Text.</Accordion>

<ParamField path="${LONG}" type="${LONG}">Text.</ParamField>

<Update label="${LONG}" tags={["${LONG}"]}>Text.</Update>

<Frame caption="${LONG}"><iframe src="https://example.com" width="900" height="300"></iframe></Frame>

<Badge>${LONG}</Badge>

${Array.from({ length: 40 }, (_, number) => `## ${"e".repeat(number + 10)}`).join("\n\n")}

<Tooltip tip="${LONG}">A tip</Tooltip>
`;

const CODE = `\`\`\`bash
npm install ${LONG}
\`\`\`

\`\`\`js title.js
const titled = "${LONG}";
\`\`\`

<CodeGroup>
\`\`\`bash npm
npm install ${LONG}
\`\`\`
\`\`\`bash yarn
yarn add ${LONG}
\`\`\`
</CodeGroup>
`;

let site;

before(async () => {
  const files = Object.fromEntries([...pages(40, "first"), ...pages(40, "last")].map((path) => [`${path}.mdx`, `---\ntitle: ${path}\n---\n\nText.\n`]));
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      navigation: {
        groups: [
          { group: "Top", pages: ["index", "long", "wide", "code"] },
          { group: "First", pages: pages(40, "first") },
          { group: "Last", pages: [{ group: "Inner", pages: pages(40, "last") }] },
        ],
      },
    },
    "index.mdx": "---\ntitle: Home\n---\n\nNo headings.\n",
    "long.mdx": `---\ntitle: Long\n---\n\n${sections}`,
    "wide.mdx": WIDE,
    "code.mdx": CODE,
    ...files,
  });
});

after(() => site?.close());

const phone = { width: 390, height: 800, hasTouch: true, isMobile: true };

test("bar below the header opens the contents list", async () => {
  const page = await site.open("long.html", phone);
  const bar = page.locator(".dw-contents-bar > summary");
  const list = page.locator("#table-of-contents");
  assert.ok(await bar.isVisible());
  assert.ok(!(await list.isVisible()));
  await bar.click();
  await list.getByRole("link", { name: "Section 20" }).click();
  await list.waitFor({ state: "hidden" });
  const [heading, edge] = await page.evaluate(() => [
    document.getElementById("section-20").getBoundingClientRect().top,
    document.querySelector(".dw-contents-bar").getBoundingClientRect().bottom,
  ]);
  assert.ok(heading >= edge && heading < edge + 40, `the heading is at ${heading}, the bar ends at ${edge}`);
  await page.context().close();
});

test("bar names the section that is read, and how much is read", async () => {
  const page = await site.open("long.html#section-9", phone);
  const bar = page.locator(".dw-contents-bar");
  const here = page.locator(".dw-contents-here");
  await page.waitForFunction(() => document.querySelector(".dw-contents-here").textContent === "Section 9");
  const read = () => bar.evaluate((each) => Number(each.style.getPropertyValue("--read")));
  const before = await read();
  assert.ok(before > 0.1 && before < 0.9, `${before}`);
  await page.evaluate(() => {
    dispatchEvent(new Event("wheel"));
    scrollTo(0, document.documentElement.scrollHeight);
  });
  await page.waitForFunction(() => document.querySelector(".dw-contents-here").textContent === "Section 24");
  assert.equal(await read(), 1);
  assert.ok(await here.isVisible());
  await page.context().close();
});

test("contents list opens and leads to sections without scripts", async () => {
  const page = await site.open("long.html", { ...phone, javaScriptEnabled: false });
  await page.locator(".dw-contents-bar > summary").click();
  await page.getByRole("link", { name: "Section 7", exact: true }).click();
  assert.match(page.url(), /#section-7$/);
  await page.context().close();
});

test("page without headings has no bar, and wide windows have the list beside the text", async () => {
  const page = await site.open("index.html", phone);
  assert.equal(await page.locator(".dw-contents-bar").count(), 0);
  await page.context().close();
  const wide = await site.open("long.html");
  assert.ok(!(await wide.locator(".dw-contents-bar").isVisible()));
  assert.ok(await wide.locator("#table-of-contents").isVisible());
  await wide.context().close();
});

test("menu opens at the current page", async () => {
  const page = await site.open("last/page-35.html", phone);
  await page.locator("#mobile-nav > summary").click();
  const current = page.locator("#sidebar [aria-current=page]");
  await current.waitFor();
  await page.waitForFunction(() => {
    const box = document.querySelector("#sidebar [aria-current=page]").getBoundingClientRect();
    return box.height > 0 && box.top > 60 && box.bottom < innerHeight;
  }, null, { timeout: 5000 });
  await page.context().close();
});

// The layout of a long page takes a phone a while, and is computed once it is painted anyway.
test("no layout is computed while a page loads on a phone", async () => {
  const measure = () => {
    window.measured = 0;
    const own = Element.prototype.getBoundingClientRect;
    Element.prototype.getBoundingClientRect = function () {
      if (document.readyState === "loading") window.measured++;
      return own.call(this);
    };
  };
  for (const [options, isMeasured] of [[phone, false], [{}, true]]) {
    const page = await site.open("index.html", options);
    await page.addInitScript(measure);
    await page.goto(new URL("last/page-35.html", page.url()).href);
    assert.equal(await page.evaluate(() => globalThis.measured > 0), isMeasured);
    await page.context().close();
  }
});

for (const width of [390, 320]) {
  test(`nothing is wider than a window of ${width} px`, async () => {
    const page = await site.open("wide.html", { ...phone, width });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.context().close();
  });

  test(`hidden labels of buttons in any language don't widen a window of ${width} px`, async () => {
    const page = await site.open("code.html", { ...phone, width });
    const scrollWidth = await page.evaluate((label) => {
      const labels = document.querySelectorAll(".dw-page-context-menu > button > span, .dw-search-button span");
      labels.forEach((each) => (each.textContent = label));
      return labels.length > 1 && document.documentElement.scrollWidth;
    }, LONG);
    assert.equal(scrollWidth, width);
    await page.context().close();
  });
}

for (const width of [768, 390]) {
  test(`buttons of the header stand at its end, also without a search, at ${width} px`, async () => {
    const page = await site.open("index.html", { ...phone, width });
    const edges = () => page.evaluate(() => {
      const last = document.querySelector(".dw-header-row > [data-mode-toggle], .dw-header-row .dw-mode-toggle");
      return [last.getBoundingClientRect().right, document.querySelector(".dw-nav-logo").getBoundingClientRect().left];
    });
    const before = await edges();
    assert.ok(before[0] > width - 40, `${before}`);
    await page.addStyleTag({ content: ".dw-search-button{display:none}" });
    assert.deepEqual(await edges(), before);
    await page.context().close();
  });
}

test("copy button covers no code", async () => {
  const page = await site.open("code.html", phone);
  const covered = await page.evaluate(() => [...document.querySelectorAll(".code-block")].filter((block) => {
    const [button, code] = [block.querySelector("[data-copy]"), block.querySelector("pre")].map((each) => each.getBoundingClientRect());
    return button.width > 0 && button.left < code.right && button.right > code.left && button.top < code.bottom && button.bottom > code.top;
  }).length);
  assert.equal(covered, 0);
  await page.context().close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`open contents list is accessible in ${colorScheme} mode`, async () => {
    const page = await site.open("long.html", { ...phone, colorScheme });
    await page.locator(".dw-contents-bar > summary").click();
    await isAccessible(page);
    await page.context().close();
  });
}
