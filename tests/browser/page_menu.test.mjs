// The menu beside a page's title, and the ids that links to its headings rely on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const OPTIONS = ["copy", "view", "chatgpt", "claude", "perplexity", "grok", "aistudio", "devin", "mcp", "add-mcp", "cursor", "vscode"];
// As the authoring format names the headings.
const IDS = {
  'The "main" part': "the-main-part",
  "Step 1: install": "step-1-install",
  "🚀 Launch": "-launch",
  "Fees & billing": "fees-&-billing",
};

let site;

before(async () => {
  site = await fixture({
    "docs.json": { theme: "mint", name: "Fixture", colors: { primary: "#0f766e" }, contextual: { options: OPTIONS }, navigation: { pages: ["index"] } },
    "index.mdx": `---\ntitle: Home\n---\n\n${Object.keys(IDS).map((heading) => `## ${heading}\n\n${"Text. ".repeat(400)}\n`).join("\n")}`,
  });
});

after(() => site?.close());

test("each entry of the page menu has a picture of its own", async () => {
  const page = await site.open("index.html");
  await page.locator("#page-context-menu-button").click();
  const entries = await page.locator(".dw-page-context-more li").evaluateAll((all) => all.map((each) => [each.innerText.trim(), getComputedStyle(each.querySelector(".dw-icon"), "::before").maskImage]));
  assert.equal(entries.length, OPTIONS.length - 1);
  assert.equal(new Set(entries.map(([, picture]) => picture)).size, entries.length, entries.map(([label]) => label).join());
  await page.context().close();
});

for (const [heading, id] of Object.entries(IDS)) {
  test(`link with the id of the format leads to "${heading}"`, async () => {
    const page = await site.open(`index.html#${id}`);
    await page.waitForFunction((text) => {
      const heading = [...document.querySelectorAll(".mdx-content h2")].find((each) => each.textContent.startsWith(text));
      const top = heading.getBoundingClientRect().top;
      return top >= 0 && top < innerHeight / 2;
    }, heading, { timeout: 5000 });
    assert.equal(await page.locator(".mdx-content h2", { hasText: heading }).getAttribute("id"), id);
    await page.context().close();
  });
}
