// Makes the files that pages of the themes load first smaller: the Latin ones of their families. They keep all letters,
// but only what browsers use to set text: kerning, marks, and figures of one width. Ligatures go with the alternates of
// letters; styles turn off those of code.
//
// Of a variable font, the file has the weights that styles use, and a second file, `…-all.woff2`, has every weight.
//
// The copyright in the fonts stays. None of these families has a reserved font name.

import { readFileSync, writeFileSync } from "node:fs";
import subset from "subset-font";

const KEPT_FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"];
// The same as `USUAL_WEIGHTS` in `build/fonts.rs`.
const USUAL_WEIGHTS = { min: 400, max: 700 };

// The letters of a range as CSS lists them: `U+0000-00FF,U+0131`.
function letters(range) {
  return range.split(",").flatMap((part) => {
    const [first, last = first] = part.replace("U+", "").split("-").map((code) => parseInt(code, 16));
    return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
  }).join("");
}

async function reduce(package_, name, weights) {
  const folder = `node_modules/${package_}`;
  const range = JSON.parse(readFileSync(`${folder}/unicode.json`, "utf8")).latin;
  const file = `${folder}/files/${name}`;
  const font = readFileSync(file);
  const options = { targetFormat: "woff2", keepFeatures: KEPT_FEATURES, noHinting: true };
  if (weights) {
    writeFileSync(file.replace(/\.woff2$/, "-all.woff2"), await subset(font, letters(range), options));
    options.variationAxes = { wght: weights };
  }
  writeFileSync(file, await subset(font, letters(range), options));
}

await reduce("@fontsource-variable/inter", "inter-latin-wght-normal.woff2", USUAL_WEIGHTS);
for (const weight of [400, 500, 600, 700]) {
  await reduce("@fontsource/jetbrains-mono", `jetbrains-mono-latin-${weight}-normal.woff2`);
}
