// Long words of titles break where a word of theirs begins, also in headings, menus, and addresses; copied text and
// search know nothing of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture } from "./fixture.mjs";

const NAME = "createOrganizationIdentityLinkForWorkspaceMember";
const PATH = "/v1/organizations/{organizationId}/identityLinks/{identityLinkId}/verification";
const SPEC = {
  openapi: "3.1.0",
  info: { title: "API", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: { [PATH]: { get: { summary: "GetIdentityLinkVerificationByOrganization", responses: { 200: { description: "ok" } } } } },
};
const nested = (depth) => (depth ? [{ group: `Level${depth}`, pages: nested(depth - 1) }] : ["deep"]);

let site;

before(async () => {
  site = await fixture({
    "docs.json": {
      theme: "mint",
      name: "Fixture",
      colors: { primary: "#0f766e" },
      contextual: { options: ["copy", "view"] },
      styling: { eyebrows: "breadcrumbs" },
      navigation: { groups: [{ group: "Guides", pages: ["named", "plain", ...nested(5)] }, { group: "API", openapi: "openapi.json" }] },
    },
    "openapi.json": JSON.stringify(SPEC),
    "named.mdx": `---\ntitle: ${NAME}\n---\n\n## The ${NAME} call\n\nText.\n\n### \`organizations.identity_links.verification.create\`\n\nText.\n`,
    "plain.mdx": "---\ntitle: Plain\n---\n\nText.\n",
    "deep.mdx": "---\ntitle: Transactions\n---\n\nText.\n",
  });
});

after(() => site?.close());

const phone = { height: 800, hasTouch: true, isMobile: true };

// What stands around each break of a line inside a word.
const breaks = (locator) => locator.evaluate((element) => {
  const found = [];
  const range = document.createRange();
  const letters = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let at = 0; at < node.length; at += 1) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getBoundingClientRect();
      if (box.width) letters.push([node.data[at], box.top]);
    }
  }
  letters.forEach(([letter, top], at) => {
    const [before, above] = letters[at - 1] ?? [];
    if (before !== undefined && top > above + 8 && !/\s/.test(before) && !/\s/.test(letter)) found.push(before + letter);
  });
  return found;
});

function breakAtWords(found, what) {
  for (const pair of found) assert.match(pair, /^([a-z0-9][A-Z]|[/._:}-].)$/, `${what} breaks in "${pair}"`);
}

for (const width of [390, 320]) {
  test(`titles, headings, and addresses break where words begin, at ${width} px`, async () => {
    const named = await site.open("named.html", { ...phone, width });
    for (const selector of ["#page-title", ".mdx-content h2", ".mdx-content h3"]) {
      const found = await breaks(named.locator(selector));
      breakAtWords(found, selector);
      assert.ok(selector.endsWith("h3") || found.length, `${selector} breaks inside its long word`);
    }
    await named.locator("#mobile-nav > summary").click();
    breakAtWords(await breaks(named.locator("#sidebar [aria-current=page]")), "the menu");
    await named.context().close();
    const plain = await site.open("plain.html", { ...phone, width });
    breakAtWords(await breaks(plain.locator(".pagination-title").first()), "the link to the page before");
    await plain.context().close();
    const [operation] = await operations();
    const api = await site.open(operation, { ...phone, width });
    breakAtWords(await breaks(api.locator("#page-title")), "the title");
    const found = await breaks(api.locator(".dw-api-operation > code"));
    assert.ok(found.length > 1, `${found}`);
    breakAtWords(found, "the address");
    await api.context().close();
  });
}

const operations = async () => {
  const page = await site.open("plain.html");
  const found = await page.locator("#sidebar a:has([data-method])").evaluateAll((links) => links.map((link) => link.href));
  await page.context().close();
  return found;
};

test("title is copied and found as it was written", async () => {
  const page = await site.open("named.html", { ...phone, width: 390 });
  const copied = await page.evaluate(() => {
    getSelection().selectAllChildren(document.getElementById("page-title"));
    return getSelection().toString();
  });
  assert.equal(copied, NAME);
  assert.equal(await page.title(), `${NAME} - Fixture`);
  await page.context().close();
  const wide = await site.open("plain.html");
  for (const query of [NAME, "organizations.identity_links.verification"]) {
    await wide.keyboard.press("Control+k");
    const field = wide.locator("dialog[open] input");
    await field.fill(query);
    const first = wide.locator("dialog[open] a[href*='named']").first();
    await first.waitFor();
    await wide.keyboard.press("Escape");
  }
  await wide.context().close();
});

test("title far inside the sidebar has room for its word", async () => {
  const page = await site.open("deep.html");
  assert.deepEqual(await breaks(page.locator("#sidebar [aria-current=page]")), []);
  await page.context().close();
});

test("no line of breadcrumbs begins with a slash", async () => {
  const page = await site.open("deep.html", { ...phone, width: 320 });
  const lines = await page.locator(".dw-breadcrumb-item").evaluateAll((items) => {
    const edge = items[0].getBoundingClientRect();
    return items.filter((item) => item.getBoundingClientRect().top > edge.top).map((item) => [getComputedStyle(item, "::before").content, item.getBoundingClientRect().left - edge.left]);
  });
  assert.ok(lines.length, "they need two lines");
  for (const [content] of lines) assert.equal(content, "none");
  await page.context().close();
});
