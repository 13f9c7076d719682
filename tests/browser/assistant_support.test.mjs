// What a deployment sets: questions to begin with, and the way to people.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answered, ask, field, open, panel, press, turn } from "./assistant_reader.mjs";
import { assistantServer } from "./assistant_server.mjs";
import { EXTRACT, REFUSAL, SITE } from "./assistant_site.mjs";
import { fixture } from "./fixture.mjs";

const QUESTIONS = ["How do I install it?", "What are the limits of <a queue>?", "Why?"];
const server = assistantServer();
let byEmail;
let byPage;

before(async () => {
  const flags = ["--assistant", ...QUESTIONS.flatMap((question) => ["--starter-question", question])];
  byEmail = await fixture(SITE, { flags: [...flags, "--support-address", "help+docs@example.com"], handle: server.handle });
  byPage = await fixture(SITE, { flags: ["--assistant", "--support-address", "https://example.com/help?product=docs"], handle: server.handle });
});
after(async () => {
  await byEmail?.close();
  await byPage?.close();
});

const starters = (page) => panel(page).locator(".dw-assistant-intro button");
const contact = (page) => panel(page).locator(".dw-assistant-contact a");

test("starter questions show before the first question, and one is asked when it is selected", async () => {
  const page = await open(byEmail);
  assert.deepEqual(await starters(page).allInnerTexts(), QUESTIONS);
  await starters(page).nth(1).click();
  const asked = await server.next();
  assert.equal(asked.body.question, QUESTIONS[1]);
  await asked.answer(EXTRACT);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  assert.equal(await starters(page).count(), 0);
  await press(page, "New conversation");
  assert.equal(await starters(page).count(), 3);
  await page.context().close();
});

test("site without starter questions and support has neither", async () => {
  const page = await open(byPage);
  assert.equal(await starters(page).count(), 0);
  await page.context().close();
});

test("email to the support has the question and the conversation", async () => {
  const page = await open(byEmail);
  assert.doesNotMatch(await contact(page).getAttribute("href"), /%0A[\w-]{22}$/);
  const question = "Can it send faxes & emails? 100% sure?";
  const { body } = await answered(server, page, question, REFUSAL);
  const address = new URL(await turn(page).getByRole("link", { name: "Contact support" }).getAttribute("href"));
  assert.equal(address.protocol + address.pathname, "mailto:help+docs@example.com");
  const parts = Object.fromEntries(address.search.slice(1).split("&").map((part) => part.split("=").map(decodeURIComponent)));
  assert.deepEqual(parts, { subject: question, body: `\n\n${byEmail.address}index.html\n${body.thread}` });
  assert.ok((await contact(page).getAttribute("href")).endsWith(encodeURIComponent(body.thread)));
  await page.context().close();
});

test("page of the support gets the id of the conversation, after an error too", async () => {
  const page = await open(byPage);
  assert.equal(await contact(page).getAttribute("href"), "https://example.com/help?product=docs");
  const asked = await ask(server, page, "Install?");
  asked.refuse(503, "x");
  const link = turn(page).getByRole("link", { name: "Contact support" });
  await link.waitFor();
  const expected = `https://example.com/help?product=docs&thread=${asked.body.thread}`;
  assert.deepEqual([await link.getAttribute("href"), await link.getAttribute("target")], [expected, "_blank"]);
  assert.equal(await contact(page).getAttribute("href"), expected);
  await answered(server, page, "Answered?", EXTRACT);
  assert.equal(await turn(page).getByRole("link", { name: "Contact support" }).count(), 0);
  await press(page, "New conversation");
  assert.equal(await contact(page).getAttribute("href"), "https://example.com/help?product=docs");
  await page.context().close();
});

test("code goes along with the question", async () => {
  const page = await byEmail.open("guides/limits.html");
  const blocks = page.locator(".dw-main .dw-code-block");
  assert.equal(await blocks.count(), 2);
  await blocks.last().hover();
  await blocks.last().getByRole("button", { name: "Ask about this code" }).click();
  await field(page).waitFor();
  assert.equal(await panel(page).locator(".dw-assistant-about-text blockquote").innerText(), "harbor <run>");
  const asked = await answered(server, page, "What does it do?", EXTRACT);
  assert.equal(asked.body.selection, "harbor <run>");
  await blocks.first().getByRole("button", { name: "Ask about this code" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await panel(page).locator(".dw-assistant-about-text blockquote").innerText(), "harbor limits --queue events");
  await page.context().close();
});

test("buttons of a code block stand beside each other, over no title", async () => {
  for (const options of [{}, { hasTouch: true, width: 390 }]) {
    const page = await byEmail.open("guides/limits.html", options);
    await page.locator(".dw-assistant-code").first().waitFor({ state: "attached" });
    const boxes = await page.evaluate(() => [...document.querySelectorAll(".dw-main .dw-code-block")].map((block) => [".dw-assistant-code", ".dw-code-block-copy-button", ".dw-code-block-title"].map((selector) => block.querySelector(selector)?.getBoundingClientRect().toJSON())));
    for (const [ask, copy, title] of boxes) {
      assert.ok(ask.right <= copy.left && ask.top === copy.top && ask.width >= 24, JSON.stringify([ask, copy]));
      if (title) assert.ok(title.right <= ask.left);
    }
    await page.context().close();
  }
});
