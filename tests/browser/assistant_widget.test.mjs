// The assistant on a page of another site, whose styles and rules are strict.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { assistantServer, KEY } from "./assistant_server.mjs";
import { ANSWER, RATED, SITE } from "./assistant_site.mjs";
import { fixture } from "./fixture.mjs";
import { pageErrors } from "./page_errors.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Bytes of compressed script before the panel is opened.
const MOST_BEFORE_OPENING = 6_000;
const origins = [];
const server = assistantServer({ origins });
let site;
let other;

// The pages of the other site. What the query says decides about them.
function otherPage(request, response) {
  const settings = new URL(request.url, "http://x").searchParams;
  const key = settings.get("key") ?? KEY;
  const { origin } = new URL(site.address);
  // Only the hosts of the documentation, and no styles that are written in the page by a script.
  const policy = `default-src 'none'; script-src ${origin}; style-src ${origin} 'self'; connect-src ${origin}; img-src data:`;
  const styles = settings.has("strict") ? '<link rel="stylesheet" href="/strict.css">' : "";
  if (request.url === "/strict.css") {
    const css = "html{font-size:5px;color-scheme:dark}*{all:revert;display:block!important;color:red!important;background:yellow!important;font:9px fantasy!important;text-transform:uppercase!important;--background:red;--text:red}button{visibility:hidden!important;transform:rotate(45deg)!important}dialog{display:none!important}";
    response.writeHead(200, { "content-type": "text/css" }).end(css);
    return;
  }
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy });
  response.end(`<!doctype html><html lang="${settings.get("lang") ?? "en-GB"}"><head><title>Shop</title><meta name="viewport" content="width=device-width">${styles}
    <script src="${site.address}_docwright/assistant/widget.js" ${key ? `data-key="${key}"` : ""} async></script></head>
    <body><main><h1>Shop</h1><p>Buy things.</p><button>Buy</button></main></body></html>`);
}

before(async () => {
  site = await fixture(SITE, { flags: ["--assistant", "--starter-question", "Where?", "--support-address", "help@example.com"], handle: server.handle });
  other = createServer(otherPage).listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  origins.push(`http://127.0.0.1:${other.address().port}`);
});
after(async () => {
  other?.closeAllConnections();
  other?.close();
  await site?.close();
});

async function visit(query = "", options = {}) {
  const page = await site.open("about:blank", options);
  page.errors = pageErrors(page);
  page.on("console", (message) => { if (message.type() === "error") page.errors.push(message.text()); });
  page.requested = [];
  page.on("request", (request) => page.requested.push(new URL(request.url()).pathname));
  await page.goto(`${origins[0]}/?${query}`, { waitUntil: "networkidle" });
  return page;
}

const launcher = (page) => page.getByRole("button", { name: "Ask the assistant" });
const panel = (page) => page.locator("#chat-assistant-sheet");
const field = (page) => page.locator("#chat-assistant-textarea");
const turn = (page) => panel(page).locator(".dw-assistant-turn").last();

async function open(page) {
  await launcher(page).click();
  await field(page).waitFor();
}

async function answered(page, question, events) {
  await field(page).fill(question);
  await field(page).press("Enter");
  const asked = await server.next();
  await asked.answer(events);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  return asked;
}

test("script is small, and the page loads nothing else before the panel is opened", async () => {
  const size = gzipSync(readFileSync(join(site.folder, "_docwright/assistant/widget.js"))).length;
  assert.ok(size <= MOST_BEFORE_OPENING, `${size} bytes`);
  const page = await visit();
  await launcher(page).waitFor();
  assert.deepEqual(page.requested.filter((path) => path.includes("_docwright")), ["/_docwright/assistant/widget.js"]);
  await open(page);
  assert.deepEqual(page.requested.filter((path) => path.includes("_docwright")).sort().slice(0, 4), ["en.js", "panel.js", "widget.css", "widget.js"].map((name) => `/_docwright/assistant/${name}`));
  await page.context().close();
});

test("question from another origin carries the key, and its answer links to the documentation", async () => {
  const page = await visit();
  await open(page);
  assert.deepEqual(await panel(page).locator(".dw-assistant-intro button").allInnerTexts(), ["Where?"]);
  const { body, headers } = await answered(page, "How do I install it?", ANSWER);
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  assert.equal(headers.cookie, undefined);
  assert.deepEqual(body, { thread: body.thread, question: "How do I install it?", language: "en", history: [] });
  const link = turn(page).locator(".dw-assistant-sources a").first();
  assert.equal(await link.getAttribute("href"), `${site.address}guides/install.html#on-linux`);
  const opened = page.context().waitForEvent("page");
  await link.click();
  assert.equal((await opened).url(), `${site.address}guides/install.html#on-linux`);
  assert.ok(await panel(page).isVisible());
  assert.match(await panel(page).locator(".dw-assistant-contact a").getAttribute("href"), /^mailto:help@example\.com\?/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("answer is rated from another origin", async () => {
  const page = await visit();
  await open(page);
  const { body } = await answered(page, "Install?", RATED);
  await turn(page).getByRole("button", { name: "Helpful", exact: true }).click();
  await turn(page).getByText("Thank you for your feedback.").waitFor();
  assert.deepEqual(server.ratings.splice(0), [{ thread: body.thread, answer: "r1", helpful: true }]);
  await page.context().close();
});

test("conversation stays on the next page of the site", async () => {
  const page = await visit();
  await open(page);
  const first = await answered(page, "Install?", RATED);
  await page.goto(`${origins[0]}/other`);
  await open(page);
  assert.equal(await turn(page).locator("h3").innerText(), "Install?");
  const next = await answered(page, "And then?", RATED);
  assert.equal(next.body.thread, first.body.thread);
  assert.deepEqual(next.body.history.map((each) => each.question), ["Install?"]);
  await page.context().close();
});

test("strict styles of the page don't reach the panel, and those of the panel don't reach the page", async () => {
  const plain = await visit();
  const strict = await visit("strict");
  const looks = async (page) => {
    const before = await page.locator("main button").evaluate((element) => JSON.stringify([...getComputedStyle(element)].map((name) => getComputedStyle(element).getPropertyValue(name))));
    await open(page);
    await answered(page, "How do I install it?", ANSWER);
    const after = await page.locator("main button").evaluate((element) => JSON.stringify([...getComputedStyle(element)].map((name) => getComputedStyle(element).getPropertyValue(name))));
    assert.equal(after, before, "the page stays as it was");
    return page.evaluate(() => {
      const tree = document.querySelector("docwright-assistant").shadowRoot;
      const all = ["display", "visibility", "font-size", "font-family", "text-transform", "transform", "padding", "width", "height"];
      return [".launcher", "dialog", "h2", ".dw-assistant-answer p", "textarea", ".dw-assistant-tools button"].map((selector) => {
        const style = getComputedStyle(tree.querySelector(selector));
        return [selector, ...all.map((name) => style.getPropertyValue(name))];
      });
    });
  };
  assert.deepEqual(await looks(strict), await looks(plain));
  // The strict page says that it is dark.
  const color = (page) => panel(page).evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.deepEqual([await color(plain), await color(strict)], ["rgb(255, 255, 255)", "rgb(12, 13, 16)"]);
  await plain.context().close();
  await strict.context().close();
});

test("keyboard opens and closes the panel, and the focus returns", async () => {
  for (const width of [1440, 390]) {
    const page = await visit("", { width });
    await launcher(page).focus();
    await page.keyboard.press("Enter");
    await field(page).waitFor();
    const focused = () => page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.id || document.activeElement.shadowRoot?.activeElement?.className);
    assert.equal(await focused(), "chat-assistant-textarea");
    await page.keyboard.press("Escape");
    assert.ok(await panel(page).isHidden());
    assert.equal(await focused(), "launcher");
    await page.context().close();
  }
});

test("code of an answer is copied", async () => {
  const page = await visit("", { permissions: ["clipboard-read", "clipboard-write"] });
  await open(page);
  await answered(page, "Install?", [["paragraph", { text: "```bash\nharbor <run>\n```", sources: [] }], ["done", { kind: "answer", id: "x" }]]);
  await turn(page).locator(".dw-code-block").hover();
  await turn(page).locator("[data-copy]").click();
  await turn(page).locator("[data-copy][data-done]").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "harbor <run>");
  await page.context().close();
});

test("panel speaks the language of the page, from right to left too", async () => {
  const german = await visit("lang=de-AT");
  await german.getByRole("button", { name: "Assistenten fragen" }).click();
  await field(german).waitFor();
  assert.equal(await panel(german).locator("h2").innerText(), "Assistent");
  await german.context().close();
  const arabic = await visit("lang=ar");
  await arabic.getByRole("button", { name: "اسأل المساعد" }).click();
  await field(arabic).waitFor();
  assert.ok((await panel(arabic).boundingBox()).x < 100);
  await arabic.context().close();
  const unknown = await visit("lang=xx");
  await open(unknown);
  await unknown.context().close();
});

test("page without a key has no button, and says why to its author", async () => {
  const page = await visit("key=");
  assert.equal(await page.locator("docwright-assistant").count(), 0);
  assert.match(page.errors.join(), /data-key/);
  await page.context().close();
});

test("key that the server refuses shows an error", async () => {
  const page = await visit("key=dwp_other");
  await open(page);
  await field(page).fill("Install?");
  await field(page).press("Enter");
  await turn(page).locator(".dw-assistant-problem").waitFor();
  assert.equal(await turn(page).locator(".dw-assistant-problem").innerText(), "The assistant can’t answer right now.");
  assert.equal(server.arrived, 0);
  await page.context().close();
});

for (const [name, query, options] of [["light", "", {}], ["dark", "strict", {}], ["narrow", "", { width: 390, height: 844 }], ["rtl", "lang=ar", {}]]) {
  test(`axe finds no error in the widget, ${name}`, async () => {
    // Tests evaluate code, which the page forbids.
    const page = await visit(query, { ...options, bypassCSP: true });
    const shot = async (state) => {
      if (process.env.DOCWRIGHT_TEST_SCREENSHOTS) await page.screenshot({ path: join(process.env.DOCWRIGHT_TEST_SCREENSHOTS, `widget-${name}-${state}.png`) });
    };
    await shot("closed");
    await page.locator("docwright-assistant .launcher").click();
    await field(page).waitFor();
    await shot("empty");
    await answered(page, "How do I install it?", ANSWER);
    await answered(page, "And then?", RATED);
    await turn(page).locator("[aria-pressed]").last().click();
    await turn(page).locator(".dw-assistant-rating").waitFor();
    server.ratings.splice(0);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run("docwright-assistant", { resultTypes: ["violations"] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
    await shot("answer");
    await page.context().close();
  });
}
