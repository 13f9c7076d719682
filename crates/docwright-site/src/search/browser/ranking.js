// Ranks pages by the weights of a query's words on the page, in its names, and in its sections.

// Penalty for pages without some of the words, in queries of few words and of many.
var COVERAGE = 1.6;
var COVERAGE_LONG = 1.2;
// Bonus if the title, a heading, or a symbol consists of the words.
var WHOLE_TITLE = 2;
var SAME_TITLE = 0.6;
// Bonus if the title has some of the words, and the divisions and path have the others.
var WHOLE_NAMES = 1.5;
var WHOLE_HEADING = 0.7;
var SAME_HEADING = 1.6;
var WHOLE_DEFINITION = 1;
var SAME_DEFINITION = 0.8;
// Bonus if a block has all the words, and what a word of the title counts in each block.
var NEAR = 1;
var NEAR_IN_TITLE = 0.8;
// What a common word keeps of its rarity among at least this many words.
var OF_COMMON = 0.7;
var MANY_WORDS = 3;
// How much of a heading's bonus goes if the query has words that it lacks.
var HEADING_POWER = 1;
// Share of the pages of the site that a rare word counts as having.
var COMMON = 0.005;
// Weight of a word in the title, the divisions, and the path.
var TITLE = 6.2;
var PLACE = 8;
var PATH = 4.7;
// Pages that are ranked, of those that a query finds.
var RANKED = 150;
// Pages whose sections are compared.
var COMPARED = 40;
// Pages that a site counts as having, at least, where the share with a word decides what its postings have.
var FEWEST_PAGES = 20;
// Pages with a symbol of the same name, beyond which it tells less.
var FEW_DEFINITIONS = 8;

// A word of the query with its terms: values, titles, and certainty by page, and its rarity.
function weigh(core, asked, entries) {
  var word = { asked: asked, entries: [], terms: new Map(), values: new Float64Array(core.count), titles: new Float64Array(core.count), named: new Float64Array(core.count), sure: new Float64Array(core.count), pages: [] };
  var exact = 0;
  var room = MOST_PAGES * core.count + 100;
  entries.forEach(function (entry) {
    var sure = entry[0];
    var list = entry[1];
    room -= list.pages.length;
    if (room < 0 && sure < 1) return;
    entry.slice(2).forEach(function (term) {
      term.replace(/=.*/, "").split("+").forEach(function (part) { word.terms.set(part, Math.max(sure, word.terms.get(part) || 0)); });
    });
    word.entries.push(entry);
    if (sure === 1) exact = Math.max(exact, list.pages.length);
    for (var at = 0; at < list.pages.length; at += 1) {
      var page = list.pages[at];
      var names = list.names[at];
      var value = list.weights[at];
      if (names & IN_TITLE) {
        value += TITLE;
        if (word.titles[page] < sure) word.titles[page] = sure;
      }
      if (names & IN_PLACE) value += PLACE;
      if (names & IN_PATH) value += PATH;
      if (names !== 0 && word.named[page] < sure) word.named[page] = sure;
      value *= sure;
      if (word.values[page] === 0 && value > 0) word.pages.push(page);
      if (word.sure[page] < sure) word.sure[page] = sure;
      if (word.values[page] < value) word.values[page] = value;
    }
  });
  word.rarity = asked.skipped ? SKIPPED : Math.log(1 + core.count / (COMMON * core.count + Math.max(1, exact || word.pages.length)));
  return word;
}

// Lowers the rarity of words that everybody uses, in queries of several words, which have others that tell more.
function weighCommon(core, words) {
  var telling = words.filter(function (word) { return !word.asked.skipped; });
  if (telling.length < MANY_WORDS) return;
  telling.forEach(function (word) { if (isCommon(core, word.asked.stem) && !word.asked.asksFor) word.rarity *= OF_COMMON; });
}

// The pages of a query, best first, and the number of all: `{found: [{page, score, block}], count}`. `allowed(page)`
// is a filter, which is asked once for each page. `block` is the best block of the page, or -1 for its top.
function rank(core, words, allowed) {
  var asked = words.reduce(function (sum, word) { return sum + word.rarity; }, 0);
  var totals = new Float64Array(core.count);
  var covered = new Float64Array(core.count);
  var inTitle = new Float64Array(core.count);
  var hits = new Float64Array(core.count);
  var named = new Float64Array(core.count);
  var telling = words.some(function (word) { return !word.asked.skipped; });
  var count = words.filter(function (word) { return !word.asked.skipped; }).length;
  var power = count < 3 ? COVERAGE : count < 4 ? (COVERAGE + COVERAGE_LONG) / 2 : COVERAGE_LONG;
  var candidates = [];
  var refused = new Uint8Array(core.count);
  // Stop words last: they only add to pages that other words find.
  words.slice().sort(function (one, other) { return one.asked.skipped - other.asked.skipped; }).forEach(function (word) {
    var rarity = word.rarity;
    // A stop word alone finds nothing, unless the query has no other words.
    var onlyAdds = word.asked.skipped && telling;
    for (var at = 0; at < word.pages.length; at += 1) {
      var page = word.pages[at];
      if (totals[page] === 0) {
        if (onlyAdds || refused[page]) continue;
        if (!allowed(page)) {
          refused[page] = 1;
          continue;
        }
        candidates.push(page);
      }
      totals[page] += rarity * word.values[page];
      covered[page] += rarity * word.sure[page];
      inTitle[page] += rarity * word.titles[page];
      hits[page] += word.titles[page];
      named[page] += rarity * word.named[page];
    }
  });
  var bases = new Float64Array(candidates.length);
  var titles = new Float64Array(candidates.length);
  var scores = new Float64Array(candidates.length);
  for (var at = 0; at < candidates.length; at += 1) {
    var page = candidates[at];
    var share = Math.min(1, hits[page] / core.titles[page]);
    var title = (inTitle[page] / asked) * (0.4 + 0.6 * share);
    if (title > 0.99) title += SAME_TITLE;
    titles[at] = Math.max(title, (WHOLE_NAMES * share * named[page]) / asked);
    bases[at] = totals[page] * Math.pow(covered[page] / asked, power) * core.factors[page];
    scores[at] = bases[at] * (1 + WHOLE_TITLE * titles[at]);
  }
  // Sorting numbers is fast; sorting results isn't.
  var least = scores.length > RANKED ? scores.slice().sort()[scores.length - RANKED] : 0;
  var found = [];
  candidates.forEach(function (page, at) {
    if (scores[at] >= least) found.push({ page: page, base: bases[at], title: titles[at], score: scores[at], block: -1, blocks: [] });
  });
  found.sort(byScore);
  found.slice(0, COMPARED).forEach(function (result) { compareBlocks(core, words, asked, result); });
  found.sort(byScore);
  return { found: found, count: candidates.length };
}

function byScore(one, other) {
  return other.score - one.score || one.page - other.page;
}

// Number of a page in a sorted list, or -1.
function placeOf(pages, page) {
  var low = 0;
  var high = pages.length - 1;
  while (low <= high) {
    var middle = (low + high) >> 1;
    if (pages[middle] === page) return middle;
    if (pages[middle] < page) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

// What a word is in each block of a page: `{block: [certainty in text, in a heading, in a definition, share of
// the heading, share of the definition]}`.
function blocksOf(word, page) {
  var blocks = {};
  word.entries.forEach(function (entry) {
    var list = entry[1];
    var at = placeOf(list.pages, page);
    if (at < 0) return;
    var units = unitsOf(list, at);
    for (var unit = 0; unit < units.length; unit += 3) {
      var block = blocks[units[unit]] || (blocks[units[unit]] = [0, 0, 0, 0, 0]);
      var kind = units[unit + 1];
      var sure = entry[0];
      if (sure > block[0]) block[0] = sure;
      if (kind === TEXT) continue;
      if (kind === DEFINITION) sure *= Math.sqrt(Math.min(1, FEW_DEFINITIONS / list.definitions));
      var share = sure / units[unit + 2];
      if (sure > block[kind]) block[kind] = sure;
      if (share > block[kind + 2]) block[kind + 2] = share;
    }
  });
  return blocks;
}

// Whether the index says in which blocks of texts a word is. Large sites leave that out for common words.
function isLocated(core, word) {
  var whole = word.entries.filter(function (entry) { return entry[0] === 1; })[0] || word.entries[0];
  return !whole || !(whole[1].pages.length >= core.textBelow * Math.max(FEWEST_PAGES, core.count));
}

// The largest share of the words that are in one block of a page or in its title, apart from words whose places are
// unknown, and what all of these weigh among the words.
function nearest(core, telling, blocks, page) {
  var located = telling.map(function (word) { return isLocated(core, word); });
  var known = telling.reduce(function (sum, word, at) { return sum + (located[at] ? word.rarity : 0); }, 0);
  var all = telling.reduce(function (sum, word) { return sum + word.rarity; }, 0);
  var sums = {};
  var titled = 0;
  telling.forEach(function (word, at) {
    if (!located[at]) return;
    var own = NEAR_IN_TITLE * word.titles[page];
    titled += word.rarity * own;
    Object.keys(blocks[at]).forEach(function (number) {
      sums[number] = (sums[number] || 0) + word.rarity * Math.max(0, blocks[at][number][0] - own);
    });
  });
  var most = Object.keys(sums).reduce(function (most, number) { return Math.max(most, sums[number]); }, 0);
  return known > 0 ? { share: (titled + most) / known, known: known / all } : { share: 0, known: 0 };
}

// Adds what the best block of a page tells to its score.
function compareBlocks(core, words, asked, result) {
  var sums = {};
  var telling = words.filter(function (word) { return !word.asked.skipped; });
  if (telling.length > 0) asked = telling.reduce(function (sum, word) { return sum + word.rarity; }, 0);
  var blocks = telling.map(function (word) { return blocksOf(word, result.page); });
  telling.forEach(function (word, at) {
    Object.keys(blocks[at]).forEach(function (number) {
      var sum = sums[number] || (sums[number] = [0, 0, 0, 0, 0]);
      var block = blocks[at][number];
      for (var kind = 0; kind < 3; kind += 1) sum[kind] += (word.rarity * block[kind]) / asked;
      sum[3] += block[3];
      sum[4] += block[4];
    });
  });
  var whole = 0;
  Object.keys(sums).forEach(function (number) {
    var sum = sums[number];
    var heading = WHOLE_HEADING * Math.pow(sum[1], HEADING_POWER) * (0.4 + 0.6 * Math.min(1, sum[3]));
    var definition = WHOLE_DEFINITION * sum[2] * Math.min(1, sum[4]);
    if (sum[1] > 0.97 && sum[3] > 0.97) heading += SAME_HEADING;
    if (sum[2] > 0.97 && sum[4] > 0.97) definition += SAME_DEFINITION;
    whole = Math.max(whole, heading, definition);
    result.blocks.push([Number(number), Math.max(heading, definition) + sum[0], sum[1], definition]);
  });
  result.blocks.sort(function (one, other) { return other[1] - one[1] || one[0] - other[0]; });
  var title = WHOLE_TITLE * result.title;
  var near = nearest(core, telling, blocks, result.page);
  result.near = telling.length > 1 ? near.share : 0;
  var bonus = telling.length > 1 ? NEAR * near.known * near.share * near.share : 0;
  result.score = result.base * (1 + Math.max(title, whole) + 0.3 * Math.min(title, whole)) * (1 + bonus);
  var best = result.blocks[0];
  // The top counts as a section with the title as its heading.
  var titled = telling.reduce(function (sum, word) { return sum + (word.rarity * word.titles[result.page]) / asked; }, 0);
  if (best && (titled < best[2] || titled === 0 || best[3] > title)) result.block = best[0];
}
