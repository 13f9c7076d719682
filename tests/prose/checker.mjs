// A grammar checker for American English that knows this project's words.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Dialect, LocalLinter } from "harper.js";
import { binary } from "harper.js/binary";

/** Rules that don't suit these texts. */
const UNSUITABLE = [
  // Headings use sentence case, and table cells aren't sentences.
  "UseTitleCase",
  "SentenceCapitalization",
  // Units are MB and MiB, options start with two hyphens, and keys are named Ctrl.
  "ExpandMemoryShorthands",
  "Dashes",
  "NumericRangeEnDash",
  "ExpandControl",
  // Names of programs and components are correct as they are.
  "SplitWords",
  "OrthographicConsistency",
  // It takes INP, a Web Vital, for a prefix.
  "WrongNegative",
  // These rules are usually wrong here.
  "DisjointPrefixes",
  "MissingPreposition",
  "MissingTo",
  "PhrasalVerbAsCompoundNoun",
  "PronounInflectionBe",
  "PossessiveYour",
  "Spaces",
  "OneOfTheSingular",
  "TheLastDays",
  "CondenseAllThe",
];

/** Creates a function that returns the errors in a Markdown text: the rule, the words, and the reason. */
export async function checker() {
  const linter = new LocalLinter({ binary, dialect: Dialect.American });
  const unsuitable = Object.fromEntries(UNSUITABLE.map((rule) => [rule, false]));
  await linter.setLintConfig({ ...(await linter.getDefaultLintConfig()), ...unsuitable });
  const words = readFileSync(join(import.meta.dirname, "words.txt"), "utf8");
  await linter.importWords(words.split("\n").filter((word) => word && !word.startsWith("#")));
  return async (text) => {
    const found = await linter.organizedLints(text, { language: "markdown" });
    return Object.entries(found).flatMap(([rule, lints]) =>
      lints.map((lint) => ({
        rule,
        line: text.slice(0, lint.span().start).split("\n").length,
        words: lint.get_problem_text(),
        reason: lint.message(),
      })),
    );
  };
}
