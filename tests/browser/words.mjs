// Compares the texts of built pages with the reference: every block of prose in the MDX compiler's result must be
// on the built page.
//
//   node words.mjs SOURCE BUILT [--below FOLDER] [--show N]

import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { attribute, elements, fragmentBlocks, parsePage, textBlocks } from "./html.mjs";
import { referenceHtml } from "./reference.mjs";

const NOT_PROSE = new Set(["pre", "math"]);

export async function compareSite(source, built, below = "") {
  const report = { pages: 0, equal: 0, blocks: 0, missingBlocks: 0, words: 0, missingWords: 0, unreadable: [], differing: [] };
  for (const path of pagesBelow(source, join(source, below))) {
    const page = join(built, `${path.replace(/\.mdx?$/, "").replace(/(?<=.)\/index$/, "")}.html`);
    // A redirect can hide a page, which a diagnostic reports.
    if (existsSync(page) && !isRedirect(page)) await comparePage(source, path, page, report);
  }
  return report;
}

function isRedirect(page) {
  return [...elements(parsePage(page))].some((each) => attribute(each, "http-equiv") === "refresh");
}

async function comparePage(source, path, page, report) {
  let html;
  try {
    html = await referenceHtml(source, path);
  } catch (error) {
    report.unreadable.push({ path, reason: String(error.reason ?? error.message ?? error).split("\n")[0] });
    return;
  }
  const missing = missingBlocks(fragmentBlocks(html, isCode), contentBlocks(page));
  report.pages += 1;
  report.blocks += missing.total;
  report.words += missing.words;
  report.missingBlocks += missing.blocks.length;
  report.missingWords += missing.missingWords;
  if (missing.blocks.length === 0) report.equal += 1;
  else report.differing.push({ path, missing: missing.blocks });
}

// A block is on the page if its text is. If a component adds text within a sentence, the block's words must appear
// in the same order within a short passage.
function missingBlocks(expected, actual) {
  const text = words(actual.join(" \u0000 ")).join(" ");
  const letters = text.replaceAll(" ", "");
  const result = { total: 0, words: 0, missingWords: 0, blocks: [] };
  for (const block of expected) {
    const wanted = words(block);
    if (wanted.length === 0) continue;
    result.total += 1;
    result.words += wanted.length;
    if (` ${text} `.includes(` ${wanted.join(" ")} `)) continue;
    // The reference joins the words of adjacent elements.
    if (letters.includes(wanted.join(""))) continue;
    const lost = wanted.filter((word) => !` ${text} `.includes(` ${word} `));
    if (lost.length === 0 && inOrder(wanted, text.split(" "))) continue;
    result.missingWords += lost.length;
    result.blocks.push({ block, lost });
  }
  return result;
}

function inOrder(wanted, all) {
  for (let start = 0; start < all.length; start += 1) {
    if (all[start] !== wanted[0]) continue;
    let found = 0;
    const end = Math.min(all.length, start + wanted.length * 2 + 20);
    for (let index = start; index < end && found < wanted.length; index += 1) {
      if (all[index] === wanted[found]) found += 1;
    }
    if (found === wanted.length) return true;
  }
  return false;
}

function words(text) {
  return text.normalize("NFC").match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function contentBlocks(page) {
  const main = [...elements(parsePage(page))].find((each) => each.tagName === "main");
  if (!main) throw new Error(`${page}: no main element`);
  // The text of a prompt is prose, although it is shown verbatim.
  const isCode = (element) => NOT_PROSE.has(element.tagName) && !/\bdw-prompt-content\b/.test(attribute(element, "class") ?? "");
  return textBlocks(main, isCode);
}

function isCode(element) {
  return NOT_PROSE.has(element.tagName) || /\bdw-math\b/.test(attribute(element, "class") ?? "");
}

function* pagesBelow(root, folder = root) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    // A site's skill is for agents.
    if (folder === root && entry.name === "skill.md") continue;
    if (entry.isDirectory()) yield* pagesBelow(root, path);
    else if (/\.mdx?$/.test(entry.name)) yield relative(root, path).split(sep).join("/");
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [source, built] = process.argv.slice(2);
  const show = process.argv.includes("--show") ? Number(process.argv[process.argv.indexOf("--show") + 1]) : 10;
  const below = process.argv.includes("--below") ? process.argv[process.argv.indexOf("--below") + 1] : "";
  const report = await compareSite(source, built, below);
  for (const { path, reason } of report.unreadable) console.log(`unreadable to the reference: ${path}: ${reason}`);
  for (const { path, missing } of report.differing.slice(0, show)) {
    console.log(`${path}:`);
    for (const { block, lost } of missing.slice(0, 5)) console.log(`  ${JSON.stringify(block.slice(0, 200))} lost: ${lost.join(" ")}`);
  }
  const { pages, equal, blocks, missingBlocks, words, missingWords, unreadable } = report;
  console.log(
    `${equal} of ${pages} pages hold every block; ${missingBlocks} of ${blocks} blocks and ${missingWords} of ${words} words ` +
      `are missing; ${unreadable.length} pages are unreadable to the reference`,
  );
  process.exitCode = missingBlocks === 0 ? 0 : 1;
}
