// Ratings of answers: what a reader can say, and what the server gets.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answered, ask, field, open, panel, press, turn } from "./assistant_reader.mjs";
import { assistantServer } from "./assistant_server.mjs";
import { EXTRACT, RATED, SITE } from "./assistant_site.mjs";
import { fixture } from "./fixture.mjs";

const server = assistantServer();
let site;

before(async () => {
  site = await fixture(SITE, { flags: ["--assistant"], handle: server.handle });
});
after(() => site?.close());

const opened = (path, options) => open(site, path, options);
const rate = (page, name) => turn(page).getByRole("button", { name, exact: true });
const pressed = (page) => turn(page).locator("[aria-pressed=true]").allInnerTexts();

test("answer that the server didn't keep has no rating", async () => {
  const page = await opened();
  await answered(server, page, "Install?", EXTRACT);
  assert.equal(await rate(page, "Helpful").count(), 0);
  await page.context().close();
});

test("helpful answer is rated once, and stays so on the next page", async () => {
  const page = await opened();
  const { body } = await answered(server, page, "Install?", RATED);
  await rate(page, "Helpful").click();
  await turn(page).getByText("Thank you for your feedback.").waitFor();
  assert.deepEqual(server.ratings.splice(0), [{ thread: body.thread, answer: "r1", helpful: true }]);
  assert.deepEqual(await pressed(page), ["Helpful"]);
  assert.equal(await panel(page).locator("[role=status]").innerText(), "Thank you for your feedback.");
  await page.goto(`${site.address}guides/limits.html`);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  assert.deepEqual(await pressed(page), ["Helpful"]);
  // Another rating replaces it.
  await rate(page, "Not helpful").click();
  await turn(page).locator(".dw-assistant-rating").waitFor();
  assert.deepEqual(server.ratings.splice(0), [{ thread: body.thread, answer: "r1", helpful: false }]);
  assert.deepEqual(await pressed(page), ["Not helpful"]);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("keyboard alone gives a reason and a comment", async () => {
  const page = await opened();
  await answered(server, page, "Install?", RATED);
  await rate(page, "Not helpful").focus();
  await page.keyboard.press("Enter");
  const form = turn(page).locator(".dw-assistant-rating");
  await form.waitFor();
  assert.deepEqual(await form.locator("label").allInnerTexts(), ["Wrong", "Incomplete", "Outdated", "Unclear", "Other"]);
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.type("  The version is old.\nSee v3.  ");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await turn(page).getByText("Thank you for your feedback.").waitFor();
  const [first, second] = server.ratings.splice(0);
  assert.deepEqual(first, { thread: first.thread, answer: "r1", helpful: false });
  assert.deepEqual(second, { ...first, reason: "outdated", comment: "The version is old.\nSee v3." });
  assert.ok(await form.isHidden());
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Not helpful");
  await page.context().close();
});

test("rating without a reason isn't sent again", async () => {
  const page = await opened();
  await answered(server, page, "Install?", RATED);
  await rate(page, "Not helpful").click();
  await turn(page).locator(".dw-assistant-rating").getByRole("button", { name: "Send" }).click();
  assert.ok(await turn(page).locator(".dw-assistant-rating").isVisible());
  assert.equal(server.ratings.splice(0).length, 1);
  await page.context().close();
});

test("rating that the server doesn't take is said, and can be sent again", async () => {
  const page = await opened();
  await answered(server, page, "Install?", RATED);
  server.setRatingStatus(404);
  await rate(page, "Helpful").click();
  await turn(page).getByText("The rating wasn’t saved.").waitFor();
  assert.deepEqual(await pressed(page), []);
  server.setRatingStatus(204);
  await rate(page, "Not helpful").click();
  const form = turn(page).locator(".dw-assistant-rating");
  await form.waitFor();
  assert.ok(await turn(page).getByText("The rating wasn’t saved.").isHidden());
  await form.locator("textarea").fill("Nothing works.");
  server.setRatingStatus(429);
  await form.getByRole("button", { name: "Send" }).click();
  await turn(page).getByText("The rating wasn’t saved.").waitFor();
  assert.equal(await form.locator("textarea").inputValue(), "Nothing works.");
  server.setRatingStatus(204);
  await form.getByRole("button", { name: "Send" }).click();
  await turn(page).getByText("Thank you for your feedback.").waitFor();
  assert.equal(server.ratings.splice(0).at(-1).comment, "Nothing works.");
  await page.context().close();
});

test("conversation has one id until the next one begins", async () => {
  const page = await opened();
  const first = await answered(server, page, "Install?", RATED);
  const second = await answered(server, page, "And then?", EXTRACT);
  assert.equal(second.body.thread, first.body.thread);
  await page.goto(`${site.address}guides/limits.html`);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  await press(page, "Try again");
  const again = await server.next();
  assert.equal(again.body.thread, first.body.thread);
  await again.answer(EXTRACT);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  await press(page, "New conversation");
  const fresh = await answered(server, page, "Fresh", EXTRACT);
  assert.match(fresh.body.thread, /^[\w-]{22}$/);
  assert.notEqual(fresh.body.thread, first.body.thread);
  const other = await page.context().newPage();
  await other.goto(site.address);
  await other.locator(".dw-assistant-button:visible").click();
  await field(other).waitFor();
  const asked = await ask(server, other, "Other tab");
  assert.notEqual(asked.body.thread, fresh.body.thread);
  await asked.answer(EXTRACT);
  await page.context().close();
});

// What a screen reader gets of an element, without addresses.
const tree = async (locator) => (await locator.ariaSnapshot()).replace(/^.*\/url:.*\n?/gm, "");

test("screen reader gets a dialog with headings, names, and states", async () => {
  const page = await opened("index.html", { width: 390, height: 844 });
  await answered(server, page, "Install?", RATED);
  await rate(page, "Not helpful").click();
  await turn(page).locator(".dw-assistant-rating").waitFor();
  const read = await tree(panel(page));
  for (const line of [
    '- dialog "Assistant":',
    '- heading "Assistant" [level=2]',
    '- button "New conversation"',
    '- button "Close"',
    '- region "Assistant":',
    '- article "Install?":',
    '- heading "Install?" [level=3]',
    "link \"1: Installation › On Linux\"",
    '- group "Sources":',
    '- button "Helpful"',
    '- button "Not helpful" [pressed]',
    '- group "What should be better?":',
    '- radio "Wrong"',
    '- textbox "What should be better?"',
    '- textbox "Ask a question"',
    "- status: The answer is complete.",
  ]) assert.ok(read.includes(line), `${line}\n${read}`);
  // Over the page, the keyboard stays in the panel: it leaves only for the browser.
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("#chat-assistant-sheet") !== null));
  }
  server.ratings.splice(0);
  await page.context().close();
});
