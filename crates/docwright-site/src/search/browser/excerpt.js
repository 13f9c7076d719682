// The excerpt of a page for a query.

// Weight of a heading relative to its text.
var HEADING = 3;

// How many of the query's words a heading and its text contain, weighted.
function weigh(words, heading, text) {
  var inHeading = new Set(terms(heading));
  var inText = new Set(terms(text));
  return words.reduce(function (sum, terms) {
    var value = 0;
    terms.forEach(function (sure, term) {
      value = Math.max(value, inHeading.has(term) ? HEADING : 0, inText.has(term) ? 1 : 0);
    });
    return sum + value;
  }, 0);
}

// A stretch of text around the first match: [[text, isMatch]].
function highlight(text, wanted, length) {
  var spans = [];
  var pattern = new RegExp(WORDS.source, "gu");
  var match;
  while ((match = pattern.exec(text)) !== null && spans.length < 400) {
    if (terms(match[0]).some(function (term) { return wanted.has(term); })) spans.push([match.index, match.index + match[0].length]);
  }
  var start = spans.length > 0 ? Math.max(0, spans[0][0] - Math.floor(length / 3)) : 0;
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
