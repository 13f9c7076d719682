// The query engine of the search: no document, no network. `load(name)` is given by the caller and
// promises the data of a file of the index. `terms` must agree with `tokenize` in Rust.
var docwrightSearch = (function () {
  "use strict";

  var MARKS = /\p{M}/gu;
  var WORDS = /[\p{L}\p{N}_\p{M}]+/gu;
  var IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u1100-\u11ff]/;

  function fold(word) {
    return word.normalize("NFKD").replace(MARKS, "").toLowerCase().slice(0, 32);
  }

  function stem(word) {
    if (!/^[a-z]+$/.test(word)) return word;
    function cut(ending, least) {
      return word.length >= least && word.endsWith(ending) ? word.slice(0, -ending.length) : null;
    }
    var stemmed = cut("ies", 6);
    if (stemmed !== null) return stemmed + "y";
    stemmed = cut("ing", 7) ?? cut("ed", 6);
    if (stemmed !== null) return stemmed;
    stemmed = cut("es", 7);
    if (stemmed !== null && /[sxh]$/.test(stemmed)) return stemmed;
    stemmed = cut("s", 4);
    return stemmed !== null && !/[su]$/.test(stemmed) ? stemmed : word;
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
    (text.match(WORDS) || []).forEach(function (word) {
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
    return found;
  }

  // What a reader typed: whole words only, and whether the last one may go on.
  function queryWords(query) {
    var words = [];
    (query.match(WORDS) || []).forEach(function (word) {
      var folded = fold(word);
      if (IDEOGRAPHS.test(folded)) words.push.apply(words, terms(word));
      else words.push(folded);
    });
    return words.filter(function (word, index) {
      return words.indexOf(word) === index;
    }).slice(0, 8);
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

  function near(word, vocabulary) {
    var limit = word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
    if (limit === 0) return [];
    var found = [];
    words(vocabulary).forEach(function (candidate) {
      var edits = distance(word, candidate, limit);
      if (edits <= limit) found.push([edits, candidate]);
    });
    found.sort(function (one, other) {
      return one[0] - other[0] || (one[1][0] === word[0] ? -1 : 0);
    });
    return found.slice(0, 4).map(function (entry) {
      return entry[1];
    });
  }

  // How well a title answers the words asked for: 1 for these words and no others, 0 for none.
  function titleMatch(asked, title) {
    var hits = asked.filter(function (word) {
      return title.some(function (term) { return term === stem(word) || term.startsWith(word); });
    }).length;
    return hits === 0 ? 0 : (hits / asked.length) * (0.4 + 0.6 * Math.min(1, hits / title.length));
  }

  function Engine(load) {
    var cache = {};
    function file(name) {
      cache[name] = cache[name] || load(name);
      return cache[name];
    }

    function chunk(core, number) {
      var name = "terms-" + number;
      cache["#" + name] = cache["#" + name] || file(name).then(parseChunk);
      return cache["#" + name];
    }

    // Terms that a word stands for, with how surely: itself, what it begins.
    function matches(core, word) {
      var exact = stem(word);
      var first = chunkOf(core, exact < word ? exact : word);
      var numbers = [first];
      // What begins with the word may go on in the next chunk.
      if (core.chunks[first + 1] !== undefined && core.chunks[first + 1].startsWith(exact)) numbers.push(first + 1);
      return Promise.all(numbers.map(function (number) { return chunk(core, number); })).then(function (chunks) {
        var found = [];
        chunks.forEach(function (entries) {
          entries.forEach(function (entry) {
            if (entry[0] === exact || entry[0] === word) found.push([1, entry[1], entry[0]]);
            else if (word.length > 1 && (entry[0].startsWith(word) || (exact.length > 3 && entry[0].startsWith(exact)))) {
              found.push([0.35 + 0.4 * (word.length / entry[0].length), entry[1], entry[0]]);
            }
          });
        });
        found.sort(function (one, other) { return other[0] - one[0]; });
        return found.slice(0, 40);
      });
    }

    function corrected(core, word) {
      return file("vocabulary").then(function (vocabulary) {
        var candidates = near(stem(word), vocabulary);
        return Promise.all(candidates.map(function (candidate) { return matches(core, candidate); })).then(function (all) {
          var found = [];
          all.forEach(function (entries, index) {
            entries.forEach(function (entry) {
              if (entry[2] === candidates[index]) found.push([0.5 - index * 0.05, entry[1], entry[2]]);
            });
          });
          return found;
        });
      });
    }

    function scoreWord(core, entries) {
      var best = new Map();
      entries.forEach(function (entry) {
        var list = postings(entry[1]);
        var rarity = Math.log(1 + core.pages.length / list.length);
        list.forEach(function (posting) {
          var score = entry[0] * rarity * posting[1];
          if (score > (best.get(posting[0]) || 0)) best.set(posting[0], score);
        });
      });
      return best;
    }

    // The best pages for a query: [{title, path, crumbs, page, terms}].
    function search(query, limit) {
      var asked = queryWords(query);
      if (asked.length === 0) return Promise.resolve([]);
      return file("core").then(function (core) {
        return Promise.all(asked.map(function (word) {
          return matches(core, word).then(function (entries) {
            return entries.length > 0 || word.length < 4 ? entries : corrected(core, word);
          });
        })).then(function (all) {
          return rank(core, asked, all).slice(0, limit || 10);
        });
      });
    }

    function rank(core, asked, all) {
      var totals = new Map();
      all.forEach(function (entries) {
        scoreWord(core, entries).forEach(function (score, page) {
          var total = totals.get(page) || { score: 0, words: 0 };
          total.score += score;
          total.words += 1;
          totals.set(page, total);
        });
      });
      var found = [];
      totals.forEach(function (total, page) {
        var entry = core.pages[page];
        var coverage = total.words / asked.length;
        var score = total.score * coverage * coverage * (entry[3] === undefined ? 1 : entry[3]);
        found.push({ score: score * (1 + titleMatch(asked, terms(entry[0]))), page: page });
      });
      found.sort(function (one, other) { return other.score - one.score || one.page - other.page; });
      var marked = [];
      all.forEach(function (entries) {
        entries.forEach(function (entry) { marked.push(entry[2]); });
      });
      return found.map(function (result) {
        var entry = core.pages[result.page];
        return {
          title: entry[0],
          path: entry[1] + ".html",
          crumbs: entry[2].map(function (number) { return core.names[number]; }),
          page: result.page,
          score: result.score,
          words: asked,
          terms: marked,
        };
      });
    }

    // The section of a result that answers best, and a stretch of its text.
    function excerpt(result) {
      return file("page-" + result.page).then(function (page) {
        var wanted = new Set(result.terms);
        var best = { score: 0, id: "", heading: "", text: page[0] || (page[1][0] || ["", "", ""])[2] };
        page[1].forEach(function (section) {
          var heading = new Set(terms(section[1]));
          var text = new Set(terms(section[2]));
          var score = 0;
          wanted.forEach(function (term) {
            if (heading.has(term)) score += 3;
            if (text.has(term)) score += 1;
          });
          if (score > best.score) best = { score: score, id: section[0], heading: section[1], text: section[2] || section[1] };
        });
        return { id: best.id, heading: best.heading, pieces: highlight(best.text, wanted, 160) };
      });
    }

    return { search: search, excerpt: excerpt };
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
