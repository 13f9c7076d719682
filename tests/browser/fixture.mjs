// A small site for a test: built from given files, served, and opened in Chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { launchChromium } from "./chromium.mjs";

const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2" };

// Chromium, which all sites of a process share, and the number of those sites.
const shared = { browser: undefined, sites: 0 };

// Takes files by path, with `docs.json` as an object. `flags` are for the build. `handle` can answer a request itself: it
// returns whether it did. Returns `open`, `folder`, `source`, `address`, and `close`.
export async function fixture(files, { flags = [], handle = () => false } = {}) {
  assert.ok(process.env.DOCWRIGHT, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  const folder = mkdtempSync(join(tmpdir(), "docwright-"));
  for (const [path, contents] of Object.entries(files)) {
    const file = join(folder, "source", path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, path === "docs.json" ? JSON.stringify(contents) : contents);
  }
  const site = join(folder, "site");
  execFileSync(process.env.DOCWRIGHT, ["build", join(folder, "source"), "--out", site, ...flags], { stdio: "pipe" });
  const served = await serve(site, { handle });
  return {
    ...served,
    source: join(folder, "source"),
    async close() {
      await served.close();
      rmSync(folder, { recursive: true });
    },
  };
}

// Serves a built site. `handle` is as in `fixture`. Returns `open`, `folder`, `address`, and `close`.
export async function serve(site, { handle = () => false } = {}) {
  const server = createServer((request, response) => handle(request, response) || answer(site, request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  shared.sites += 1;
  shared.browser ??= launchChromium();
  const browser = await shared.browser;
  const address = `http://127.0.0.1:${server.address().port}/`;
  return {
    folder: site,
    address,
    // Opens a page of the site in a window of this width.
    async open(path, { width = 1440, height = 900, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, ...options });
      const page = await context.newPage();
      await page.goto(new URL(path, address).href);
      return page;
    },
    async close() {
      shared.sites -= 1;
      if (shared.sites === 0) {
        shared.browser = undefined;
        await browser.close();
      }
      server.closeAllConnections();
      server.close();
    },
  };
}

// A typical static host: files, and `404.html` for everything else, below `/` and `/some/base/`.
function answer(site, request, response) {
  const path = decoded(new URL(request.url, "http://x").pathname).replace(/^\/some\/base\//, "/");
  let file = join(site, normalize(path.endsWith("/") ? `${path}index.html` : path));
  const found = existsSync(file) && !statSync(file).isDirectory();
  if (!found) file = join(site, "404.html");
  response.writeHead(found ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  response.end(readFileSync(file));
}

function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
