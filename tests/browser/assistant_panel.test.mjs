// The panel of the assistant: where it opens from, where it is, and what a page has of it before.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { answered, ask, field, open, panel, press, turn } from "./assistant_reader.mjs";
import { assistantServer } from "./assistant_server.mjs";
import { ANSWER, EXTRACT, REFUSAL, SITE } from "./assistant_site.mjs";
import { fixture } from "./fixture.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Bytes of compressed script of a page whose panel was never opened.
const MOST_BEFORE_OPENING = 6_000;
const server = assistantServer();
let site;

before(async () => {
  site = await fixture(SITE, { flags: ["--assistant"], handle: server.handle });
});
after(() => site?.close());

const opened = (path, options) => open(site, path, options);
const button = (page) => page.locator(".dw-assistant-button:visible");
const file = (path) => readFileSync(join(site.folder, path), "utf8");
const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);

test("page shows nothing of the assistant where the server doesn't announce it", async () => {
  server.setAnnounces(false);
  for (const path of ["index.html", "ask.html", "404.html"]) {
    const page = await site.open(path);
    assert.equal(await page.locator("[data-assistant-open]:visible").count(), 0);
    await page.keyboard.press("Control+i");
    await page.goto(`${site.address}${path}?assistant=question`);
    await page.locator("#page-title").dblclick();
    assert.equal(await page.locator("#chat-assistant-sheet,.dw-assistant-about,.dw-assistant-code").count(), 0);
    // The page of the mode has its text then.
    if (path === "ask.html") assert.ok(await page.getByText("Everything about Harbor.").isVisible());
    await page.context().close();
  }
  server.setAnnounces(true);
});

test("script before the panel is opened is small, and nothing else is loaded", async () => {
  const inline = /<script>(\(?[^<]*name === "assistant"[\s\S]*?)<\/script>/.exec(file("index.html").replace(/^\/\/.*$/gm, ""));
  assert.ok(inline, "the announcement is checked on the page");
  const size = gzipSync(file("_docwright/assistant.js") + inline[1]).length;
  assert.ok(size <= MOST_BEFORE_OPENING, `${size} bytes`);
  const requests = [];
  const page = await site.open("about:blank");
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.goto(site.address, { waitUntil: "networkidle" });
  assert.deepEqual(requests.filter((path) => path.includes("assistant")), ["/_docwright/assistant.js"]);
  await button(page).click();
  await field(page).waitFor();
  assert.deepEqual(requests.filter((path) => path.includes("assistant/")).sort(), ["en.js", "panel.css", "panel.js"].map((name) => `/_docwright/assistant/${name}`));
  await page.context().close();
});

test("keyboard alone opens the panel, asks, follows a source, and closes it", async () => {
  const page = await site.open("guides/limits.html");
  await page.locator("#search-bar-entry").focus();
  await page.keyboard.press("Control+i");
  await field(page).waitFor();
  assert.equal(await focused(page), "chat-assistant-textarea");
  await page.keyboard.type("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Enter");
  const asked = await server.next();
  assert.equal(asked.body.question, "one\ntwo");
  await asked.answer(EXTRACT);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  await page.keyboard.press("Escape");
  assert.ok(await panel(page).isHidden());
  assert.equal(await focused(page), "search-bar-entry");
  await page.keyboard.press("Control+i");
  await page.keyboard.press("Control+i");
  assert.ok(await panel(page).isHidden());
  await page.keyboard.press("Meta+i");
  assert.equal(await focused(page), "chat-assistant-textarea");
  await page.keyboard.press("Shift+Tab");
  while ((await focused(page)) !== "A") await page.keyboard.press("Shift+Tab");
  // The source is this page itself. Chromium never closes a context whose page is just being left.
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assert.match(page.url(), /guides\/limits\.html$/);
  await page.context().close();
});

test("conversation survives navigation beside the page, without taking the focus or moving the text", async () => {
  const page = await opened();
  await answered(server, page, "Install?", ANSWER);
  await field(page).fill("A draft");
  await page.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries().map((entry) => entry.value))).observe({ type: "layout-shift", buffered: true });
  });
  await turn(page).locator(".dw-assistant-sources a").first().click();
  await page.waitForURL(/install\.html#on-linux$/);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  assert.equal(await turn(page).locator("h3").innerText(), "Install?");
  assert.equal(await turn(page).locator(".dw-assistant-number").count(), 4);
  assert.equal(await field(page).inputValue(), "A draft");
  assert.notEqual(await focused(page), "chat-assistant-textarea");
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
  const next = await ask(server, page, "And then?");
  assert.deepEqual(next.body.history.map((each) => each.question), ["Install?"]);
  await next.answer(EXTRACT);
  await press(page, "Close");
  await page.reload();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal(await panel(page).count(), 0);
  await page.context().close();
});

test("answer that a navigation cut off can be asked for again", async () => {
  const page = await opened();
  const asked = await ask(server, page, "Install?");
  await asked.send("paragraph", { text: "First part.", sources: [] });
  await turn(page).getByText("First part.").waitFor();
  await page.goto(`${site.address}guides/limits.html`);
  await asked.closed;
  await turn(page).getByText("First part.").waitFor();
  // Browsers differ in what ends first, the page or its connections.
  assert.match(await turn(page).locator(".dw-assistant-note,.dw-assistant-problem").innerText(), /Stopped|broke off/);
  await press(page, "Try again");
  const again = await server.next();
  assert.deepEqual([again.body.question, again.body.page], ["Install?", "index"]);
  await again.answer(EXTRACT);
  await page.context().close();
});

test("two tabs and two sites of a host have their own conversations", async () => {
  const page = await opened();
  await answered(server, page, "Install?", EXTRACT);
  const other = await page.context().newPage();
  await other.goto(site.address);
  await button(other).click();
  await field(other).waitFor();
  assert.equal(await panel(other).locator(".dw-assistant-turn").count(), 0);
  await page.goto(`${site.address}some/base/index.html`);
  await button(page).click();
  await field(page).waitFor();
  assert.equal(await panel(page).locator(".dw-assistant-turn").count(), 0);
  await page.context().close();
});

test("last row of the search asks the assistant", async () => {
  const page = await site.open("index.html");
  await page.keyboard.press("Control+k");
  await page.locator("#search-input").fill("harbor");
  const row = page.locator("#search-assistant");
  await row.waitFor();
  assert.equal(await row.innerText(), "Ask the assistant: harbor");
  assert.equal(await row.getAttribute("aria-selected"), "false");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.locator("#search-input").getAttribute("aria-activedescendant"), "search-assistant");
  assert.equal(await page.locator("#search-results [aria-selected=true]").count(), 1);
  await page.keyboard.press("Enter");
  const asked = await server.next();
  assert.equal(asked.body.question, "harbor");
  await asked.answer(REFUSAL);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  assert.ok(await page.locator(".dw-search-dialog").isHidden());
  await page.keyboard.press("Control+k");
  await page.locator("#search-input").fill("nothing-has-this-word");
  await row.filter({ hasText: "nothing-has-this-word" }).click();
  const second = await server.next();
  await second.answer(REFUSAL);
  // The row is no page that was opened.
  await page.locator("[data-search-open]:visible").first().click();
  await page.locator("#search-input").fill("");
  assert.equal(await page.locator("#search-results", { hasText: "Ask the assistant" }).count(), 0);
  await page.context().close();
});

test("key in the search takes its words along, and other dialogs keep the reader", async () => {
  const page = await site.open("index.html");
  await page.keyboard.press("Control+k");
  await page.locator("#search-input").fill("harbor");
  await page.keyboard.press("Control+i");
  await field(page).waitFor();
  assert.ok(await page.locator(".dw-search-dialog").isHidden());
  assert.deepEqual([await focused(page), await field(page).inputValue()], ["chat-assistant-textarea", "harbor"]);
  await press(page, "Close");
  await page.evaluate(() => document.body.appendChild(document.createElement("dialog")).showModal());
  await page.keyboard.press("Control+i");
  assert.ok(await panel(page).isHidden());
  await page.context().close();
});

test("link with a question fills the field in, and asks nothing", async () => {
  const page = await site.open("index.html?assistant=Delete+everything%3F&x=1#part-1");
  await field(page).waitFor();
  assert.equal(await field(page).inputValue(), "Delete everything?");
  assert.equal(page.url(), `${site.address}index.html?x=1#part-1`);
  assert.equal(await panel(page).locator(".dw-assistant-turn").count(), 0);
  assert.equal(server.arrived, 0);
  await page.context().close();
});

test("selected text goes along with the question", async () => {
  const page = await site.open("guides/install.html");
  await page.getByText("Download the archive, then unpack it.").click({ clickCount: 3 });
  await page.getByRole("button", { name: "Ask about this" }).click();
  await field(page).waitFor();
  assert.match(await panel(page).locator(".dw-assistant-about-text").innerText(), /Download the archive/);
  const asked = await answered(server, page, "Where?", EXTRACT);
  assert.equal(asked.body.selection, "Download the archive, then unpack it.");
  assert.ok(await panel(page).locator(".dw-assistant-about-text").isHidden());
  const next = await answered(server, page, "And now?", EXTRACT);
  assert.equal("selection" in next.body, false);
  await page.getByText("Use the installer.").click({ clickCount: 3 });
  await page.keyboard.press("Control+i");
  await press(page, "Remove selected text");
  const third = await answered(server, page, "And here?", EXTRACT);
  assert.equal("selection" in third.body, false);
  await page.context().close();
});

test("panel speaks the language of the page", async () => {
  const page = await opened("de.html");
  assert.equal(await panel(page).locator("h2").innerText(), "Assistent");
  assert.equal(await field(page).getAttribute("placeholder"), "Eine Frage stellen");
  const asked = await ask(server, page, "Was?");
  assert.equal(asked.body.language, "de");
  asked.refuse(429, "x", { "retry-after": "30" });
  assert.equal(await turn(page).locator(".dw-assistant-problem").innerText(), "Zu viele Fragen. Neuer Versuch in 30 Sekunden möglich.");
  await page.context().close();
});

test("page of the mode `assistant` has the panel in it", async () => {
  const page = await site.open("ask.html");
  const place = page.locator(".dw-main #chat-assistant-sheet");
  await place.waitFor();
  assert.equal(await place.evaluate((element) => element.tagName), "SECTION");
  // The conversation stands for the text, and fills the window.
  assert.ok(await page.locator("h1").isVisible());
  assert.ok(await page.getByText("Everything about Harbor.").isHidden());
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), "nothing is below the window");
  const box = await place.boundingBox();
  assert.ok(box.height > 500 && box.y + box.height <= 900, JSON.stringify(box));
  if (process.env.DOCWRIGHT_TEST_SCREENSHOTS) await page.screenshot({ path: join(process.env.DOCWRIGHT_TEST_SCREENSHOTS, "assistant-mode.png") });
  await answered(server, page, "Install?", ANSWER);
  await page.keyboard.press("Escape");
  assert.ok(await place.isVisible());
  await page.context().close();
});

test("entry of the page's menu opens the panel", async () => {
  const page = await site.open("index.html");
  await page.locator("#page-context-menu-button").click();
  await page.locator(".dw-page-context-more [data-assistant-open]").click();
  await field(page).waitFor();
  await page.context().close();
});

test("missing page has the assistant of its site", async () => {
  const page = await site.open("some/base/not/there.html");
  await button(page).click();
  await field(page).waitFor();
  const asked = await answered(server, page, "Install?", EXTRACT);
  assert.equal("page" in asked.body, false);
  await page.context().close();
});

test("text stays beside the panel in a wide window, and the page below it in a narrow one", async () => {
  const page = await opened("index.html", { width: 1440, height: 900 });
  const beside = await page.evaluate(() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    return { text: box(".dw-content"), panel: box("#chat-assistant-sheet"), header: box(".dw-site-header") };
  });
  assert.ok(beside.text.right <= beside.panel.left && beside.header.right <= beside.panel.left);
  assert.ok(beside.text.width >= 560, `${beside.text.width} px of text`);
  // The window is resized before the scripts of the page run.
  const modal = page.locator("#chat-assistant-sheet:modal");
  await page.setViewportSize({ width: 900, height: 900 });
  await modal.waitFor();
  assert.ok(await modal.evaluate((element) => element.offsetWidth < 500));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator("#chat-assistant-sheet[open]:not(:modal)").waitFor();
  await page.context().close();
});

test("panel of a phone is a sheet that closes when a source is followed", async () => {
  const page = await opened("index.html", { width: 390, height: 844, hasTouch: true });
  const box = await panel(page).boundingBox();
  assert.deepEqual([box.x, box.width, box.y + box.height], [0, 390, 844]);
  assert.ok(box.y > 50);
  await answered(server, page, "Install?", ANSWER);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.ok(await panel(page).locator(".dw-assistant-log").evaluate((log) => log.scrollWidth <= log.clientWidth));
  await turn(page).locator(".dw-assistant-sources a").first().click();
  await page.waitForURL(/install\.html#on-linux$/);
  await page.waitForLoadState();
  assert.equal(await panel(page).count(), 0);
  await button(page).click();
  await turn(page).locator(".dw-assistant-tools").waitFor();
  await page.mouse.click(195, 20);
  assert.ok(await panel(page).isHidden());
  await page.context().close();
});

test("panel can be used at 200% zoom, and from right to left", async () => {
  const zoomed = await opened("index.html", { width: 720, height: 450, deviceScaleFactor: 2 });
  await answered(server, zoomed, "Install?", ANSWER);
  const send = await panel(zoomed).getByRole("button", { name: "Send" }).boundingBox();
  assert.ok(send.y + send.height <= 450);
  await zoomed.context().close();
  const arabic = await opened("ar.html");
  assert.equal((await panel(arabic).boundingBox()).x, 0);
  assert.equal(await panel(arabic).locator("h2").innerText(), "المساعد");
  await arabic.context().close();
});

test("paper has nothing of the assistant", async () => {
  const page = await opened();
  await answered(server, page, "Install?", ANSWER);
  await page.emulateMedia({ media: "print" });
  assert.ok(await panel(page).isHidden());
  assert.equal(await button(page).count(), 0);
  assert.equal(await page.locator("body").evaluate((body) => getComputedStyle(body).paddingInlineEnd), "0px");
  await page.context().close();
});

test("neither the button nor a link that opens the panel moves anything", async () => {
  for (const [width, query] of [[1440, ""], [390, ""], [1440, "?assistant=Where"]]) {
    const page = await site.open("about:blank", { width });
    // A font that arrives late can move text.
    await page.route("**/*.woff2", (route) => route.abort());
    await page.addInitScript(() => {
      globalThis.shifts = [];
      new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries().map((entry) => entry.value))).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(site.address + query, { waitUntil: "networkidle" });
    await button(page).waitFor();
    assert.equal(await field(page).count(), query ? 1 : 0);
    assert.deepEqual(await page.evaluate(() => globalThis.shifts), [], `${width} ${query}`);
    await page.context().close();
  }
});

for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["narrow", { width: 390, height: 844 }], ["forced", { forcedColors: "active" }]]) {
  test(`axe finds no error in the panel, ${name}`, async () => {
    const page = await opened("index.html", options);
    const check = async (state) => {
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], state);
      if (process.env.DOCWRIGHT_TEST_SCREENSHOTS) await page.screenshot({ path: join(process.env.DOCWRIGHT_TEST_SCREENSHOTS, `assistant-${name}-${state}.png`) });
    };
    await page.evaluate(AXE);
    await check("empty");
    await answered(server, page, "How do I install Harbor, and how many events does a queue hold?", ANSWER);
    await check("answer");
    await answered(server, page, "Can it send faxes?", REFUSAL);
    await check("refusal");
    (await ask(server, page, "And email?")).refuse(429, "x", { "retry-after": "30" });
    await turn(page).locator(".dw-assistant-problem").waitFor();
    await check("error");
    await press(page, "New conversation");
    await answered(server, page, "From the pages?", EXTRACT);
    await check("extract");
    await page.context().close();
  });
}
