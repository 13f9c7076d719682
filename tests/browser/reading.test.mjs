// What readers see of a page: places, authors' styles, paper, diagrams, formulas.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const words = "Some words that fill a line or two of the page, so that places lie apart from each other. ".repeat(4);
const sections = Array.from({ length: 24 }, (_, number) => `## Section ${number + 1}\n\n${words}\n`).join("\n");

let site;

before(async () => {
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      colors: { primary: "#0f766e" },
      navigation: {
        tabs: [
          { tab: "Guides", pages: ["index", "long"] },
          { tab: "More", pages: ["other"] },
        ],
      },
    },
    "index.mdx": "# Home\n\nHello.\n",
    "other.mdx": "# Other\n\nHello.\n",
    "long.mdx": `---\ntitle: Long\n---\n\n${sections}\n<Steps>\n  <Step title="A step">${words}</Step>\n</Steps>\n\n${sections.replaceAll("Section", "Part")}`,
  });
});

after(() => site?.close());

for (const width of [1440, 390]) {
  test(`a link to a place shows it right below the header, at ${width} px`, async () => {
    for (const id of ["section-12", "a-step", "part-3"]) {
      const page = await site.open(`long.html#${id}`, { width });
      const measured = await page.evaluate((id) => ({
        top: document.getElementById(id).getBoundingClientRect().top,
        header: document.querySelector("header").getBoundingClientRect().bottom,
        marked: document.querySelector(".toc-item a[aria-current]")?.hash,
      }), id);
      const below = measured.top - measured.header;
      assert.ok(below >= 0 && below < 40, `#${id} lies ${below} px below the header`);
      assert.equal(measured.marked, `#${id}`);
      await page.context().close();
    }
  });
}

test("a link within the page arrives at once", async () => {
  const page = await site.open("long.html");
  const below = await page.evaluate(() => {
    location.hash = "#part-3";
    return document.getElementById("part-3").getBoundingClientRect().top - document.querySelector("header").getBoundingClientRect().bottom;
  });
  assert.ok(below >= 0 && below < 40, `${below} px`);
  await page.context().close();
});
