// The query engine, without access to the document or the network. The caller's `load(name)` returns a
// promise of the data in a file of the index.

// Longest excerpt, in characters.
var EXCERPT = 160;
// Sections that a result shows below its page.
var SECTIONS = 3;
// Pages whose entries stay parsed.
var MOST_ENTRIES = 300;
// Kinds of symbols, by number.
var SYMBOLS = ["field", "operation", "variable", "command"];

function Engine(load) {
  var cache = {};
  var lists = new Map();
  var entries = new Map();
  function once(name, make) {
    cache[name] = cache[name] || make();
    return cache[name];
  }
  function core() {
    return once("core", function () { return load("core").then(prepare); });
  }
  // A chunk: its lines, and the postings of a line, which are kept for the next query.
  function chunk(number) {
    return once("terms-" + number, function () {
      return load("terms-" + number).then(function (text) {
        return {
          lines: text.slice(0, -1).split("\n"),
          list: function (line) {
            if (!lists.has(line)) lists.set(line, postings(line));
            return lists.get(line);
          },
        };
      });
    });
  }
  function known() {
    return once("words", function () { return load("words").then(vocabulary); });
  }
  function page(core, number) {
    var file = 0;
    while (file + 1 < core.pages.length && core.pages[file + 1] <= number) file += 1;
    return once("pages-" + file, function () {
      return load("pages-" + file).then(function (text) { return text.split("\n"); });
    }).then(function (lines) {
      if (entries.size > MOST_ENTRIES) entries.clear();
      if (!entries.has(number)) entries.set(number, JSON.parse(lines[number - core.pages[file]]));
      return entries.get(number);
    });
  }

  // What the dialog shows beside results: labels, languages, suggested pages.
  function about() {
    return core().then(function (core) { return core.about; });
  }

  // Ranks the pages of a query. Pages must have its quoted phrases, unless quotes are `unquoted`. `filter` has the wanted `section`, `kind`, and `version`, as far as they matter;
  // pages of no version are in every version. `mostWords` is the number of words that count, `allows(core, page)`
  // another filter, and `weighs(core, words)` changes the rarity of words in place of `weighCommon`. Returns `{core, found, count, words, correction, facets, allows}`, in which
  // `facets` has the values of each filter with the number of pages that the other filters leave.
  function find(query, options) {
    options = options || {};
    var filter = options.filter || {};
    return core().then(function (core) {
      var asked = queryWords(query, core, options.mostWords);
      var phrases = options.unquoted ? [] : phrasesOf(query);
      asked.forEach(function (word) {
        word.quoted = phrases.some(function (phrase) { return phrase.words.indexOf(word.word) >= 0; });
      });
      return Words(core, chunk, known)(asked).then(function (words) {
        var facets = facetsOf(core, filter);
        (options.weighs || weighCommon)(core, words);
        var hasPhrases = phrases.length > 0 ? withPhrases(phrases, words) : null;
        function allows(page) { return facets.count(page) && (!options.allows || options.allows(core, page)); }
        var ranked = rank(core, words, function (page) { return (!hasPhrases || hasPhrases(page)) && allows(page); });
        var found = { core: core, allows: allows, found: ranked.found, count: ranked.count, words: words, correction: correction(query, asked), facets: facets.values() };
        var entryOf = function (number) { return page(core, number); };
        return (hasPhrases ? phrasesFirst(phrases, found.found, entryOf) : raiseExact(query, found.found, entryOf)).then(function (ordered) {
          found.found = ordered;
          return found;
        });
      });
    });
  }

  // Whether a page of a version (and product) is in a wanted one; pages without any are in each.
  function isVersion(value, wanted) {
    return !value || value.toLowerCase().split(", ").indexOf(wanted.toLowerCase()) >= 0;
  }

  // Counts the values of the pages that it is asked for, and says whether a filter allows the page.
  function facetsOf(core, filter) {
    var names = Object.keys(core.facets);
    var values = names.map(function (name) { return core.facets[name].values; });
    var counts = names.map(function (name) { return core.facets[name].names.map(function () { return 0; }); });
    var wanted = names.map(function (name) {
      return filter[name] ? core.facets[name].names.map(function (value) {
        return value === filter[name] || (name === "version" && isVersion(value, filter[name]));
      }) : null;
    });
    return {
      // A page that one filter refuses counts for the values of that filter alone.
      count: function (page) {
        var refused = -1;
        for (var at = 0; at < names.length; at += 1) {
          if (!wanted[at] || wanted[at][values[at][page]]) continue;
          if (refused >= 0) return false;
          refused = at;
        }
        for (at = 0; at < names.length; at += 1) {
          if (refused < 0 || refused === at) counts[at][values[at][page]] += 1;
        }
        return refused < 0;
      },
      values: function () {
        var counted = {};
        names.forEach(function (name, at) {
          counted[name] = core.facets[name].names.map(function (value, number) { return [value, counts[at][number]]; });
        });
        return counted;
      },
    };
  }

  // The query with the corrections of its mistyped words, or nothing.
  function correction(query, asked) {
    var wrong = asked.filter(function (word) { return word.correction; });
    if (wrong.length === 0) return "";
    return query.replace(WORDS, function (word) {
      var same = wrong.filter(function (each) { return each.word === fold(word); })[0];
      return same ? same.correction : word;
    });
  }

  // Results of a ranking, from one number to another.
  function show(ranking, from, to) {
    var telling = ranking.words.filter(function (word) { return !word.asked.skipped; });
    var wanted = new Set();
    (telling.length > 0 ? telling : ranking.words).forEach(function (word) {
      word.terms.forEach(function (sure, term) { wanted.add(term); });
    });
    return Promise.all(ranking.found.slice(from, to).map(function (result) {
      return page(ranking.core, result.page).then(function (page) {
        return describe(ranking.core, result, page, wanted, ranking.words);
      });
    }));
  }

  function describe(core, result, page, wanted, words) {
    var sections = page[4];
    function section(number) {
      var own = sections[number];
      return { id: own[0], heading: own[1], pieces: highlight(own[2] || own[1], wanted, core.termsOf, EXCERPT) };
    }
    var top = { id: "", heading: "", pieces: highlight(page[3] || (sections[0] ? sections[0][2] : ""), wanted, core.termsOf, EXCERPT) };
    var number = result.block < 0 ? -1 : sectionOf(sections, result.block);
    var shown = [];
    result.blocks.forEach(function (block) {
      var at = sectionOf(sections, block[0]);
      if (at >= 0 && sections[at][1] && shown.length < SECTIONS && shown.indexOf(at) < 0) shown.push(at);
    });
    var main = number < 0 || !sections[number][0] ? top : section(number);
    return {
      title: page[0], path: page[1] + ".html", crumbs: page[2], page: result.page, score: result.score,
      id: main.id, heading: main.heading, pieces: main.pieces, top: top.pieces,
      symbol: symbolOf(page, sections, words, wanted, core), sections: shown.map(section),
    };
  }

  // The symbol of a page that the words of a query name.
  function symbolOf(page, sections, words, wanted, core) {
    var query = words.map(function (word) { return word.asked.word; }).join(" ");
    var found = (page[5] || []).filter(function (symbol) {
      return (symbol[0].match(WORDS) || []).map(fold).join(" ") === query;
    })[0];
    if (!found) return null;
    var own = sections[found[2]];
    var text = own[2];
    var at = text.indexOf(found[0]);
    text = at < 0 ? text : text.slice(at + found[0].length).replace(/^[\s:–—-]+/, "");
    return { name: found[0], kind: SYMBOLS[found[1]], id: found[3] || own[0], pieces: highlight(text, wanted, core.termsOf, EXCERPT) };
  }

  // The best pages for a query.
  function search(query, options) {
    return find(query, options).then(function (ranking) {
      return show(ranking, 0, (options && options.limit) || 10).then(function (results) {
        return { results: results, count: ranking.count, correction: ranking.correction, facets: ranking.facets };
      });
    });
  }

  return { search: search, find: find, show: show, about: about, page: page };
}
