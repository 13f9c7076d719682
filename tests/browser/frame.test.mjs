// The frame around a page: the page for addresses without one, the header, the sidebar, the contents list.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const words = "Some words that fill a line or two of the page, so that places lie apart from each other. ".repeat(4);
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="48"><rect width="240" height="48" fill="#0f766e"/></svg>';
const group = (name) => ({ group: name, pages: Array.from({ length: 30 }, (_, number) => `${name}/page-${number + 1}`) });

let site;

before(async () => {
  const version = (name) => ({ version: `Version ${name} of the product`, groups: [group(`v${name}`), ...(name === 2 ? [{ group: "Long", pages: ["contents"] }] : [])] });
  const files = Object.fromEntries(
    ["v1", "v2"].flatMap((name) => group(name).pages).map((path) => [`${path}.mdx`, `---\ntitle: ${path.replace(/.*-/, "Page ")}\n---\n\n## First\n\n${words}\n\n## Last\n\nThe end.\n`]),
  );
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      colors: { primary: "#0f766e" },
      logo: { light: "/logo.svg", dark: "/logo.svg" },
      navbar: { links: ["Blog", "Community", "Support"].map((label) => ({ label, href: "https://example.com" })), primary: { type: "button", label: "Dashboard", href: "https://example.com" } },
      navigation: { languages: [{ language: "en", versions: [version(2), version(1)] }, { language: "pt-BR", groups: [group("pt")] }] },
    },
    "logo.svg": LOGO,
    ...files,
    ...Object.fromEntries(group("pt").pages.map((path) => [`${path}.mdx`, "---\ntitle: Página\n---\n\nOlá.\n"])),
    "contents.mdx": `---\ntitle: Contents\n---\n\n${Array.from({ length: 60 }, (_, number) => `## Part ${number + 1}\n\n${number < 55 ? words : "Short."}\n`).join("\n")}`,
  });
});

after(() => site?.close());

for (const base of ["", "some/base/"]) {
  test(`an address without a page shows the frame, links and search below /${base}`, async () => {
    const page = await site.open(`${base}no/such/page`);
    assert.ok(await page.locator(".nav-logo img.dw-for-light").isVisible());
    const start = site.address + base;
    const suggested = page.locator(".not-found-recommended-pages-list a");
    await page.waitForFunction((start) => document.querySelector(".not-found-recommended-pages-list a").href.startsWith(start), start);
    assert.ok(await suggested.count() > 1);
    for (const link of [suggested.last(), page.locator("#sidebar a").nth(3), page.locator(".nav-logo")]) {
      const answer = await fetch(await link.evaluate((element) => element.href));
      assert.equal(answer.status, 200, answer.url);
      assert.ok(answer.url.startsWith(start));
    }
    assert.ok(await page.locator(".nav-logo img.dw-for-light").evaluate((image) => image.decode().then(() => true)));
    // The search is there once its script is.
    await page.waitForFunction(() => [...document.scripts].some((script) => /search\.js$/.test(script.src)));
    await page.waitForLoadState("networkidle");
    await page.locator("[data-search-open]").click();
    await page.keyboard.type("contents");
    await page.locator("#search-results a").first().click();
    await page.waitForURL(`${start}contents.html*`);
    await page.context().close();
  });
}

test("an address without a page leads on without scripts", async () => {
  const page = await site.open("no/such/page", { javaScriptEnabled: false });
  await page.locator(".not-found-recommended-pages-list a").last().click();
  assert.ok((await page.locator("h1").innerText()).startsWith("Page "));
  await page.context().close();
});
