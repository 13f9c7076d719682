// The dashboard in real Chromium, as a new user meets it: from the first start to a member who may only look.
// Then every page that links lead to, in light, dark and narrow windows. With DOCWRIGHT_TEST_SCREENSHOTS, the
// path of a folder, each of them leaves a picture there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { PASSWORD, fill, follow, newInstall, press, title } from "./service.mjs";

const pictures = process.env.DOCWRIGHT_TEST_SCREENSHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let install, address;
// The windows of people, by name.
const people = {};

before(async () => {
  install = await newInstall();
  address = install.address;
});

after(() => install?.close());

async function open(name, options) {
  people[name] = await install.open(options);
  return people[name];
}

async function see(page, path) {
  const answer = await page.goto(address + path);
  return answer.status();
}

test("a new install leads to the set-up, which needs the address from the log", async () => {
  const page = await open("operator");
  assert.equal(await see(page, "/"), 403);
  assert.match(await page.locator("main").innerText(), /Copy the whole address from the log/);
  assert.equal(await see(page, install.setup), 200);
  await fill(page, { Name: "Ada Lovelace", "E-mail": "ada@example.com", Password: "short", Organisation: "Acme" });
  await press(page, "Create account");
  assert.match(await page.getByRole("alert").innerText(), /too short/);
  assert.equal(await page.getByLabel("E-mail").inputValue(), "ada@example.com", "what was written stays");
  await fill(page, { Password: PASSWORD });
  await press(page, "Create account");
  assert.equal(await title(page), "Projects");
  assert.match(await page.locator("main").innerText(), /No project yet/);
  // It is gone now.
  const stranger = await open("stranger");
  assert.equal(await see(stranger, install.setup), 409);
});

test("a project of docwright's own repository is made", async () => {
  const page = people.operator;
  await follow(page, "New project");
  await fill(page, { Name: "Handbook" });
  await press(page, "Create project");
  assert.equal(await title(page), "Handbook");
});

test("somebody signs out and in again, and lands where they wanted to go", async () => {
  const page = people.operator;
  const wanted = page.url();
  await press(page, "Sign out");
  assert.equal(await title(page), "Sign in");
  await page.goto(wanted);
  await fill(page, { "E-mail": "ADA@example.com", Password: "a wrong password" });
  await press(page, "Sign in");
  assert.match(await page.getByRole("alert").innerText(), /e-mail or the password is wrong/);
  await fill(page, { Password: PASSWORD });
  await press(page, "Sign in");
  assert.equal(page.url(), wanted);
});

// Every page that somebody finds by following links, one of each kind. Downloads and other parts of the
// service are no pages.
async function pages(page) {
  const found = new Map([["/", "/"]]);
  const waiting = ["/"];
  while (waiting.length > 0) {
    const answer = await page.goto(address + waiting.shift());
    if (!answer.headers()["content-type"]?.startsWith("text/html")) continue;
    const links = await page.locator("a[href]:not([download])").evaluateAll((all) => all.map((link) => link.href));
    for (const link of links.map((href) => new URL(href)).filter((url) => url.origin === address)) {
      const path = link.pathname + link.search;
      const kind = path.replaceAll(/[a-z]+_[0-9a-f]{32}/g, "{id}").replaceAll(/\/\d+/g, "/{number}").replace(/cursor=[^&]*/, "cursor");
      if (found.has(kind) || /^\/(git|v1|v2|assets|objects|api|openapi|reference)\b|\/csv/.test(path)) continue;
      found.set(kind, path);
      waiting.push(path);
    }
  }
  return [...found.values()];
}

const ALONE = ["/sign-in", "/no/such/page?"];
const WINDOWS = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
];

test("every page is right for axe, for a validator of HTML, and in a narrow window", async (context) => {
  const state = await people.operator.context().storageState();
  const all = [...(await pages(people.operator)), "/sign-in"];
  assert.ok(all.length > 10, all.join());
  const style = ["no-inline-style", "long-title", "no-trailing-whitespace", "require-sri", "prefer-native-element", "doctype-style", "attribute-boolean-style"];
  const validator = new HtmlValidate({ extends: ["html-validate:standard"], rules: Object.fromEntries(style.map((rule) => [rule, "off"])) });
  for (const [name, options] of WINDOWS) {
    const page = await open(name, { storageState: state, ...options });
    await page.addInitScript(() => {
      globalThis.shifts = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    for (const path of all) {
      await context.test(`${path} ${name}`, async () => {
        const answer = await page.goto(address + path, { waitUntil: "load" });
        await page.evaluate(() => document.fonts.ready);
        if (pictures) {
          mkdirSync(pictures, { recursive: true });
          const file = path.replaceAll(/[a-z]+_[0-9a-f]{32}/g, "id").replaceAll(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "") || "start";
          await page.screenshot({ path: join(pictures, `${file}-${name}.png`), fullPage: true });
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `it is ${wide} px too wide`);
        const shifts = await page.evaluate(() => globalThis.shifts);
        assert.ok(shifts < 0.01, `its layout shifts by ${shifts}`);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(" ")}`), []);
        if (name === "light") {
          const { results } = await validator.validateString(await answer.text());
          assert.deepEqual(results.flatMap((result) => result.messages.map((message) => `${message.ruleId}: ${message.message}`)), []);
        }
      });
    }
    await page.context().close();
  }
});

test("without scripts every page says the same", async (context) => {
  const state = await people.operator.context().storageState();
  const page = await open("plain", { storageState: state, javaScriptEnabled: false });
  for (const path of await pages(people.operator)) {
    await context.test(path, async () => {
      await people.operator.goto(address + path);
      await page.goto(address + path);
      const text = (each) => each.locator("h1").innerText();
      assert.equal(await text(page), await text(people.operator));
    });
  }
});

test("everything is within reach of the keyboard", async () => {
  const page = people.operator;
  await see(page, "/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)));
});

test("the script of the dashboard stays small", async () => {
  const page = people.operator;
  await see(page, "/");
  const sources = await page.locator("script[src]").evaluateAll((all) => all.map((script) => script.src));
  const path = join(install.folder, "all.js");
  writeFileSync(path, (await Promise.all(sources.map(async (source) => (await fetch(source)).text()))).join("\n"));
  const packed = execFileSync("gzip", ["-9", "-c", path]).length;
  assert.ok(packed < 60_000, `${packed} bytes`);
});

test("no page made a mistake that its console tells of", () => {
  assert.deepEqual(install.mistakes, []);
});
