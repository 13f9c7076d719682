// All kinds of edits, and the choice of one.

import { setTimeout } from "node:timers/promises";

import { CONFIGURATION_EDITS } from "./configuration.mjs";
import { FILE_EDITS } from "./files.mjs";
import { PAGE_EDITS } from "./pages.mjs";
import { sentences } from "./texts.mjs";

/** A docs root changes without the time of a change that shows it only after this time. Milliseconds. */
const SETTLED = 4_100;
const FLAGS = [
  [], ["--site-url", "https://docs.example.com"], ["--site-url", "https://example.com/docs"], ["--playground", "off"], ["--assistant"],
  ["--deployment-type", "air-gapped"], ["--integrations"], ["--analytics"], ["--assistant", "--starter-question", "What is it?"],
];

/** Edits that are no edits of one file. */
const OTHER_EDITS = {
  "same length, old time": async ({ docs, random }) => {
    const page = random.one(docs.pages());
    const [text, modified] = [docs.read(page), docs.modified(page)];
    const at = random.one(sentences(text));
    if (at === undefined) return undefined;
    await setTimeout(random.chance(0.5) ? SETTLED : 0);
    docs.write(page, text.split("\n").map((line, number) => (number === at ? line.replace(/[a-z]/, (letter) => (letter === "x" ? "y" : "x")) : line)).join("\n"));
    docs.touch(page, modified);
    return `${page}: same length, old time`;
  },
  "times set back": ({ docs, random }) => {
    const paths = random.shuffled([...docs.paths]).slice(0, 1 + random.below(20));
    for (const path of paths) docs.touch(path, new Date(2020, random.below(12), 1 + random.below(28)));
    return `times of ${paths.length} files set back`;
  },
  nothing: async ({ random }) => {
    await setTimeout(random.chance(0.5) ? SETTLED : 0);
    return "nothing changed";
  },
  "pages committed": ({ docs, random }) => {
    docs.commit(`2026-0${1 + random.below(9)}-1${random.below(9)}`);
    return `committed as of ${docs.date}`;
  },
  "options changed": ({ docs, random }) => {
    docs.flags = random.one(FLAGS);
    return `options ${docs.flags.join(" ") || "removed"}`;
  },
};

/** Kinds with many variants are more frequent. */
const FREQUENT = { "key set": 6, "key removed": 2, "frontmatter set": 4, "heading renamed": 2, "block added": 2, "snippet changed": 2, "nested snippet changed": 2 };

export const SINGLE_EDITS = { ...PAGE_EDITS, ...FILE_EDITS, ...CONFIGURATION_EDITS, ...OTHER_EDITS };

const CHOICES = Object.keys(SINGLE_EDITS).flatMap((kind) => Array(FREQUENT[kind] ?? 1).fill(kind));

/** Applies a random edit. Returns its kind and what it did. */
async function single(place) {
  for (;;) {
    const kind = place.random.one(CHOICES);
    const what = await SINGLE_EDITS[kind](place);
    if (what) return { kind, what };
  }
}

/** Applies one random edit as a step, or two, or undoes steps. Returns its kind and what it did. */
export async function edit(place) {
  const { docs, random } = place;
  if (docs.steps.length > 1 && random.chance(0.12)) {
    const count = 1 + random.below(random.chance(0.2) ? docs.steps.length : Math.min(3, docs.steps.length));
    docs.undo(count);
    return { kind: "undone", what: `${count} steps undone` };
  }
  docs.begin();
  if (!random.chance(0.12)) return single(place);
  const [one, other] = [await single(place), await single(place)];
  return { kind: "two edits", what: `${one.what}; ${other.what}` };
}
