// The dashboard of a new instance in Chromium: from the first start to an empty project, and checks of all its
// pages.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lookAt, pages, recordShifts } from "./pages.mjs";
import { PASSWORD, fill, follow, newInstall, press, title } from "./service.mjs";

let instance, address;
// Windows by the name of their user.
const people = {};

before(async () => {
  instance = await newInstall();
  address = instance.address;
});

after(() => instance?.close());

async function open(name, options) {
  people[name] = await instance.open(options);
  return people[name];
}

async function see(page, path) {
  const answer = await page.goto(address + path);
  return answer.status();
}

test("new instance redirects to setup, which needs the link from the output", async () => {
  const page = await open("operator");
  assert.equal(await see(page, "/"), 403);
  assert.match(await page.locator("main").innerText(), /Copy the whole URL from the output of the service/);
  assert.equal(await see(page, instance.setup), 200);
  await fill(page, { Name: "Ada Lovelace", Email: "ada@example.com", Password: "short", Organization: "Acme" });
  await press(page, "Create account");
  assert.match(await page.getByRole("alert").innerText(), /at least 12 characters/);
  assert.equal(await page.getByLabel("Email").inputValue(), "ada@example.com", "what was written stays");
  await fill(page, { Password: PASSWORD });
  await press(page, "Create account");
  assert.equal(await title(page), "Projects");
  assert.match(await page.locator("main").innerText(), /No projects yet/);
  // Setup is closed now.
  const stranger = await open("stranger");
  assert.equal(await see(stranger, instance.setup), 409);
});

test("project with a built-in repository is created", async () => {
  const page = people.operator;
  await follow(page, "New project");
  await fill(page, { Name: "Handbook" });
  await press(page, "Create project");
  assert.equal(await title(page), "Handbook");
});

test("sign-in after sign-out returns to the requested page", async () => {
  const page = people.operator;
  const wanted = page.url();
  await press(page, "Sign out");
  assert.equal(await title(page), "Sign in");
  await page.goto(wanted);
  await fill(page, { Email: "ADA@example.com", Password: "a wrong password" });
  await press(page, "Sign in");
  assert.match(await page.getByRole("alert").innerText(), /Incorrect email or password/);
  await fill(page, { Password: PASSWORD });
  await press(page, "Sign in");
  assert.equal(page.url(), wanted);
});

test("pages of an empty instance pass axe, HTML validation, and a narrow window", async (context) => {
  const all = [...(await pages(instance, people.operator)), "/sign-in"];
  assert.ok(all.length > 10, all.join());
  await lookAt(context, instance, all, await people.operator.context().storageState());
});

test("page doesn't move while it loads on a slow machine, or while its font is late", async () => {
  await see(people.operator, "/");
  const members = await people.operator.locator("a[href$='/members']").first().getAttribute("href");
  const page = await instance.open({ storageState: await people.operator.context().storageState(), viewport: { width: 390, height: 844 } });
  await recordShifts(page);
  const browser = await page.context().newCDPSession(page);
  await browser.send("Network.setCacheDisabled", { cacheDisabled: true });
  for (const [isLate, rate, times] of [[false, 20, 4], [true, 1, 2]]) {
    await browser.send("Emulation.setCPUThrottlingRate", { rate });
    // The font arrives after the first paint.
    if (isLate) {
      await page.route("**/*.woff2", async (route) => {
        await page.waitForFunction(() => performance.getEntriesByType("paint").length > 0);
        await route.continue();
      });
    }
    for (let time = 0; time < times; time += 1) {
      await page.goto(address + members);
      await page.evaluate(() => document.fonts.ready);
      // What a frame moves is reported after it.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
      assert.equal(await page.evaluate(() => globalThis.shifts), 0, isLate ? "with a late font" : "without a cache");
    }
  }
  await page.context().close();
});

test("keyboard reaches every control", async () => {
  const page = people.operator;
  await see(page, "/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)));
});

test("script of the dashboard stays small", async () => {
  const page = people.operator;
  await see(page, "/");
  const sources = await page.locator("script[src]").evaluateAll((all) => all.map((script) => script.src));
  const path = join(instance.folder, "all.js");
  writeFileSync(path, await page.evaluate(async (all) => (await Promise.all(all.map(async (source) => (await fetch(source)).text()))).join("\n"), sources));
  const packed = execFileSync("gzip", ["-9", "-c", path]).length;
  assert.ok(packed < 60_000, `${packed} bytes`);
});

test("form that is sent after a sign-out in another tab is sent again after signing in", async () => {
  const page = people.operator;
  await see(page, "/");
  await follow(page, "New project");
  await fill(page, { Name: "Wiki" });
  const other = await page.context().newPage();
  await see(other, "/");
  await press(other, "Sign out");
  assert.equal(await title(other), "Sign in");
  await press(page, "Create project");
  assert.equal(await title(page), "You are signed out");
  const [tab] = await Promise.all([page.context().waitForEvent("page"), follow(page, "Sign in (opens a new tab)")]);
  await fill(tab, { Email: "ada@example.com", Password: PASSWORD });
  await press(tab, "Sign in");
  assert.equal(await title(tab), "Projects");
  await press(page, "Send form again");
  assert.equal(await title(page), "Wiki");
});

test("long name without spaces fits every page that shows it", async () => {
  const page = people.operator;
  const name = "Unbreakable".repeat(9);
  await see(page, "/");
  await follow(page, "New project");
  await fill(page, { Name: name });
  await press(page, "Create project");
  assert.equal(await title(page), name);
  const project = new URL(page.url()).pathname;
  for (const width of [390, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ["/", project, `${project}/settings`, `${project}/domains`, `/search?search=${name.slice(0, 12)}`]) {
      assert.equal(await see(page, path), 200, path);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${path} is ${wide} px too wide at ${width}`);
    }
  }
});

test("no page logged an error in its console", () => {
  assert.deepEqual(instance.errors, []);
});
