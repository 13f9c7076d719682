// Keys of the assistant in Chromium: the widget of a real service on pages of other origins, with a key that lists one
// of them, until it is deleted.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { publish, send, until } from "./api_client.mjs";
import { field, panel, turn } from "./assistant_reader.mjs";
import { at, launch, serve, stop } from "./service.mjs";

const QUESTION = "How long are the burrows of a wombat?";
const PROBLEM = "The assistant can’t answer right now.";
const ENDPOINT = at("docs.localhost", "/_docwright/assistant");

let browser;
let folder;
let key;
let project;
let service;
let widget;
// Two other sites on origins of their own. The key lists the first one.
const sites = [];

const admin = (...args) => JSON.parse(execFileSync(process.env.DOCWRIGHT, ["admin", "--json", "--data", join(folder, "data"), ...args], { stdio: "pipe" }));

const call = (...request) => send(service.programs, key, ...request);

// A page with the widget and the key of the query.
function otherPage(request, response) {
  const { searchParams } = new URL(request.url, "http://x");
  const script = `<script src="${ENDPOINT}/widget.js" data-key="${searchParams.get("key")}" async></script>`;
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><html lang="en"><head><title>Shop</title>${script}</head><body><h1>Shop</h1></body></html>`);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const source = join(folder, "source");
  mkdirSync(source);
  writeFileSync(join(source, "docs.json"), JSON.stringify({ theme: "mint", name: "Burrows", colors: { primary: "#0f766e" }, navigation: { pages: ["index"] } }));
  writeFileSync(join(source, "index.mdx"), "---\ntitle: Home\n---\nThe wombat digs.\n\n## Burrows\n\nA wombat digs burrows up to thirty meters long.\n");
  const organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--repository", source).id;
  admin("domain", "create", "docs.localhost", "--project", project);
  key = admin("key", "create", "test", "--organization", organization, "--scope", "admin").key;
  service = await serve(folder, join(folder, "data"));
  await call("PATCH", `/v1/projects/${project}/deployments/cloud`, { features: { assistant: { mode: "on" } } });
  await publish(call, project);
  for (const _ of ["listed", "other"]) {
    const server = createServer(otherPage).listen(0, "127.0.0.1");
    await once(server, "listening");
    sites.push({ server, origin: `http://127.0.0.1:${server.address().port}` });
  }
  widget = await call("POST", `/v1/projects/${project}/assistant-keys`, { name: "Shop", domain: "docs.localhost", origins: [sites[0].origin] });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  for (const { server } of sites) {
    server.closeAllConnections();
    server.close();
  }
  await stop(service?.process);
  rmSync(folder, { recursive: true, force: true });
});

const kept = async () => (await call("GET", `/v1/analytics/${project}/assistant`)).conversations;

// Opens the panel of the widget on a page of another site.
async function visit({ origin }, secret = widget.key) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${origin}/?key=${secret}`);
  await page.getByRole("button", { name: "Ask the assistant" }).click();
  await field(page).waitFor();
  return page;
}

async function ask(page) {
  await field(page).fill(QUESTION);
  await field(page).press("Enter");
}

async function getsNothing(page) {
  await ask(page);
  await turn(page).locator(".dw-assistant-problem").waitFor();
  assert.equal(await turn(page).locator(".dw-assistant-problem").innerText(), PROBLEM);
  assert.doesNotMatch(await panel(page).innerText(), /meters/);
}

// The status of a request with the key that isn't a question, or 0 if the browser hides the response.
const status = (page) => page.evaluate(([url, secret]) => {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: "{}" }).then((answer) => answer.status, () => 0);
}, [ENDPOINT, widget.key]);

test("page of a listed origin gets an answer, and rates it", async () => {
  const page = await visit(sites[0]);
  await ask(page);
  await turn(page).locator(".dw-assistant-tools").waitFor();
  assert.match(await turn(page).innerText(), /From the pages[^]*up to thirty meters long/);
  const link = panel(page).getByRole("link", { name: /Burrows/ }).first();
  assert.equal(await link.getAttribute("href"), at("docs.localhost", "/index.html#burrows"));
  await turn(page).getByRole("button", { name: "Helpful", exact: true }).click();
  await turn(page).getByText("Thank you for your feedback.").waitFor();
  const [question] = await until("the question is kept", async () => {
    const questions = await kept();
    return questions[0]?.rating && questions;
  });
  assert.deepEqual([question.query, question.askedFrom, question.rating.helpful], [QUESTION, "widget", true]);
  await page.context().close();
});

test("page of another origin gets nothing with the same key", async () => {
  const page = await visit(sites[1]);
  assert.equal(await status(page), 0);
  const before = await kept();
  await getsNothing(page);
  assert.deepEqual(await kept(), before);
  await page.context().close();
});

test("key that nobody created gets nothing on the listed origin", async () => {
  const page = await visit(sites[0], `${widget.key.slice(0, -4)}0000`);
  await getsNothing(page);
  await page.context().close();
});

test("deleted key stops working on open pages and new ones", async () => {
  const page = await visit(sites[0]);
  assert.equal(await status(page), 400);
  await call("DELETE", `/v1/projects/${project}/assistant-keys/${widget.id}`);
  await until("the key is refused", async () => (await status(page)) === 0);
  await getsNothing(page);
  await page.context().close();
  const later = await visit(sites[0]);
  await getsNothing(later);
  await later.context().close();
});
