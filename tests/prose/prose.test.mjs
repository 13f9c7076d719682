// The manual, the API reference, and the dashboard's texts are correct American English.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checker } from "./checker.mjs";
import { constants, markdown, sentences, texts } from "./texts.mjs";

const check = await checker();

test("texts have no diagnostic", async () => {
  const all = texts();
  assert.ok(all.length > 1000, `there are only ${all.length} texts`);
  const found = [];
  for (const [place, text] of all) {
    for (const { rule, line, words, reason } of await check(text)) {
      found.push(`${place}:${line}: ${rule}: \`${words.trim()}\`: ${reason}`);
    }
  }
  assert.deepEqual(found, [], "correct them, or add a word to tests/prose/words.txt");
});

test("errors are found", async () => {
  for (const [text, words] of [
    ["Readers recieve teh site.", "recieve"],
    ["Readers recieve teh site.", "teh"],
    ["It exports a archive.", "a"],
    ["Users, keys and roles.", "keys"],
  ]) {
    const found = await check(text);
    assert.ok(found.some((each) => each.words.includes(words)), `${text}: ${JSON.stringify(found)}`);
  }
});

test("code and markup are not prose", async () => {
  const mdx = [
    '---\ntitle: "A teh page"\nicon: teh\n---\n',
    "```js\nconst teh = 1;\n```\n",
    'export const Part = () => {\n  return teh;\n}\n',
    '<Card title="teh" onClick={() => teh()}>\n\nText of a card.\n\n</Card>\n',
    "{/* teh */}\n",
  ].join("\n");
  const text = markdown(mdx);
  assert.equal(text.split("\n").length, mdx.split("\n").length);
  const found = await check(text);
  assert.deepEqual(found.map(({ line, words }) => [line, words]), [[2, "teh"]]);
});

test("texts are read from an API spec and from words", () => {
  const api = { paths: { "/a": { get: { summary: "One", parameters: [{ description: "Two", name: "x" }] } } } };
  assert.deepEqual(sentences(api).map(([, text]) => text), ["One", "Two"]);
  const rust = 'pub(crate) const A: &str = "One \\"two\\"";\nconst B: &str =\n    "three";';
  assert.deepEqual(constants(rust), [["A", 'One "two"'], ["B", "three"]]);
});
