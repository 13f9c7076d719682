// The layout around a page: the 404 page, the header, the sidebar, and the contents list.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";
import { overlaps } from "./pages.mjs";

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
      logo: { light: "/logo.svg", dark: "/dark.svg" },
      navbar: { links: ["Blog", "Community", "Support"].map((label) => ({ label, href: "https://example.com" })), primary: { type: "button", label: "Dashboard", href: "https://example.com" } },
      navigation: { languages: [{ language: "en", versions: [version(2), version(1)] }, { language: "pt-BR", groups: [group("pt")] }] },
    },
    "logo.svg": LOGO,
    "dark.svg": LOGO,
    ...files,
    ...Object.fromEntries(group("pt").pages.map((path) => [`${path}.mdx`, "---\ntitle: Página\n---\n\nOlá.\n"])),
    "contents.mdx": `---\ntitle: Contents\n---\n\n${Array.from({ length: 60 }, (_, number) => `## Part ${number + 1}\n\n${number < 55 ? words : "Short."}\n`).join("\n")}`,
  });
});

after(() => site?.close());

test("page loads the logo of its color mode alone", async () => {
  for (const [colorScheme, loaded] of [["light", "logo.svg"], ["dark", "dark.svg"]]) {
    const page = await site.open("v2/page-1.html", { colorScheme });
    await page.locator(".nav-logo img:visible").evaluate((image) => image.decode());
    const logos = await page.evaluate(() => performance.getEntriesByType("resource").map((each) => each.name).filter((name) => name.endsWith(".svg")));
    assert.deepEqual(logos.map((name) => name.split("/").at(-1)), [loaded]);
    await page.context().close();
  }
});

for (const base of ["", "some/base/"]) {
  test(`missing page shows frame, links, and search below /${base}`, async () => {
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
    // The search works after its script has loaded.
    await page.waitForFunction(() => [...document.scripts].some((script) => /search\.js$/.test(script.src)));
    await page.waitForLoadState("networkidle");
    await page.locator("[data-search-open]").click();
    await page.keyboard.type("contents");
    await page.locator("#search-results a").first().click();
    await page.waitForURL(`${start}contents.html*`);
    await page.context().close();
  });
}

for (const base of ["", "some/base/"]) {
  test(`missing page suggests pages by requested path below /${base}`, async () => {
    const suggested = async (path, timeout = 30_000) => {
      const page = await site.open(`${base}${path}`);
      const links = page.locator(".not-found-recommended-pages-list a");
      // The page is sent with the first pages of the site.
      await page.waitForFunction(() => !document.querySelectorAll(".not-found-recommended-pages-list a")[1].pathname.endsWith("/v2/page-1.html"), null, { timeout }).catch(() => {});
      const found = await links.evaluateAll((all) => all.map((link) => new URL(link.href).pathname));
      const texts = [await page.locator("h1").innerText(), await page.locator(".not-found-description").innerText(), await page.locator("#content-area").getAttribute("lang")];
      await page.context().close();
      return { found: found.map((path) => path.slice(1 + base.length)), texts };
    };
    const english = await suggested("v2/contens");
    assert.deepEqual(english.found.slice(0, 2), ["v2/page-1.html", "contents.html"]);
    assert.deepEqual(english.texts, ["Page not found", "There is no page at this address. It might have moved.", null]);
    // A file extension isn't a word, and a path in another language finds that language's pages.
    const portuguese = await suggested("pt/pagina-7.html");
    assert.ok(portuguese.found.slice(1).every((path) => path.startsWith("pt/page-")), portuguese.found.join());
    assert.deepEqual(portuguese.texts, ["Página não encontrada", "Não há nenhuma página neste endereço. Ela pode ter sido movida.", "pt-BR"]);
    // Without a similar page, the first pages stay.
    assert.deepEqual((await suggested("%F0%9F%8D%95/%zz", 3_000)).found[1], "v2/page-1.html");
  });
}

test("missing page redirects home if configured", async () => {
  const leading = await fixture({
    "docs.json": { theme: "mint", name: "Fixture", colors: { primary: "#0f766e" }, errors: { 404: { redirect: true } }, navigation: { pages: ["index", "other"] } },
    "index.mdx": "# Home\n",
    "other.mdx": "# Other\n",
  });
  for (const base of ["", "some/base/"]) {
    const page = await leading.open(`${base}no/such/page`);
    await page.waitForURL(`${leading.address}${base}index.html`);
    await page.context().close();
  }
  await leading.close();
});

test("missing page never requests another host", async () => {
  // A host that the path would be confused with, if a request were sent.
  const asked = [];
  const other = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { "content-type": "text/css", "access-control-allow-origin": "*" }).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const host = `127.0.0.1:${other.address().port}`;
  for (const path of [`/${host}/x/y`, `/\\${host}/x/y`, `some/base//${host}/x/y`]) {
    const page = await site.open("contents.html");
    await page.goto(`${site.address}${path}`);
    await page.waitForFunction(() => [...document.scripts].some((script) => /search\.js$/.test(script.src)));
    assert.ok(await page.evaluate(() => [...document.scripts].every((script) => !script.src || new URL(script.src).host === location.host)), path);
    await page.context().close();
  }
  other.close();
  assert.deepEqual(asked, []);
});

test("missing page has links without scripts", async () => {
  const page = await site.open("no/such/page", { javaScriptEnabled: false });
  await page.locator(".not-found-recommended-pages-list a").last().click();
  assert.ok((await page.locator("h1").innerText()).startsWith("Page "));
  await page.context().close();
});

for (const width of [1440, 1000, 700, 390, 360]) {
  test(`elements of the header do not overlap at ${width} px`, async () => {
    const page = await site.open("v2/page-3.html", { width });
    assert.deepEqual(await overlaps(page, "#navbar"), []);
    assert.ok((await page.locator(".nav-logo").boundingBox()).width >= 100, "the logo is cut");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.context().close();
  });
}

test("menu has languages, versions, and links if the header has no room", async () => {
  const page = await site.open("v2/page-3.html", { width: 360 });
  await page.locator("#mobile-nav > summary").click();
  const menu = page.locator("#sidebar");
  assert.ok(await menu.getByText("Community").isVisible());
  await menu.locator("summary", { hasText: "Version 2" }).click();
  await menu.getByRole("link", { name: "Version 1" }).click();
  await page.waitForURL(/\/v1\//);
  await page.context().close();
});

test("sidebar keeps its position between pages", async () => {
  const page = await site.open("v2/page-20.html", { height: 600 });
  const scrolled = () => page.locator("#sidebar-content").evaluate((box) => box.scrollTop);
  const before = await scrolled();
  assert.ok(before > 0, "the current page is in sight");
  await page.locator("#sidebar a", { hasText: /^Page 22$/ }).click();
  await page.waitForURL(/page-22/);
  assert.equal(await scrolled(), before);
  // A page that was scrolled out of view becomes visible.
  await page.goto(new URL("v2/page-1.html", site.address).href);
  assert.ok(await page.locator("#sidebar [aria-current=page]").evaluate((link) => link.getBoundingClientRect().top > 0));
  await page.context().close();
});

test("contents list marks each section while scrolling and shows the mark", async () => {
  const page = await site.open("contents.html", { height: 700 });
  const marks = await page.evaluate(async () => {
    const seen = new Set();
    const outside = [];
    const box = document.querySelector(".toc");
    for (let y = 0; y <= document.documentElement.scrollHeight; y += 20) {
      scrollTo(0, y);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const marked = document.querySelector(".toc [aria-current]");
      seen.add(marked.hash);
      const [inner, outer] = [marked.getBoundingClientRect(), box.getBoundingClientRect()];
      if (inner.top < outer.top || inner.bottom > outer.bottom) outside.push(marked.hash);
    }
    return { missing: [...document.querySelectorAll(".toc a")].map((link) => link.hash).filter((hash) => !seen.has(hash)), outside };
  });
  assert.deepEqual(marks, { missing: [], outside: [] });
  // The selected section is marked, wherever it ends up on the screen.
  await page.locator(".toc a", { hasText: "Part 58" }).click();
  await page.waitForFunction(() => document.querySelector(".toc [aria-current]").hash === "#part-58");
  await page.context().close();
});

test("Escape closes the page menu", async () => {
  const page = await site.open("contents.html");
  await page.locator("#page-context-menu-button").click();
  assert.ok(await page.locator(".dw-page-context-more").evaluate((menu) => menu.open));
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator(".dw-page-context-more").evaluate((menu) => menu.open)));
  assert.equal(await page.evaluate(() => document.activeElement.id), "page-context-menu-button");
  await page.context().close();
});

test("icons of the frame have the color of their text in each mode", async () => {
  for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, { forcedColors: "active" }, { width: 390 }]) {
    const page = await site.open("v2/page-1.html", options);
    const icons = await page.locator(".dw-masked:visible").evaluateAll((all) => all.map((icon) => {
      const drawn = getComputedStyle(icon, "::before");
      const [width, height] = [drawn.width, drawn.height].map(parseFloat);
      return { name: icon.className, mask: drawn.maskImage.slice(0, 24), width, height, color: drawn.backgroundColor, text: getComputedStyle(icon).color };
    }));
    assert.ok(icons.length >= 4, `${icons.length} icons`);
    for (const { name, mask, width, height, color, text } of icons) {
      assert.equal(mask, 'url("data:image/svg+xml,', name);
      assert.ok(width >= 10 && width === height, `${name}: ${width} by ${height}`);
      assert.equal(color, text, name);
    }
    await page.context().close();
  }
});
