// Places in MDX files, and files that edits add.

const WORDS = "release bundle domain export archive index member reader writer branch commit worker lease queue".split(" ");

/** A few words. */
export function words(random, count = 6) {
  return Array.from({ length: count }, () => random.one(WORDS)).join(" ");
}

/** The lines of a file outside of its frontmatter and code, each with its number. */
function plainLines(text) {
  const lines = text.split("\n");
  let [isCode, isFrontmatter] = [false, lines[0].trim() === "---"];
  return lines.flatMap((line, number) => {
    if (isFrontmatter) {
      isFrontmatter = number === 0 || line.trim() !== "---";
      return [];
    }
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode;
      return [];
    }
    return isCode ? [] : [{ line, number }];
  });
}

/** Numbers of lines with a sentence. */
export function sentences(text) {
  return plainLines(text).filter(({ line }) => /^[A-Z][^<>{}|]{20,}$/.test(line.trim())).map(({ number }) => number);
}

/** Headings with their lines. */
export function headings(text) {
  return plainLines(text).filter(({ line }) => /^#{1,6} \S/.test(line));
}

/** The fragment of a heading. */
export function slug(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu, "").trim().replace(/\s+/g, "-");
}

export function replaceLine(text, number, change) {
  return text.split("\n").map((line, at) => (at === number ? change(line) : line)).join("\n");
}

/** Adds a block after a sentence, or at the end. */
export function addBlock(text, block, random) {
  const at = random.chance(0.5) ? random.one(sentences(text)) : undefined;
  if (at === undefined) return `${text.trimEnd()}\n\n${block}\n`;
  return replaceLine(text, at, (line) => `${line}\n\n${block}\n`);
}

/** Adds an import and a block that uses it. */
export function addImport(text, line, block) {
  const end = /^---\r?\n[^]*?\r?\n---\r?\n/.exec(text)?.[0].length ?? 0;
  return `${text.slice(0, end)}\n${line}\n\n${text.slice(end).trimEnd()}\n\n${block}\n`;
}

/** Sets a key of the frontmatter, or removes it without a value. */
export function setFrontmatter(text, key, value) {
  const found = /^---\r?\n([^]*?)\r?\n---/.exec(text);
  const pair = value === undefined ? [] : [`${key}: ${value}`];
  if (!found) return `---\n${pair.join("")}\n---\n\n${text}`;
  const lines = found[1].split("\n");
  const at = lines.findIndex((line) => line.startsWith(`${key}:`));
  // A value can have more lines.
  let end = at + 1;
  while (at >= 0 && /^(\s|-)/.test(lines[end] ?? "")) end += 1;
  if (at >= 0) lines.splice(at, end - at, ...pair);
  else lines.push(...pair);
  return `---\n${lines.join("\n")}\n---${text.slice(found[0].length)}`;
}
