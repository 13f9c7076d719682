// Writes a docs root of a given size to measure a large export.
//
//   node bench/large.mjs FOLDER PAGES IMAGES [--languages 1] [--sections 10]
//
// FOLDER is new, and each image has 1 MB. A page has about 800 bytes of text and code in each section, and shows an
// image. With several languages, each has an equal part of the pages.

import { randomFillSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { texts } from "./growth/texts.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { languages: { type: "string", default: "1" }, sections: { type: "string", default: "10" } },
});
const folder = positionals[0];
const [pages, images] = positionals.slice(1).map(Number);
const { random, sentence, paragraph } = texts();
const LANGUAGES = "en de es fr it ja ko pt ru tr".split(" ").slice(0, Number(values.languages));

mkdirSync(join(folder, "images"), { recursive: true });
for (let number = 0; number < images; number += 1) {
  // A PNG header followed by incompressible noise.
  const bytes = randomFillSync(Buffer.alloc(1024 * 1024));
  Buffer.from("89504e470d0a1a0a0000000d49484452000002000000020008060000", "hex").copy(bytes);
  writeFileSync(join(folder, "images", `${number}.png`), bytes);
}

/** Writes pages below a folder. Returns their groups. */
function writeGroups(count, below) {
  const groups = [];
  for (let number = 0; number < count; number += 1) {
    const group = Math.floor(number / 50);
    if (number % 50 === 0) {
      mkdirSync(join(folder, `${below}group-${group}`), { recursive: true });
      groups.push({ group: `Group ${group}`, pages: [] });
    }
    const path = `${below}group-${group}/page-${number}`;
    groups[group].pages.push(path);
    const sections = Array.from({ length: Number(values.sections) }, (_, place) => {
      const [heading, text] = [sentence(), paragraph()];
      return `## ${heading}\n\n${text}\n\n\`\`\`js\nconst value${place} = ${random(1000)}; // ${sentence()}\n\`\`\`\n`;
    });
    const image = images > 0 ? `![An image](/images/${number % images}.png)\n\n` : "";
    const text = `---\ntitle: "Page ${number}"\n---\n\n${image}${sections.join("\n")}`;
    writeFileSync(join(folder, `${path}.mdx`), text);
  }
  return groups;
}

const count = Math.ceil(pages / LANGUAGES.length);
const navigation = LANGUAGES.length === 1
  ? { groups: writeGroups(pages, "") }
  : { languages: LANGUAGES.map((language) => ({ language, groups: writeGroups(count, `${language}/`) })) };
const colors = { primary: "#0f766e" };
const config = { $schema: "https://mintlify.com/docs.json", theme: "mint", name: "Large", colors, navigation };
writeFileSync(join(folder, "docs.json"), JSON.stringify(config));
