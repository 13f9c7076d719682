// What a result shows of its page.

// Returns the terms of words in excerpts, and keeps them, since most words occur again.
var MOST_SEEN = 20000;

function remembered(stem) {
  var seen = new Map();
  return function (word) {
    if (seen.size > MOST_SEEN) seen.clear();
    if (!seen.has(word)) seen.set(word, terms(word, stem));
    return seen.get(word);
  };
}

// A stretch of text around the first match, or around the most matches close to each other:
// [[text, isMatch]].
function highlight(text, wanted, termsOf, length) {
  var spans = [];
  var pattern = new RegExp(WORDS.source, "gu");
  var match;
  while ((match = pattern.exec(text)) !== null && spans.length < 400) {
    if (termsOf(match[0]).some(function (term) { return wanted.has(term); })) spans.push([match.index, match.index + match[0].length]);
  }
  var start = spans.length > 0 ? Math.max(0, best(spans, length) - Math.floor(length / 3)) : 0;
  if (start > 0) start = text.indexOf(" ", start) + 1 || start;
  var end = Math.min(text.length, start + length);
  var pieces = start > 0 ? [["… ", false]] : [];
  var at = start;
  spans.forEach(function (span) {
    if (span[0] < at || span[1] > end) return;
    if (span[0] > at) pieces.push([text.slice(at, span[0]), false]);
    pieces.push([text.slice(span[0], span[1]), true]);
    at = span[1];
  });
  pieces.push([text.slice(at, end) + (end < text.length ? " …" : ""), false]);
  return pieces;
}

// Where the most matches within a length begin.
function best(spans, length) {
  var most = 0;
  var start = spans[0][0];
  spans.forEach(function (span, index) {
    var count = 0;
    while (spans[index + count] && spans[index + count][1] < span[0] + length / 2) count += 1;
    if (count > most) {
      most = count;
      start = span[0];
    }
  });
  return start;
}

// The number of the section with a block, or -1 if the page shows no such section. The first block is the
// description.
function sectionOf(sections, block) {
  var after = 1;
  if (block < after) return -1;
  for (var number = 0; number < sections.length; number += 1) {
    after += sections[number][3];
    if (block < after) return number;
  }
  return -1;
}
