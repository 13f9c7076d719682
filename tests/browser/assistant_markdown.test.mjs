// Markdown in answers: what it becomes, and what it never becomes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answered, open, turn } from "./assistant_reader.mjs";
import { assistantServer } from "./assistant_server.mjs";
import { SITE } from "./assistant_site.mjs";
import { fixture } from "./fixture.mjs";

const server = assistantServer();
let site;
let page;

before(async () => {
  site = await fixture(SITE, { flags: ["--assistant"], handle: server.handle });
  page = await open(site);
});
after(() => site?.close());

// The HTML that a text becomes, without what surrounds it.
async function shown(text) {
  await answered(server, page, "x", [["paragraph", { text, sources: [] }], ["done", { kind: "answer", id: "x" }]]);
  return turn(page).locator(".dw-assistant-part").innerHTML();
}

const html = (site) => ({
  "a *b* **c** _d_ __e__ ~~f~~ `g`": "<p>a <em>b</em> <strong>c</strong> <em>d</em> <strong>e</strong> <del>f</del> <code>g</code></p>",
  "**a *b* c**": "<p><strong>a <em>b</em> c</strong></p>",
  "2 * 3 * 4, snake_case_name, **open, *": "<p>2 * 3 * 4, snake_case_name, **open, *</p>",
  "`` a ` b `` and `*c*` and \\*d\\*": "<p><code>a ` b</code> and <code>*c*</code> and *d*</p>",
  "one\ntwo  \nthree": "<p>one\ntwo<br>three</p>",
  "one\n\ntwo": "<p>one</p><p>two</p>",
  "# Title\ntext": "<p><strong>Title</strong></p><p>text</p>",
  "> a\n> b": "<blockquote><p>a\nb</p></blockquote>",
  "- a\n- b\n  - c\n    1. d\n- e": "<ul><li>a</li><li>b<ul><li>c<ol><li>d</li></ol></li></ul></li><li>e</li></ul>",
  "3. a\n4. b\n\ntext": '<ol start="3"><li>a</li><li>b</li></ol><p>text</p>',
  "- a\n\n  b\n- c": "<ul><li><p>a</p><p>b</p></li><li>c</li></ul>",
  "Text:\n- a": "<p>Text:</p><ul><li>a</li></ul>",
  "[a](/guides/limits#x) [b](guides/install) [c](https://example.com/d \"t\")": `<p><a href="${site}guides/limits.html#x">a</a> <a href="${site}guides/install.html">b</a> <a href="https://example.com/d" target="_blank" rel="noopener noreferrer">c</a></p>`,
  "<https://example.com/>": '<p><a href="https://example.com/" target="_blank" rel="noopener noreferrer">https://example.com/</a></p>',
  "[a] (b) [c]": "<p>[a] (b) [c]</p>",
  "[a **b** c](/files/x.pdf)": `<p><a href="${site}files/x.pdf">a <strong>b</strong> c</a></p>`,
  // What must stay text.
  "<img src=x onerror=alert(1)> <script>alert(1)</script> &amp;": "<p>&lt;img src=x onerror=alert(1)&gt; &lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;</p>",
  "![the alt](https://example.com/spy.png)": "<p>the alt</p>",
  "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](//example.com) [e](/\\example.com) [f](vbscript:x) [g](mailto:a@b)": "<p>a b c d e f g</p>",
  "[a](<java\tscript:alert(1)>) [b](< javascript:alert(1)>) [c](../../../x) [d](blob:x) [e](file:///etc/passwd)": `<p>a b <a href="${site}x.html">c</a> d e</p>`,
  "<javascript:alert(1)>": "<p>&lt;javascript:alert(1)&gt;</p>",
});

test("Markdown becomes elements", async () => {
  for (const [text, expected] of Object.entries(html(site.address))) assert.equal(await shown(text), expected, text);
});

test("table and code become elements", async () => {
  const table = await shown("| a | b |\n| :-- | --: |\n| `x|y` | 1 \\| 2 |\n| only |");
  assert.match(table, /<th scope="col">a<\/th><th scope="col">b<\/th>/);
  assert.match(table, /<tr><td><code>x\|y<\/code><\/td><td>1 \| 2<\/td><\/tr><tr><td>only<\/td><td><\/td><\/tr>/);
  const code = await shown("```js\nlet a = \"<b>\";\n\n- no list\n```\nafter");
  assert.match(code, /<code>let a = "&lt;b&gt;";\n\n- no list<\/code><\/pre><\/div><p>after<\/p>$/);
  await shown("~~~\nnever closed");
  assert.equal(await turn(page).locator("pre code").innerText(), "never closed");
});

test("links lead nowhere else below a base path", async () => {
  const below = await open(site, "some/base/index.html");
  await answered(server, below, "x", [["paragraph", { text: "[a](/x) [b](/../x) [c](../x) [d](/some/base/x)", sources: [] }], ["done", { kind: "answer", id: "x" }]]);
  const base = `${site.address}some/base/`;
  assert.deepEqual(await turn(below).locator(".dw-assistant-answer a").evaluateAll((links) => links.map((link) => link.href)), [`${base}x.html`, `${base}some/base/x.html`]);
  await below.context().close();
});

// Texts that take long if the work grows with the square of their length: the test would run into the limits of the browser's
// driver.
const HOSTILE = {
  words: (count) => "word ".repeat(count / 5),
  stars: (count) => "*".repeat(count),
  "open emphasis": (count) => "**a ".repeat(count / 4),
  brackets: (count) => "[".repeat(count),
  "closing brackets": (count) => "](".repeat(count / 2),
  "open links": (count) => "[a](b ".repeat(count / 6),
  backticks: (count) => Array.from({ length: Math.sqrt(count) }, (_, number) => "`".repeat(number % 300)).join(" "),
  "less-than signs": (count) => "<https://".repeat(count / 9),
  "nested lists": (count) => Array.from({ length: Math.sqrt(count) }, (_, depth) => `${" ".repeat(depth * 2)}- a`).join("\n"),
  "lists in a line": (count) => "- ".repeat(count / 2),
  quotes: (count) => "> ".repeat(count / 2),
  "spaces of a divider": (count) => `|\n-${" ".repeat(count)}x`,
  "spaces of a fence": (count) => `\`\`\`${" ".repeat(count)}\``,
  "spaces of a heading": (count) => `# a${" ".repeat(count)}b`,
  "rows of a table": (count) => `| a |\n| - |\n${"| b |\n".repeat(count / 6)}`,
  backslashes: (count) => "\\".repeat(count),
};

test("hostile text of 100,000 characters is shown, and keeps its words", async () => {
  for (const [name, text] of Object.entries(HOSTILE)) {
    const written = text(100_000);
    await shown(written);
    assert.equal(await turn(page).locator("img,script,iframe").count(), 0, name);
  }
  const words = await shown(HOSTILE.words(100_000));
  assert.equal(words.length, "<p></p>".length + 100_000 - 1);
  assert.deepEqual(page.errors, []);
});

test("deeply nested lists are lists up to a depth, and text below it", async () => {
  await shown(HOSTILE["nested lists"](10_000));
  assert.equal(await turn(page).locator("ul").count(), 8);
  assert.match(await turn(page).locator(".dw-assistant-part").innerText(), /- a/);
});
