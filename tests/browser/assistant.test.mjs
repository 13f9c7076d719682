// The assistant of readers: what is asked, and what each kind of answer shows.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answered, ask, field, open, panel, press, turn } from "./assistant_reader.mjs";
import { assistantServer } from "./assistant_server.mjs";
import { ANSWER, CHOICES, EXTRACT, REFUSAL, SITE, SOURCES } from "./assistant_site.mjs";
import { fixture } from "./fixture.mjs";

const server = assistantServer();
let site;

before(async () => {
  site = await fixture(SITE, { flags: ["--assistant"], handle: server.handle });
});
after(() => site?.close());

const opened = (path, options) => open(site, path, options);

test("question is sent with its page, and the answer shows Markdown, numbers, and sources", async () => {
  const page = await opened("guides/limits.html");
  const { body, headers } = await answered(server, page, "  How do I install it?  ", ANSWER);
  assert.match(body.thread, /^[\w-]{22}$/);
  assert.deepEqual(body, { thread: body.thread, question: "How do I install it?", page: "guides/limits", language: "en", history: [] });
  assert.equal(headers["content-type"], "application/json");
  const answer = turn(page).locator(".dw-assistant-answer");
  assert.deepEqual(await answer.locator(":is(em,strong,:not(pre)>code):not([role=tooltip] *)").allInnerTexts(), ["unpack", "Linux", "bin", "queue", "events", "limit", "holds"]);
  assert.equal(await answer.locator("ol > li").count(), 3);
  assert.equal(await answer.locator("ol > li > ul > li").count(), 2);
  assert.deepEqual(await answer.locator("th").allInnerTexts(), ["Setting", "Meaning", "Default"]);
  assert.equal(await answer.locator("td").count(), 6);
  assert.match(await answer.locator("pre code").innerText(), /^harbor run --queue events/);
  assert.deepEqual(await answer.locator(".dw-assistant-number > a").allInnerTexts(), ["1", "2", "1", "2"]);
  assert.equal(await answer.locator(".dw-assistant-number > a").first().getAttribute("href"), `${site.address}guides/install.html#on-linux`);
  const sources = turn(page).locator(".dw-assistant-sources");
  assert.deepEqual(await sources.locator("a").allInnerTexts(), ["Installation › On Linux", "Limits"]);
  assert.deepEqual(await sources.locator("q").allInnerTexts(), ["Download the archive, then unpack it.", "A queue holds 10,000 events."]);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("number of a source shows the quoted words on focus and under the pointer", async () => {
  const page = await opened();
  await answered(server, page, "Install?", ANSWER);
  const number = turn(page).locator(".dw-assistant-number").first();
  const quoted = number.locator("[role=tooltip]");
  assert.ok(await quoted.isHidden());
  await number.locator("a").focus();
  assert.ok(await quoted.isVisible());
  assert.match(await quoted.innerText(), /Installation › On Linux\s+.*Download the archive, then unpack it\./);
  await field(page).focus();
  assert.ok(await quoted.isHidden());
  await number.locator("a").hover();
  assert.ok(await quoted.isVisible());
  await page.context().close();
});

test("links lead to pages of the site below any base path", async () => {
  const page = await opened("some/base/guides/limits.html");
  await answered(server, page, "Install?", ANSWER);
  assert.equal(await turn(page).locator("ol > li a").first().getAttribute("href"), `${site.address}some/base/guides/limits.html`);
  await turn(page).locator(".dw-assistant-number > a").first().click();
  await page.waitForURL(/\/some\/base\/guides\/install\.html#on-linux$/);
  await page.context().close();
});

test("extract is headed by where it comes from", async () => {
  const page = await opened();
  await answered(server, page, "Install?", EXTRACT);
  assert.equal(await turn(page).locator(".dw-assistant-state").innerText(), "From the pages");
  assert.equal(await turn(page).locator(".dw-assistant-part").count(), 2);
  await page.context().close();
});

test("refusal says so, lists the nearest pages, and searches for the question", async () => {
  const page = await opened();
  await answered(server, page, "archive", REFUSAL);
  assert.equal(await turn(page).locator(".dw-assistant-refused").innerText(), "The pages don’t say.");
  assert.equal(await turn(page).locator("h4").innerText(), "Nearest pages");
  assert.equal(await turn(page).locator(".dw-assistant-sources a").count(), 2);
  await press(page, "Search for “archive”");
  await page.locator("#search-results a", { hasText: "Installation" }).first().waitFor();
  assert.equal(await page.locator("#search-input").inputValue(), "archive");
  await page.context().close();
});

test("choice is the next question, with what was asked before", async () => {
  const page = await opened();
  await answered(server, page, "How do I start it?", CHOICES);
  await press(page, "Self-hosted");
  const next = await server.next();
  assert.equal(next.body.question, "Self-hosted");
  assert.deepEqual(next.body.history, [{ question: "How do I start it?", answer: "Which product do you mean?" }]);
  await next.answer(EXTRACT);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  await page.context().close();
});

test("paragraphs show while others are on their way, in pieces of any size", async () => {
  const page = await opened();
  const asked = await ask(server, page, "Slow?");
  assert.equal(await turn(page).locator(".dw-assistant-state").innerText(), "Looking for an answer…");
  const bytes = Buffer.from(`: comment\r\nevent: paragraph\r\ndata: ${JSON.stringify({ text: "Erst zählen, dann 数える 🚢.", sources: [] })}\r\n\r\nevent: later\ndata: {}\n\n`);
  for (const byte of bytes) await asked.write(Buffer.from([byte]));
  await turn(page).getByText("Erst zählen, dann 数える 🚢.").waitFor();
  assert.equal(await turn(page).locator(".dw-assistant-tools").count(), 0);
  await asked.send("paragraph", { text: "Second.", sources: [] });
  await turn(page).getByText("Second.").waitFor();
  await asked.answer([["done", { kind: "answer", id: "x" }]]);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("only the end of an answer is announced", async () => {
  const page = await opened();
  await page.evaluate(() => {
    globalThis.said = [];
    const live = document.querySelector("#chat-assistant-sheet [role=status]");
    new MutationObserver(() => globalThis.said.push(live.textContent)).observe(live, { childList: true });
  });
  await answered(server, page, "Install?", ANSWER);
  await answered(server, page, "Else?", REFUSAL);
  assert.deepEqual(await page.evaluate(() => globalThis.said), ["Looking for an answer…", "The answer is complete.", "Looking for an answer…", "The pages don’t say."]);
  assert.equal(await panel(page).locator("[aria-live]").count(), 0);
  await page.context().close();
});

for (const [name, breakOff, said] of [
  ["connection that is cut", async (asked) => asked.cut(), "The answer broke off."],
  ["stream that ends early", async (asked) => asked.end(), "The answer broke off."],
  ["nonsense", async (asked) => asked.write("event: paragraph\ndata: {nonsense\n\n"), "The answer broke off."],
  ["error event", async (asked) => asked.answer([["error", { error: "The model is slow.", retryAfter: 30 }]]), "The answer broke off. The model is slow."],
]) {
  test(`answer keeps its paragraphs after a ${name}, and can be asked for again`, async () => {
    const page = await opened();
    const asked = await ask(server, page, "Install?");
    await asked.send("paragraph", { text: "First part.", sources: [] });
    await turn(page).getByText("First part.").waitFor();
    await breakOff(asked);
    assert.equal(await turn(page).locator(".dw-assistant-problem").innerText(), said);
    assert.ok(await turn(page).getByText("First part.").isVisible());
    await press(page, "Try again");
    const again = await server.next();
    assert.deepEqual([again.body.question, again.body.history], ["Install?", []]);
    await again.answer(EXTRACT);
    await turn(page).locator(".dw-assistant-sources").waitFor();
    assert.equal(await panel(page).locator(".dw-assistant-turn").count(), 1);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  });
}

for (const [status, headers, said] of [
  [429, { "retry-after": "30" }, "Too many questions. Try again in 30 seconds."],
  [429, { "retry-after": "1200" }, "Too many questions. Try again in 20 minutes."],
  [503, {}, "The assistant can’t answer right now."],
  [404, {}, "The assistant can’t answer right now."],
  [400, {}, "The question is odd."],
]) {
  test(`status ${status} ${JSON.stringify(headers)} is said in plain words`, async () => {
    const page = await opened();
    const asked = await ask(server, page, "Install?");
    asked.refuse(status, "The question is odd.", headers);
    assert.equal(await turn(page).locator(".dw-assistant-problem").innerText(), said);
    assert.ok(await panel(page).getByRole("button", { name: "Try again" }).isVisible());
    await page.context().close();
  });
}

test("reader without a network learns it", async () => {
  const page = await opened();
  await page.context().setOffline(true);
  await field(page).fill("Install?");
  await field(page).press("Enter");
  assert.equal(await turn(page).locator(".dw-assistant-problem").innerText(), "You’re offline.");
  await page.context().close();
});

test("stop closes the connection, and keeps what came", async () => {
  const page = await opened();
  const asked = await ask(server, page, "Install?");
  await asked.send("paragraph", { text: "First part.", sources: [] });
  await turn(page).getByText("First part.").waitFor();
  await press(page, "Stop");
  await asked.closed;
  assert.equal(await turn(page).locator(".dw-assistant-note").innerText(), "Stopped");
  assert.ok(await panel(page).getByRole("button", { name: "Send" }).isVisible());
  assert.ok(await turn(page).getByText("First part.").isVisible());
  await page.context().close();
});

test("answer is copied as Markdown with the addresses of its sources", async () => {
  const page = await opened("index.html", { permissions: ["clipboard-read", "clipboard-write"] });
  await answered(server, page, "Install?", [SOURCES[0], ["paragraph", { text: "Open [the limits](/guides/limits) with `[a](b)`.", sources: [0] }], ["done", { kind: "answer", id: "x" }]]);
  await press(page, "Copy");
  await turn(page).getByText("Copied").waitFor();
  const install = `${site.address}guides/install.html#on-linux`;
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `Open [the limits](${site.address}guides/limits.html) with \`[a](b)\`. [[1]](${install})\n\nSources:\n\n1. [Installation › On Linux](${install})`);
  await page.context().close();
});

test("code of an answer is copied alone, in the panel and in the sheet", async () => {
  for (const width of [1440, 390]) {
    const page = await opened("index.html", { width, permissions: ["clipboard-read", "clipboard-write"] });
    await answered(server, page, "Install?", [["paragraph", { text: "```bash\nharbor <run>\n```", sources: [] }], ["done", { kind: "answer", id: "x" }]]);
    await turn(page).locator(".dw-code-block").hover();
    await turn(page).getByRole("button", { name: "Copy" }).first().click();
    await turn(page).locator("[data-copy][data-done]").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "harbor <run>");
    await page.context().close();
  }
});

test("history has the newest turns that fit, and a new conversation has none", async () => {
  const page = await opened();
  for (let number = 0; number < 12; number += 1) {
    await answered(server, page, `Question ${number}`, [["paragraph", { text: number === 11 ? "ü".repeat(25_000) : `Answer ${number}`, sources: [] }], ["done", { kind: "answer", id: "x" }]]);
  }
  const asked = await answered(server, page, "Last", [["paragraph", { text: "ü".repeat(25_000), sources: [] }], ["done", { kind: "answer", id: "x" }]]);
  assert.deepEqual(asked.body.history.map((each) => each.question), Array.from({ length: 10 }, (_, number) => `Question ${number + 2}`));
  const after = await answered(server, page, "After", EXTRACT);
  assert.deepEqual(after.body.history.map((each) => each.question), ["Last"]);
  await press(page, "New conversation");
  assert.equal(await panel(page).locator(".dw-assistant-turn").count(), 0);
  const fresh = await answered(server, page, "Fresh", EXTRACT);
  assert.deepEqual(fresh.body.history, []);
  await page.context().close();
});

test("new conversation ends the answer of the old one", async () => {
  const page = await opened();
  const asked = await ask(server, page, "Install?");
  await press(page, "New conversation");
  await asked.closed;
  await answered(server, page, "Fresh", EXTRACT);
  assert.deepEqual(await panel(page).locator("h3").allInnerTexts(), ["Fresh"]);
  await page.context().close();
});
