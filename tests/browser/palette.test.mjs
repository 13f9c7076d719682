// The search over every page in Chromium: opened by keys or its button, used by keyboard alone, and as a page without
// scripts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isAccessible, lookAt, overlaps } from "./pages.mjs";
import { PASSWORD, fill, newInstall, press, title } from "./service.mjs";

let instance, page, organization, project;

before(async () => {
  instance = await newInstall();
  page = await instance.open();
  await page.goto(instance.address + instance.setup);
  await fill(page, { Name: "Ada", Email: "ada@example.com", Password: PASSWORD, Organization: "Acme" });
  await press(page, "Create account");
  await page.waitForURL(/organizations\/org_/);
  organization = page.url();
  for (const name of ["Guide", "Handbook", "<i>Blog</i>"]) {
    await page.goto(`${organization}/projects/new`);
    await fill(page, { Name: name });
    await press(page, "Create project");
    await page.waitForURL(/projects\/prj_/);
    if (name === "Handbook") project = page.url();
  }
});

after(() => instance?.close());

const dialog = () => page.locator("#palette");
const field = (shown = page) => shown.getByRole("combobox", { name: "Search or run an action" });
const option = () => page.locator("#palette [aria-selected=true]");
const titles = () => page.locator("#palette [role=option] span:first-child").allInnerTexts();

// Types a text, and waits until its results have one that contains another text.
async function find(text, wanted) {
  await field().fill(text);
  await page.locator("#palette [aria-busy=false] [role=option]", { hasText: wanted }).first().waitFor();
}

test("keys open the search, and the keyboard alone leads to a project", async () => {
  await page.goto(`${organization}/members`);
  await page.keyboard.press("Control+k");
  assert.ok(await dialog().isVisible());
  assert.ok(await field().evaluate((field) => field === document.activeElement));
  await find("andboo", "Handbook");
  assert.deepEqual(await titles(), ["Handbook", "handbook.localhost"]);
  assert.match(await option().innerText(), /Handbook/);
  const id = await option().getAttribute("id");
  assert.equal(await field().getAttribute("aria-activedescendant"), id);
  assert.equal(await field().getAttribute("aria-expanded"), "true");
  await isAccessible(page);
  await Promise.all([page.waitForURL(project), page.keyboard.press("Enter")]);
  assert.equal(await title(page), "Handbook");
});

test("arrows move through the options and around, and Escape closes", async () => {
  await page.goto(project);
  await page.keyboard.press("Control+k");
  await find("", "Build latest commit");
  const all = await page.locator("#palette [role=option]").allInnerTexts();
  assert.ok(all.length > 10, all.join());
  assert.match(all[0], /Handbook/, "what was opened before comes first");
  const texts = [];
  for (const key of ["ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown"]) {
    await page.keyboard.press(key);
    texts.push(await option().innerText());
  }
  assert.deepEqual(texts, [all[1], all[0], all.at(-1), all[0]]);
  await page.keyboard.press("Escape");
  assert.ok(!(await dialog().isVisible()));
  assert.equal(page.url(), project);
});

test("a page, a setting, and an action are found from the button", async () => {
  await page.goto(project);
  await page.getByRole("button", { name: "Search", exact: false }).first().click();
  await find("webh", "Settings: Webhooks");
  await Promise.all([page.waitForURL(/settings\/webhooks$/), page.keyboard.press("Enter")]);
  await page.keyboard.press("Control+k");
  await find("start agent", "Start agent job");
  await Promise.all([page.waitForURL(/jobs\/new$/), page.locator("#palette [role=option]").first().click()]);
  // An action without a page of its own is sent as a form.
  await page.keyboard.press("Control+k");
  await find("poll now", "Poll now");
  await Promise.all([page.waitForURL(project), page.keyboard.press("Enter")]);
  assert.match(await page.getByRole("status").first().innerText(), /Poll/);
});

test("only the results of the last text are shown, as text", async () => {
  await page.goto(organization);
  let release;
  const isHeld = new Promise((resolve) => { release = resolve; });
  await page.route("**/search?*search=g*", async (route) => {
    await isHeld;
    await route.continue().catch(() => {});
  });
  await page.keyboard.press("Control+k");
  await field().fill("g");
  await find("blog", "<i>Blog</i>");
  release();
  await page.unroute("**/search?*search=g*");
  await page.waitForLoadState("networkidle");
  assert.deepEqual(await titles(), ["<i>Blog</i>", "i-blog-i.localhost"]);
  await find("<i", "<i>Blog</i>");
  await field().fill("<b>none</b>");
  await page.locator("#palette", { hasText: "No results for “<b>none</b>”." }).waitFor();
  assert.equal(await field().getAttribute("aria-expanded"), "false");
  await isAccessible(page);
  await Promise.all([page.waitForURL(/\/search\?search=/), page.keyboard.press("Enter")]);
  assert.equal(await title(page), "Search");
});

test("what was opened is forgotten when the account signs out", async () => {
  const storageState = await page.context().storageState();
  const other = await instance.open({ storageState });
  await other.goto(organization);
  const kept = () => other.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("docwright-recent")).length);
  assert.equal(await kept(), 1);
  await other.keyboard.press("Control+k");
  await other.locator("#palette [role=option]", { hasText: "Sign out" }).click();
  await other.waitForURL(/sign-in/);
  assert.equal(await kept(), 0);
  await other.context().close();
  await page.goto(`${instance.address}/sign-in`);
  await fill(page, { Email: "ada@example.com", Password: PASSWORD });
  await press(page, "Sign in");
  await page.waitForURL(/organizations/);
});

test("the search is a page without scripts", async () => {
  const plain = await instance.open({ storageState: await page.context().storageState(), javaScriptEnabled: false });
  await plain.goto(project);
  await plain.getByRole("link", { name: "Search" }).click();
  const found = plain.locator("main");
  await found.getByRole("searchbox").fill("webhooks");
  await Promise.all([plain.waitForURL(/search=webhooks/), found.getByRole("searchbox").press("Enter")]);
  await found.getByRole("link", { name: "Settings: Webhooks" }).click();
  assert.equal(new URL(plain.url()).pathname, `${new URL(project).pathname}/settings/webhooks`);
  await plain.goto(`${instance.address}/search?project=${project.split("/").at(-1)}`);
  await found.getByRole("button", { name: "Poll now" }).click();
  await plain.waitForURL(project);
  await plain.context().close();
});

test("the search fits a phone", async () => {
  const phone = await instance.open({ storageState: await page.context().storageState(), viewport: { width: 390, height: 844 } });
  await phone.goto(project);
  assert.deepEqual(await overlaps(phone, ".side"), []);
  await phone.locator(".search-button").click();
  await field(phone).fill("book");
  await phone.locator("#palette [role=option]", { hasText: "Handbook" }).first().waitFor();
  const box = await phone.locator("#palette").boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, JSON.stringify(box));
  await isAccessible(phone);
  await phone.context().close();
});

test("results and the inbox pass axe, HTML validation, and a narrow window", async (context) => {
  const id = project.split("/").at(-1);
  const all = ["/inbox", "/search", `/search?project=${id}`, `/search?project=${id}&search=o`, "/search?search=nothing"];
  await lookAt(context, instance, all, await page.context().storageState());
});

test("no page logged an error in its console", () => {
  assert.deepEqual(instance.errors, []);
});
