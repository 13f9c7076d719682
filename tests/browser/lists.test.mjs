// Lists of the dashboard in Chromium: searched with the keyboard, sorted by column headers, with and without
// scripts, and not refreshed while someone types.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { lookAt } from "./pages.mjs";
import { PASSWORD, fill, follow, newInstall, press, title } from "./service.mjs";

const NAMES = ["Guide 1", "guide 2", "API", "Handbook", "<i>Blog</i>", "100% done"];

let instance, page, organization, project;

before(async () => {
  instance = await newInstall();
  page = await instance.open();
  await page.goto(instance.address + instance.setup);
  await fill(page, { Name: "Ada", Email: "ada@example.com", Password: PASSWORD, Organization: "Acme" });
  await press(page, "Create account");
  await page.waitForURL(/organizations\/org_/);
  organization = page.url();
  for (const name of NAMES) {
    await page.goto(`${organization}/projects/new`);
    await fill(page, { Name: name });
    await press(page, "Create project");
    await page.waitForURL(/projects\/prj_/);
    assert.equal(await title(page), name);
    project = page.url();
  }
});

after(() => instance?.close());

const names = (list) => list.locator("tbody tr td:first-child").allInnerTexts();

for (const [kind, options] of [["with scripts", {}], ["without scripts", { javaScriptEnabled: false }]]) {
  test(`list is searched by keyboard and sorted by its column heads, ${kind}`, async () => {
    const storageState = await page.context().storageState();
    const list = await instance.open({ storageState, ...options });
    await list.goto(organization);
    assert.deepEqual(await names(list), ["100% done", "<i>Blog</i>", "API", "Guide 1", "guide 2", "Handbook"]);
    const field = list.getByRole("searchbox");
    await field.fill("GUIDE");
    await Promise.all([list.waitForURL(/search=GUIDE/), field.press("Enter")]);
    assert.deepEqual(await names(list), ["Guide 1", "guide 2"]);
    assert.equal(await field.inputValue(), "GUIDE");
    await follow(list, "Created");
    await list.waitForURL(/sort=newest/);
    assert.deepEqual(await names(list), ["guide 2", "Guide 1"]);
    const head = list.getByRole("columnheader", { name: "Created" });
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    await follow(list, "Created");
    await list.waitForURL(/sort=oldest/);
    assert.equal(await head.getAttribute("aria-sort"), "ascending");
    await field.fill("<i>");
    await Promise.all([list.waitForURL(/search=%3Ci%3E/), field.press("Enter")]);
    assert.deepEqual(await names(list), ["<i>Blog</i>"], "what was typed is text");
    await field.fill("guide 3");
    await Promise.all([list.waitForURL(/search=guide\+3/), field.press("Enter")]);
    assert.match(await list.locator("main").innerText(), /No results[^]*match “guide 3”/);
    await follow(list, "Show all");
    await list.waitForURL((url) => url.search === "?sort=oldest");
    assert.equal((await names(list))[0], "Guide 1", "in the order that was chosen");
    await list.context().close();
  });
}

test("typed search text stays while the list refreshes", async () => {
  await page.goto(`${project}/releases?status=failed`);
  const field = page.getByRole("searchbox");
  const next = () => page.waitForResponse((answer) => answer.url().includes("/releases?status=failed"));
  const asked = next();
  await field.pressSequentially("abc");
  await asked;
  await next();
  assert.equal(await field.inputValue(), "abc");
  assert.ok(await field.evaluate((element) => element === document.activeElement));
});

test("lists pass axe, HTML validation, and a narrow window", async (context) => {
  const at = (address, query) => new URL(address).pathname + query;
  const all = [
    at(organization, "?search=guide&sort=newest"),
    at(organization, "?search=nothing"),
    at(organization, "/members?search=ada"),
    at(organization, "/keys?search=none&sort=name"),
    at(project, "/releases?status=failed&search=abc"),
    at(project, "/previews?state=open"),
    at(project, "/exports?status=completed"),
    at(project, "/feedback?state=pending&search=guides"),
  ];
  await lookAt(context, instance, all, await page.context().storageState());
});

test("no list logged an error in its console", () => {
  assert.deepEqual(instance.errors, []);
});
