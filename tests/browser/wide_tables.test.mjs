// Tables that are wider than the window: readers see at the edge that there is more, and get to it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const INK = "█".repeat(60);

const PAGE = `---
title: Tables
---

| Wide | Second |
| --- | --- |
| ${INK} | ${INK} |

| Narrow |
| --- |
| ███ |

<table>
  <thead><tr><th>Written in HTML</th><th>Second</th></tr></thead>
  <tbody><tr><td>${INK}</td><td>${INK}</td></tr></tbody>
</table>

<Tabs>
  <Tab title="${INK}">One.</Tab>
  <Tab title="Second">Two.</Tab>
</Tabs>
`;

// A component that creates its table in the browser.
const LIVE = `export const Live = () => {
  const [rows, setRows] = useState(0);
  useEffect(() => setRows(1), []);
  return rows ? <table data-live><tbody><tr><td>${INK}</td></tr></tbody></table> : null;
};

<Live />
`;

let site;

before(async () => {
  site = await fixture({
    "docs.json": { theme: "mint", name: "Fixture", colors: { primary: "#0f766e" }, navigation: { pages: ["index", "live"] } },
    "index.mdx": PAGE,
    "live.mdx": LIVE,
  });
});

after(() => site?.close());

const phone = { width: 390, height: 1600, hasTouch: true, isMobile: true };

// How much of a strip is not background, from 0 to 1. The strip is a number of pixels within an edge of an element.
async function ink(page, selector, edge, inset = 0) {
  const box = await page.locator(selector).first().boundingBox();
  const left = edge === "left" ? box.x + inset : box.x + box.width - inset - 6;
  // Lines between rows are no ink of a cell.
  const clip = { x: Math.round(left), y: Math.round(box.y + box.height - 30), width: 6, height: 12 };
  const picture = (await page.screenshot({ clip, animations: "allow" })).toString("base64");
  return page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    const styles = getComputedStyle(document.documentElement);
    const light = (color) => {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return context.getImageData(0, 0, 1, 1).data[1];
    };
    const [paper, text] = [light(styles.getPropertyValue("--background")), light(styles.getPropertyValue("--text"))];
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, image.width, image.height).data;
    const shares = Array.from({ length: pixels.length / 4 }, (_, pixel) => (pixels[4 * pixel + 1] - paper) / (text - paper));
    return shares.reduce((sum, share) => sum + share, 0) / shares.length;
  }, picture);
}

async function scrolledTo(page, selector, left) {
  await page.locator(selector).first().evaluate((each, left) => (each.scrollLeft = left), left);
  // A picture needs a frame, and a page without scripts can't ask for one.
  await page.screenshot({ animations: "allow" });
}

const WIDE = ".dw-table-container";
const END = 99_999;

for (const [name, options] of [["in light", {}], ["in dark", { colorScheme: "dark" }], ["without scripts", { javaScriptEnabled: false }], ["without motion", { reducedMotion: "reduce" }]]) {
  test(`wide table fades where more of it is, ${name}`, async () => {
    const page = await site.open("index.html", { ...phone, ...options });
    assert.ok((await ink(page, WIDE, "right", 60)) > 0.8, "the cell is full of ink");
    assert.ok((await ink(page, WIDE, "right")) < 0.4);
    assert.ok((await ink(page, WIDE, "left", 14)) > 0.8);
    await scrolledTo(page, WIDE, END);
    assert.ok((await ink(page, WIDE, "right", 20)) > 0.8);
    assert.ok((await ink(page, WIDE, "left")) < 0.4);
    await page.context().close();
  });
}

test("table from right to left fades at its left edge", async () => {
  const page = await site.open("index.html", phone);
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  await scrolledTo(page, WIDE, 0);
  assert.ok((await ink(page, WIDE, "left")) < 0.4);
  assert.ok((await ink(page, WIDE, "right", 14)) > 0.8);
  await page.context().close();
});

test("narrow table doesn't fade", async () => {
  const page = await site.open("index.html", phone);
  const masks = await page.locator(".dw-table-container").evaluateAll((all) => all.map((each) => [each.scrollWidth > each.clientWidth, getComputedStyle(each).maskImage !== "none"]));
  assert.deepEqual(masks, [[true, true], [false, false], [true, true]]);
  await page.context().close();
});

test("list of tabs fades where more of it is", async () => {
  const page = await site.open("index.html", phone);
  const list = ".dw-tab-list";
  assert.ok((await ink(page, list, "right", 60)) > 0.5);
  assert.ok((await ink(page, list, "right")) < 0.4);
  await page.context().close();
});

test("browser without timelines of scrolling shows shadows instead", async () => {
  const page = await site.open("live.html", phone);
  await page.route("**/theme.css", async (route) => {
    const response = await route.fetch();
    const css = (await response.text()).replaceAll("@supports not (animation-timeline:scroll())", "@supports (display:block)").replaceAll("@supports (animation-timeline:scroll())", "@supports (display:other)");
    await route.fulfill({ response, body: css });
  });
  await page.goto(new URL("index.html", site.address).href);
  // Whatever is left to see is the shadow.
  await page.addStyleTag({ content: ".dw-table-container *{color:transparent!important;border-color:transparent!important}" });
  assert.ok((await ink(page, WIDE, "right")) > 0.05);
  assert.ok(Math.abs(await ink(page, WIDE, "left")) < 0.01);
  await scrolledTo(page, WIDE, END);
  assert.ok(Math.abs(await ink(page, WIDE, "right")) < 0.01);
  assert.ok((await ink(page, WIDE, "left")) > 0.05);
  await page.context().close();
});

test("wide table scrolls by keyboard, with an outline that nothing hides", async () => {
  const page = await site.open("index.html");
  await page.setViewportSize({ width: 390, height: 800 });
  const table = page.locator(WIDE).first();
  for (let presses = 0; presses < 40 && !(await table.evaluate((each) => each === document.activeElement)); presses += 1) await page.keyboard.press("Tab");
  const [outline, mask] = await table.evaluate((each) => [getComputedStyle(each).outlineStyle, getComputedStyle(each).maskImage]);
  assert.notEqual(outline, "none");
  assert.equal(mask, "none");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((selector) => document.querySelector(selector).scrollLeft > 0, WIDE);
  await page.context().close();
});

for (const width of [390, 320]) {
  test(`tables in HTML and of components don't widen a window of ${width} px`, async () => {
    const page = await site.open("index.html", { ...phone, width });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.goto(new URL("live.html", site.address).href);
    await page.locator("[data-live]").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.context().close();
  });
}

test("paper shows all columns of a table", async () => {
  const page = await site.open("index.html", phone);
  await page.emulateMedia({ media: "print" });
  const hidden = await page.locator(".dw-table-container").evaluateAll((all) => all.filter((each) => getComputedStyle(each).overflowX !== "visible" || getComputedStyle(each).maskImage !== "none").length);
  assert.equal(hidden, 0);
  await page.context().close();
});
