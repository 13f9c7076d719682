// What is wrong with a diagram of ours, measured against the one of mermaid.js.

const SYNTAX = [/<\/?[a-z][^<>]*>/i, /&#?\w+;/, /\*\*\S/, /\S\*\*/, /--+>/, /:::/, /\|[^|]+\|/, /classDef|subgraph/, /@\{/];

// Reasons, or none.
export function differences(ours, theirs) {
  const reasons = [];
  for (const place of ["node", "edge label", "group", "text"]) {
    const [mine, reference] = [ours, theirs].map((facts) => facts.texts.filter((each) => each.place === place).map((each) => each.text));
    const missing = without(reference, mine);
    const added = without(mine, reference);
    if (missing.length) reasons.push(`${place} missing: ${list(missing)}`);
    if (added.length) reasons.push(`${place} added: ${list(added)}`);
  }
  for (const kind of ["nodes", "edges", "groups"]) {
    if (ours[kind] !== theirs[kind]) reasons.push(`${kind}: ${ours[kind]} instead of ${theirs[kind]}`);
  }
  const ends = without(theirs.ends, ours.ends);
  if (ends.length) reasons.push(`edges missing: ${list(ends)}`);
  const shown = ours.texts.filter((each) => SYNTAX.some((syntax) => syntax.test(each.shown)));
  const strange = without(shown.map((each) => each.text), theirs.texts.map((each) => each.text));
  if (strange.length) reasons.push(`syntax as text: ${list(strange)}`);
  const overlaps = without(ours.overlaps, theirs.overlaps);
  if (overlaps.length) reasons.push(`texts on each other: ${list(overlaps)}`);
  const crossed = without(ours.crossed, theirs.crossed);
  if (crossed.length) reasons.push(`edge through box: ${list(crossed)}`);
  for (const side of ["width", "height"]) {
    const off = ours[side] / theirs[side] - 1;
    if (Math.abs(off) > 0.15 && Math.abs(ours[side] - theirs[side]) > 24) {
      reasons.push(`${side} ${Math.round(ours[side])} instead of ${Math.round(theirs[side])}`);
    }
  }
  return reasons;
}

// Texts that can hardly be read on what is behind them, unless the reference shows them so too: then their colors are
// the author's.
export function faint(facts, reference) {
  const found = without(faintTexts(facts), faintTexts(reference));
  return found.length ? [`faint: ${list(found)}`] : [];
}

const faintTexts = (facts) => facts.texts.filter((each) => each.behind && contrast(each.color, each.behind) < 3).map((each) => each.text);

// The entries of a list that another one lacks, with their counts.
function without(entries, others) {
  const left = new Map();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return entries.filter((entry) => {
    const count = left.get(entry) ?? 0;
    left.set(entry, count - 1);
    return count <= 0;
  });
}

const list = (entries) => entries.slice(0, 4).map((entry) => `"${entry.slice(0, 60)}"`).join(", ") + (entries.length > 4 ? ` and ${entries.length - 4} more` : "");

function contrast(first, second) {
  const [a, b] = [first, second].map(luminance);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color) {
  const parts = (color.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
  const linear = parts.map((part) => (color.startsWith("color(") ? part : part / 255)).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}
