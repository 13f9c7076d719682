// Distances that readers see: between fields, in lists, beside titles, and of diagrams in their column.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";
import { isAccessible } from "./pages.mjs";

const PAGE = `---
title: Page
---

<ParamField body="first" type="string">The first field.</ParamField>
<ParamField body="second" type="string">The second field.</ParamField>
<ParamField body="third" type="string">The third field.</ParamField>

1. First item of a list:

   - One part
   - Another part

2. Another item.
`;

const DIAGRAM = (count) => `---
title: Diagram
---

\`\`\`mermaid
flowchart LR
  ${Array.from({ length: count }, (_, number) => `N${number}["A node with number ${number}"] --> N${number + 1}["A node with number ${number + 1}"]`).join("\n  ")}
\`\`\`
`;

const CODE = `---
title: Code
---

<span className="font-mono">A word of fixed width.</span>

<CodeGroup>
\`\`\`js one.js
const one = 1;
\`\`\`
\`\`\`js two.js
const two = 2;
\`\`\`
</CodeGroup>

\`\`\`js title.js lines
const titled = true; // [!code ++]
\`\`\`
`;

const CLOSED = `---
title: Questions
---

<Accordion title="A question">
  ## An answer

  Text.
</Accordion>
`;

const SPEC = {
  openapi: "3.1.0",
  info: { title: "API", version: "1" },
  paths: { "/a": Object.fromEntries(["get", "post", "put", "delete", "patch"].map((method) => [method, { summary: `The ${method}`, responses: { 200: { description: "ok" } } }])) },
};

let site;

before(async () => {
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      colors: { primary: "#131415", light: "#131415" },
      background: { color: { light: "#eeeeee", dark: "#222831" } },
      contextual: { options: ["copy", "view"] },
      seo: { metatags: { canonical: "https://docs.example.com" } },
      banner: { content: "News" },
      navbar: { links: [{ type: "discord", href: "https://discord.com/invite/example" }] },
      styling: { codeblocks: { theme: "night-owl" } },
      navigation: { groups: [{ group: "Guides", pages: ["index", "fitting", "wide", "changelog", "code", "closed"] }, { group: "API", openapi: "openapi.json" }] },
    },
    "openapi.json": JSON.stringify(SPEC),
    "index.mdx": PAGE,
    "fitting.mdx": DIAGRAM(2),
    "wide.mdx": DIAGRAM(9),
    "code.mdx": CODE,
    "closed.mdx": CLOSED,
    "changelog.mdx": `---\ntitle: A changelog\nrss: true\n---\n\n<Update label="May 2026">\nText.\n</Update>\n`,
  });
});

after(() => site?.close());

test("line between two fields is in the middle", async () => {
  const page = await site.open("index.html");
  const [above, below] = await page.evaluate(() => {
    const [first, second] = document.querySelectorAll(".dw-field");
    const line = first.getBoundingClientRect().bottom;
    return [line - first.querySelector(".dw-field-content").getBoundingClientRect().bottom, second.querySelector(".dw-field-head").getBoundingClientRect().top - line];
  });
  assert.ok(Math.abs(above - below) <= 2, `${above} px above the line, ${below} px below`);
  await page.context().close();
});

test("list in a list is as near to its sentence as to the next item", async () => {
  const page = await site.open("index.html");
  const [before, between] = await page.evaluate(() => {
    const [first, second] = document.querySelectorAll(".mdx-content ol > li");
    const [sentence, list] = [first.querySelector("p"), first.querySelector("ul")].map((each) => each.getBoundingClientRect());
    return [list.top - sentence.bottom, second.getBoundingClientRect().top - list.bottom];
  });
  assert.ok(before <= between + 8, `${before} px before the list, ${between} px after it`);
  await page.context().close();
});

test("titles of operations in the sidebar start at one place", async () => {
  const page = await site.open("index.html");
  const starts = await page.locator(".method-nav-pill + span").evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().left)));
  assert.equal(starts.length, 5);
  assert.equal(new Set(starts).size, 1, starts.join());
  await page.context().close();
});

test("feed and menu of a page stand in one row on a phone", async () => {
  const page = await site.open("changelog.html", { width: 390 });
  const tops = await page.locator(".dw-rss-button, .dw-page-context-menu").evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
  assert.equal(tops.length, 2);
  assert.equal(tops[0], tops[1]);
  await page.context().close();
});

test("header above the open menu hides the banner behind it", async () => {
  const page = await site.open("index.html", { width: 390 });
  await page.locator("#mobile-nav > summary").click();
  assert.equal(await page.locator("#navbar").evaluate((each) => getComputedStyle(each).backgroundColor), "rgb(238, 238, 238)");
  await page.context().close();
});

test("diagram that is a little too wide shrinks until it fits, a wider one scrolls", async () => {
  const look = async (path) => {
    const page = await site.open(path);
    const found = await page.locator(".dw-mermaid-scroll").evaluate((scroll) => {
      const svg = scroll.querySelector("svg");
      return { natural: svg.viewBox.baseVal.width, room: scroll.clientWidth, scale: svg.getScreenCTM().a, scrolls: scroll.scrollWidth > scroll.clientWidth };
    });
    await page.context().close();
    return found;
  };
  const fitting = await look("fitting.html");
  assert.ok(fitting.natural > fitting.room && fitting.natural * 0.75 < fitting.room - 32, JSON.stringify(fitting));
  assert.ok(!fitting.scrolls && fitting.scale < 1 && fitting.scale >= 0.75, JSON.stringify(fitting));
  const wide = await look("wide.html");
  assert.ok(wide.scrolls && wide.scale > 0.99, JSON.stringify(wide));
});

for (const colorScheme of ["light", "dark"]) {
  test(`lines stand out from a background of the author's in ${colorScheme} mode`, async () => {
    const page = await site.open("index.html", { colorScheme });
    const apart = await page.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d");
      const light = (color) => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
        return (red + green + blue) / 3;
      };
      const style = getComputedStyle(document.querySelector(".dw-field"));
      return Math.abs(light(style.borderBottomColor) - light(getComputedStyle(document.querySelector(".dw-background")).backgroundColor));
    });
    assert.ok(apart > 15, `${apart} of 255`);
    await page.context().close();
  });
}

test("gray of the author's marks the current page in dark mode as strongly as text", async () => {
  const page = await site.open("index.html", { colorScheme: "dark" });
  const [current, text] = await page.evaluate(() => ["#sidebar [aria-current=page]", "#page-title"].map((selector) => getComputedStyle(document.querySelector(selector)).color));
  assert.equal(current, text);
  await page.context().close();
});

test("code has a face of fixed width on a site that uses the utility class of one", async () => {
  const page = await site.open("code.html");
  const faces = await page.evaluate(() => ["pre code", ".font-mono"].map((selector) => getComputedStyle(document.querySelector(selector)).fontFamily.split(",")[0]));
  assert.deepEqual(faces, ['"JetBrains Mono"', '"JetBrains Mono"']);
  await page.context().close();
});

test("words on dark code can be read on a light page", async () => {
  const page = await site.open("code.html", { colorScheme: "light" });
  await isAccessible(page);
  await page.context().close();
});

for (const width of [1440, 390]) {
  test(`contents list whose entries are all in closed parts is hidden at ${width} px`, async () => {
    const page = await site.open("closed.html", { width });
    const shown = () => page.locator(".dw-toc-title, .dw-contents-bar").evaluateAll((all) => all.filter((each) => each.checkVisibility()).length);
    assert.equal(await shown(), 0);
    await page.locator(".accordion > summary").click();
    await page.waitForFunction(() => document.querySelector(".dw-toc-item:not([hidden])"));
    assert.equal(await shown(), 1);
    await page.context().close();
  });
}

test("sign of an added line is beside that line", async () => {
  const page = await site.open("code.html");
  const sign = await page.locator(".dw-line-add").evaluate((line) => {
    const { content, top } = getComputedStyle(line, "::after");
    return [content, top, getComputedStyle(line).position];
  });
  assert.deepEqual(sign, ['"+"', "0px", "relative"]);
  await page.context().close();
});
