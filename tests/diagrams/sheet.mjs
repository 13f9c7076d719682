// Contact sheets: every diagram beside the one of mermaid.js, as HTML and as pictures.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROWS = 12;

// Writes sheets of all diagrams, and those that differ onto sheets of their own.
export async function writeSheets(browser, folder, diagrams, face) {
  const differing = diagrams.filter((diagram) => diagram.reasons.length);
  for (const [name, entries] of [["differing", differing], ["all", diagrams]]) {
    for (let start = 0; start < entries.length; start += ROWS) {
      const file = join(folder, `${name}-${String(start / ROWS + 1).padStart(3, "0")}`);
      writeFileSync(`${file}.html`, sheet(entries.slice(start, start + ROWS), face));
      const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
      await page.goto(pathToFileURL(`${file}.html`).href);
      await page.screenshot({ path: `${file}.png`, fullPage: true });
      await page.close();
    }
  }
}

function sheet(entries, face) {
  const rows = entries.map(
    ({ key, file, reasons, ours, theirs }) =>
      `<tr><th colspan="2">${key} ${escape(file)} <small>${escape(reasons.join("; "))}</small></th></tr>` +
      `<tr><td class="dw-mermaid-scroll">${ours ?? "not drawn"}</td><td>${theirs ?? "not drawn"}</td></tr>`,
  );
  return `<!doctype html><meta charset="utf-8"><style>${face}
body{font:13px Inter,sans-serif;margin:8px}table{width:100%;table-layout:fixed;border-collapse:collapse}
th{text-align:left;background:#eee;padding:4px}th small{color:#b00;font-weight:400}td{padding:8px;vertical-align:top;border-right:1px solid #ddd}
td>svg{max-width:100%!important;max-height:520px;height:auto}</style><table><tr><th>docwright</th><th>mermaid.js</th></tr>${rows.join("")}</table>`;
}

const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
