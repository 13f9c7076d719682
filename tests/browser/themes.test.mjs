// The nine themes: what a reader sees where. Each differs from the others in more than colors.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";
import { latePages, openLate } from "./late.mjs";
import { isAccessible, overlaps } from "./pages.mjs";
import { files, THEMES } from "./theme_site.mjs";

// What is seen at 1440 px. Widths are those of the header's row, or of the content without one.
const TABLE = {
  mint: { logo: "header", search: "header center", round: false, tabs: "row", links: "header", mode: "header", menu: "title", content: "plain", sidebar: "plain", current: "fill", card: "line", wide: false },
  maple: { logo: "sidebar", search: "sidebar", round: false, tabs: "header", links: "header", mode: "sidebar", menu: "title", content: "plain", sidebar: "filled", current: "fill", card: "line", wide: false },
  palm: { logo: "header", search: "header start", round: false, tabs: "row", links: "header", mode: "header", menu: "title", content: "plain", sidebar: "lined", current: "bar", card: "line", wide: true },
  willow: { logo: "sidebar", search: "sidebar", round: false, tabs: "sidebar", links: "sidebar", mode: "sidebar", menu: "title", content: "plain", sidebar: "plain", current: "text", card: "fill", wide: false },
  linden: { logo: "header", search: "header end", round: false, tabs: "row", links: "header", mode: "header", menu: "title", content: "plain", sidebar: "lined", current: "text", card: "shadow", wide: true },
  almond: { logo: "header", search: "sidebar", round: false, tabs: "header", links: "header", mode: "sidebar", menu: "title", content: "card", sidebar: "plain", current: "fill", card: "shadow", wide: true },
  aspen: { logo: "header", search: "header center", round: true, tabs: "row", links: "header", mode: "header", menu: "title", content: "plain", sidebar: "lined", current: "fill", card: "line", wide: false },
  sequoia: { logo: "header", search: "header end", round: false, tabs: "row", links: "header", mode: "header", menu: "contents", content: "plain", sidebar: "lined", current: "bar", card: "rule", wide: true },
  luma: { logo: "header", search: "header end", round: true, tabs: "header", links: "header", mode: "header", menu: "title", content: "plain", sidebar: "plain", current: "fill", card: "fill", wide: false },
};

const sites = {};
const late = {};

before(async () => {
  for (const theme of THEMES) {
    late[theme] = latePages(() => sites[theme].folder, '<div class="dw-sidebar"');
    sites[theme] = await fixture(files(theme, { languages: true }), { handle: late[theme].handle });
  }
});

after(async () => {
  for (const site of Object.values(sites)) await site.close();
});

// Runs in the page.
function seen() {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 0);
  const only = (selector) => {
    const found = shown(selector);
    if (found.length !== 1) throw new Error(`${selector}: ${found.length}`);
    return found[0];
  };
  const place = (selector) => (only(selector).closest("#sidebar") ? "sidebar" : "header");
  const style = (selector) => getComputedStyle(only(selector));
  const clear = (color) => /^rgba\(.*, 0\)$|transparent|\/ 0\)$/.test(color);
  const line = (styles, side) => styles[`border${side}Style`] !== "none" && parseFloat(styles[`border${side}Width`]) > 0 && !clear(styles[`border${side}Color`]);

  const search = only("[data-search-open]");
  const radius = parseFloat(getComputedStyle(search).borderTopLeftRadius);
  const box = search.getBoundingClientRect();
  const middle = (box.left + box.right) / 2 / innerWidth;
  const third = middle < 0.4 ? "start" : middle < 0.6 ? "center" : "end";
  const tabs = only(".nav-tabs");
  const current = style("#sidebar .dw-sidebar-nav [aria-current=page]");
  const card = getComputedStyle(document.querySelector(".card"));
  const sidebar = style("#sidebar");
  const page = getComputedStyle(document.querySelector("#background-color")).backgroundColor;
  const content = style(".dw-main");
  const header = document.querySelector(".dw-header-row");
  return {
    logo: place(".nav-logo"),
    search: search.closest("#sidebar") ? "sidebar" : `header ${third}`,
    round: radius >= search.getBoundingClientRect().height / 2,
    tabs: tabs.closest("#sidebar") ? "sidebar" : tabs.closest(".dw-header-row") ? "header" : "row",
    links: place(".topbar-right-container"),
    mode: place("[data-mode-toggle]"),
    menu: shown(".dw-toc-actions").length > 0 ? "contents" : "title",
    content: !clear(content.backgroundColor) && content.backgroundColor !== page && line(content, "Top") ? "card" : "plain",
    sidebar: !clear(sidebar.backgroundColor) ? "filled" : line(sidebar, "InlineEnd") || line(sidebar, "Right") ? "lined" : "plain",
    current: !clear(current.backgroundColor) ? "fill" : line(current, "Left") ? "bar" : "text",
    card: card.boxShadow !== "none" ? "shadow" : line(card, "Left") ? "line" : clear(card.backgroundColor) ? "rule" : "fill",
    wide: (header.checkVisibility() ? header : document.querySelector(".dw-main")).getBoundingClientRect().right > 1900,
  };
}

for (const theme of THEMES) {
  test(`${theme} has its landmarks in their places`, async () => {
    const page = await sites[theme].open("index.html", { width: 1440 });
    const facts = await page.evaluate(seen);
    await page.setViewportSize({ width: 2200, height: 900 });
    const { wide } = await page.evaluate(seen);
    assert.deepEqual({ ...facts, wide }, TABLE[theme]);
    await page.context().close();
  });

  test(`${theme} is mirrored from right to left`, async () => {
    const mirrored = await sites[theme].open("ar.html", { width: 1440 });
    const plain = await sites[theme].open("index.html", { width: 1440 });
    const edges = (page) => page.evaluate(() => ["#sidebar", ".dw-main", ".dw-toc", "[data-search-open]", ".topbar-right-container"].map((selector) => {
      const box = [...document.querySelectorAll(selector)].find((each) => each.checkVisibility() && each.getBoundingClientRect().width > 0).getBoundingClientRect();
      const width = document.documentElement.clientWidth;
      const edge = document.dir === "rtl" ? [width - box.right, width - box.left] : [box.left, box.right];
      return edge.map((each) => Math.round(each));
    }));
    const [left, right] = [await edges(plain), await edges(mirrored)];
    // Words differ in length: places can differ by a little.
    left.forEach((pair, index) => pair.forEach((edge, side) => assert.ok(Math.abs(edge - right[index][side]) < 80, `${index} ${pair} ${right[index]}`)));
    await mirrored.context().close();
    await plain.context().close();
  });

  for (const width of [1920, 1440, 1100, 1000, 700, 390, 360]) {
    test(`${theme} has room for its header at ${width} px`, async () => {
      const page = await sites[theme].open("index.html", { width });
      assert.deepEqual(await overlaps(page, ":is(#navbar,.dw-sidebar-top,.dw-sidebar-foot)"), []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      await page.context().close();
    });
  }

  for (const [name, path, options] of [["light", "index.html", {}], ["dark", "index.html", { colorScheme: "dark" }], ["on a phone", "index.html", { width: 390 }], ["from right to left", "ar.html", { colorScheme: "dark" }]]) {
    test(`axe finds no error in ${theme} ${name}`, async () => {
      const page = await sites[theme].open(path, options);
      if (options.width) await page.locator("#mobile-nav > summary").click();
      await isAccessible(page);
      await page.context().close();
    });
  }

  test(`${theme} prints the content alone`, async () => {
    const page = await sites[theme].open("index.html", { width: 1200 });
    await page.emulateMedia({ media: "print" });
    const printed = await page.evaluate(() => {
      const shown = (selector) => [...document.querySelectorAll(selector)].some((each) => each.checkVisibility());
      const content = document.querySelector(".dw-main");
      const { borderTopStyle, marginLeft } = getComputedStyle(content);
      return { frame: ["#navbar", "#sidebar", ".dw-toc", ".dw-sidebar-top"].filter(shown), left: content.getBoundingClientRect().left, borderTopStyle, marginLeft };
    });
    assert.deepEqual(printed, { frame: [], left: 0, borderTopStyle: "none", marginLeft: "0px" });
    await page.context().close();
  });
}

for (const theme of ["maple", "palm", "willow", "almond"]) {
  test(`foot of the sidebar is in sight below a banner in ${theme}`, async () => {
    const page = await sites[theme].open("index.html", { height: 700 });
    const hidden = await page.evaluate(() => {
      document.body.insertAdjacentHTML("afterbegin", '<section class="dw-banner"><p>News</p></section>');
      const foot = document.querySelector(".dw-sidebar-foot").getBoundingClientRect();
      return foot.height > 0 ? Math.max(0, foot.bottom - innerHeight) : "nothing is there";
    });
    assert.equal(hidden, 0);
    await page.context().close();
  });
}

test("no two themes are alike", () => {
  const rows = Object.values(TABLE).map((row) => JSON.stringify(row));
  assert.equal(new Set(rows).size, THEMES.length);
});

for (const theme of THEMES) {
  test(`text of ${theme} is in its place before the sidebar arrives`, async () => {
    for (const width of [1440, 1000, 390]) {
      const page = await openLate(sites[theme], "index.html", { width });
      const places = () => page.locator("#page-title, .mdx-content :is(p, h2)").evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ left, top, width }) => [left, top, width]));
      const early = await places();
      late[theme].finish();
      await page.waitForLoadState("load");
      await page.locator("#sidebar").waitFor({ state: "attached" });
      assert.deepEqual(await places(), early, `${width} px`);
      await page.context().close();
    }
  });
}
