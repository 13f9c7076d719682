// Splits text into terms like `tokenize` in Rust; a test compares them.
var MARKS = /\p{M}/gu;
var WORDS = /[\p{L}\p{N}_\p{M}]+/gu;
var HYPHENATED = /[\p{L}\p{N}_\p{M}]+(?:-[\p{L}\p{N}_\p{M}]+)*/gu;
var IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u1100-\u11ff]/;
// Words of a query.
var MOST_WORDS = 8;

function fold(word) {
  return word.normalize("NFKD").replace(MARKS, "").toLowerCase().slice(0, 32);
}

// The stem of a word, by the table of a language: rounds of endings with their replacements. Without a table,
// the rules of English.
function stemmer(table) {
  if (!table) return english;
  var rounds = table.split("|").map(function (round) {
    return round.split(" ").map(function (rule) { return rule.split(">"); });
  });
  return function (word) {
    if (!/^\p{L}+$/u.test(word)) return word;
    rounds.forEach(function (round) {
      round.some(function (rule) {
        var stem = word.slice(0, word.length - rule[0].length) + (rule[1] || "");
        if (!word.endsWith(rule[0]) || stem.length < 4) return false;
        word = stem;
        return true;
      });
    });
    return word;
  };
}

// The same steps as `english` in Rust.
function english(word) {
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
  // `state` must not become the stem of `stats`.
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

// Every term of a text, as in the index.
function terms(text, stem) {
  var found = [];
  stem = stem || english;
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

// The words of a text, as queries have them: folded, or pairs of letters in scripts without spaces.
function wordsIn(text) {
  var words = [];
  (text.match(WORDS) || []).forEach(function (word) {
    var folded = fold(word);
    if (IDEOGRAPHS.test(folded)) words.push.apply(words, terms(word));
    else words.push(folded);
  });
  return words;
}

// The words of a reader's query: `{word, stem, goesOn, skipped, parts, asksFor}`; an identifier has parts. The last word is
// incomplete unless something follows it. The index omits stop words outside titles. `most` words count; questions have more than queries.
function queryWords(query, core, most) {
  var words = wordsIn(query);
  var divided = new Map();
  (query.match(WORDS) || []).forEach(function (word) {
    var folded = fold(word);
    var pieces = parts(word).map(function (piece) { return core.stem(fold(piece)); });
    var telling = pieces.every(function (piece) { return piece.length > 1 && !core.skipped.has(piece); });
    if (pieces.length > 1 && pieces.length < 5 && telling) divided.set(folded, pieces);
  });
  var last = /[\p{L}\p{N}_\p{M}]$/u.test(query) ? words[words.length - 1] : "";
  var left = most || MOST_WORDS;
  return words.filter(function (word, index) {
    return words.indexOf(word) === index;
  }).map(function (word) {
    var stem = core.stem(word);
    return {
      word: word, stem: stem, goesOn: word === last, skipped: core.skipped.has(stem), parts: divided.get(word),
      asksFor: core.isEnglish ? askedFor(words[words.indexOf(word) - 1], word, core.stem) : null,
    };
  }).filter(function (word) {
    // Stop words take no place from others.
    if (!word.skipped) left -= 1;
    return left >= 0;
  });
}
