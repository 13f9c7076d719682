// Editing a page in Chromium: its preview follows while an editor types, and saving opens a pull request that is merged and
// published. By mouse, by keyboard alone, and without scripts.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { send, until } from "./api_client.mjs";
import { pageErrors } from "./page_errors.mjs";
import { lookAt } from "./pages.mjs";
import { PASSWORD, at, fill, launch, press, serve, stop, title } from "./service.mjs";

const PAGES = {
  index: "---\ntitle: Animals\n---\n\nWombats dig.\n",
  "guides/office": "---\ntitle: Harbor office\n---\n\nThe office gives permits.\n\nSee [the animals](/).\n\n<Tabs>\n  <Tab title=\"One\">First tab</Tab>\n  <Tab title=\"Two\">Second tab</Tab>\n</Tabs>\n",
};

let browser, folder, key, organization, project, service, storageState;
const errors = [];

const site = (path) => at("docs.localhost", path);
const call = (...request) => send(service.programs, key, ...request);
const admin = (...args) => JSON.parse(execFileSync(process.env.DOCWRIGHT, ["admin", "--json", "--data", join(folder, "data"), ...args], { stdio: "pipe" }).toString());
const edit = (path) => `/projects/${project}/pages/edit?path=${encodeURIComponent(path)}`;
const instance = {
  get address() {
    return service.address;
  },
  async open(options = {}) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    pageErrors(page, errors);
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) errors.push(`${page.url()}: ${message.text()}`);
    });
    return page;
  },
};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const source = join(folder, "source");
  mkdirSync(join(source, "guides"), { recursive: true });
  const configuration = { theme: "mint", name: "Harbor", colors: { primary: "#0f766e" }, navigation: { groups: [{ group: "Start", pages: Object.keys(PAGES) }] } };
  writeFileSync(join(source, "docs.json"), JSON.stringify(configuration));
  for (const [path, text] of Object.entries(PAGES)) writeFileSync(join(source, `${path}.mdx`), text);
  organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--import", source).id;
  admin("domain", "create", "docs.localhost", "--project", project);
  key = admin("key", "create", "test", "--organization", organization, "--scope", "admin").key;
  service = await serve(folder, join(folder, "data"));
  await until("the site is published", async (last) => {
    last.list = await call("GET", `/v1/projects/${project}/pages`);
    return last.list.total === 2;
  });
  browser = await launch();
  const page = await instance.open();
  await page.goto(service.address + (await service.setup));
  await fill(page, { Name: "Ada Lovelace", Email: "ada@example.com", Password: PASSWORD, Organization: "Harbor" });
  await press(page, "Create account");
  await page.waitForURL(/organizations/);
  storageState = await page.context().storageState();
  await page.context().close();
});

after(async () => {
  await browser?.close();
  await stop(service?.process);
  rmSync(folder, { recursive: true, force: true });
});

// The frame that shows the preview.
const preview = (page) => page.frameLocator("iframe:not(.coming)");

test("preview follows the text, at most one at once, in an origin without storage", async () => {
  const page = await instance.open({ storageState });
  let [now, most, sent] = [0, 0, 0];
  const isDraft = (request) => request.method() === "POST" && request.resourceType() === "document";
  page.on("request", (request) => {
    if (!isDraft(request)) return;
    [now, sent] = [now + 1, sent + 1];
    most = Math.max(most, now);
  });
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => { if (isDraft(request)) now -= 1; });
  await page.goto(service.address + edit("guides/office"));
  await preview(page).getByText("The office gives permits.").waitFor();
  assert.equal(sent, 0, "the published page is shown until something is written");
  const entries = await page.evaluate(() => history.length);
  const text = page.getByLabel("Text", { exact: true });
  await text.press("Control+End");
  await text.pressSequentially("\n\nIt opens at *nine* in the morning.", { delay: 30 });
  await preview(page).locator("em", { hasText: "nine" }).waitFor();
  await text.pressSequentially("\n\n[broken](/none)", { delay: 30 });
  await preview(page).getByText("1 error").waitFor();
  await preview(page).getByText(/Line \d+: broken link/).waitFor();
  assert.equal(most, 1, "previews never overlap");
  assert.ok(sent < 8, `${sent} previews of 50 letters`);
  assert.equal(await page.evaluate(() => history.length), entries, "the back button leaves the page");
  assert.equal(await text.evaluate((field) => field === document.activeElement), true, "the focus stays");

  // The frame is on a host of its own, in no origin at all.
  const frame = page.frames().find((each) => each !== page.mainFrame());
  const { hostname } = new URL(frame.url());
  assert.match(hostname, /^[0-9a-f]{40}\./);
  assert.notEqual(hostname, new URL(service.address).hostname);
  const [origin, storage, cookies] = await frame.evaluate(() => {
    const tried = (read) => { try { return read(); } catch (error) { return error.name; } };
    return [self.origin, tried(() => localStorage.length), tried(() => document.cookie)];
  });
  assert.deepEqual([origin, storage, cookies], ["null", "SecurityError", "SecurityError"]);
  // Scripts of pages still run, and links lead to the published pages.
  await preview(page).getByRole("tab", { name: "Two" }).click();
  await preview(page).getByText("Second tab").waitFor();
  await preview(page).getByRole("link", { name: "the animals", exact: true }).click();
  await preview(page).getByText("Wombats dig.").waitFor();
  assert.match(page.url(), /pages\/edit/);
  await page.context().close();
  assert.deepEqual(errors, []);
});

test("edit by keyboard becomes a pull request that is merged and published", async () => {
  const page = await instance.open({ storageState });
  await page.goto(`${service.address}/projects/${project}/pages`);
  await page.getByRole("link", { name: "Edit Animals", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/pages\/edit/);
  assert.equal(await title(page), "Edit “Animals”");
  const text = page.getByLabel("Text", { exact: true });
  // The field is among the first stops of the content.
  await page.locator("#content").focus();
  for (let stops = 0; !(await text.evaluate((field) => field === document.activeElement)); stops += 1) {
    assert.ok(stops < 4, "the text is a few stops away");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nWombats dig deep.");
  await preview(page).getByText("Wombats dig deep.").waitFor();
  // A key leaves the text, and the frame has no trap.
  for (let stops = 0; !(await page.getByLabel("Summary").evaluate((field) => field === document.activeElement)); stops += 1) {
    assert.ok(stops < 40, "the summary comes after the frame");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type("Say how deep wombats dig");
  await page.keyboard.press("Enter");
  await page.waitForURL(/pull-requests\/1$/);
  await page.getByText("Pull request opened", { exact: true }).waitFor();
  assert.match(await page.locator("main").innerText(), /Say how deep wombats dig[^]*Wombats dig deep\./);
  await page.getByRole("button", { name: "Merge and publish" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Pull request merged", { exact: true }).waitFor();
  await until("the page is published", async () => (await page.goto(site("/"))) && (await page.locator("article").innerText()).includes("Wombats dig deep."));
  await page.context().close();
});

test("preview and pull request work without scripts", async () => {
  const page = await instance.open({ storageState, javaScriptEnabled: false });
  await page.goto(service.address + edit("guides/office"));
  const text = page.getByLabel("Text", { exact: true });
  await text.fill((await text.inputValue()).replace("permits", "permits and maps"));
  await press(page, "Preview");
  await page.frameLocator("iframe").getByText("The office gives permits and maps.").waitFor();
  await fill(page, { Summary: "Name the maps" });
  await press(page, "Open pull request");
  await page.waitForURL(/pull-requests\/\d+$/);
  assert.equal((await title(page)).split("\n")[0].startsWith("Name the maps"), true);
  await page.context().close();
});

test("page of an edit fits every window", async (context) => {
  await lookAt(context, instance, [edit("guides/office"), `/projects/${project}/pages`], storageState);
});
