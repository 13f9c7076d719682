// Parts of a page that are shown in turn, or once readers open them: on the page, in the contents list, on paper.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { fixture } from "./fixture.mjs";

const PARTS = `---
title: Parts
---

## Open

Text.

<Accordion title="Closed">
  ## Inside

  Text of the accordion.
</Accordion>

<Expandable title="More">Text of the expandable.</Expandable>

<Tabs>
  <Tab title="One">

    ## In one

    Text of one.
  </Tab>
  <Tab title="Two">

    ## In two

    Text of two.
  </Tab>
</Tabs>

<details><summary>Own</summary>Text of its author.</details>

\`\`\`js expandable
${Array.from({ length: 30 }, (_, number) => `line(${number});`).join("\n")}
\`\`\`

<iframe src="https://example.com/a"></iframe>
<iframe src="https://example.com/b" loading="eager"></iframe>
`;

const MANAGERS = (first) => `<CodeGroup>
\`\`\`bash ${first}
${first} add it
\`\`\`
\`\`\`bash pnpm
pnpm add it
\`\`\`
</CodeGroup>

<Tabs>
  <Tab title="${first}">Text for ${first}.</Tab>
  <Tab title="pnpm">Text for pnpm.</Tab>
</Tabs>
`;

let site;

before(async () => {
  site = await fixture({
    "docs.json": { theme: "mint", name: "Fixture", navigation: { pages: ["index", "parts", "npm", "yarn"] }, errors: { 404: { description: "Read [the start](/index)." } } },
    "index.mdx": "---\ntitle: Home\n---\n\nText.\n",
    "parts.mdx": PARTS,
    "npm.mdx": `---\ntitle: npm\n---\n\n${MANAGERS("npm")}`,
    "yarn.mdx": `---\ntitle: yarn\n---\n\n${MANAGERS("yarn")}`,
  });
});

after(() => site?.close());

const listed = (page) => page.locator("#table-of-contents .toc-item:visible").allInnerTexts();

test("contents list names what can be seen", async () => {
  const page = await site.open("parts.html");
  assert.deepEqual(await listed(page), ["Open", "In one"]);
  await page.getByText("Closed").click();
  await page.getByRole("tab", { name: "Two" }).click();
  await page.locator("#table-of-contents").getByText("Inside").waitFor();
  assert.deepEqual(await listed(page), ["Open", "Inside", "In two"]);
  await page.context().close();
  const plain = await site.open("parts.html", { javaScriptEnabled: false });
  assert.deepEqual(await listed(plain), ["Open", "In one", "In two"]);
  await plain.context().close();
});

test("link to a heading in a closed accordion or another tab shows it", async () => {
  const page = await site.open("parts.html#inside");
  await page.getByText("Text of the accordion.").waitFor();
  await page.evaluate(() => { location.hash = "#in-two"; });
  await page.getByText("Text of two.").waitFor();
  // Ids differ in signs between programs.
  await page.goto(new URL("parts.html#In_Two?", site.address).href);
  await page.getByText("Text of two.").waitFor();
  await page.context().close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`paper has what is closed, ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
    const page = await site.open("parts.html", { javaScriptEnabled });
    await page.emulateMedia({ media: "print" });
    for (const text of ["Text of the accordion.", "Text of the expandable.", "Text of one.", "Text of two.", "Text of its author."]) {
      assert.ok(await page.getByText(text).isVisible(), text);
    }
    const cut = await page.locator("pre").first().evaluate((pre) => pre.scrollHeight > pre.clientHeight + 1);
    assert.ok(!cut, "long code is cut");
    await page.context().close();
  });
}

test("printing leaves accordions as they were", async () => {
  const page = await site.open("parts.html");
  const open = () => page.evaluate(() => [...document.querySelectorAll(".dw-main details:not([data-dropdown])")].map((each) => each.open));
  const before = await open();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.ok((await open()).every(Boolean));
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.deepEqual(await open(), before);
  assert.equal(new URL(page.url()).hash, "");
  await page.context().close();
});

for (const place of ["http", "file"]) {
  test(`chosen tab is chosen on the next page, before it is drawn, over ${place}`, async () => {
    const page = await site.open("npm.html");
    const at = (path) => (place === "http" ? new URL(path, site.address) : pathToFileURL(join(site.folder, path))).href;
    await page.goto(at("npm.html"));
    await page.getByRole("tab", { name: "pnpm" }).first().click();
    assert.ok(await page.getByText("Text for pnpm.").isVisible(), "the other set follows");
    // The script of every page comes too late: without it, the choice must be there already.
    await page.route("**/theme.js", (route) => route.abort());
    await page.goto(at("yarn.html"));
    assert.deepEqual(await page.locator("[role=tab][aria-selected=true]").allInnerTexts(), ["pnpm", "pnpm"]);
    assert.ok(await page.getByText("Text for pnpm.").isVisible());
    assert.ok(!(await page.getByText("Text for yarn.").isVisible()));
    await page.context().close();
  });
}

test("link to a place in a tab is no choice of the reader", async () => {
  const page = await site.open("parts.html#in-two");
  assert.equal(await page.evaluate(() => localStorage.getItem("docwright-tabs")), null);
  await page.context().close();
});

test("frames are loaded late unless their author says otherwise", async () => {
  const page = await site.open("parts.html");
  const loading = await page.locator("iframe").evaluateAll((all) => all.map((frame) => frame.getAttribute("loading")));
  assert.deepEqual(loading, ["lazy", "eager"]);
  await page.context().close();
});

test("link in the description of the page for missing pages looks like a link", async () => {
  const page = await site.open("missing.html");
  const link = page.locator(".not-found-description a");
  assert.equal(await link.evaluate((each) => getComputedStyle(each).textDecorationLine), "underline");
  await page.context().close();
});
