// A new instance of a test's own, and what people do with its dashboard in Chromium.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const PASSWORD = "correct horse battery";

// Whether browsers reach the service by HTTP/2: it speaks TLS itself then. A file of tests that ends with
// `.http2.test.mjs` runs those of another one in this way.
export const isHttp2 = process.env.DOCWRIGHT_TEST_HTTP2 === "1";
// Names in certificates need two labels behind a wildcard, so previews lie deeper there.
const [SCHEME, NAME] = isHttp2 ? ["https", "docwright.localhost"] : ["http", "localhost"];
const CERTIFIED = [NAME, "handbook.localhost", "docs.localhost", "*.previews.localhost"];

// An address of this machine that no other process uses, so that ports can be chosen before they are taken.
const OWN = `127.${64 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const [PORT, PLAIN_PORT] = isHttp2 ? [8443, 8080] : [8080, 8080];

// What a program writes, up to what is looked for.
export function said(stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.on("data", (data) => {
      text += data;
      const found = text.match(pattern);
      if (found) resolve(found[1]);
    });
    stream.on("close", () => reject(new Error(`${pattern} was never said: ${text.slice(-2000)}`)));
  });
}

// Starts a service with a data folder. `address` is where browsers reach it, and has a name; `programs` is where git
// and scripts do, by plain HTTP. `folder` is for the certificate.
export async function serve(folder, data, variables = {}) {
  const binary = process.env.DOCWRIGHT;
  assert.ok(binary, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  const address = `${SCHEME}://${NAME}:${PORT}`;
  const flags = ["--listen", `${OWN}:${PLAIN_PORT}`, "--public-url", address, "--poll-seconds", "1", "--data", data];
  if (isHttp2) {
    const [certificate, key] = ["certificate.pem", "key.pem"].map((name) => join(folder, name));
    const names = `subjectAltName=${CERTIFIED.map((name) => `DNS:${name}`)}`;
    const made = ["req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2", "-subj", `/CN=${NAME}`];
    execFileSync("openssl", [...made, "-addext", names, "-keyout", key, "-out", certificate], { stdio: "pipe" });
    flags.push("--tls-listen", `${OWN}:${PORT}`, "--tls-certificate", certificate, "--tls-key", key, "--preview-domain", "previews.localhost");
  }
  const process_ = spawn(binary, ["serve", ...flags], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...variables } });
  const setup = said(process_.stderr, /open [^/]+\/\/[^/]+(\/setup\?token=[0-9a-f]+)/);
  // Not every test begins with a new instance.
  setup.catch(() => {});
  await said(process_.stdout, /listening on (\S+)/);
  return { process: process_, setup, address, programs: `http://${OWN}:${PLAIN_PORT}` };
}

// The address of a site's host, or of any other host of the service of this test.
export const at = (host, path = "/") => `${SCHEME}://${host}:${PORT}${path}`;

// Starts Chromium, which finds the service of this test below `localhost`.
export function launch() {
  const rules = [`MAP localhost ${OWN}`, `MAP *.localhost ${OWN}`].join(", ");
  return chromium.launch({
    executablePath: process.env.DOCWRIGHT_TEST_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--ignore-certificate-errors", `--host-resolver-rules=${rules}`],
  });
}

// Fails unless a page came by the protocol of this run.
export async function cameByItsProtocol(page) {
  const protocol = await page.evaluate(() => performance.getEntriesByType("navigation")[0].nextHopProtocol);
  assert.equal(protocol, isHttp2 ? "h2" : "http/1.1", page.url());
}

// Starts a service with an empty data folder, and Chromium. What comes back has its `address`, the path of its
// `setup`, where `programs` reach it, the `folder` of the test, `open` and `close`.
export async function newInstall(variables = {}) {
  const folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const service = await serve(folder, join(folder, "data"), variables);
  const setup = await service.setup;
  const browser = await launch();
  // What went wrong in any page: errors of scripts, and what its policy refused.
  const errors = [];
  return {
    address: service.address,
    programs: service.programs,
    setup,
    folder,
    errors,
    // A window of someone who has no cookies yet.
    async open(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      page.on("pageerror", (error) => errors.push(`${page.url()}: ${error}`));
      page.on("console", (message) => {
        // A page that answers with an error is none of a script's.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) errors.push(`${page.url()}: ${message.text()}`);
      });
      return page;
    },
    async close() {
      await browser.close();
      service.process.kill();
      if (service.process.exitCode === null) await once(service.process, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Fills in the fields of the page, by their labels.
export async function fill(page, fields) {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
}

export const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
export const follow = (page, name) => page.getByRole("link", { name, exact: true }).first().click();
export const title = (page) => page.locator("h1").innerText();
