// Writes a docs root of a given size to measure a large export. Arguments: a new folder, the number of pages, and
// the number of images of 1 MB. Each page has about 8 kB of text and code, and shows an image.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomFillSync } from "node:crypto";

import { texts } from "./growth/texts.mjs";

const [folder, pages, images] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const { random, sentence, paragraph } = texts();

mkdirSync(join(folder, "images"), { recursive: true });
for (let number = 0; number < images; number += 1) {
  // A PNG header followed by incompressible noise.
  const bytes = randomFillSync(Buffer.alloc(1024 * 1024));
  Buffer.from("89504e470d0a1a0a0000000d49484452000002000000020008060000", "hex").copy(bytes);
  writeFileSync(join(folder, "images", `${number}.png`), bytes);
}
const groups = [];
for (let number = 0; number < pages; number += 1) {
  const group = Math.floor(number / 50);
  if (number % 50 === 0) {
    mkdirSync(join(folder, `group-${group}`));
    groups.push({ group: `Group ${group}`, pages: [] });
  }
  const path = `group-${group}/page-${number}`;
  groups[group].pages.push(path);
  const sections = Array.from({ length: 10 }, (_, place) =>
    `## ${sentence()}\n\n${paragraph()}\n\n\`\`\`js\nconst value${place} = ${random(1000)}; // ${sentence()}\n\`\`\`\n`);
  const image = images > 0 ? `![An image](/images/${number % images}.png)\n\n` : "";
  writeFileSync(join(folder, `${path}.mdx`), `---\ntitle: "Page ${number}"\n---\n\n${image}${sections.join("\n")}`);
}
const config = { $schema: "https://mintlify.com/docs.json", theme: "mint", name: "Large", colors: { primary: "#0f766e" }, navigation: { groups } };
writeFileSync(join(folder, "docs.json"), JSON.stringify(config));
