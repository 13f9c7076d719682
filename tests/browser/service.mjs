// A new instance for a test, and actions in its dashboard in Chromium.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium } from "./chromium.mjs";
import { pageErrors } from "./page_errors.mjs";

export const PASSWORD = "correct horse battery";

// Whether browsers reach the service over HTTP/2 with its own TLS. A test file that ends with `.http2.test.mjs`
// runs the tests of another file in this way.
export const isHttp2 = process.env.DOCWRIGHT_TEST_HTTP2 === "1";
// Wildcard certificates need two labels after the wildcard, so preview hosts have one more label.
const [SCHEME, NAME] = isHttp2 ? ["https", "docwright.localhost"] : ["http", "localhost"];
const CERTIFIED = [NAME, "handbook.localhost", "docs.localhost", "*.previews.localhost"];

// A free address of this machine, so that ports are known before they are used.
const OWN = `127.${64 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const [PORT, PLAIN_PORT] = isHttp2 ? [8443, 8080] : [8080, 8080];

// Collects a program's output until it matches.
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

// Starts a service with a data folder. `address` is the named address for browsers; `programs` is the plain HTTP
// address for git and scripts. `folder` is for the certificate.
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
  // Not every test starts with a new instance.
  setup.catch(() => {});
  await said(process_.stdout, /listening on (\S+)/);
  return { process: process_, setup, address, programs: `http://${OWN}:${PLAIN_PORT}` };
}

// Stops a program, if it started, and waits until it writes no more files.
export async function stop(program) {
  program?.kill();
  if (program && program.exitCode === null && program.signalCode === null) await once(program, "exit");
}

// The address of a site's host, or of any other host of this test's service.
export const at = (host, path = "/") => `${SCHEME}://${host}:${PORT}${path}`;

// Starts Chromium, which resolves this test's hosts below `localhost`, with more arguments.
export function launch(more = []) {
  const rules = [`MAP localhost ${OWN}`, `MAP *.localhost ${OWN}`].join(", ");
  return launchChromium(["--ignore-certificate-errors", `--host-resolver-rules=${rules}`, ...more]);
}

// Fails unless a page was loaded with the protocol of this run.
export async function cameByItsProtocol(page) {
  const protocol = await page.evaluate(() => performance.getEntriesByType("navigation")[0].nextHopProtocol);
  assert.equal(protocol, isHttp2 ? "h2" : "http/1.1", page.url());
}

// Starts a service with an empty data folder, and Chromium. Returns its `address`, the path of its `setup`, the
// address for `programs`, the test's `folder`, `open`, and `close`.
export async function newInstall(variables = {}) {
  const folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const service = await serve(folder, join(folder, "data"), variables);
  const setup = await service.setup;
  const browser = await launch();
  // Errors of all pages: those of scripts, and policy violations.
  const errors = [];
  return {
    address: service.address,
    programs: service.programs,
    setup,
    folder,
    errors,
    // Opens a window without cookies.
    async open(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      pageErrors(page, errors);
      page.on("console", (message) => {
        // A page with an error status isn't a script error.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) errors.push(`${page.url()}: ${message.text()}`);
      });
      return page;
    },
    async close() {
      await browser.close();
      await stop(service.process);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Fills in the fields of the page by their labels.
export async function fill(page, fields) {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
}

export const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
export const follow = (page, name) => page.getByRole("link", { name, exact: true }).first().click();
export const title = (page) => page.locator("h1").innerText();
