// Previews of a real service in Chromium: isolation of a stranger's script, and changes side by side.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ended, publish, send } from "./api_client.mjs";
import { at, cameByItsProtocol, launch, serve, stop } from "./service.mjs";

const binary = process.env.DOCWRIGHT;

// The script tries to read the real site and reports the results.
const THIEF = `
window.loot = {};
document.cookie = "planted=1; domain=localhost; path=/";
loot.cookies = document.cookie;
loot.storage = Object.entries(localStorage).join();
const frame = document.createElement("iframe");
frame.src = REAL;
frame.onload = () => {
  try { loot.frame = frame.contentWindow.localStorage.getItem("session"); } catch (error) { loot.frame = error.name; }
  fetch(REAL, { credentials: "include" }).then((answer) => answer.text(), (error) => error.name)
    .then((text) => { loot.fetched = text.includes("Real words") ? "read" : "refused"; loot.done = true; });
};
document.addEventListener("DOMContentLoaded", () => document.body.append(frame));
`;

let folder, service, programs, browser, project, key, preview;

function admin(...words) {
  return JSON.parse(execFileSync(binary, ["admin", "--json", "--data", join(folder, "data"), ...words], { stdio: "pipe" }));
}

function write(files) {
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(join(folder, "docs", path, ".."), { recursive: true });
    writeFileSync(join(folder, "docs", path), contents);
  }
}

const call = (...request) => send(programs, key, ...request);

const page = (title, text) => `---\ntitle: ${title}\n---\n\n${text}\n`;
const SITE = {
  "docs.json": JSON.stringify({ name: "Docs", colors: { primary: "#0f766e" }, navigation: { pages: ["index", "install", "gone", "same"] } }),
  "index.mdx": page("Start", "Real words on the first page."),
  "install.mdx": page("Install", "Install it with npm, then start it.\n\n| Name | Value |\n| - | - |\n| one | 1 |\n\n```bash\nnpm install thing\n```\n\nThe last paragraph stays as it is."),
  "gone.mdx": page("Gone", "A page that goes away."),
  "same.mdx": page("Same", "This stays the same."),
};

before(async () => {
  assert.ok(binary, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  folder = mkdtempSync(join(tmpdir(), "docwright-previews-"));
  write(SITE);
  const organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--import", join(folder, "docs")).id;
  admin("domain", "create", "docs.localhost", "--project", project);
  key = admin("key", "create", "test", "--organization", organization).key;
  service = await serve(folder, join(folder, "data"));
  programs = service.programs;
  await publish(call, project);
  const work = join(folder, "work");
  const git = (...words) => execFileSync("git", ["-C", work, "-c", "user.name=T", "-c", "user.email=t@example.com", ...words], { stdio: "pipe" });
  execFileSync("git", ["clone", "--quiet", `http://x:${key}@${new URL(programs).host}/git/${project}.git`, work], { stdio: "pipe" });
  git("checkout", "--quiet", "-b", "change");
  const config = JSON.parse(SITE["docs.json"]);
  config.navigation.pages = ["index", "install", "new", "same"];
  writeFileSync(join(work, "docs.json"), JSON.stringify(config));
  writeFileSync(join(work, "install.mdx"), SITE["install.mdx"].replace("with npm, then start it", "with cargo, then look at it").replace("| one | 1 |", "| one | 1 |\n| two | 2 |").replace("npm install thing", "cargo add thing"));
  writeFileSync(join(work, "new.mdx"), page("A new page", "Words that nobody has seen."));
  rmSync(join(work, "gone.mdx"));
  writeFileSync(join(work, "thief.js"), THIEF.replaceAll("REAL", JSON.stringify(at("docs.localhost"))));
  git("add", "--all");
  git("commit", "--quiet", "--message", "Change");
  git("push", "--quiet", "origin", "change");
  const started = await call("POST", `/v1/project/preview/${project}`, { branch: "change" });
  await ended(call, started.statusId);
  preview = started.previewUrl;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await stop(service?.process);
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("script of a preview cannot read cookies or storage of the real site", async () => {
  const context = await browser.newContext();
  const real = await context.newPage();
  await real.goto(at("docs.localhost"));
  await cameByItsProtocol(real);
  await real.evaluate(() => {
    document.cookie = "session=secret; path=/";
    localStorage.setItem("session", "secret");
  });
  const stolen = await context.newPage();
  await stolen.goto(`${preview}/`);
  await stolen.waitForFunction(() => window.loot?.done);
  const loot = await stolen.evaluate(() => window.loot);
  assert.ok(!JSON.stringify(loot).includes("secret"), JSON.stringify(loot));
  assert.equal(loot.frame, "SecurityError");
  assert.equal(loot.fetched, "refused");
  // Cookies that it set for all hosts have no effect.
  await real.reload();
  assert.equal(await real.evaluate(() => document.cookie), "session=secret");
  await context.close();
});

test("changes are shown side by side, or stacked in a narrow window", async () => {
  for (const [width, colorScheme, beside] of [[1280, "light", true], [1280, "dark", true], [390, "light", false]]) {
    // Without scripts, since the page itself has none.
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: false });
    const page = await context.newPage();
    const refused = [];
    page.on("console", (message) => message.text().includes("Content Security Policy") && refused.push(message.text()));
    await page.goto(`${preview}/_docwright/changes`);
    const shots = process.env.DOCWRIGHT_TEST_SCREENSHOTS;
    if (shots) await page.screenshot({ path: join(shots, `list-${width}-${colorScheme}.png`), fullPage: true });
    const listed = await page.locator(".list a").allTextContents();
    assert.deepEqual(listed, ["Gone", "Install", "A new page"]);
    await page.getByText("Install", { exact: true }).click();
    if (shots) await page.screenshot({ path: join(shots, `page-${width}-${colorScheme}.png`), fullPage: true });
    assert.deepEqual((await page.locator("section:first-child del").allTextContents()).slice(0, 1), ["npm"]);
    assert.deepEqual((await page.locator("section:last-child ins").allTextContents()).slice(0, 1), ["cargo"]);
    const [before, after] = await Promise.all([0, 1].map((number) => page.locator("main section").nth(number).boundingBox()));
    assert.equal(before.y === after.y, beside, `${width}`);
    assert.equal(before.y < after.y, !beside, `${width}`);
    const marked = await page.locator("del").first().evaluate((mark) => getComputedStyle(mark).backgroundColor).catch(() => "none");
    assert.notEqual(marked, "rgba(0, 0, 0, 0)");
    assert.deepEqual(refused, []);
    const wide = await page.locator("html").evaluate((root) => root.scrollWidth <= root.clientWidth).catch(() => true);
    assert.ok(wide, `it scrolls sideways at ${width}`);
    await context.close();
  }
});

test("keys lead from a page to its changes, from change to change, and back", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 700 } });
  const page = await context.newPage();
  const shown = () => page.locator("[data-shown]").allTextContents();
  await page.goto(`${preview}/install`);
  await page.keyboard.press("d");
  await page.waitForURL("**/_docwright/changes/install");
  await page.keyboard.press("ArrowRight");
  // The words before and after stand side by side: one change.
  assert.deepEqual((await shown()).filter((text) => /npm|cargo/.test(text)), ["npm", "cargo"]);
  await page.keyboard.press("ArrowRight");
  assert.ok((await shown()).includes("two"), (await shown()).join());
  await page.keyboard.press("ArrowLeft");
  assert.ok((await shown()).includes("cargo"), (await shown()).join());
  // After the last change comes the next page, and before the first one the page before.
  const marks = await page.locator("main :is(ins,del)").count();
  for (let step = 0; step < marks && page.url().endsWith("/install"); step += 1) await page.keyboard.press("ArrowRight");
  await page.waitForURL("**/_docwright/changes/new");
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL("**/_docwright/changes/install");
  await page.keyboard.press("d");
  await page.waitForURL(`${preview}/install`);
  // Where text is written, `d` is a letter.
  await page.keyboard.press("/");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("d");
  assert.equal(page.url(), `${preview}/install`);
  await context.close();
});

test("production site has no key for changes", async () => {
  const page = await browser.newPage();
  await page.goto(new URL("install", at("docs.localhost")).href);
  await page.keyboard.press("d");
  await page.keyboard.press("/");
  await page.getByRole("dialog").waitFor();
  assert.equal(new URL(page.url()).pathname, "/install");
  await page.close();
});
