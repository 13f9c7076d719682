// The query engine of the search: no document, no network. `load(name)` is given by the caller and
// promises the data of a file of the index. `terms` must agree with `tokenize` in Rust.
var docwrightSearch = (function () {
  "use strict";

  var MARKS = /\p{M}/gu;
  var WORDS = /[\p{L}\p{N}_\p{M}]+/gu;
  var HYPHENATED = /[\p{L}\p{N}_\p{M}]+(?:-[\p{L}\p{N}_\p{M}]+)*/gu;
  var IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u1100-\u11ff]/;

  // Words of a query, and terms that a word may stand for.
  var MOST_WORDS = 8;
  var MOST_TERMS = 40;
  // How surely the beginning of a term is meant, and a term that is one edit away from what was typed.
  var PREFIX = 0.6;
  var MISTYPED = 0.8;
  // How much a page loses that has only some of the words, and gains whose title is just them.
  var COVERAGE = 2;
  var WHOLE = 1.5;
  // How telling a word is that the index leaves out.
  var SKIPPED = 0.2;
  // What a word adds beside its weight on the page, where the title, the divisions and the path have it.
  var TITLE = 8;
  var PLACE = 8;
  var PATH = 6;
  // How much more a heading says than the text below it.
  var HEADING = 3;

  function fold(word) {
    return word.normalize("NFKD").replace(MARKS, "").toLowerCase().slice(0, 32);
  }

  // The steps are those of `stem` in Rust.
  function stem(word) {
    if (!/^[a-z]+$/.test(word)) return word;
    var cut = false;
    function without(ending, least, instead) {
      if (word.length < least || !word.endsWith(ending)) return false;
      word = word.slice(0, -ending.length) + (instead || "");
      cut = true;
      return true;
    }
    if (!without("ies", 6, "y") && !(/[sxh]es$/.test(word) && without("es", 6)) && !/[su]s$/.test(word)) {
      without("s", 4);
    }
    if (without("ically", 8, "ic")) return word;
    if (word.endsWith("ally")) {
      without("ly", 7);
      return word;
    }
    cut = false;
    if (without("ing", 7) || (!word.endsWith("eed") && without("ed", 6))) {
      word = word.replace(/([bdgmnprt])\1$/, "$1");
    } else if (!without("ment", 10) && /[ts]ion$/.test(word)) {
      without("ion", 8);
    }
    // `state` must not become what `stats` becomes.
    if (!/^..ate$/.test(word)) without("e", 5);
    if (cut && word.length > 6 && word.endsWith("at")) word = word.slice(0, -2);
    return word;
  }

  function parts(word) {
    return word
      .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1_$2")
      .split("_")
      .filter(Boolean);
  }

  // Every term of a text, as the index has them.
  function terms(text) {
    var found = [];
    (text.match(HYPHENATED) || []).forEach(function (whole) {
      whole.match(WORDS).forEach(function (word) {
        var folded = fold(word);
        if (IDEOGRAPHS.test(folded)) {
          var letters = Array.from(folded);
          if (letters.length === 1) found.push(folded);
          for (var index = 0; index + 1 < letters.length; index += 1) found.push(letters[index] + letters[index + 1]);
          return;
        }
        found.push(stem(folded));
        var pieces = parts(word);
        if (pieces.length > 1) {
          pieces.forEach(function (piece) {
            if (piece.length > 1) found.push(stem(fold(piece)));
          });
        }
      });
      var joined = whole.replace(/-/g, "");
      if (joined !== whole && joined.length <= 32 && /^[a-z]+$/i.test(joined)) found.push(stem(joined.toLowerCase()));
    });
    return found;
  }

  // What a reader typed. The last word may go on, unless something follows it. The index does not have
  // words that say nothing (`skipped`).
  function queryWords(query, skipped) {
    var words = [];
    (query.match(WORDS) || []).forEach(function (word) {
      var folded = fold(word);
      if (IDEOGRAPHS.test(folded)) words.push.apply(words, terms(word));
      else words.push(folded);
    });
    var last = /[\p{L}\p{N}_\p{M}]$/u.test(query) ? words[words.length - 1] : "";
    return words.filter(function (word, index) {
      return words.indexOf(word) === index;
    }).slice(0, MOST_WORDS).map(function (word) {
      return { word: word, goesOn: word === last, skipped: skipped.has(stem(word)) };
    });
  }

  function chunkOf(core, term) {
    var low = 0;
    var high = core.chunks.length - 1;
    while (low < high) {
      var middle = (low + high + 1) >> 1;
      if (core.chunks[middle] <= term) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function parseChunk(text) {
    var entries = [];
    text.split("\n").forEach(function (line) {
      var space = line.indexOf(" ");
      if (space > 0) entries.push([line.slice(0, space), line.slice(space + 1)]);
    });
    return entries;
  }

  function postings(text) {
    var page = 0;
    return text.split(",").map(function (entry) {
      page += parseInt(entry.slice(0, -1), 36);
      return [page, parseInt(entry.slice(-1), 36)];
    });
  }

  // Edits between two words, transpositions counted as one; more than `limit` is `limit + 1`.
  function distance(one, other, limit) {
    if (Math.abs(one.length - other.length) > limit) return limit + 1;
    var before = [];
    var row = [];
    for (var column = 0; column <= other.length; column += 1) row[column] = column;
    for (var index = 1; index <= one.length; index += 1) {
      var next = [index];
      var least = index;
      for (column = 1; column <= other.length; column += 1) {
        var same = one[index - 1] === other[column - 1];
        var value = Math.min(row[column] + 1, next[column - 1] + 1, row[column - 1] + (same ? 0 : 1));
        if (index > 1 && column > 1 && one[index - 1] === other[column - 2] && one[index - 2] === other[column - 1]) {
          value = Math.min(value, before[column - 2] + 1);
        }
        next[column] = value;
        least = Math.min(least, value);
      }
      if (least > limit) return limit + 1;
      before = row;
      row = next;
    }
    return row[other.length];
  }

  function words(vocabulary) {
    var before = "";
    return vocabulary.split(" ").map(function (entry) {
      before = before.slice(0, parseInt(entry[0], 36)) + entry.slice(1);
      return before;
    });
  }

  // Words that are nearly this one, the nearest first.
  function near(word, known) {
    var limit = word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
    if (limit === 0) return [];
    var found = [];
    known.forEach(function (candidate) {
      var edits = distance(word, candidate, limit);
      if (edits <= limit) found.push([edits, candidate]);
    });
    found.sort(function (one, other) {
      return one[0] - other[0] || (other[1][0] === word[0]) - (one[1][0] === word[0]);
    });
    return found.slice(0, 4);
  }

  // The core, with what is asked of it for each query.
  function prepare(core) {
    var known = new Map();
    function termsOf(text) {
      if (!known.has(text)) known.set(text, new Set(terms(text)));
      return known.get(text);
    }
    return {
      pages: core.pages,
      names: core.names,
      chunks: core.chunks,
      skipped: new Set((core.skipped || "").split(" ")),
      fields: core.pages.map(function (page) {
        var made;
        return function () {
          made = made || {
            title: termsOf(page[0]),
            place: page[2].map(function (number) { return termsOf(core.names[number]); }),
            path: page[1].split("/").map(termsOf),
          };
          return made;
        };
      }),
    };
  }

  // A word of the query: the terms it stands for with how surely, how telling it is, its weight on pages.
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

  // How telling a word is that so many pages have.
  function rarity(core, pages) {
    return Math.log(1 + core.pages.length / Math.max(1, pages));
  }

  // How surely a word stands in a set of terms, 0 to 1.
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
    // The index has none of the words of "Who we are"; titles do.
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

  // Whether letters begin an ending that terms do without.
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

    // Terms that a word stands for: [how surely, postings, term]. Itself; if it may go on, what it begins.
    function matches(core, word, goesOn) {
      var exact = stem(word);
      // One letter of an alphabet begins too much.
      goesOn = goesOn && (word.length > 1 || IDEOGRAPHS.test(word));
      var first = chunkOf(core, exact < word ? exact : word);
      var numbers = [first];
      // What begins with the word may go on in the next chunk.
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

    // What a mistyped word was to be.
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

    // A word of the query, looked up: as it is, as a longer form of a term, as a mistyped one.
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

    // The longest term that a word begins with: `configurati` is on its way to what `configur` stands for.
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

    // Where a result answers, and a stretch of its text: the section that says most. The top of the page
    // is one too, with the title as its heading, and comes first.
    function excerpt(result) {
      return file("page-" + result.page).then(function (page) {
        var sections = page[1].map(function (section) {
          return { id: section[0], heading: section[1], text: section[2] || section[1] };
        });
        var best = { id: "", heading: "", text: page[0] || (sections[0] || { text: "" }).text };
        var most = told(result.words, result.title, best.text);
        sections.forEach(function (section) {
          var tells = told(result.words, section.heading, section.text);
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

  // How much of what was asked for a heading and its text say.
  function told(words, heading, text) {
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

  var waiting = {};
  return {
    Engine: Engine,
    terms: terms,
    distance: distance,
    // Called by each file of the index when it runs.
    receive: function (name, data) {
      if (waiting[name]) waiting[name](data);
    },
    expect: function (name, resolve) {
      waiting[name] = resolve;
    },
  };
})();
if (typeof module !== "undefined") module.exports = docwrightSearch;
