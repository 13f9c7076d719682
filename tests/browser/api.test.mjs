// Pages of API operations: choosing a sample, and fields that stand once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const error = { type: "object", properties: { code: { type: "integer" }, text: { type: "string" }, cause: { oneOf: [{ title: "Disk", properties: { disk: {} } }, { title: "Net", properties: { host: {} } }] } } };
const answer = { description: "No", content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };

let site;
before(async () => {
  site = await fixture({
    "docs.json": { theme: "mint", name: "Test", colors: { primary: "#0f766e" }, navigation: { pages: ["index"] } },
    "index.mdx": '---\ntitle: Add\nopenapi: "POST /pets"\n---\n',
    "api.json": JSON.stringify({
      openapi: "3.1.0",
      servers: [{ url: "https://api.example.com" }],
      paths: { "/pets": { post: {
        requestBody: { content: { "application/json": { schema: {}, examples: { cat: { summary: "A cat", value: { says: "meow" } }, dog: { summary: "A dog", value: { says: "woof ".repeat(60) } } } } } },
        responses: { 400: answer, 500: answer },
      } } },
      components: { schemas: { Error: error } },
    }),
  });
});
after(() => site.close());

test("languages are chosen from a menu by mouse and keyboard", async () => {
  const page = await site.open("index.html");
  assert.equal(await page.locator("main select").count(), 0);
  const menu = page.locator(".dw-choice").first();
  await menu.locator("summary").click();
  await menu.getByRole("tab", { name: "Python" }).click();
  assert.equal(await menu.locator("summary").textContent(), "Python");
  assert.ok(await page.getByText("import requests").first().isVisible());
  assert.equal(await menu.getAttribute("open"), null, "the menu closes");
  await menu.locator("summary").press("Enter");
  await menu.getByRole("tab", { name: "Python" }).press("ArrowDown").catch(() => {});
  await menu.getByRole("tab", { name: "Python" }).press("ArrowRight");
  assert.equal(await menu.locator("summary").textContent(), "JavaScript");
  await page.context().close();
});

test("sample follows the example of its body, and its lines wrap", async () => {
  const page = await site.open("index.html");
  const shown = (text) => page.locator(".dw-examples pre:visible", { hasText: text }).count();
  assert.equal(await shown("meow"), 1);
  await page.getByRole("tab", { name: "A dog" }).click();
  assert.deepEqual([await shown("meow"), await shown("woof")], [0, 1]);
  const cut = await page.locator(".dw-examples pre:visible").evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length);
  assert.equal(cut, 0);
  await page.context().close();
});

test("link to fields that stand elsewhere opens a copy of them", async () => {
  const page = await site.open("index.html");
  await page.getByRole("tab", { name: "500" }).first().click();
  const link = page.locator("a[href='#fields-error']:visible");
  await link.click();
  const copy = page.locator(".dw-same-fields");
  assert.deepEqual(await copy.locator(".dw-field-name").allTextContents(), ["code", "text", "cause", "disk", "host"]);
  const ids = await page.locator("main [id]").evaluateAll((all) => all.map((each) => each.id));
  assert.equal(new Set(ids).size, ids.length, "each id stands once");
  await copy.locator("summary").click();
  await copy.getByRole("tab", { name: "Net" }).click();
  assert.ok(await copy.getByText("host", { exact: true }).isVisible());
  await link.click();
  assert.equal(await copy.count(), 0);
  await page.context().close();
});

test("without scripts, the link leads to the fields", async () => {
  const page = await site.open("index.html", { javaScriptEnabled: false });
  const href = await page.locator("a[href^='#fields-']").first().getAttribute("href");
  assert.equal(await page.locator(href).count(), 1);
  await page.context().close();
});
