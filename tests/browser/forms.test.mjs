// All forms from the first start to a reader's feedback, in Chromium: setup, sign-in, feedback, merge, and
// password-protected previews. Each form is refused if its origin differs from its target.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PASSWORD, at, cameByItsProtocol, fill, follow, newInstall, press, title } from "./service.mjs";

const SITE = {
  "docs.json": JSON.stringify({ name: "Handbook", colors: { primary: "#0f766e" }, feedback: { thumbsRating: true }, navigation: { pages: ["index"] } }),
  "index.mdx": "---\ntitle: Start\n---\n\nFirst words.\n",
};

let instance, page, organization, project;

before(async () => {
  instance = await newInstall();
  page = await instance.open();
});

after(() => instance?.close());

// Waits until a page of the site contains a text. Returns the page's text.
async function reads(window, path, words) {
  for (let turn = 0; turn < 300; turn += 1) {
    await window.goto(at("handbook.localhost", path));
    if ((await window.locator("body").innerText()).includes(words)) return;
    await window.waitForTimeout(100);
  }
  assert.fail(`${path} never says ${words}`);
}

test("setup creates the first account", async () => {
  await page.goto(instance.address + instance.setup);
  await fill(page, { Name: "Ada Lovelace", Email: "ada@example.com", Password: PASSWORD, Organization: "Acme" });
  await press(page, "Create account");
  assert.equal(await title(page), "Projects");
  await cameByItsProtocol(page);
  organization = page.url();
});

test("owner signs out and in", async () => {
  await press(page, "Sign out");
  assert.equal(await title(page), "Sign in");
  await fill(page, { Email: "ada@example.com", Password: PASSWORD });
  await press(page, "Sign in");
  assert.equal(await title(page), "Projects");
  const cookies = await page.context().cookies();
  const { name, secure } = cookies.find((each) => each.name.endsWith("docwright"));
  assert.equal(secure, instance.address.startsWith("https:"), name);
});

test("project is created and published", async () => {
  await follow(page, "New project");
  await fill(page, { Name: "Handbook" });
  await press(page, "Create project");
  assert.equal(await title(page), "Handbook");
  project = page.url();
  await page.goto(`${organization}/keys/new`);
  await fill(page, { Name: "push" });
  await page.getByRole("radio", { name: /Write/ }).check();
  await press(page, "Create key");
  const key = await page.locator("main code").first().innerText();
  const work = join(instance.folder, "work");
  const git = (...words) => execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words], { stdio: "pipe" });
  const repository = `${instance.programs.replace("//", `//x:${key}@`)}/git/${project.split("/").at(-1)}.git`;
  mkdirSync(work);
  git("clone", "--quiet", repository, work);
  for (const [path, contents] of Object.entries(SITE)) writeFileSync(join(work, path), contents);
  git("-C", work, "add", "--all");
  git("-C", work, "commit", "--quiet", "--message", "Write a page");
  git("-C", work, "push", "--quiet", "origin", "HEAD");
  await reads(await instance.open(), "/", "First words.");
});

test("reader answers whether a page helped", async () => {
  const reader = await instance.open();
  await reader.goto(at("handbook.localhost"));
  await cameByItsProtocol(reader);
  await reader.locator("#feedback-thumbs-down").click();
  await reader.locator("#feedback-form-input").fill("More examples");
  const [answer] = await Promise.all([
    reader.waitForResponse((response) => response.url().endsWith("/_docwright/feedback")),
    reader.locator("#feedback-form-submit").click(),
  ]);
  assert.equal(answer.status(), 204);
  await reader.getByText("Thank you for your feedback.").waitFor();
  await page.goto(`${project}/feedback`);
  assert.match(await page.locator("main").innerText(), /More examples/);
});

test("pull request of an agent job is merged by its button", async () => {
  await page.goto(`${project}/jobs/new`);
  await fill(page, { Prompt: 'Add page help titled "Help" with text "Words of an agent."' });
  await press(page, "Start job");
  await page.getByText("Pull request opened").waitFor();
  await page.goto(await page.getByRole("link", { name: "View pull request" }).evaluate((link) => link.href));
  await page.getByRole("button", { name: /^Merge/ }).click();
  await page.getByText(/merged/i).first().waitFor();
  await reads(await instance.open(), "/help", "Words of an agent.");
});

test("preview opens by its password and for members", async () => {
  await page.goto(`${project}/previews`);
  await page.locator('input[name="password"]').fill(PASSWORD);
  await page.locator('form:has(input[name="password"]) button').click();
  const branch = page.locator('form:has(input[name="branch"])');
  await branch.locator("input").fill("main");
  await branch.getByRole("button").click();
  await page.locator("main table").getByText("Ready").first().waitFor();
  const preview = await page.locator("main table tbody td a", { hasText: /^Open$/ }).getAttribute("href");
  const guest = await instance.open();
  await guest.goto(preview);
  await cameByItsProtocol(guest);
  await guest.getByLabel("Password").fill("a wrong password");
  await press(guest, "Open preview");
  await guest.getByText("Incorrect password.").waitFor();
  await guest.getByLabel("Password").fill(PASSWORD);
  await press(guest, "Open preview");
  await guest.getByText("First words.").waitFor();
  await page.goto(preview);
  await follow(page, "Sign in with docwright");
  await page.getByText("First words.").waitFor();
  assert.equal(new URL(page.url()).origin, new URL(preview).origin);
});

test("form of another site changes nothing", async () => {
  const other = await instance.open({ storageState: await page.context().storageState() });
  await other.goto(at("handbook.localhost"));
  // The site's own policy would block the form before the service gets it. Only the page is replaced: a script of the
  // first page can still be on its way.
  await other.route("**/*", async (route) => {
    const request = route.request();
    if (!request.isNavigationRequest() || request.method() !== "GET" || !request.url().startsWith(at("handbook.localhost"))) return route.continue();
    const form = `<form method="post" action="${instance.address}/account/name"><input name="name" value="Mallory"><button>Go</button></form>`;
    return route.fulfill({ contentType: "text/html", body: form });
  });
  await other.reload();
  const [answer] = await Promise.all([
    other.waitForResponse((response) => response.url().endsWith("/account/name")),
    other.getByRole("button", { name: "Go" }).click(),
  ]);
  assert.equal(answer.status(), 403);
});

test("member deletes their account", async () => {
  await page.goto(`${organization}/invitations`);
  await fill(page, { Email: "grace@example.com" });
  await press(page, "Create invitation");
  const guest = await instance.open();
  await guest.goto(await page.locator("[data-copy]").getAttribute("data-copy"));
  await fill(guest, { Name: "Grace Hopper", Password: PASSWORD });
  await press(guest, "Create account and join");
  await guest.goto(`${instance.address}/account`);
  await follow(guest, "Delete your account");
  await fill(guest, { Password: PASSWORD });
  await press(guest, "Delete account");
  assert.equal(await title(guest), "Account deleted");
  await guest.goto(`${instance.address}/account`);
  assert.equal(await title(guest), "Sign in");
  await page.goto(`${instance.address}/accounts`);
  assert.equal(await page.getByText("grace@example.com").count(), 0);
});

test("no page logged an error in its console", () => {
  assert.deepEqual(instance.errors.filter((each) => !each.includes("/account/name")), []);
});
