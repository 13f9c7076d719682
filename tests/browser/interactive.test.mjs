// Interactive parts of pages: authors' components and the playground; and checks with axe and an HTML validator.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { HtmlValidate } from "html-validate";
import { launchChromium } from "./chromium.mjs";
import { pageErrors } from "./page_errors.mjs";

const binary = process.env.DOCWRIGHT;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let folder;
let site;
let browser;
let api;
const asked = [];

const CONFIG = {
  theme: "mint",
  name: "Fixture",
  colors: { primary: "#0f766e" },
  feedback: { thumbsRating: true },
  contextual: { options: ["copy", "mcp", "cursor", "vscode", "download-spec"] },
  navigation: { groups: [{ group: "G", pages: ["index", "other", "api/thing"] }] },
};

const PAGE = `---
title: Interactive
---

import { Toggle } from "/snippets/toggle.jsx"
import { Flip } from "/snippets/flip.jsx"

export const Counter = ({ start }) => {
  const [count, setCount] = useState(start);
  useEffect(() => { document.documentElement.dataset.counted = String(count); }, [count]);
  return <button className="rounded border px-2 dark:text-white" onClick={() => setCount(count + 1)}>Counted {count}</button>;
};

<Counter start={41} />

<Flip />

<Toggle label="More">

  Held **back**, with a [link](/other) and <Counter start={7} />

</Toggle>
`;

const TOGGLE = `import { useState } from "react";
export const Toggle = ({ label, children }) => {
  const [open, setOpen] = useState(false);
  return <div><button onClick={() => setOpen(!open)}><Icon icon="star" /> {label}</button>{open && <div className="opened">{children}<a href="/other">other</a></div>}</div>;
};
`;

const FLIP = `const { useState } = globalThis.React;
export const Flip = () => {
  const [on, setOn] = useState(false);
  return <button onClick={() => setOn(!on)}>Flip is {on ? "on" : "off"}</button>;
};
`;

before(async () => {
  assert.ok(binary, "set DOCWRIGHT to the path of the program; `cargo xtask test` does");
  api = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-allow-methods": "*" };
      if (request.method === "OPTIONS") return response.writeHead(204, headers).end();
      asked.push({ method: request.method, url: request.url, authorization: request.headers.authorization, body });
      response.writeHead(201, { ...headers, "content-type": "application/json" }).end(JSON.stringify({ made: true }));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => api.once("listening", resolve));
  folder = mkdtempSync(join(tmpdir(), "docwright-"));
  const source = join(folder, "source");
  const write = (path, text) => {
    mkdirSync(join(source, path, ".."), { recursive: true });
    writeFileSync(join(source, path), text);
  };
  write("docs.json", JSON.stringify(CONFIG));
  write("index.mdx", PAGE);
  write("other.mdx", "# Other\n");
  write("snippets/toggle.jsx", TOGGLE);
  write("snippets/flip.jsx", FLIP);
  write("api/thing.mdx", '---\nopenapi: "POST /things/{id}"\n---\n');
  write("api/spec.json", JSON.stringify(specification(`http://127.0.0.1:${api.address().port}`)));
  site = join(folder, "site");
  execFileSync(binary, ["build", source, "--out", site], { stdio: "pipe" });
  browser = await launchChromium();
});

after(async () => {
  await browser?.close();
  api?.close();
  if (folder) rmSync(folder, { recursive: true });
});

function specification(url) {
  return {
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    servers: [{ url }],
    security: [{ token: [] }],
    paths: {
      "/things/{id}": {
        post: {
          summary: "Make a thing",
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string" } },
            { name: "dry", in: "query", schema: { type: "boolean" } },
          ],
          requestBody: { content: { "application/json": { schema: { type: "object", properties: { name: { type: "string", example: "cup" } } } } } },
          responses: { 201: { description: "Made", content: { "application/json": { schema: { type: "object", properties: { made: { type: "boolean" } } } } } } },
        },
      },
    },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

async function open(path, options = {}) {
  const page = await (await browser.newContext(options)).newPage();
  const errors = pageErrors(page);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  await page.goto(`${pathToFileURL(site)}/${path}`);
  return { page, errors };
}

test("components keep state and show Markdown and other components", async () => {
  const { page, errors } = await open("index.html");
  const first = page.getByRole("button", { name: "Counted 41" });
  await first.click();
  await page.getByRole("button", { name: "Counted 42" }).click();
  await page.getByRole("button", { name: "Counted 43" }).waitFor();
  assert.equal(await page.locator("strong", { hasText: "back" }).count(), 0, "a hidden child isn't shown");
  const toggle = page.getByRole("button", { name: "More" });
  await toggle.click();
  await page.locator(".opened strong", { hasText: "back" }).waitFor();
  assert.equal(await page.locator(".opened a", { hasText: "other" }).getAttribute("href"), "other.html");
  assert.ok((await toggle.locator("svg").count()) === 1, "icons are there in the browser as well");
  await toggle.click();
  await toggle.click();
  await page.locator(".opened strong", { hasText: "back" }).waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("module finds React among the globals", async () => {
  const { page, errors } = await open("index.html");
  await page.getByRole("button", { name: "Flip is off" }).click();
  await page.getByRole("button", { name: "Flip is on" }).waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("only pages with interactive components load Preact", () => {
  assert.match(readFileSync(join(site, "index.html"), "utf8"), /_docwright\/code\/preact\.js/);
  assert.doesNotMatch(readFileSync(join(site, "other.html"), "utf8"), /_docwright\/code\//);
});

test("playground of a page that is opened from a file sends typed values", async () => {
  const { page, errors } = await open("api/thing.html");
  await page.locator("[data-playground-open]").click();
  const dialog = page.locator("dialog.dw-playground");
  await dialog.getByLabel("Token").fill("secret");
  await dialog.getByLabel(/^id/).fill("a b");
  await dialog.getByLabel("dry").selectOption({ label: "true" });
  await dialog.getByLabel("name").fill("cup");
  await dialog.getByRole("button", { name: "Send" }).click();
  await dialog.locator(".dw-playground-status b", { hasText: "201" }).waitFor();
  await dialog.locator("pre", { hasText: '"made": true' }).waitFor();
  assert.deepEqual(asked.pop(), { method: "POST", url: "/things/a%20b?dry=true", authorization: "Bearer secret", body: JSON.stringify({ name: "cup" }, null, 2) });
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("features of a host are shown only if it offers them", async () => {
  const plain = await open("other.html");
  assert.ok(await plain.page.locator("#feedback-form").isHidden());
  assert.equal(await plain.page.locator("[data-mcp]:visible").count(), 0);
  await plain.page.context().close();

  const answers = [];
  const offers = 'mcp;desc="/mcp", feedback;desc="/_docwright/feedback"';
  const host = createServer((request, response) => {
    if (request.method === "POST") {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        answers.push([request.url, JSON.parse(body)]);
        response.writeHead(204).end();
      });
      return;
    }
    const type = { html: "text/html", css: "text/css", js: "text/javascript" }[request.url.split(".").pop()];
    response.writeHead(200, { "content-type": type ?? "text/plain", "server-timing": offers }).end(readFileSync(join(site, request.url)));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => host.once("listening", resolve));
  const address = `http://127.0.0.1:${host.address().port}`;
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${address}/other.html`);
  await page.locator("#feedback-thumbs-down").click();
  await page.locator("#feedback-form-input").fill("More examples");
  await page.locator("#feedback-form-submit").click();
  await page.getByText("Thank you for your feedback.").waitFor();
  assert.deepEqual(answers, [["/_docwright/feedback", { page: "other", helpful: false, comment: "More examples" }]]);
  await page.locator("#page-context-menu-button").click();
  const code = await page.locator("[data-add-server=vscode]").getAttribute("href");
  assert.deepEqual(JSON.parse(decodeURIComponent(code.split("?")[1])), { name: "Fixture", type: "http", url: `${address}/mcp` });
  assert.ok(await page.locator("[data-copy-server]").isVisible());
  await page.goto(`${address}/api/thing.html`);
  assert.equal(await page.locator("#page-context-menu a[download]").getAttribute("href"), "spec.json");
  await page.context().close();
  host.close();
});

for (const path of ["index.html", "api/thing.html", "404.html"]) {
  for (const options of [{}, { colorScheme: "dark" }, { viewport: { width: 390, height: 800 } }]) {
    test(`axe finds no error on ${path} ${JSON.stringify(options)}`, async () => {
      const { page } = await open(path, options);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
      await page.context().close();
    });
  }
  test(`${path} is valid HTML`, async () => {
    // Excluded rules of the standard set are about the style of handwritten HTML.
    const style = ["void-style", "long-title", "no-inline-style", "no-trailing-whitespace", "attribute-boolean-style", "require-sri", "no-raw-characters", "valid-id", "doctype-style", "attr-quotes", "tel-non-breaking", "prefer-native-element"];
    const validator = new HtmlValidate({ extends: ["html-validate:standard"], rules: Object.fromEntries(style.map((rule) => [rule, "off"])) });
    const report = await validator.validateString(readFileSync(join(site, path), "utf8"));
    assert.deepEqual(report.results.flatMap((result) => result.messages.map((message) => `${message.ruleId}: ${message.message}`)), []);
  });
}
