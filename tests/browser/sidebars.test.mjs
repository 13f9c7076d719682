// Long sidebars: pages have the entries around them, and a script that they share has the others.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { fixture } from "./fixture.mjs";
import { pageErrors } from "./page_errors.mjs";

const pages = (folder, count) => Array.from({ length: count }, (_, number) => `${folder}/page-${number}`);
// What the navigation says, and a file for each page in it.
const inner = { group: "Inner", icon: "rocket", pages: pages("inner", 10) };
const rooted = { group: "Rooted", root: "rooted/overview", pages: pages("rooted", 5) };
const many = [{ group: "First", pages: pages("first", 60) }, { group: "Second", pages: [...pages("second", 40), inner, rooted] }];
const most = Array.from({ length: 31 }, (_, number) => ({ group: `Group ${number}`, pages: [...pages(`group-${number}`, 8), { group: `Inside ${number}`, pages: pages(`inside-${number}`, 4) }] }));

let site;

before(async () => {
  const paths = (entries) => entries.flatMap((entry) => (entry.pages ? [...(entry.root ? [entry.root] : []), ...paths(entry.pages)] : [entry]));
  const files = [...paths(many), ...paths(most)].map((path) => [`${path}.mdx`, `---\ntitle: ${path.replace("/", " ")}\n---\n\nText.\n`]);
  site = await fixture({
    "docs.json": { theme: "mint", name: "Fixture", navigation: { tabs: [{ tab: "Many", pages: ["index", ...many] }, { tab: "Most", groups: most }] } },
    "index.mdx": "---\ntitle: Home\n---\n\nText.\n",
    "unlisted.mdx": "---\ntitle: Unlisted\n---\n\nText.\n",
    ...Object.fromEntries(files),
  });
});

after(() => site?.close());

const links = (page) => page.locator(".dw-sidebar-nav a");
const current = (page) => page.locator(".dw-sidebar-nav [aria-current=page]");
const opened = async (path, options) => {
  const page = await site.open(path, options);
  return { page, errors: pageErrors(page), close: () => page.context().close() };
};

test("long sidebar lists all its pages", async () => {
  const { page, errors, close } = await opened("inner/page-3.html");
  assert.equal(await links(page).count(), 117);
  assert.deepEqual(await current(page).allInnerTexts(), ["inner page-3"]);
  assert.ok(await current(page).isVisible(), "the group of the page is open");
  assert.ok(!(await page.getByRole("link", { name: "rooted page-1", exact: true }).isVisible()), "other groups inside are closed");
  await page.getByRole("link", { name: "first page-59", exact: true }).click();
  await page.waitForURL("**/first/page-59.html");
  assert.deepEqual(await current(page).allInnerTexts(), ["first page-59"]);
  assert.deepEqual(errors, []);
  await close();
});

test("long sidebar marks the root page of a group", async () => {
  const { page, close } = await opened("rooted/overview.html");
  assert.deepEqual(await current(page).allInnerTexts(), ["Rooted"]);
  await close();
});

test("long sidebar of a page outside the navigation marks nothing", async () => {
  const { page, close } = await opened("unlisted.html");
  assert.equal(await links(page).count(), 117);
  assert.equal(await current(page).count(), 0);
  await close();
});

test("long sidebar stays where the reader left it", async () => {
  const { page, close } = await opened("first/page-0.html");
  const place = () => page.locator("#sidebar-content").evaluate((list) => list.scrollTop);
  await page.locator("#sidebar-content").evaluate((list) => list.scrollTo(0, 900));
  await page.getByRole("link", { name: "first page-40", exact: true }).click();
  await page.waitForURL("**/first/page-40.html");
  assert.equal(await place(), 900);
  await close();
});

test("long sidebar works on file://", async () => {
  const { page, close } = await opened("index.html");
  await page.goto(pathToFileURL(join(site.folder, "second/page-1.html")).href);
  assert.equal(await links(page).count(), 117);
  await page.getByRole("link", { name: "first page-2", exact: true }).click();
  await page.waitForURL("file:///**/first/page-2.html");
  await close();
});

test("without scripts, long sidebar links to the other groups", async () => {
  const { page, close } = await opened("index.html", { javaScriptEnabled: false });
  assert.deepEqual(await links(page).allInnerTexts(), ["Home", "First", "Second"]);
  await page.getByRole("link", { name: "Second", exact: true }).click();
  await page.waitForURL("**/second/page-0.html");
  assert.equal(await links(page).count(), 44, "its pages, and links to the groups inside it");
  await close();
});

for (const width of [1440, 390]) {
  test(`very long sidebar opens where the reader asks, at ${width} px`, async () => {
    const { page, errors, close } = await opened("group-3/page-1.html", { width });
    if (width < 600) await page.locator("#mobile-nav summary").click();
    assert.equal(await links(page).count(), 30 + 8 + 1);
    const group = page.getByRole("link", { name: "Group 20", exact: true });
    await group.scrollIntoViewIfNeeded();
    const top = await group.evaluate((link) => link.getBoundingClientRect().top);
    await group.click();
    await page.waitForFunction(() => document.querySelectorAll(".dw-sidebar-nav a").length === 31 * 12);
    const first = page.getByRole("link", { name: "group-20 page-0", exact: true });
    await first.waitFor();
    assert.ok(Math.abs((await first.evaluate((link) => link.getBoundingClientRect().top)) - top) < 2, "nothing jumps");
    assert.ok(await first.evaluate((link) => link === document.activeElement), "the keyboard goes on there");
    assert.deepEqual(await current(page).allInnerTexts(), ["group-3 page-1"]);
    await first.click();
    await page.waitForURL("**/group-20/page-0.html");
    assert.deepEqual(errors, []);
    await close();
  });
}

test("closed group inside another opens", async () => {
  const { page, close } = await opened("group-3/page-1.html");
  await page.getByRole("link", { name: "Inside 3", exact: true }).click();
  await page.getByRole("link", { name: "inside-3 page-0", exact: true }).waitFor();
  await close();
});

test("closed group leads to its first page if the script is missing", async () => {
  const { page, close } = await opened("group-3/page-1.html");
  await page.route("**/_docwright/sidebars/*", (route) => route.abort());
  await page.getByRole("link", { name: "Group 20", exact: true }).click();
  await page.waitForURL("**/group-20/page-0.html");
  await close();
});
