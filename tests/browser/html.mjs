// Reads built pages: parses them, and extracts the visible text in blocks.

import { readFileSync } from "node:fs";
import { parse, parseFragment } from "parse5";

const INVISIBLE = new Set(["script", "style", "svg", "math", "head"]);
const BLOCKS = new Set(
  ("address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure " +
    "footer form h1 h2 h3 h4 h5 h6 header hr html label legend li main nav ol option p pre section summary table " +
    "tbody td tfoot th thead tr ul video iframe").split(" "),
);

export function parsePage(file) {
  return parse(readFileSync(file, "utf8"), { sourceCodeLocationInfo: false, scriptingEnabled: false });
}

export function attribute(node, name) {
  return node.attrs?.find((each) => each.name === name)?.value;
}

// Every element below `node`, in document order. Iterative: pages can be nested deeply.
export function* elements(node) {
  const stack = [node];
  while (stack.length > 0) {
    const next = stack.pop();
    if (next.tagName) yield next;
    const children = next.tagName === "template" ? next.content.childNodes : next.childNodes;
    for (let index = (children?.length ?? 0) - 1; index >= 0; index -= 1) stack.push(children[index]);
  }
}

// The text of a document or fragment as a list of blocks, with white space collapsed.
// Elements for which `skip(element)` is true are omitted.
export function textBlocks(root, skip = () => false) {
  const blocks = [];
  const aside = [];
  let current = "";
  const finish = () => {
    const text = current.replace(/\s+/gu, " ").trim();
    if (text) blocks.push(text);
    current = "";
  };
  const visit = (node) => {
    if (node.nodeName === "#text") {
      current += node.value;
      return;
    }
    if (node.tagName && (INVISIBLE.has(node.tagName) || skip(node))) return;
    // The text of a tooltip isn't part of the sentence.
    if (attribute(node, "role") === "tooltip") {
      aside.push(node);
      return;
    }
    const block = BLOCKS.has(node.tagName);
    if (block) finish();
    // Contents that a component shows only on request.
    const children = node.tagName === "template" ? node.content.childNodes : node.childNodes;
    for (const child of children ?? []) visit(child);
    if (block) finish();
  };
  visit(root);
  finish();
  while (aside.length > 0) {
    for (const child of aside.shift().childNodes) visit(child);
    finish();
  }
  return blocks;
}

export function fragmentBlocks(html, skip) {
  return textBlocks(parseFragment(html, { scriptingEnabled: false }), skip);
}
