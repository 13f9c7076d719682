// The terms that each word of a query can mean, with their pages.

// Maximum number of terms that match a word, and of their pages for each page of the site.
var MOST_TERMS = 24;
var MOST_PAGES = 1;
// Certainty of a term that starts with the word, of one an edit away, and of two words written as one.
var PREFIX = 0.6;
var MISTYPED = 0.85;
var JOINED = 0.9;
// Certainty of the parts of an identifier (`redactPII`), where a page has them as words.
var PARTS = 0.65;
// Certainty of other words that pages can have for a word of the query, if the site has that word, and if it doesn't;
// and of those for a phrase.
var ALIKE = 0.3;
var ALIKE_TO_UNKNOWN = 0.6;
var ALIKE_TO_PHRASE = 0.6;
// Other words that a query looks up, shared by its words, since each can load a file.
var POINTED = 6;
// Words of a short query, apart from stop words.
var SHORT = 2;
// Rarity of a stop word, which the index has in titles only.
var SKIPPED = 0.2;

// Whether letters start an ending that stems lack.
function endsSo(letters) {
  return ["ing", "ed", "es", "ion", "ating", "ated", "ation", "ement", "ment"].some(function (ending) {
    return ending.startsWith(letters);
  });
}

// Looks up words with the files of an index.
function Words(core, chunk, known) {
  // Names of a pointer that each of its words looks up. The number doesn't depend on which file arrives first.
  var pointedNames = 1;

  // Calls `found` with each term that starts with a text, a function that returns its postings, and its line, then
  // returns a promise of nothing.
  function each(start, whole, found) {
    var first = lastBefore(core.terms, start);
    var numbers = [first];
    // Terms that start with the text can continue in the next chunk.
    var next = core.terms[first + 1];
    if (!whole && next !== undefined && next.startsWith(start)) numbers.push(first + 1);
    return Promise.all(numbers.map(chunk)).then(function (chunks) {
      chunks.forEach(function (lines) { linesOf(lines.lines, start, function (term, line) { found(term, function () { return lines.list(line); }, line); }); });
    });
  }

  // The postings of a stem: [[certainty, postings, term]].
  function exact(stem) {
    var entries = [];
    return each(stem, true, function (term, list) {
      if (term === stem) entries.push([1, list(), term]);
    }).then(function () { return entries; });
  }

  function prefixed(word, stem) {
    var entries = [];
    // A single letter of an alphabet matches too many terms.
    if (word.length < 2 && !IDEOGRAPHS.test(word)) return Promise.resolve(entries);
    return each(word, false, function (term, list) {
      if (term !== stem && !/[=+>]/.test(term)) entries.push([PREFIX * (word.length / term.length), list, term]);
    }).then(function () {
      entries.sort(function (one, other) { return other[0] - one[0] || (one[2] < other[2] ? -1 : 1); });
      return entries.slice(0, MOST_TERMS).map(function (entry) { return [entry[0], entry[1](), entry[2]]; });
    });
  }

  // The longest term at the start of a word: `configurati` leads to `configur`.
  function beginning(word, length) {
    if (length < 4 || length < word.length - 6) return Promise.resolve([]);
    var start = core.stem(word.slice(0, length));
    return exact(start).then(function (entries) {
      entries = entries.filter(function () { return word.startsWith(start) && endsSo(word.slice(start.length)); });
      if (entries.length === 0) return beginning(word, length - 1);
      return entries.map(function (entry) { return [PREFIX * (start.length / word.length), entry[1], entry[2]]; });
    });
  }

  // Corrections of a mistyped word; notes the best one in what was asked.
  function corrected(asked, isUnknown) {
    return known().then(function (words) {
      var candidates = near(asked.word, words);
      if (isUnknown && !asked.parts && (candidates.length === 0 || candidates[0][0] > 1)) {
        candidates = candidates.concat(nearForm(asked.word, words, core.stem)).sort(byLikeness).slice(0, 3);
      }
      var divided = candidates.length > 0 && candidates[0][0] === 1 ? null : divide(asked.word, words);
      if (divided) {
        asked.correction = divided.join(" ");
        return Promise.all(divided.map(function (part) { return exact(core.stem(part)); })).then(function (parts) {
          return parts[0].length && parts[1].length ? [[JOINED, both(parts[0][0][1], parts[1][0][1]), parts[0][0][2], parts[1][0][2]]] : [];
        });
      }
      if (candidates.length > 0) asked.correction = candidates[0][1];
      return Promise.all(candidates.map(function (candidate, rank) {
        return exact(core.stem(candidate[1])).then(function (entries) {
          return entries.map(function (entry) { return [Math.pow(MISTYPED, candidate[0] + 0.5 * rank), entry[1], entry[2]]; });
        });
      })).then(function (all) { return [].concat.apply([], all); });
    });
  }

  // Whether a word is more likely a typing error than a rare word: on one or two pages, in no name there.
  function isDoubtful(asked, entries) {
    if (asked.word.length < 5 || !/^\p{L}+$/u.test(asked.word) || core.count < 20) return false;
    return entries.every(function (entry) {
      return entry[1].pages.length < 3 && entry[1].pages.every(function (page, at) {
        return entry[1].names[at] === 0 && unitsOf(entry[1], at).every(function (value, place) { return place % 3 !== 1 || value === TEXT; });
      });
    });
  }

  // The postings of some stems, with a certainty.
  function others(stems, sure) {
    return Promise.all(stems.map(exact)).then(function (all) {
      return [].concat.apply([], all).map(function (entry) { return [sure, entry[1], entry[2]]; });
    });
  }

  // The postings of the names in the line of a pointer from some words. Names are terms with `+` between them.
  function pointed(line, count, sure) {
    return Promise.all(line.slice(line.indexOf(" ") + 1).split(" ").slice(0, count * pointedNames).map(function (name) {
      return Promise.all(name.split("+").map(exact)).then(function (all) {
        if (all.some(function (entries) { return entries.length === 0; })) return null;
        var list = all.map(function (entries) { return entries[0][1]; }).reduce(both);
        return list.pages.length > 0 ? [sure, list, name] : null;
      });
    })).then(function (found) { return found.filter(Boolean); });
  }

  // The entries of a word with those of the words that the site has for the same thing, if it hardly has this one.
  function withAlike(asked, entries) {
    var whole = entries.some(function (entry) { return entry[0] === 1; });
    var lines = [];
    return each(asked.stem + ">", true, function (term, list, line) { lines.push(line); }).then(function () {
      if (lines.length === 0) return entries;
      return pointed(lines[0], 1, whole ? ALIKE : ALIKE_TO_UNKNOWN).then(function (more) { return entries.concat(more); });
    });
  }

  // Looks up a word: exactly, as the beginning of a term, as a longer form of one, or mistyped.
  function look(asked) {
    // Quotes ask for the word itself.
    if (asked.quoted) return exact(asked.stem);
    if (asked.asksFor) {
      return Promise.all([others([asked.stem], 1), others(asked.asksFor, ASKED_FOR)]).then(function (all) { return all[0].concat(all[1]); });
    }
    return exact(asked.stem).then(function (entries) {
      if (asked.skipped || !asked.goesOn) return entries;
      return prefixed(asked.word, asked.stem).then(function (more) { return entries.concat(more); });
    }).then(function (entries) {
      if (!asked.goesOn || asked.skipped || entries.some(function (entry) { return entry[0] === 1; })) return entries;
      return beginning(asked.word, asked.word.length - 1).then(function (more) { return entries.concat(more); });
    }).then(function (entries) {
      return asked.skipped ? entries : withAlike(asked, entries);
    }).then(function (entries) {
      if (asked.skipped || asked.word.length < 4 || (entries.length > 0 && !isDoubtful(asked, entries))) return entries;
      return corrected(asked, entries.length === 0).then(function (more) { return entries.concat(more); });
    });
  }

  // The names of synonyms that begin at a word of the query: lines with `+` between words and `=` at the end, or `>`
  // for pointers. Each word of the name can mean the pages of the others: `[[words, certainty, postings, name]]`.
  function synonyms(asked, at) {
    var entries = [];
    var pointers = [];
    return each(asked[at].stem, true, function (term, list, line) {
      var sign = term.search(/[=>]/);
      if (sign < 0) return;
      var name = term.slice(0, sign).split("+");
      var same = name.every(function (part, index) {
        return asked[at + index] && (asked[at + index].stem === part);
      });
      if (!same) return;
      if (term[sign] === "=") entries.push([name.length, parseInt(term.slice(sign + 1), 10) / 10, list(), term]);
      // A word alone was looked up with its pointer.
      else if (name.length > 1) pointers.push([name.length, line]);
    }).then(function () {
      return Promise.all(pointers.map(function (pointer) { return pointed(pointer[1], pointer[0], ALIKE_TO_PHRASE); }));
    }).then(function (all) {
      all.forEach(function (found, number) {
        found.forEach(function (entry) { entries.push([pointers[number][0]].concat(entry)); });
      });
      return entries;
    });
  }

  // Two words of a query that pages write as one, if that word is in the chunk of the first.
  function joined(asked, at) {
    var word = asked[at].word + (asked[at + 1] ? asked[at + 1].word : "");
    var stem = core.stem(word);
    if (!asked[at + 1] || asked[at].word.length < 2 || lastBefore(core.terms, stem) !== lastBefore(core.terms, asked[at].stem)) return Promise.resolve([]);
    return exact(stem).then(function (entries) {
      return entries.map(function (entry) { return [2, JOINED, entry[1], entry[2]]; });
    });
  }

  // The pages that have all parts of an identifier in one block or in their names.
  function inParts(asked) {
    if (!asked.parts) return Promise.resolve([]);
    return Promise.all(asked.parts.map(exact)).then(function (all) {
      if (all.some(function (entries) { return entries.length === 0; })) return [];
      var list = all.map(function (entries) { return entries[0][1]; }).reduce(both);
      return [[PARTS, list].concat(asked.parts)];
    });
  }

  // The words of a query, each with its terms, rarity, and pages. Stop words matter in short queries, such as
  // "how it works"; in longer ones, they would only load files.
  return function (asked) {
    if (asked.filter(function (word) { return !word.skipped; }).length > SHORT) {
      asked = asked.filter(function (word) { return !word.skipped; });
    }
    pointedNames = Math.ceil(POINTED / asked.length);
    return Promise.all([
      Promise.all(asked.map(look)),
      Promise.all(asked.map(function (word, at) { return word.quoted ? [] : synonyms(asked, at); })),
      Promise.all(asked.map(function (word, at) { return word.skipped || word.quoted ? [] : joined(asked, at); })),
      Promise.all(asked.map(function (word) { return word.quoted ? [] : inParts(word); })),
    ]).then(function (all) {
      return asked.map(function (word, at) {
        var entries = all[0][at].slice();
        var whole = entries.filter(function (entry) { return entry[0] === 1; })[0];
        all[3][at].forEach(function (entry) {
          // Among the pages with the identifier, those with its parts in names win.
          entries.push(whole ? [entry[0], only(entry[1], whole[1].pages)].concat(entry.slice(2)) : entry);
        });
        [all[1], all[2]].forEach(function (names) {
          names.forEach(function (found, start) {
            if (word.quoted) return;
            found.forEach(function (name) {
              if (start <= at && at < start + name[0]) entries.push([name[1], name[2], name[3]]);
            });
          });
        });
        return weigh(core, word, entries);
      });
    });
  };
}

// The pages of two terms that are in one block.
function both(one, other) {
  var list = { pages: [], weights: [], names: [], units: [], definitions: 0 };
  one.pages.forEach(function (page, at) {
    var place = placeOf(other.pages, page);
    if (place < 0) return;
    list.pages.push(page);
    list.weights.push(Math.min(one.weights[at], other.weights[place]));
    list.names.push(one.names[at] & other.names[place]);
    list.units.push(unitsOf(one, at).map(function (value, unit) { return unit % 3 === 2 ? value + 1 : value; }));
  });
  return list;
}

// The postings of the given pages.
function only(list, pages) {
  var kept = { pages: [], weights: [], names: [], units: [], definitions: 0 };
  list.pages.forEach(function (page, at) {
    if (placeOf(pages, page) < 0) return;
    kept.pages.push(page);
    kept.weights.push(list.weights[at]);
    kept.names.push(list.names[at]);
    kept.units.push(unitsOf(list, at));
  });
  return kept;
}
