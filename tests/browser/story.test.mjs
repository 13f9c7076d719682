// A new user's way from the first start to a read-only member, in Chromium, with a repository on a git host, and
// using only information on the pages.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lookAt, pages, withoutScripts } from "./pages.mjs";
import { PASSWORD, at, cameByItsProtocol, fill, follow, isHttp2, newInstall, press, said, title } from "./service.mjs";

const TOKEN = "a-token-of-the-host";
const page = (name, text) => `---\ntitle: ${name}\n---\n\n${text}\n`;

let instance, host, folder, work, bare, github;
let operator, guest;
// Addresses of pages that later chapters open again.
let project, organization, key;
// The paths of all pages.
let all;

// git on the team's machine.
function git(...words) {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  return execFileSync("git", [...who, "-C", work, ...words], { encoding: "utf8" }).trim();
}

function push(file, text, ...to) {
  writeFileSync(join(work, file), text);
  git("add", "--all");
  git("commit", "--quiet", "--message", `Change ${file}`);
  for (const ref of to) git("push", "--quiet", bare, `HEAD:${ref}`);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-story-"));
  [work, bare] = [join(folder, "work"), join(folder, "acme/docs.git")];
  mkdirSync(work);
  writeFileSync(join(work, "docs.json"), JSON.stringify({ name: "Acme", colors: { primary: "#0f766e" }, navigation: { pages: ["index", "install"] } }));
  writeFileSync(join(work, "index.mdx"), page("Start", "First words."));
  writeFileSync(join(work, "install.mdx"), page("Install", "Read [more](/nowhere)."));
  git("init", "--quiet", "--initial-branch", "trunk");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
  execFileSync("git", ["clone", "--quiet", "--bare", work, bare]);
  host = spawn("node", [new URL("../mocks/github.mjs", import.meta.url).pathname, folder, TOKEN], { stdio: ["pipe", "pipe", "inherit"] });
  github = await said(host.stdout, /listening on (\S+)/);
  const name = new URL(github).host;
  instance = await newInstall({ DOCWRIGHT_GIT_HOSTS: `${name}=github`, DOCWRIGHT_PRIVATE_HOSTS: name });
});

after(async () => {
  await instance?.close();
  // The mock stops its child processes when its stdin closes.
  host?.stdin.end();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

// Each chapter continues the previous one.
let hasFailed = false;
function chapter(name, body) {
  test(name, async (context) => {
    if (hasFailed) return context.skip("an earlier chapter failed");
    try {
      await body(context);
    } catch (error) {
      hasFailed = true;
      error.message += `\nThe page ${operator?.url()} says: ${await operator?.locator("body").innerText()}`;
      throw error;
    }
  });
}

// Waits until a page of the site contains a text. Returns the page's text.
async function reads(window, path, words) {
  const address = at("handbook.localhost", `/${path}`);
  for (let turn = 0; turn < 300; turn += 1) {
    await window.goto(address);
    if ((await window.locator("body").innerText()).includes(words)) return;
    await window.waitForTimeout(100);
  }
  assert.fail(`${address} never says ${words}`);
}

chapter("link from the log creates an account and an organization", async () => {
  operator = await instance.open();
  await operator.goto(instance.address + instance.setup);
  await fill(operator, { Name: "Ada Lovelace", Email: "ada@example.com", Password: PASSWORD, Organization: "Acme" });
  await press(operator, "Create account");
  assert.equal(await title(operator), "Projects");
  await cameByItsProtocol(operator);
  organization = operator.url();
});

chapter("project is created from a git URL that needs a token", async () => {
  await follow(operator, "New project");
  await fill(operator, { Name: "Handbook", Repository: `${github}/acme/docs.git` });
  await press(operator, "Create project");
  await operator.getByText("needs credentials to read this repository").first().waitFor();
  await fill(operator, { "Token or password": TOKEN });
  await press(operator, "Create project");
  assert.equal(await title(operator), "Handbook");
  project = operator.url();
  assert.doesNotMatch(await operator.locator("main").innerText(), new RegExp(TOKEN), "a secret is not shown again");
});

chapter("first release is activated automatically", async () => {
  await operator.goto(project);
  // The page refreshes automatically.
  await operator.getByRole("main").getByText("Active", { exact: true }).first().waitFor();
  assert.match(await operator.locator("main").innerText(), /1 error/, "the page says what was found");
  const reader = await instance.open();
  await reads(reader, "", "First words.");
});

chapter("push is published", async () => {
  push("index.mdx", page("Start", "Second words."), "trunk");
  await reads(await instance.open(), "", "Second words.");
});

chapter("pull request has its own preview", async () => {
  git("checkout", "--quiet", "-b", "change");
  push("install.mdx", page("Install", "Proposed words."), "refs/heads/change", "refs/pull/1/head");
  git("checkout", "--quiet", "trunk");
  await fetch(`${github}/pull?number=1&head=change&owner=acme`);
  await operator.goto(`${project}/previews`);
  await operator.getByRole("link", { name: "From elsewhere" }).click();
  await operator.getByText("Ready").first().waitFor();
  const address = await operator.getByRole("link", { name: "Open preview" }).getAttribute("href");
  await operator.goto(new URL(address, operator.url()).href);
  await operator.goto(new URL("/install", operator.url()).href);
  assert.match(await operator.locator("body").innerText(), /Proposed words/);
  await reads(await instance.open(), "install", "Read more");
  const { comments } = await (await fetch(`${github}/journal`)).json();
  assert.equal(comments.filter((each) => each.number === 1).length, 1, "the comment links to the preview");
});

chapter("API key is created and used by curl", async () => {
  await operator.goto(`${organization}/keys`);
  await follow(operator, "New key");
  await fill(operator, { Name: "ci" });
  await press(operator, "Create key");
  key = await operator.locator("main code").first().innerText();
  const line = await operator.locator("main code").nth(1).innerText();
  assert.match(line, /^curl /);
  // The name resolves to this machine, and the test issued the certificate.
  const { host } = new URL(instance.programs);
  const reached = `--insecure --connect-to ::${host.split(":")[0]}:`;
  assert.match(execFileSync("sh", ["-c", `${line} --silent ${reached}`], { encoding: "utf8" }), /"Handbook"/);
  await operator.reload();
  assert.doesNotMatch(await operator.locator("main").innerText(), new RegExp(key.slice(-20)));
});

chapter("export is downloaded and verified", async () => {
  await operator.goto(`${project}/exports`);
  await press(operator, "Start export");
  await operator.getByRole("link", { name: "Download" }).waitFor();
  const [download] = await Promise.all([operator.waitForEvent("download"), follow(operator, "Download")]);
  const file = join(folder, "site.tar.gz");
  await download.saveAs(file);
  const checksum = createHash("sha256").update(readFileSync(file)).digest("hex");
  assert.match(await operator.locator("main").innerText(), new RegExp(checksum));
  execFileSync(process.env.DOCWRIGHT, ["verify", file], { stdio: "pipe" });
});

chapter("prompt becomes a pull request that is merged and published", async () => {
  await operator.goto(`${project}/jobs/new`);
  await fill(operator, { Prompt: 'Add page help titled "Help" with text "Words of an agent."' });
  await press(operator, "Start job");
  await operator.getByText("Pull request opened").waitFor();
  const { pulls } = await (await fetch(`${github}/journal`)).json();
  const pull = pulls.at(-1);
  const link = operator.getByRole("link", { name: "View pull request" });
  assert.equal(await link.getAttribute("href"), pull.html_url);
  // A team member merges the pull request on the host.
  execFileSync("git", ["-C", bare, "update-ref", "refs/heads/trunk", `refs/heads/${pull.head}`]);
  await fetch(`${github}/close?number=${pull.number}`);
  await reads(await instance.open(), "help", "Words of an agent.");
});

chapter("failed build leaves the site unchanged", async () => {
  git("pull", "--quiet", bare, "trunk");
  const configuration = readFileSync(join(work, "docs.json"), "utf8");
  push("docs.json", "{ this is no JSON", "trunk");
  await operator.goto(project);
  await operator.getByText("The latest release failed").waitFor();
  await operator.getByRole("alert").getByRole("link", { name: "Release" }).click();
  assert.match(await operator.getByRole("alert").innerText(), /docs\.json/, "the page says what to repair");
  await reads(await instance.open(), "", "Second words.");
  push("docs.json", configuration, "trunk");
});

chapter("bad release is rolled back", async () => {
  push("index.mdx", page("Start", "Wrong words."), "trunk");
  const reader = await instance.open();
  await reads(reader, "", "Wrong words.");
  await operator.goto(`${project}/releases`);
  await operator.locator("main tbody tr", { hasText: "Add page help" }).first().getByRole("link").first().click();
  await follow(operator, "Activate");
  await press(operator, "Activate");
  await reads(reader, "", "Second words.");
});

chapter("viewer is invited and can only read", async () => {
  await operator.goto(`${organization}/invitations`);
  await fill(operator, { Email: "grace@example.com" });
  await operator.getByLabel("Role", { exact: true }).selectOption("viewer");
  await press(operator, "Create invitation");
  const link = await operator.locator("main code").first().innerText();
  guest = await instance.open();
  await guest.goto(link);
  await fill(guest, { Name: "Grace Hopper", Password: PASSWORD });
  await press(guest, "Create account and join");
  await guest.goto(project);
  assert.equal(await title(guest), "Handbook");
  assert.match(await guest.locator("main").innerText(), /Active/);
  for (const address of [`${project}/jobs/new`, `${organization}/projects/new`, `${organization}/keys/new`]) {
    const answer = await guest.goto(address);
    assert.equal(answer.status(), 403, address);
    assert.match(await guest.locator("main").innerText(), /[Aa]sk|role/, "the page names the required role");
  }
  for (const path of ["", "/releases", "/exports", "/previews", "/jobs", "/domains", "/settings"]) {
    await guest.goto(project + path);
    assert.equal(await guest.locator("main form[method=post]").count(), 0, `${path} offers nothing that is refused`);
  }
});

chapter("audit log lists every change", async () => {
  await operator.goto(`${organization}/audit`);
  let text = "";
  for (;;) {
    text += await operator.locator("main").innerText();
    const older = operator.locator("main").getByRole("link", { name: "Next page" });
    if ((await older.count()) === 0) break;
    await older.click();
  }
  const wanted = [
    "Created the organization", "Created a project", "Added a domain", "Set credentials", "Created an API key", "Started a static export",
    "Started an agent job", "Activated a release", "Invited a member", "grace@example.com",
  ];
  for (const action of wanted) assert.ok(text.includes(action), `${action} is not in\n${text.slice(0, 4000)}`);
  assert.doesNotMatch(text, new RegExp(TOKEN));
});

chapter("links lead to all pages", async () => {
  all = await pages(instance, operator);
  assert.ok(all.length > 40, all.join());
});

// The pages are the same over both protocols.
if (!isHttp2) {
  chapter("pages pass axe, HTML validation, and a narrow window", async (context) => {
    await lookAt(context, instance, all, await operator.context().storageState());
  });

  chapter("pages show the same text without scripts", async (context) => {
    await withoutScripts(context, instance, all, await operator.context().storageState());
  });
}

chapter("no page logged an error in its console", () => {
  assert.deepEqual(instance.errors, []);
});
