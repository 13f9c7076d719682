// From a search without a result to a merged pull request that answers it, and the search that finds the page afterward: a
// reader on the site, and an editor on the dashboard, with docwright's own git host and a model that follows a script.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { send, until } from "./api_client.mjs";
import { isAccessible, isValid } from "./pages.mjs";
import { readingScript, watchReadingScript } from "./reading_script.mjs";
import { PASSWORD, at, fill, follow, launch, press, serve, stop, title } from "./service.mjs";

// A headless browser names itself, and counts as a program.
const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const WORD = "quokka";
const PAGE = `---\ntitle: ${WORD} permits\n---\n\nThe ${WORD} needs a permit from the harbor office.\n`;
// What the model does, a call in each response.
const SCRIPT = [
  ["write", { path: "permits.mdx", text: PAGE }],
  ["navigation", { action: "add", page: "permits", group: "Start" }],
  ["finish", { summary: `Say what a ${WORD} needs` }],
];

let browser, folder, key, model, organization, project, service;

const site = (path) => at("docs.localhost", path);
const call = (...request) => send(service.programs, key, ...request);
const admin = (...args) => JSON.parse(execFileSync(process.env.DOCWRIGHT, ["admin", "--json", "--data", join(folder, "data"), ...args], { stdio: "pipe" }).toString());

// A model's host. Keeps the requests.
async function scripted() {
  const requests = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const [name, input] = SCRIPT[Math.min(requests.length, SCRIPT.length - 1)];
    const tool = { index: 0, id: `call-${requests.length}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
    requests.push(JSON.parse(Buffer.concat(parts)));
    const chunks = [
      { choices: [{ index: 0, delta: { role: "assistant", tool_calls: [tool] }, finish_reason: "tool_calls" }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    ];
    response.setHeader("content-type", "text/event-stream");
    response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, requests, address: `http://127.0.0.1:${server.address().port}` };
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  model = await scripted();
  const source = join(folder, "source");
  mkdirSync(source);
  const configuration = { theme: "mint", name: "Harbor", colors: { primary: "#0f766e" }, navigation: { groups: [{ group: "Start", pages: ["index", "office"] }] } };
  writeFileSync(join(source, "docs.json"), JSON.stringify(configuration));
  writeFileSync(join(source, "index.mdx"), "---\ntitle: Animals\n---\n\nWombats dig.\n");
  writeFileSync(join(source, "office.mdx"), "---\ntitle: Harbor office\n---\n\nThe office gives permits for animals.\n");
  organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--import", source).id;
  admin("domain", "create", "docs.localhost", "--project", project);
  key = admin("key", "create", "test", "--organization", organization, "--scope", "admin").key;
  const data = join(folder, "data");
  service = await serve(folder, data, { DOCWRIGHT_AGENT_URLS: `openai-chat=${model.address}`, DOCWRIGHT_AGENT_MODEL: "openai-chat:tiny" });
  await until("the site is published", async (last) => {
    last.list = await call("GET", `/v1/projects/${project}/pages`);
    return last.list.total === 2;
  });
  browser = await launch([`--user-agent=${PERSON}`]);
});

after(async () => {
  await browser?.close();
  await stop(service?.process);
  model?.server.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = async () => (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();

// Searches in the dialog of the site's home page.
async function search(page, text) {
  await page.goto(site("/"));
  await readingScript(page);
  await page.keyboard.press("Control+k");
  await page.locator("#search-input").fill(text);
}

// The operator, who can work in all organizations.
async function signIn() {
  const page = await open();
  await page.goto(service.address + await service.setup);
  await fill(page, { Name: "Ada Lovelace", Email: "ada@example.com", Password: PASSWORD, Organization: "Harbor" });
  await press(page, "Create account");
  await page.waitForURL(/organizations/);
  return page;
}

test("search without a result becomes a page that the search finds", async () => {
  // A reader finds nothing, twice in other words.
  const reader = await open();
  await watchReadingScript(reader.context());
  for (const text of [WORD, `${WORD}s`]) {
    await search(reader, text);
    await reader.locator(".dw-search-status", { hasText: text }).waitFor();
    await reader.locator(".dw-search-close").click();
    await reader.locator("#search-input").waitFor({ state: "hidden" });
  }
  await reader.goto("about:blank");
  await until("both searches are counted", async (last) => {
    last.list = await call("GET", `/v1/analytics/${project}/empty-searches`);
    return last.list.searches[0]?.count === 2;
  });

  // An editor sees it on the page of analytics, and starts a job with a click.
  const editor = await signIn();
  await editor.goto(`${service.address}/projects/${project}/analytics`);
  const section = editor.locator("section", { has: editor.getByRole("heading", { name: "Searches without result" }) });
  assert.match(await section.innerText(), new RegExp(WORD));
  await section.getByRole("link", { name: "Answer these searches" }).click();
  assert.equal(await title(editor), "Searches without result");
  await isAccessible(editor);
  await isValid(await editor.content());
  await press(editor, `Start job for ${WORD}`);
  await editor.getByRole("link", { name: "View pull request", exact: true }).waitFor();
  const { content } = model.requests[0].messages.find((message) => message.role === "user");
  for (const part of [`- "${WORD}"\n- "${WORD}s"\n`, "2 times in all", "Don't invent facts"]) assert.ok(content.includes(part), `${part}: ${content}`);

  // They merge the pull request on the dashboard.
  await follow(editor, "View pull request");
  assert.match(await editor.locator("main").innerText(), new RegExp(`${WORD} needs a permit`));
  await press(editor, "Merge and publish");
  await editor.getByText("Pull request merged", { exact: true }).waitFor();

  // The site is published, and the same search finds the page.
  await until("the page is published", async () => (await reader.goto(site("/permits"))).ok());
  await search(reader, WORD);
  await reader.locator("#search-results .dw-search-title", { hasText: `${WORD} permits` }).waitFor();
  await reader.keyboard.press("Enter");
  await reader.waitForURL(/permits/);
  assert.match(await reader.locator("article").innerText(), /harbor office/);
});
