// The query engine, without access to the document or the network. The caller's `load(name)` returns a
// promise of the data in a file of the index.

// Maximum number of terms that match a word.
var MOST_TERMS = 40;
// Weights of a term that starts with the word, and of a term one edit away.
var PREFIX = 0.6;
var MISTYPED = 0.8;
// Rarity of a stop word, which the index omits.
var SKIPPED = 0.2;

// Whether letters start an ending that stems lack.
function endsSo(letters) {
  return ["ing", "ed", "es", "ion", "ating", "ated", "ation", "ement", "ment"].some(function (ending) {
    return ending.startsWith(letters);
  });
}

function Engine(load) {
  var cache = {};
  function once(name, make) {
    cache[name] = cache[name] || make();
    return cache[name];
  }
  function file(name) {
    return once(name, function () { return load(name); });
  }
  function core() {
    return once("#core", function () { return file("core").then(prepare); });
  }
  function chunk(number) {
    return once("#terms-" + number, function () { return file("terms-" + number).then(parseChunk); });
  }
  function vocabulary() {
    return once("#vocabulary", function () { return file("vocabulary").then(words); });
  }

  // Terms that match a word: [certainty, postings, term]. The stem, and for an incomplete word, terms that
  // start with it.
  function matches(core, word, goesOn) {
    var exact = stem(word);
    // A single letter of an alphabet matches too many terms.
    goesOn = goesOn && (word.length > 1 || IDEOGRAPHS.test(word));
    var first = chunkOf(core, exact < word ? exact : word);
    var numbers = [first];
    // Terms that start with the word can continue in the next chunk.
    if (core.chunks[first + 1] !== undefined && core.chunks[first + 1].startsWith(exact)) numbers.push(first + 1);
    return Promise.all(numbers.map(chunk)).then(function (chunks) {
      var found = [];
      chunks.forEach(function (entries) {
        entries.forEach(function (entry) {
          if (entry[0] === exact || entry[0] === word) found.push([1, entry[1], entry[0]]);
          else if (goesOn && entry[0].startsWith(word)) {
            found.push([PREFIX * (word.length / entry[0].length), entry[1], entry[0]]);
          }
        });
      });
      found.sort(function (one, other) { return other[0] - one[0]; });
      return found.slice(0, MOST_TERMS);
    });
  }

  // Corrections of a mistyped word.
  function corrected(core, word) {
    return vocabulary().then(function (known) {
      var candidates = near(stem(word), known);
      return Promise.all(candidates.map(function (candidate) {
        return matches(core, candidate[1], false).then(function (entries) {
          return entries.filter(function (entry) { return entry[2] === candidate[1]; }).map(function (entry) {
            return [Math.pow(MISTYPED, candidate[0]), entry[1], entry[2]];
          });
        });
      })).then(function (all) { return [].concat.apply([], all); });
    });
  }

  // Looks up a word of the query: exactly, as a longer form of a term, or mistyped.
  function look(core, asked) {
    if (asked.skipped) {
      return Promise.resolve({ terms: new Map([[stem(asked.word), 1]]), pages: new Map(), rarity: SKIPPED, skipped: true });
    }
    return matches(core, asked.word, asked.goesOn).then(function (entries) {
      if (!asked.goesOn || entries.some(function (entry) { return entry[0] === 1; })) return entries;
      return beginning(core, asked.word, asked.word.length - 1).then(function (more) { return entries.concat(more); });
    }).then(function (entries) {
      return entries.length > 0 || asked.word.length < 4 ? entries : corrected(core, asked.word);
    }).then(function (entries) { return score(core, entries); });
  }

  // The longest term at the start of a word: `configurati` leads to `configur`.
  function beginning(core, word, length) {
    if (length < 4 || length < word.length - 6) return Promise.resolve([]);
    return matches(core, word.slice(0, length), false).then(function (entries) {
      entries = entries.filter(function (entry) { return word.startsWith(entry[2]) && endsSo(word.slice(entry[2].length)); });
      if (entries.length === 0) return beginning(core, word, length - 1);
      return entries.map(function (entry) { return [PREFIX * (entry[2].length / word.length), entry[1], entry[2]]; });
    });
  }

  // The best pages for a query: [{title, path, crumbs, page, words}].
  function search(query, limit) {
    return core().then(function (core) {
      return Promise.all(queryWords(query, core.skipped).map(function (asked) { return look(core, asked); })).then(function (words) {
        var telling = words.filter(function (word) { return !word.skipped; });
        return rank(core, words).slice(0, limit || 10).map(function (result) {
          var page = core.pages[result.page];
          return {
            title: page[0],
            path: page[1] + ".html",
            crumbs: page[2].map(function (number) { return core.names[number]; }),
            page: result.page,
            score: result.score,
            words: (telling.length > 0 ? telling : words).map(function (word) { return word.terms; }),
          };
        });
      });
    });
  }

  // The anchor of a result, and an excerpt from the section with the best match. The top of the page counts
  // as the first section, with the title as its heading.
  function excerpt(result) {
    return file("page-" + result.page).then(function (page) {
      var sections = page[1].map(function (section) {
        return { id: section[0], heading: section[1], text: section[2] || section[1] };
      });
      var best = { id: "", heading: "", text: page[0] || (sections[0] || { text: "" }).text };
      var most = weigh(result.words, result.title, best.text);
      sections.forEach(function (section) {
        var tells = weigh(result.words, section.heading, section.text);
        if (tells > most) {
          most = tells;
          best = section;
        }
      });
      var wanted = new Set();
      result.words.forEach(function (terms) {
        terms.forEach(function (sure, term) { wanted.add(term); });
      });
      return { id: best.id, heading: best.heading, pieces: highlight(best.text, wanted, 160) };
    });
  }

  return { search: search, excerpt: excerpt };
}
