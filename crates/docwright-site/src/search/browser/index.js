// The files of the index, as the build writes them.

// Number of the last of some sorted texts that isn't after a text.
function lastBefore(texts, text) {
  var low = 0;
  var high = texts.length - 1;
  while (low < high) {
    var middle = (low + high + 1) >> 1;
    if (texts[middle] <= text) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Calls `found` with the term and the text of each line of a chunk whose term starts with a text.
function linesOf(lines, start, found) {
  var low = 0;
  var high = lines.length;
  while (low < high) {
    var middle = (low + high) >> 1;
    if (lines[middle] < start) low = middle + 1;
    else high = middle;
  }
  for (; low < lines.length && lines[low].startsWith(start); low += 1) {
    var space = lines[low].indexOf(" ");
    if (space > 0) found(lines[low].slice(0, space), lines[low]);
  }
}

// In which names of a page a term occurs.
var IN_TITLE = 1;
var IN_PLACE = 2;
var IN_PATH = 4;
// What a term is in a block.
var TEXT = 0;
var HEADING = 1;
var DEFINITION = 2;

function digit(code) {
  return code < 58 ? code - 48 : code - 87;
}

// The pages of a term in a line: numbers, weights, names, and the number of pages that define it. The blocks are
// read when `unitsOf` asks for those of a page, since queries need them of few pages.
function postings(line) {
  var list = { line: line, pages: [], weights: [], names: [], starts: [], units: [], definitions: 0 };
  var count = 0;
  var page = 0;
  var defines = false;
  var start = line.indexOf(" ") + 1;
  for (var at = start; at < line.length; at += 1) {
    var code = line.charCodeAt(at);
    if ((code > 96 && code < 123) || (code > 47 && code < 58)) continue;
    if (code > 64 && code < 91) {
      page += parseInt(line.slice(start, at), 36);
      defines = false;
      list.pages[count] = page;
      list.weights[count] = code - 65;
      list.names[count] = 0;
      list.starts[count] = at + 1;
      count += 1;
    } else if (code === 58 || code === 42) {
      // One digit follows, which isn't one of the next number.
      at += 1;
      if (code === 42 && !defines) list.definitions += 1;
      defines = defines || code === 42;
    } else if (code !== 46) {
      list.names[count - 1] |= code === 33 ? IN_TITLE : code === 47 ? IN_PATH : IN_PLACE;
    }
    start = at + 1;
  }
  return list;
}

// The blocks of the page at a position of a list, three numbers for each: block, kind, words of the heading or symbol.
function unitsOf(list, at) {
  return list.units[at] || (list.units[at] = readUnits(list.line, list.starts[at]));
}

// The blocks in a line from a position, up to the next page.
function readUnits(line, at) {
  var units = [];
  var block = 0;
  var number = 0;
  for (; at < line.length; at += 1) {
    var code = line.charCodeAt(at);
    if (code > 64 && code < 91) break;
    if ((code > 96 && code < 123) || (code > 47 && code < 58)) {
      number = number * 36 + digit(code);
      continue;
    }
    if (code === 46) {
      block += number;
      units.push(block, TEXT, 0);
    } else if (code === 58 || code === 42) {
      block += number;
      at += 1;
      units.push(block, code === 58 ? HEADING : DEFINITION, digit(line.charCodeAt(at)) || 1);
    }
    number = 0;
  }
  return units;
}

// Words of the site by length, each with the power of two of its pages: `[[word, power, letters]]`.
function vocabulary(text) {
  var before = "";
  var known = { byLength: [], all: new Map() };
  text.replace(/([0-9a-z])([^A-Z]*)([A-Z])/g, function (whole, shared, rest, power) {
    before = before.slice(0, parseInt(shared, 36)) + rest;
    var entry = [before, power.charCodeAt(0) - 65, letters(before)];
    (known.byLength[before.length] = known.byLength[before.length] || []).push(entry);
    known.all.set(before, entry[1]);
    return "";
  });
  return known;
}

// A value of each page, from runs of equal ones.
function unpack(runs) {
  var values = [];
  for (var at = 0; at < runs[1].length; at += 2) {
    for (var count = runs[1][at + 1]; count > 0; count -= 1) values.push(runs[1][at]);
  }
  return { names: runs[0], values: values };
}

// The core with what queries need of it.
function prepare(core) {
  var factors = [];
  var titles = [];
  for (var page = 0; page < core.count; page += 1) {
    factors.push(Math.pow(2, (parseInt(core.factors[page], 36) - 18) / 6));
    titles.push(parseInt(core.titles[page], 36) || 1);
  }
  var stem = stemmer(core.stems);
  var skipped = new Set(core.skipped.split(" "));
  return {
    count: core.count, terms: core.terms, pages: core.pages, factors: factors, titles: titles,
    facets: { section: unpack(core.sections), kind: unpack(core.kinds), version: unpack(core.versions) },
    skipped: skipped, isEnglish: skipped.has("how"), stem: stem, termsOf: remembered(stem),
    usual: new Set(core.usual), textBelow: core.textBelow, about: { labels: core.labels, languages: core.languages, suggested: core.suggested },
  };
}
