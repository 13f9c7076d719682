// A new install of a test's own, and what people do with its dashboard in Chromium.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const PASSWORD = "correct horse battery";

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

// Starts a service with an empty data folder, and Chromium. The address is one that is free, or the one given. What comes back has its `address`, the path of its
// `setup`, the `folder` of the test, `open` and `close`.
export async function newInstall(variables = {}, listen = "127.0.0.1:0") {
  const binary = process.env.DOCWRIGHT;
  assert.ok(binary, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  const folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const service = spawn(binary, ["serve", "--listen", listen, "--data", join(folder, "data"), "--poll-seconds", "1"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...variables },
  });
  const [address, setup] = await Promise.all([
    said(service.stdout, /listening on (\S+)/),
    said(service.stderr, /begin at [^/]+\/\/[^/]+(\/setup\?token=[0-9a-f]+)/),
  ]);
  const browser = await chromium.launch({
    executablePath: process.env.DOCWRIGHT_TEST_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  // What went wrong in any page: errors of scripts, and what its policy refused.
  const mistakes = [];
  return {
    address,
    setup,
    folder,
    mistakes,
    // A window of somebody who has no cookies yet.
    async open(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      page.on("pageerror", (error) => mistakes.push(`${page.url()}: ${error}`));
      page.on("console", (message) => {
        // A page that answers with an error is none of a script's.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) mistakes.push(`${page.url()}: ${message.text()}`);
      });
      return page;
    },
    async close() {
      await browser.close();
      service.kill();
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
