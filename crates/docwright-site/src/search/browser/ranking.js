// Ranks pages by the weights of a query's words on the page and in its title, divisions, and path.

// Penalty for pages without some of the words, and bonus if the title consists of exactly the words.
var COVERAGE = 2;
var WHOLE = 1.5;
// Bonus of a word in the title, the divisions, and the path.
var TITLE = 8;
var PLACE = 8;
var PATH = 6;

// A word of the query: its terms with certainties, its rarity, and its weights on pages.
function score(core, entries) {
  var terms = new Map();
  var pages = new Map();
  var exact = new Set();
  entries.forEach(function (entry) {
    terms.set(entry[2], entry[0]);
    postings(entry[1]).forEach(function (posting) {
      pages.set(posting[0], Math.max(pages.get(posting[0]) || 0, entry[0] * posting[1]));
      if (entry[0] === 1) exact.add(posting[0]);
    });
  });
  return { terms: terms, pages: pages, rarity: rarity(core, exact.size || pages.size) };
}

// Rarity of a word by the number of its pages.
function rarity(core, pages) {
  return Math.log(1 + core.pages.length / Math.max(1, pages));
}

// Certainty that a set contains a word, from 0 to 1.
function standsIn(word, set) {
  var best = 0;
  word.terms.forEach(function (sure, term) {
    if (sure > best && set.has(term)) best = sure;
  });
  return best;
}

function standsInOne(word, sets) {
  return sets.reduce(function (best, set) { return Math.max(best, standsIn(word, set)); }, 0);
}

function rank(core, words) {
  var asked = words.reduce(function (sum, word) { return sum + word.rarity; }, 0);
  var found = [];
  var candidates = new Set();
  words.forEach(function (word) {
    word.pages.forEach(function (weight, number) { candidates.add(number); });
  });
  // The index omits all words of queries such as "Who we are", but titles contain them.
  if (words.every(function (word) { return word.skipped; })) core.pages.forEach(function (page, number) { candidates.add(number); });
  candidates.forEach(function (number) {
    var page = core.pages[number];
    var fields = core.fields[number]();
    var total = 0;
    var covered = 0;
    var inTitle = 0;
    var hits = 0;
    words.forEach(function (word) {
      var title = standsIn(word, fields.title);
      var value = (word.pages.get(number) || 0) + TITLE * title + PLACE * standsInOne(word, fields.place) + PATH * standsInOne(word, fields.path);
      if (value === 0) return;
      covered += word.rarity;
      total += word.rarity * value;
      inTitle += word.rarity * title;
      hits += title;
    });
    if (total === 0) return;
    var coverage = covered / asked;
    var title = (inTitle / asked) * (0.4 + 0.6 * Math.min(1, hits / fields.title.size));
    var value = total * Math.pow(coverage, COVERAGE) * (1 + WHOLE * title) * (page[3] === undefined ? 1 : page[3]);
    found.push({ score: value, page: number });
  });
  return found.sort(function (one, other) { return other.score - one.score || one.page - other.page; });
}
