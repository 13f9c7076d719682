// What a reader does with the assistant.

import { pageErrors } from "./page_errors.mjs";

export const panel = (page) => page.locator("#chat-assistant-sheet");
export const field = (page) => page.locator("#chat-assistant-textarea");
export const turn = (page) => panel(page).locator(".dw-assistant-turn").last();
export const press = (page, name) => panel(page).getByRole("button", { name, exact: true }).last().click();

// Opens a page, and the panel by its button.
export async function open(site, path = "index.html", options = {}) {
  const page = await site.open(path, options);
  page.errors = pageErrors(page);
  await page.locator("[data-assistant-open]:visible").first().click();
  await field(page).waitFor();
  return page;
}

// Types a question, and returns it as the server gets it.
export async function ask(server, page, question) {
  await field(page).fill(question);
  await field(page).press("Enter");
  return server.next();
}

// Asks, and waits for the end of the answer.
export async function answered(server, page, question, events) {
  const asked = await ask(server, page, question);
  await asked.answer(events);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  return asked;
}
