// Ranks the sections of the best pages for a question. It runs where agents and the assistant ask, outside
// browsers, with the engine and the index of the search.

// Words of a question that count.
var $MOST_WORDS = 40;
// Pages whose sections are ranked, and other pages that the result has.
var $PAGES = 12;
var $OTHERS = 12;
// What a section has of its page's score without any word of the question, and what its text and heading add.
var $OF_PAGE = 1;
var $IN_TEXT = 1.5;
var $IN_HEADING = 0.6;
// Sections of a page in the result.
var $OF_ONE_PAGE = 4;
// What a common word keeps of its rarity.
var $OF_COMMON = 0.35;
// Share of the pages of the site that a rare word counts as having, as in the ranking of pages.
var $RARE = 0.005;

// The index of a large site leaves out where common terms are in texts. Below this share of the pages, it leaves out
// too much to tell sections apart.
var $COARSE = 0.1;

// A filter for the versions that a question names, or for those that are open by default.
function $versionsFor(question) {
  var words = question.toLowerCase().split(/[\s,;:!?()"'`]+/).map(function (word) { return word.replace(/\.$/, ""); });
  var wanted;
  return function (core, page) {
    var versions = core.facets.version;
    var value = versions.names[versions.values[page]];
    if (!wanted) {
      var named = versions.names.filter(function (name) {
        return name.toLowerCase().split(", ").some(function (part) { return part && words.indexOf(part) >= 0; });
      });
      wanted = named.length > 0 ? new Set(named) : core.usual;
    }
    return !value || wanted.size === 0 || wanted.has(value);
  };
}

// The sections of a page, each with its score: `[[number, score]]`, best first. The number -1 is the top of the
// page: its description, and the text before its first heading.
function $sectionsOf(words, asked, result, entry) {
  var sections = entry[4];
  var starts = [1];
  sections.forEach(function (section) { starts.push(starts[starts.length - 1] + section[3]); });
  var sums = {};
  words.forEach(function (word) {
    var blocks = docwrightSearch.blocksOf(word, result.page);
    var best = {};
    Object.keys(blocks).forEach(function (block) {
      var number = -1;
      while (number + 1 < sections.length && starts[number + 1] <= Number(block)) number += 1;
      // Blocks beyond the listed sections belong to none of them.
      if (Number(block) >= starts[sections.length]) return;
      if (number === 0 && !sections[0][0]) number = -1;
      var known = best[number] || (best[number] = [0, 0]);
      known[0] = Math.max(known[0], blocks[block][0]);
      known[1] = Math.max(known[1], blocks[block][1], blocks[block][2]);
    });
    var titled = word.titles[result.page];
    if (titled > 0) {
      var top = best[-1] || (best[-1] = [0, 0]);
      top[0] = Math.max(top[0], titled);
    }
    Object.keys(best).forEach(function (number) {
      var sum = sums[number] || (sums[number] = [0, 0]);
      sum[0] += (word.rarity * best[number][0]) / asked;
      sum[1] += (word.rarity * best[number][1]) / asked;
    });
  });
  if (!sums[-1]) sums[-1] = [0, 0];
  return Object.keys(sums).map(function (number) {
    var sum = sums[number];
    return [Number(number), result.score * ($OF_PAGE + $IN_TEXT * sum[0] + $IN_HEADING * sum[1])];
  }).sort(function (one, other) { return other[1] - one[1] || one[0] - other[0]; }).slice(0, $OF_ONE_PAGE);
}

function $wordOf(core, word) {
  return {
    isCommon: docwrightSearch.isCommon(core, word.asked.stem),
    word: word.asked.word, rarity: word.rarity, isStopWord: word.asked.skipped,
    isKnown: word.entries.some(function (entry) { return entry[0] === 1; }),
    terms: Array.from(word.terms),
  };
}

function $sections(language, question, options) {
  var engine = $engineOf(language);
  options = JSON.parse(options);
  options.mostWords = $MOST_WORDS;
  options.unquoted = true;
  if (!options.filter || !options.filter.version) options.allows = $versionsFor(question);
  options.weighs = function (core, words) {
    words.forEach(function (word) { if (docwrightSearch.isCommon(core, word.asked.stem)) word.rarity *= $OF_COMMON; });
  };
  // The last word of a question is complete.
  engine.find(question + " ", options).then(function (ranking) {
    var words = ranking.words.filter(function (word) { return !word.asked.skipped; });
    if (words.length === 0) words = ranking.words;
    var asked = words.reduce(function (sum, word) { return sum + word.rarity; }, 0);
    var found = ranking.found.slice(0, $PAGES);
    var ranked = found.length;
    var known = found.map(function (result) { return result.page; });
    options.pages.forEach(function (page) {
      if (page >= ranking.core.count || known.indexOf(page) >= 0 || found.length >= ranked + $OTHERS || !ranking.allows(page)) return;
      found.push({ page: page, score: 0 });
      known.push(page);
    });
    return Promise.all(found.map(function (result) { return engine.page(ranking.core, result.page); })).then(function (entries) {
      var sections = [];
      entries.slice(0, ranked).forEach(function (entry, at) {
        $sectionsOf(words, asked, found[at], entry).forEach(function (section) {
          sections.push({ page: at, section: section[0] < 0 ? null : section[0], score: section[1] });
        });
      });
      sections.sort(function (one, other) { return other.score - one.score || one.page - other.page; });
      return {
        words: ranking.words.map(function (word) { return $wordOf(ranking.core, word); }),
        isCoarse: ranking.core.textBelow < $COARSE,
        rarest: Math.log(1 + ranking.core.count / ($RARE * ranking.core.count + 1)),
        pages: entries.map(function (entry, at) {
          return {
            number: found[at].page, score: found[at].score, path: entry[1] + ".html", title: entry[0], breadcrumbs: entry[2], description: entry[3],
            headings: entry[4].map(function (section) { return { anchor: section[0], text: section[1] }; }),
          };
        }),
        sections: sections.slice(0, options.limit),
      };
    });
  }).then(function (result) { $answer(JSON.stringify(result)); }, function () {
    $answer(JSON.stringify({ words: [], isCoarse: false, rarest: 0, pages: [], sections: [] }));
  });
}
