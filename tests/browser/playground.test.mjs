// The playground of API pages: what readers fill in is what arrives, by the spec.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { deploy } from "./deployed.mjs";
import { fixture } from "./fixture.mjs";
import { pageErrors } from "./page_errors.mjs";
import { OPERATIONS, recorder, specification } from "./playground_api.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const names = Object.keys(OPERATIONS);
let api;
let site;
// The same site, deployed by docwright with the mode `proxy`.
let proxied;

before(async () => {
  api = await recorder();
  const pages = names.map((name) => {
    const [method, path] = OPERATIONS[name];
    return [`${name}.mdx`, `---\ntitle: "${name}"\nopenapi: "${method.toUpperCase()} ${path}"\n---\n`];
  });
  site = await fixture({
    "docs.json": { theme: "mint", name: "Test", colors: { primary: "#0f766e" }, navigation: { pages: ["index", ...names, "written"] } },
    "index.mdx": "# Start\n",
    "written.mdx": `---\napi: "POST ${api.address}/written/:id"\nauthMethod: basic\n---\n<ParamField path="id" type="string" required>The thing.</ParamField>\n<ParamField query="deep" type="boolean">x</ParamField>\n<ParamField body="count" type="integer" required>x</ParamField>\n<ParamField body="tags" type="string[]">x</ParamField>\n`,
    "api.json": JSON.stringify(specification(api.address)),
    ...Object.fromEntries(pages),
  });
  proxied = await deploy(site.source, ["--playground", "proxy"], ["--private-hosts", new URL(api.address).host]);
});
after(async () => {
  await proxied?.close();
  await site?.close();
  api?.close();
});

// Opens the playground of a page. `mode` is that of a build with another target: `proxy` is sent by docwright, and
// `unserved` is the same on a host without a proxy.
async function open(name, { mode, baseUrl, prepare, ...options } = {}) {
  const address = mode === "proxy" ? proxied.address : site.address;
  const page = await site.open(`${address}index.html`, options);
  if (prepare) await page.addInitScript(prepare);
  const errors = pageErrors(page);
  await page.goto(`${address}${name}.html`);
  if (mode && mode !== "proxy") {
    const target = { mode: mode === "unserved" ? "proxy" : mode, ...(baseUrl && { baseUrl }) };
    await page.locator(".dw-playground-data").evaluate((data, target) => Object.assign(data.dataset, target), target);
  }
  await page.locator("[data-playground-open]").click();
  const dialog = page.locator("dialog.dw-playground[open]");
  await dialog.waitFor();
  return { page, dialog, errors, ...driver(page, dialog) };
}

// What a reader does in a dialog.
function driver(page, dialog) {
  // A field by its name. `within` is the group that has it.
  const field = (name, within = dialog) => within.getByLabel(new RegExp(`^${name}( required)?$`)).and(within.locator("input,select,textarea")).first();
  const status = dialog.locator(".dw-playground-status b");
  return {
    field,
    status,
    press: (name) => dialog.getByRole("button", { name, exact: true }).last().click(),
    error: (message) => dialog.locator(".dw-playground-error:visible", { hasText: message }).waitFor(),
    async send(expected = "200") {
      await dialog.getByRole("button", { name: "Send", exact: true }).click();
      await status.filter({ hasText: expected }).waitFor();
      await dialog.getByRole("button", { name: "Send", exact: true }).waitFor();
      return api.last();
    },
    // Sends a form with something wrong. Nothing arrives.
    async refuse(message) {
      const count = api.requests.length;
      await dialog.getByRole("button", { name: "Send", exact: true }).click();
      await dialog.locator(".dw-playground-error:visible", { hasText: message }).first().waitFor();
      assert.equal(api.requests.length, count, "nothing is sent");
    },
  };
}

const bodyOf = (request) => JSON.parse(request.body.toString());
const basic = (text) => `Basic ${Buffer.from(text).toString("base64")}`;
const pairsOf = (text) => [...new URLSearchParams(text)];
const authorized = (request) => request.headers.authorization;

// Each operation: what the reader does, and what must arrive.
const CASES = {
  "get-pet": {
    async fill({ field, refuse }) {
      await refuse("petId is required");
      await field("petId").fill("1.5");
      await refuse("Enter a whole number");
      await field("petId").fill("9007199254740993");
      await field("Token").fill("Bearer abc");
    },
    arrives: (request) => assert.deepEqual([request.method, request.url, authorized(request), request.body.length], ["GET", "/pets/9007199254740993", "Bearer abc", 0]),
  },
  "list-pets": {
    async fill({ dialog, field, press, refuse }) {
      await refuse("status is required");
      await dialog.getByRole("checkbox", { name: "sold" }).check();
      await field("limit").fill("500");
      await refuse("Enter at most 100");
      await field("limit").fill("50");
      await field("dry").selectOption("false");
      for (const [name, values] of [["tags", ["a b", "c&d"]], ["ids", ["1", "2"]], ["sort", ["x", "y,z"]]]) {
        for (const [number, value] of values.entries()) {
          await press(`Add item to ${name}`);
          await dialog.getByLabel(`Item of ${name}`, { exact: true }).nth(number).fill(value);
        }
      }
      await field("key").fill("k/1");
    },
    arrives: (request) => assert.equal(request.url, "/pets?key=k%2F1&status=sold&tags=a%20b&tags=c%26d&ids=1,2&sort=x%7Cy%2Cz&limit=50&dry=false"),
  },
  "create-pet": {
    async fill({ dialog, field, press, refuse }) {
      await refuse("name is required");
      assert.equal(await field("name").evaluate((input) => input === document.activeElement), true, "the first wrong field has the focus");
      await field("Username").fill("ann");
      await field("Password").fill("pä:ss");
      await field("name").fill("Tom");
      await field("kind").selectOption({ label: "cat" });
      await field("vaccinated").selectOption({ label: "true" });
      await field("weight").fill("-1");
      await refuse("Enter at least 0");
      await field("weight").fill("4.5");
      await dialog.getByRole("button", { name: "null", exact: true }).first().click();
      await press("Add item to tags");
      await dialog.getByLabel("Item of tags", { exact: true }).fill("indoor");
      await press("Add owner");
      await dialog.getByRole("group", { name: "owner" }).getByLabel(/^name/).fill("Bo");
      await press("Add entry to labels");
      await dialog.getByLabel("Key").fill("shelf");
      await dialog.getByLabel("Value").fill("3");
      await press("Add item to visits");
      await field("day").fill("2026-01-31");
      await field("cost").fill("12");
    },
    arrives(request) {
      assert.deepEqual([authorized(request), request.headers["content-type"]], [basic("ann:pä:ss"), "application/json"]);
      assert.deepEqual(bodyOf(request), { name: "Tom", kind: "cat", vaccinated: true, weight: 4.5, nickname: null, tags: ["indoor"], owner: { name: "Bo" }, labels: { shelf: "3" }, visits: [{ day: "2026-01-31", cost: 12 }] });
    },
  },
  "replace-pet": {
    async fill({ dialog, field, press, refuse, error }) {
      await field("petId").fill("a/b");
      await field("X-Key").fill("secret");
      await press("JSON");
      await field("Body as JSON").fill('{"name": ');
      await refuse("This isn't valid JSON");
      await press("Form");
      await error("This isn't valid JSON");
      await field("Body as JSON").fill('{"name": "", "kind": "dog", "chip": 12345678901234567890, "owner": {"name": "Bo"}}');
      await press("Form");
      assert.equal(await dialog.getByRole("group", { name: "owner" }).getByLabel(/^name/).inputValue(), "Bo");
      await field("weight").fill("3");
      await press("JSON");
      assert.match(await field("Body as JSON").inputValue(), /"weight": 3,[^]*"chip": 12345678901234567890/);
      await press("Form");
    },
    arrives(request) {
      assert.deepEqual([request.url, request.headers["x-key"]], ["/pets/a%2Fb", "secret"]);
      assert.equal(request.body.toString().replace(/\s/g, ""), '{"name":"","kind":"dog","weight":3,"owner":{"name":"Bo"},"chip":12345678901234567890}');
    },
  },
  "add-photo": {
    async fill({ dialog, field, press, refuse }) {
      await field("petId").fill("5");
      await refuse("file is required");
      await field("file").setInputFiles({ name: "rex.png", mimeType: "image/png", buffer: Buffer.from([137, 80, 0, 255]) });
      await press("Add meta");
      await field("x").fill("3");
      await field("caption").fill("grün");
      await press("Add item to tags");
      await dialog.getByLabel("Item of tags", { exact: true }).fill("one");
      await press("Add item to tags");
      await dialog.getByLabel("Item of tags", { exact: true }).nth(1).fill("two");
      await field("settings").fill("fast");
    },
    arrives(request) {
      const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(request.headers["content-type"]);
      const part = (head, body) => `--${boundary}\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${body}\r\n`;
      const expected = part('"file"; filename="rex.png"\r\nContent-Type: image/png', "\x89P\x00\xff") + part('"meta"\r\nContent-Type: application/json', '{"x":3}')
        + part('"caption"', Buffer.from("grün").toString("latin1")) + part('"tags"', "one") + part('"tags"', "two") + part('"settings"\r\nContent-Type: application/json', '"fast"') + `--${boundary}--\r\n`;
      assert.equal(request.body.toString("latin1"), expected);
    },
  },
  "create-charge": {
    async fill({ dialog, field, press }) {
      await field("amount").fill("100");
      await field("source").selectOption({ label: "Card" });
      await field("number").fill("42");
      await press("Add billing");
      await field("city").fill("New York");
      await press("Add item to expand");
      await dialog.getByLabel("Item of expand", { exact: true }).fill("customer");
      await press("Add item to items");
      await field("price").fill("p_1");
      await press("Add entry to metadata");
      await dialog.getByLabel("Key").fill("order");
      await dialog.getByLabel("Value").fill("a=b&c");
    },
    arrives(request) {
      assert.equal(request.headers["content-type"], "application/x-www-form-urlencoded");
      assert.deepEqual(pairsOf(request.body.toString()), [["amount", "100"], ["source[number]", "42"], ["source[billing][city]", "New York"], ["expand[]", "customer"], ["items[0][price]", "p_1"], ["metadata[order]", "a=b&c"]]);
    },
  },
  "create-session": {
    async fill({ dialog, field, press }) {
      await field("user").fill("ann");
      await press("Add item to scopes");
      await dialog.getByLabel("Item of scopes", { exact: true }).fill("read");
      await press("Add item to scopes");
      await dialog.getByLabel("Item of scopes", { exact: true }).nth(1).fill("write");
      await press("Add device");
      await field("y").fill("2");
    },
    arrives: (request) => assert.deepEqual(pairsOf(request.body.toString()), [["user", "ann"], ["scopes", "read"], ["scopes", "write"], ["device", '{"y":2}']]),
  },
  search: {
    async fill({ field, press }) {
      await field("color").fill("red");
      await press("Add size");
      await field("min").fill("3");
    },
    arrives: (request) => assert.equal(decodeURIComponent(request.url), "/search?filter[color]=red&filter[size][min]=3"),
  },
  styles: {
    async fill({ dialog, field, press }) {
      await field("x").fill("1");
      await field("y").fill("2");
      for (const name of ["label", "simple"]) {
        await press(`Add item to ${name}`);
        await dialog.getByLabel(`Item of ${name}`, { exact: true }).fill("a b");
        await press(`Add item to ${name}`);
        await dialog.getByLabel(`Item of ${name}`, { exact: true }).nth(1).fill("c");
      }
    },
    arrives: (request) => assert.equal(request.url, "/styles/;x=1;y=2/.a%20b.c/a%20b,c/end"),
  },
  headers: {
    mode: "proxy",
    async fill({ dialog, field, press }) {
      await press("Add item to X-Ids");
      await dialog.getByLabel("Item of X-Ids", { exact: true }).fill("1");
      await press("Add item to X-Ids");
      await dialog.getByLabel("Item of X-Ids", { exact: true }).nth(1).fill("2");
      await field("x").fill("7");
      await field("theme").fill("dark; x");
    },
    arrives: ({ headers }) => assert.deepEqual([headers["x-ids"], headers["x-point"], headers.cookie], ["1,2", "x=7", "theme=dark%3B%20x"]),
  },
  "create-animal": {
    async fill({ dialog, field, press }) {
      await dialog.locator("fieldset", { hasText: "Body" }).locator("select").first().selectOption({ label: "dog (Dog)" });
      await press("Add item to tricks");
      await dialog.getByLabel("Item of tricks", { exact: true }).fill("sit");
      await press("JSON");
      await field("Body as JSON").fill('{"type": "cat", "lives": 9}');
      await press("Form");
      assert.equal(await field("lives").inputValue(), "9");
      await field("lives").fill("8");
    },
    arrives: (request) => assert.deepEqual(bodyOf(request), { type: "cat", lives: 8 }),
  },
  upload: {
    async fill({ field, refuse }) {
      await refuse("Choose a file");
      await field("File").setInputFiles({ name: "a.bin", mimeType: "", buffer: Buffer.from([0, 1, 255]) });
    },
    arrives: (request) => assert.deepEqual([request.headers["content-type"], [...request.body]], ["application/octet-stream", [0, 1, 255]]),
  },
  "send-xml": {
    status: "422 Unprocessable",
    async fill({ field }) {
      assert.equal(await field("Body").inputValue(), "<a/>");
      await field("Body").fill("<a>1</a>");
    },
    arrives: (request) => assert.deepEqual([request.headers["content-type"], request.body.toString()], ["application/xml", "<a>1</a>"]),
  },
  "add-note": {
    async fill({ field, refuse }) {
      await field("Content type").selectOption({ label: "text/plain" });
      await refuse("Enter a body");
      await field("Body").fill("two\nlines");
    },
    arrives: (request) => assert.deepEqual([request.headers["content-type"], request.body.toString()], ["text/plain", "two\nlines"]),
  },
  report: {
    async fill({ dialog, field, press }) {
      await dialog.locator("summary", { hasText: "client credentials" }).click();
      await field("Client ID").fill("me");
      await field("Client secret").fill("wrong");
      await press("Get token");
      await dialog.getByText("invalid_client").waitFor();
      await field("Client secret").fill("s3 cret");
      await press("Get token");
      await dialog.getByText("The token is filled in.").waitFor();
      const asked = api.requests.filter((request) => request.url === "/oauth/token");
      assert.equal(authorized(asked[0]), basic("me:wrong"), "servers must understand the header");
      assert.deepEqual(pairsOf(asked.at(-1).body.toString()), [["grant_type", "client_credentials"], ["scope", "read"], ["client_id", "me"], ["client_secret", "s3 cret"]]);
    },
    arrives: (request) => assert.equal(authorized(request), "Bearer fresh"),
  },
  either: {
    async fill({ field }) {
      await field("Authorize with").selectOption({ label: "headerKey and queryKey" });
      await field("X-Key").fill("a");
      await field("key").fill("b");
    },
    arrives: (request) => assert.deepEqual([request.url, request.headers["x-key"], authorized(request)], ["/either?key=b", "a", undefined]),
  },
  session: {
    mode: "proxy",
    fill: ({ field }) => field("sid").fill("12 3"),
    arrives: ({ headers }) => assert.equal(headers.cookie, "sid=12%203"),
  },
  picture: {
    fill: () => {},
    arrives: async (request, { dialog }) => assert.equal(await dialog.getByRole("img", { name: "Response" }).evaluate((image) => image.decode().then(() => image.naturalWidth)), 1),
  },
  lines: {
    fill: () => {},
    arrives: async (request, { dialog }) => assert.deepEqual(await dialog.locator(".dw-playground-pieces pre").allInnerTexts(), ['{\n  "line": 1\n}', '{\n  "line": 2\n}']),
  },
  regions: {
    async fill({ field, refuse }) {
      await field("region").selectOption("us");
      await field("version").fill("");
      await refuse("Enter a value");
      await field("version").fill("2");
    },
    arrives: (request) => assert.equal(request.url, "/us/v2/where"),
  },
  "delete-item": {
    async fill({ field, refuse }) {
      await refuse("cartId is required");
      await field("cartId").fill("1");
      await refuse("itemId is required");
      await field("itemId").fill("..");
      await refuse("Browsers remove");
      await field("itemId").fill("2");
    },
    arrives: (request) => assert.deepEqual([request.method, request.url], ["DELETE", "/carts/1/items/2"]),
  },
  "json-query": {
    async fill({ field, refuse }) {
      await field("field").fill("age");
      await field("value").fill("{");
      await refuse("This isn't valid JSON");
      await field("value").fill("[1]");
    },
    arrives: (request) => assert.equal(decodeURIComponent(request.url), '/query?where={"field":"age","value":[1]}'),
  },
  "create-tree": {
    async fill({ dialog, field, press }) {
      await field("name").fill("root");
      await press("Add parent");
      await dialog.getByRole("group", { name: "parent" }).getByLabel(/^name/).fill("up");
      await press("Add item to children");
      await dialog.getByRole("group", { name: "Item of children" }).getByLabel(/^name/).fill("down");
    },
    arrives: (request) => assert.deepEqual(bodyOf(request), { name: "root", parent: { name: "up" }, children: [{ name: "down" }] }),
  },
  "add-many": {
    async fill({ dialog, press }) {
      const choice = () => dialog.locator(".dw-playground-entry select");
      await press("Add item to Body");
      await dialog.locator(".dw-playground-entry input").first().fill("5");
      await press("Add item to Body");
      await choice().nth(1).selectOption({ label: "string" });
      await dialog.locator(".dw-playground-entry input").nth(1).fill("5");
    },
    arrives: (request) => assert.deepEqual(bodyOf(request), [5, "5"]),
  },
  written: {
    async fill({ field, refuse, press, dialog }) {
      await field("id").fill("a b");
      await field("Username").fill("u");
      await refuse("count is required");
      await field("count").fill("3");
      await field("deep").selectOption({ label: "true" });
      await press("Add item to tags");
      await dialog.getByLabel("Item of tags", { exact: true }).fill("t");
    },
    arrives: (request) => assert.deepEqual([request.url, authorized(request), bodyOf(request)], ["/written/a%20b?deep=true", basic("u:"), { count: 3, tags: ["t"] }]),
  },
};

for (const [name, { fill, arrives, mode, status }] of Object.entries(CASES)) {
  test(`request of ${name} arrives as the spec says`, async () => {
    const opened = await open(name, { mode });
    await fill(opened);
    await arrives(await opened.send(status), opened);
    assert.deepEqual(opened.errors, []);
    await opened.page.context().close();
  });
}

test("response has status, time, size, headers, and exact JSON", async () => {
  const { page, dialog, field, send } = await open("get-pet");
  await field("petId").fill("1");
  await send("200 OK");
  assert.match(await dialog.locator(".dw-playground-status").innerText(), /200 OK\s+\d+ ms\s+42 B/);
  assert.match(await dialog.locator(".dw-playground-response > div > div > pre").innerText(), /"id": 12345678901234567890/);
  assert.equal(await dialog.locator(".dw-playground-response .dw-playground-key").count(), 2);
  await dialog.locator("summary", { hasText: "Headers" }).click();
  await dialog.getByRole("row", { name: "x-request-id 7" }).waitFor();
  await page.context().close();
});

test("stream is shown as it comes, and can be canceled", async () => {
  const { page, dialog, press, status } = await open("events");
  const pieces = dialog.locator(".dw-playground-pieces li");
  await press("Send");
  await pieces.filter({ hasText: '"number": 1' }).waitFor();
  assert.equal(await pieces.count(), 1);
  api.release();
  await pieces.nth(1).waitFor();
  await dialog.getByRole("button", { name: "Send", exact: true }).waitFor();
  await press("Send");
  await status.filter({ hasText: "200" }).waitFor();
  await pieces.filter({ hasText: '"number": 1' }).waitFor();
  await press("Cancel");
  await dialog.locator(".dw-playground-status", { hasText: "Canceled" }).waitFor();
  assert.equal(await pieces.count(), 1, "what came before stays");
  await page.context().close();
});

test("custom address and no response are explained", async () => {
  const { page, dialog, field, press, refuse, status } = await open("either");
  await field("Server").selectOption({ label: "Custom address" });
  await refuse("Enter an address");
  await field("Address").fill("http://127.0.0.1:1/base/");
  await dialog.locator(".dw-playground-address", { hasText: "http://127.0.0.1:1/base/either" }).waitFor();
  await press("Send");
  await status.filter({ hasText: "No response" }).waitFor();
  await dialog.getByText("Access-Control-Allow-Origin").waitFor();
  await page.context().close();
});

test("proxy that refuses a request says why", async () => {
  const { page, dialog, field, press, status } = await open("either", { mode: "proxy" });
  await field("Server").selectOption({ label: "Custom address" });
  await field("Address").fill("https://elsewhere.example.com");
  await press("Send");
  await status.filter({ hasText: "Not sent" }).waitFor();
  await dialog.getByText("doesn't send requests to https://elsewhere.example.com").waitFor();
  await page.context().close();
});

test("proxy sends the request of the reader, and nothing of the page", async () => {
  const { page, dialog, field, send } = await open("create-pet", { mode: "proxy" });
  await page.context().addCookies([{ name: "site", value: "secret", url: proxied.address }]);
  await field("Username").fill("ann");
  await field("name").fill("Tom");
  await field("kind").selectOption({ label: "cat" });
  const { headers, ...request } = await send("200 OK");
  assert.deepEqual([request.method, bodyOf(request), headers.authorization], ["POST", { name: "Tom", kind: "cat" }, basic("ann:")]);
  assert.deepEqual(["origin", "referer", "cookie", "sec-fetch-mode", "accept-language"].filter((name) => name in headers), []);
  await dialog.locator("summary", { hasText: "Headers" }).click();
  await dialog.getByRole("row", { name: "x-request-id 7" }).waitFor();
  assert.equal(await dialog.getByText("Browsers hide headers").count(), 0);
  await page.context().close();
});

test("proxy passes a stream on as it comes, and ends it when the reader cancels", async () => {
  const { page, dialog, press } = await open("events", { mode: "proxy" });
  const pieces = dialog.locator(".dw-playground-pieces li");
  await press("Send");
  await pieces.filter({ hasText: '"number": 1' }).waitFor();
  assert.equal(await pieces.count(), 1);
  const closed = api.nextClosed();
  await press("Cancel");
  await dialog.locator(".dw-playground-status", { hasText: "Canceled" }).waitFor();
  await closed;
  api.release();
  await page.context().close();
});

test("browser sends requests where no server announces the proxy", async () => {
  const { page, field, send } = await open("get-pet", { mode: "unserved" });
  await field("petId").fill("1");
  const { headers } = await send("200 OK");
  assert.equal(headers.origin, new URL(site.address).origin);
  await page.context().close();
});

test("proxy is found without HTTPS, where pages don't see headers of their visit", async () => {
  const prepare = () => Object.defineProperty(PerformanceResourceTiming.prototype, "serverTiming", { get: () => undefined });
  const { page, field, send } = await open("get-pet", { mode: "proxy", prepare });
  await field("petId").fill("1");
  const { headers } = await send("200 OK");
  assert.equal(headers.origin, undefined);
  await page.context().close();
});

test("request is copied in show mode, and never sent", async () => {
  const { page, dialog, field } = await open("replace-pet", { mode: "show", baseUrl: "https://inside.example.com/api", permissions: ["clipboard-read", "clipboard-write"] });
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const copy = dialog.getByRole("button", { name: "Copy request" });
  await copy.click();
  await dialog.locator(".dw-playground-error:visible", { hasText: "petId is required" }).waitFor();
  await field("petId").fill("it's");
  await field("name").fill("x");
  await field("kind").selectOption({ label: "cat" });
  await copy.click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^curl --request PUT \\\n {2}--url 'https:\/\/inside\.example\.com\/api\/pets\/it%27s' \\\n/);
  assert.match(text, /--data-raw '\{\n {2}"name": "x",/);
  assert.deepEqual(asked, []);
  await page.context().close();
});

test("samples follow what was filled in", async () => {
  const { page, dialog, field, press } = await open("create-pet");
  const code = dialog.locator("section[aria-label=Request] code");
  await code.filter({ hasText: "Basic <encoded-value>" }).waitFor();
  await field("name").fill("O'Hara");
  await code.filter({ hasText: `"name": "O'\\''Hara"` }).waitFor();
  await press("JavaScript");
  await code.filter({ hasText: 'body: JSON.stringify({' }).waitFor();
  await press("Python");
  await code.filter({ hasText: 'json={\n        "name": "O\'Hara",\n    }' }).waitFor();
  await page.context().close();
});

test("credentials stay in the tab, and earlier requests have none", async () => {
  const { page, dialog, field, send } = await open("get-pet");
  await field("Token").fill("hidden");
  await field("petId").fill("12");
  await send();
  await page.reload();
  await page.locator("[data-playground-open]").click();
  assert.equal(await field("Token").inputValue(), "hidden");
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes("hidden")), false);
  assert.equal(await page.evaluate(() => Object.entries(sessionStorage).filter(([key, value]) => key !== "docwright-credentials" && value.includes("hidden")).length), 0);
  await dialog.locator("summary", { hasText: "Earlier requests" }).click();
  await dialog.locator(".dw-playground-history button").click();
  assert.equal(await field("petId").inputValue(), "12");
  const other = await site.open("get-pet.html");
  await other.locator("[data-playground-open]").click();
  assert.equal(await other.getByLabel("Token").inputValue(), "");
  await other.context().close();
  await page.context().close();
});

test("examples of the spec are filled in on demand", async () => {
  const { page, field, press } = await open("create-pet");
  assert.equal(await field("name").inputValue(), "");
  await press("Fill in example");
  assert.equal(await field("name").inputValue(), "Rex");
  await page.context().close();
});

test("dialog works with the keyboard, and loads only when it is opened", async () => {
  const page = await site.open("get-pet.html");
  const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").filter((each) => each.name.includes("playground/")).length);
  assert.equal(await loaded(), 0);
  const opener = page.locator("[data-playground-open]");
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.locator("dialog.dw-playground[open]");
  await dialog.waitFor();
  assert.equal(await loaded(), 2);
  await page.getByLabel(/^petId/).focus();
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("petId is required").waitFor();
  assert.ok(await page.getByLabel(/^petId/).evaluate((input) => {
    const texts = input.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent);
    return input.getAttribute("aria-invalid") === "true" && texts.some((text) => text.includes("petId is required"));
  }));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
  assert.ok(await opener.evaluate((button) => button === document.activeElement));
  await page.context().close();
});

for (const [label, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["narrow", { width: 390, height: 844 }]]) {
  test(`dialog is accessible and fits its window: ${label}`, async () => {
    const { page, dialog, field, press, send } = await open("create-pet", options);
    await press("Add owner");
    await press("Add entry to labels");
    await press("Add item to visits");
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await dialog.locator(".dw-playground-error:visible").first().waitFor();
    await press("JSON");
    await field("Body as JSON").fill('{"a": [1, "b", null]}');
    await send();
    await press("Form");
    await page.addScriptTag({ content: axe });
    const { violations } = await page.evaluate(() => axe.run("dialog.dw-playground"));
    assert.deepEqual(violations.map((each) => [each.id, each.nodes.map((node) => node.target)]), []);
    assert.equal(await dialog.locator("form").evaluate((form) => [form, ...form.querySelectorAll("*")].filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "auto").length), 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.context().close();
  });
}
