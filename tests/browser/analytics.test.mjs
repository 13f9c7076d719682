// What the script of pages reports in Chromium, where it reports nothing, and that pages don't notice it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { publish, send, until } from "./api_client.mjs";
import { serve as serveFiles } from "./fixture.mjs";
import { pageErrors } from "./page_errors.mjs";
import { readingScript, watchReadingScript } from "./reading_script.mjs";
import { at, launch, serve, stop } from "./service.mjs";

// A headless browser names itself, and is a program. Tests change its name with an argument: an emulated one isn't in
// what a page sends while it is left.
const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const ON = { mode: "on" };

let browser;
let elsewhere;
let folder;
let key;
let project;
let service;
const deployed = {};

const run = (...args) => execFileSync(process.env.DOCWRIGHT, args, { stdio: "pipe" }).toString();
const admin = (...args) => JSON.parse(run("admin", "--json", "--data", join(folder, "data"), ...args));
const site = (path) => at("docs.localhost", path);

const call = (...request) => send(service.programs, key, ...request);

const analytics = (path) => call("GET", `/v1/analytics/${project}/${path}`);

// The counts of a property by value.
async function counts(by) {
  const { values } = await analytics(`breakdown?by=${by}&limit=100`);
  return Object.fromEntries(values.map(({ value, views }) => [value, views]));
}

// The views of a page by people, once there are this many.
async function views(path, expected) {
  await until(`${path} has ${expected} views`, async (last) => {
    last.totals = (await analytics(`views?path=${path}`)).totals;
    return last.totals.human === expected;
  });
}

// Another site: it has links to pages of this one, one of which is gone.
async function otherSite() {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<a href="${site("/guide")}">Marmots</a> <a href="${site("/old-guide")}">Old</a>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  elsewhere = await otherSite();
  const source = join(folder, "source");
  const things = { get: { summary: "List things", responses: { 200: { description: "Things" } } } };
  const text = Array.from({ length: 60 }, (_, line) => `The wombat digs burrow number ${line}.`).join("\n\n");
  const tabs = "<Tabs>\n<Tab title=\"Python\">\nOne\n</Tab>\n<Tab title=\"Ruby\">\nTwo\n</Tab>\n</Tabs>";
  const files = {
    "docs.json": JSON.stringify({
      theme: "mint", name: "Read", colors: { primary: "#0f766e" }, feedback: { thumbsRating: true },
      navigation: { groups: [{ group: "Start", pages: ["index", "guide", "GET /things"], openapi: "api.json" }] },
    }),
    "index.mdx": `---\ntitle: Home\n---\n[Guide](/guide) and [elsewhere](${elsewhere.address}/page?token=secret)\n\n\`\`\`bash\nls\n\`\`\`\n\n${tabs}\n\n${text}\n`,
    "guide.mdx": "---\ntitle: Marmots\n---\nThe marmot whistles.\n",
    "api.json": JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, servers: [{ url: "https://api.example" }], paths: { "/things": things } }),
  };
  mkdirSync(source);
  for (const [path, contents] of Object.entries(files)) writeFileSync(join(source, path), contents);
  const organization = admin("organization", "create", "Acme").id;
  project = admin("project", "create", "Docs", "--organization", organization, "--repository", source).id;
  admin("domain", "create", "docs.localhost", "--project", project);
  key = admin("key", "create", "test", "--organization", organization, "--scope", "admin").key;
  service = await serve(folder, join(folder, "data"));
  await publish(call, project);
  for (const features of [{ analytics: ON }, {}]) await deploy(features);
  browser = await launch([`--user-agent=${PERSON}`]);
});

after(async () => {
  await browser?.close();
  elsewhere?.server.close();
  await deployed.server?.close();
  if (service) await stop(service.process);
  rmSync(folder, { recursive: true, force: true });
});

// Exports for a client-hosted deployment, and serves the bundle if analytics is on.
async function deploy(features) {
  const name = features.analytics ? "counted" : "plain";
  await call("POST", `/v1/projects/${project}/deployments`, { name, type: "client-hosted", features });
  const started = await call("POST", "/v1/static-export/jobs", { domain: "docs.localhost", deployment: name });
  await until("the export is completed", async () => (await call("GET", `/v1/static-export/jobs/${started.jobId}`)).status === "completed");
  const { bundleUrl } = await call("POST", `/v1/static-export/jobs/${started.jobId}/bundle`);
  const files = join(folder, name);
  mkdirSync(files);
  const bundle = join(folder, `${name}.tar.gz`);
  const link = bundleUrl.replace(/^https?:\/\/[^/]+/, service.programs);
  writeFileSync(bundle, Buffer.from(await (await fetch(link)).arrayBuffer()));
  execFileSync("tar", ["-xzf", bundle, "-C", files]);
  deployed[name] = files;
  if (features.analytics) deployed.server = await serveFiles(files);
  if (features.analytics) deployed.address = deployed.server.address;
}

// A reader's window. `asked` are the paths of all requests. Browsers don't show tests what a beacon contains, so the
// counts of the service say what arrived.
async function reader(options = {}, init = null) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await watchReadingScript(context);
  if (init) await context.addInitScript(init);
  const page = await context.newPage();
  const [asked, errors] = [[], pageErrors(page)];
  context.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return { context, page, asked, errors };
}

const leave = (page) => page.goto("about:blank");

test("what a reader does is counted, once", async () => {
  const { context, page, errors } = await reader();
  const search = page.locator("#search-input");
  await page.goto(site("/"));
  await readingScript(page);
  await page.evaluate(() => new Promise((done) => { scrollTo(0, document.documentElement.scrollHeight / 3); requestAnimationFrame(() => requestAnimationFrame(done)); }));
  await page.getByRole("tab", { name: "Ruby" }).click();
  await page.locator(".dw-code-block").first().hover();
  await page.locator(".dw-code-block [data-copy]").first().click();
  // A search without a result ends when the reader closes it, and another one when they open a result.
  await page.keyboard.press("Control+k");
  await search.fill("zzqqxx");
  await page.locator(".dw-search-status", { hasText: "zzqqxx" }).waitFor();
  await page.locator(".dw-search-close").click();
  await search.waitFor({ state: "hidden" });
  await page.keyboard.press("Control+k");
  await search.fill("marmot");
  await page.locator("#search-results .dw-search-title", { hasText: "Marmots" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/guide/);
  await readingScript(page);
  await page.locator("#feedback-thumbs-down").click();
  await page.locator("#feedback-form-cancel").click();
  await page.locator(".dw-feedback-thanks").filter({ hasText: /./ }).waitFor();
  await page.goto(site("/api-reference/list-things"));
  await readingScript(page);
  await page.locator("[data-playground-open]").click();
  await page.goto(site("/"));
  await readingScript(page);
  // The build leaves links without a page out, but not those that scripts open.
  await page.evaluate(() => location.assign("/gone"));
  await page.waitForURL(/gone/);
  await page.goto(site("/"));
  await readingScript(page);
  await page.getByRole("link", { name: "elsewhere" }).click();
  await page.getByRole("link", { name: "Old" }).click();
  await page.waitForURL(/old-guide/);
  await page.goto(elsewhere.address);
  await page.getByRole("link", { name: "Marmots" }).click();
  await page.waitForURL(/guide/);
  await readingScript(page);
  await leave(page);

  const link = `${elsewhere.address}/page`;
  const { query, nothing } = await until("the last reports are counted", async (last) => {
    const { searches, totalSearches } = await analytics("searches");
    Object.assign(last, { searches, totalSearches, links: await counts("outbound-link"), read: await counts("reading-time") });
    const of = (name) => searches.find((each) => each.searchQuery === name);
    // The last page is the sixth that reports.
    return last.links[link] && last.read[0] === 6 && of("marmot") && of("zzqqxx") && { query: of("marmot"), nothing: of("zzqqxx") };
  });
  assert.deepEqual([query.hits, query.ctr, query.topClickedPage], [1, 1, "guide"]);
  assert.deepEqual([nothing.hits, nothing.ctr, nothing.topClickedPage], [1, 0, null]);
  const expected = {
    "outbound-link": { [link]: 1 }, "copied-code": { bash: 1 }, "chosen-tab": { Ruby: 1 }, playground: { opened: 1 },
    "empty-search": { zzqqxx: 1 }, referrer: { "127.0.0.1": 1 }, entry: { index: 3, "api-reference/list-things": 1, guide: 1 },
  };
  for (const [by, values] of Object.entries(expected)) assert.deepEqual(await counts(by), values, by);
  const { deadLinks } = await analytics("dead-links");
  const met = deadLinks.map(({ path, fromOwnSite, fromElsewhere }) => [path, fromOwnSite, fromElsewhere]);
  assert.deepEqual(met.sort(), [["/gone", 1, 0], ["/old-guide", 0, 1]]);
  const { feedback } = await analytics("feedback/by-page");
  assert.deepEqual(feedback.map((each) => [each.path, each.thumbsUp, each.thumbsDown]), [["guide", 0, 1]]);
  const depth = await counts("scroll-depth");
  assert.ok(depth[25] >= depth[50] && depth[50] >= depth[100], `a part that was reached includes the parts before: ${JSON.stringify(depth)}`);
  const { totals } = await analytics("web-vitals");
  assert.ok(totals.lcp.p75 > 0 && totals.cls.p75 !== null, JSON.stringify(totals));
  assert.ok(totals.inp.good + totals.inp.fair + totals.inp.poor > 0, "clicks are interactions");
  // Each page that was opened is one view: of the server, or of the script if the browser fetched it in advance.
  for (const [path, count] of [["index", 3], ["guide", 2], ["api-reference", 1]]) await views(path, count);
  assert.deepEqual(await context.cookies(), []);
  assert.deepEqual(errors, []);
});

test("views that the server doesn't see are reported", async () => {
  const before_ = (await analytics("views?path=guide")).totals.human;
  const { page } = await reader();
  await page.goto(site("/guide"));
  await readingScript(page);
  // A page that comes back from the browser's memory.
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await leave(page);
  await views("guide", before_ + 2);
  // A page that the browser fetched in advance, because the reader was about to open it.
  const fetched = await reader();
  await fetched.page.goto(site("/"));
  await readingScript(fetched.page);
  const link = fetched.page.locator("main").getByRole("link", { name: "Guide", exact: true });
  await link.hover();
  await until("the browser fetched it", () => fetched.page.evaluate(() => performance.now() > 1500));
  await link.click();
  await fetched.page.waitForURL(/guide/);
  await readingScript(fetched.page);
  await leave(fetched.page);
  await views("guide", before_ + 3);
});

test("readers who don't want to be measured load no script, and send nothing", async () => {
  for (const init of [
    () => Object.defineProperty(Navigator.prototype, "doNotTrack", { get: () => "1" }),
    () => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true }),
  ]) {
    const { page, asked, errors } = await reader({}, init);
    await page.goto(site("/"), { waitUntil: "load" });
    await page.getByRole("tab", { name: "Ruby" }).click();
    await leave(page);
    assert.deepEqual(asked.filter((path) => path.includes("reading")), []);
    assert.deepEqual(errors, []);
  }
});

test("views of readers without scripts are counted by the server", async () => {
  const before_ = (await analytics("views?path=guide")).totals.human;
  const { page, asked } = await reader({ javaScriptEnabled: false });
  await page.goto(site("/guide"), { waitUntil: "load" });
  await views("guide", before_ + 1);
  assert.deepEqual(asked.filter((path) => path.includes("reading")), []);
});

test("files, and servers that count nobody, get no report", async () => {
  for (const address of [pathToFileURL(join(deployed.counted, "index.html")).href, deployed.address]) {
    const { page, asked, errors } = await reader();
    await page.goto(address, { waitUntil: "load" });
    assert.equal(await page.locator("script[data-script]").count(), 1, "the bundle has the script");
    await page.getByRole("tab", { name: "Ruby" }).click();
    await leave(page);
    assert.deepEqual(asked.filter((path) => path.includes("reading")), []);
    assert.deepEqual(errors, []);
  }
});

test("errors of the script disturb no page", async () => {
  const { page, errors } = await reader({}, () => {
    navigator.sendBeacon = () => { throw new Error("blocked"); };
    performance.getEntriesByType = new Proxy(performance.getEntriesByType, {
      apply(target, self, [kind]) {
        if (kind === "visibility-state") throw new Error("blocked");
        return Reflect.apply(target, self, [kind]);
      },
    });
  });
  await page.goto(site("/"));
  await readingScript(page);
  await page.getByRole("tab", { name: "Ruby" }).click();
  assert.equal(await page.getByRole("tab", { name: "Ruby" }).getAttribute("aria-selected"), "true");
  await page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await leave(page);
  assert.deepEqual(errors, []);
});

test("the script comes after the page, and moves nothing", async (t) => {
  const measured = {};
  for (const [name, address] of [["with", site("/")], ["without", pathToFileURL(join(deployed.plain, "index.html")).href]]) {
    const { page } = await reader();
    await page.goto(address, { waitUntil: "load" });
    if (name === "with") await readingScript(page);
    measured[name] = await page.evaluate(async () => {
      const shifts = [];
      new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: "layout-shift", buffered: true });
      // Each page has a largest paint, on a busy machine some frames after its load event.
      const paints = await new Promise((done) => new PerformanceObserver((list) => done(list.getEntries())).observe({ type: "largest-contentful-paint", buffered: true }));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const shift = shifts.reduce((sum, entry) => sum + entry.value, 0);
      const paint = paints.at(-1).startTime;
      const script = performance.getEntriesByType("resource").find((entry) => entry.name.endsWith("reading.js"));
      const { loadEventStart } = performance.getEntriesByType("navigation")[0];
      return { shift, paint, loadedAt: loadEventStart, isAfter: script ? script.startTime >= loadEventStart : null, bytes: script?.encodedBodySize };
    });
  }
  // The font of the page can arrive late on a busy machine, and moves a line by a fraction of a pixel.
  for (const [name, { shift }] of Object.entries(measured)) assert.ok(shift < 0.001, `${shift} ${name} the script`);
  // The script comes after the load event, so it can't delay the largest paint that came before it.
  for (const [name, { paint, loadedAt }] of Object.entries(measured)) {
    assert.ok(paint > 0, `${name} the script`);
    t.diagnostic(`${name} the script: largest paint after ${Math.round(paint)} ms, loaded after ${Math.round(loadedAt)} ms`);
  }
  assert.equal(measured.with.isAfter, true);
  assert.ok(measured.with.bytes > 0 && measured.with.bytes <= 2500, `${measured.with.bytes} bytes`);
});

test("a deployment without analytics has no trace of the script", () => {
  const found = execFileSync("sh", ["-c", "grep -rlE 'reading.js|data-script|_docwright/reading' . || true"], { cwd: deployed.plain });
  assert.equal(found.toString(), "");
});
