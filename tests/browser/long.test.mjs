// Long pages: what is far away is laid out late, and nothing else differs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";
import { latePages, openLate } from "./late.mjs";

const words = "Some words that fill a line or two of the page, so that places lie apart from each other. ".repeat(4);
const MONTHS = ["June", "May", "April", "March", "February", "January"];
const updates = Array.from({ length: 60 }, (_, number) => {
  const label = `${MONTHS[Math.floor(number / 10)]} ${28 - (number % 10)}, 2025`;
  return `<Update label="${label}">\n${`${words}\n\n`.repeat(1 + (number % 5))}\nThe word number${number}.\n</Update>`;
}).join("\n\n");
const sections = Array.from({ length: 120 }, (_, number) => `## Section ${number + 1}\n\n${`${words}\n\n`.repeat(1 + (number % 6))}- One\n- Two number${number}\n`).join("\n");

let site;
const late = latePages(() => site.folder, "<aside");

before(async () => {
  site = await fixture({
    "docs.json": { theme: "mint", name: "Fixture", navigation: { pages: ["index", "changelog", "long", "short"] } },
    "index.mdx": "---\ntitle: Home\n---\n\nText.\n",
    "changelog.mdx": `---\ntitle: Changelog\n---\n\n${updates}`,
    "long.mdx": `---\ntitle: Long\n---\n\nFirst.\n\n${sections}`,
    "short.mdx": `---\ntitle: Short\n---\n\nFirst.\n\n${sections.slice(0, 9000)}`,
  }, { handle: late.handle });
});

after(() => site?.close());

for (const [path, id] of [["changelog.html", "january-24-2025"], ["long.html", "section-101"]]) {
  for (const width of [1440, 390]) {
    test(`link to an anchor far down lands exactly, in ${path} at ${width} px`, async () => {
      const page = await site.open(`${path}#${id}`, { width });
      await page.waitForFunction((id) => {
        const top = document.getElementById(id).getBoundingClientRect().top;
        const wanted = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
        globalThis.steady = Math.abs(top - wanted) <= 1 ? (globalThis.steady ?? 0) + 1 : 0;
        return globalThis.steady > 40;
      }, id, { polling: "raf", timeout: 10_000 });
      await page.context().close();
    });
  }

  test(`far parts of ${path} are laid out late and can be found`, async () => {
    const page = await site.open(path);
    const far = page.locator("[data-deferred]").last();
    assert.equal(await far.evaluate((each) => getComputedStyle(each).contentVisibility), "auto");
    assert.ok(!(await far.locator("p").first().evaluate((each) => each.checkVisibility({ contentVisibilityAuto: true }))));
    assert.ok(await page.evaluate(() => window.find("number55.") || window.find("Two number101")));
    await page.waitForFunction(() => scrollY > 1000);
    await page.context().close();
  });

  test(`estimated heights of ${path} are near the true ones`, async () => {
    const page = await site.open(path);
    const estimated = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.addStyleTag({ content: "[data-deferred]{content-visibility:visible!important}" });
    const actual = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(Math.abs(estimated / actual - 1) < 0.2, `${estimated} and ${actual} px`);
    await page.context().close();
  });
}

test("sections of a long page look like those of a short one", async () => {
  const spaces = async (path) => {
    const page = await site.open(path);
    // Which sections are near the window is known after a frame, and until then they have estimated heights.
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    const found = await page.evaluate(() => [...document.querySelectorAll(".mdx-content h2")].slice(0, 4).map((heading) => {
      const previous = document.evaluate("preceding::*[self::p or self::ul][1]", heading).iterateNext();
      return [heading.getBoundingClientRect().top - previous.getBoundingClientRect().bottom, heading.nextElementSibling.getBoundingClientRect().top - heading.getBoundingClientRect().bottom];
    }));
    await page.context().close();
    return found;
  };
  assert.deepEqual(await spaces("long.html"), await spaces("short.html"));
});

test("contents list of a changelog is grouped by month", async () => {
  const page = await site.open("changelog.html");
  const months = page.locator(".dw-toc-month > summary");
  assert.deepEqual(await months.allInnerTexts(), MONTHS.map((month) => `${month} 2025`));
  assert.equal(await page.locator(".toc-item:visible").count(), 10, "only the first month is open");
  await page.evaluate(() => { location.hash = "#march-20-2025"; });
  await page.locator(".toc-item a[aria-current]", { hasText: "March 20, 2025" }).waitFor();
  await page.context().close();
});

for (const path of ["changelog.html", "short.html"]) {
  for (const width of [1440, 1100, 390]) {
    test(`nothing moves when the contents list of ${path} arrives, at ${width} px`, async () => {
      const page = await openLate(site, path, { width, height: 800 });
      const tops = () => page.evaluate(() => [...document.querySelectorAll("#page-title, .mdx-content p")].slice(0, 3).map((each) => each.getBoundingClientRect().top));
      const before = await tops();
      late.finish();
      await page.waitForLoadState("load");
      await page.locator(".dw-toc").waitFor({ state: "attached" });
      assert.deepEqual(await tops(), before);
      await page.context().close();
    });
  }
}
