// Quoted phrases: the pages that have the words of each phrase close together, those with the very phrase first.

var QUOTED = /["“”„«]([^"“”„«»]+)["“”»]/gu;
// Pages whose texts are compared with the phrases. The index tells only in which blocks words are.
var COMPARED_TEXTS = 12;

// The quoted phrases of a query: `[{text, words}]`.
function phrasesOf(query) {
  return Array.from(query.matchAll(QUOTED)).map(function (match) {
    return { text: plain(match[1]), words: wordsIn(match[1]) };
  }).filter(function (phrase) { return phrase.words.length > 0; });
}

// A text without marks and capital letters, and with one space between words.
function plain(text) {
  return text.normalize("NFKD").replace(MARKS, "").toLowerCase().replace(/\s+/g, " ").trim();
}

// A filter for the pages that can have all phrases.
function withPhrases(phrases, words) {
  var byWord = new Map(words.map(function (word) { return [word.asked.word, word]; }));
  var lists = phrases.map(function (phrase) {
    // Long queries leave out stop words.
    return phrase.words.map(function (word) { return byWord.get(word); }).filter(Boolean);
  });
  return function (page) {
    return lists.every(function (list) { return list.length > 0 && isTogether(list, page); });
  };
}

// Whether a page has all words in its title, or in one block or two neighboring ones.
function isTogether(words, page) {
  var telling = words.filter(function (word) { return !word.asked.skipped; });
  if (telling.length === 0) telling = words;
  if (!telling.every(function (word) { return word.values[page] > 0; })) return false;
  if (telling.every(function (word) { return word.titles[page] > 0; })) return true;
  var places = telling.map(function (word) { return Object.keys(blocksOf(word, page)).map(Number); });
  // On large sites, the index lacks the places of common words.
  places = places.filter(function (blocks) { return blocks.length > 0; });
  if (places.length === 0) return true;
  return places[0].some(function (block) {
    return [block - 1, block].some(function (first) {
      return places.every(function (blocks) { return blocks.indexOf(first) >= 0 || blocks.indexOf(first + 1) >= 0; });
    });
  });
}

// The results with the very phrases in the texts that the index has come before the others. `entryOf(page)` returns a
// promise of what results show of a page.
function phrasesFirst(phrases, found, entryOf) {
  var compared = found.slice(0, COMPARED_TEXTS);
  return Promise.all(compared.map(function (result) {
    return entryOf(result.page).then(function (entry) {
      var texts = [entry[0], entry[3]];
      entry[4].forEach(function (section) { texts.push(section[1], section[2]); });
      texts = texts.map(plain);
      return phrases.every(function (phrase) { return texts.some(function (text) { return hasPhrase(text, phrase.text); }); });
    });
  })).then(function (same) {
    var first = compared.filter(function (result, at) { return same[at]; });
    var others = compared.filter(function (result, at) { return !same[at]; });
    return first.concat(others, found.slice(COMPARED_TEXTS));
  });
}

// Results whose texts are compared with a query without quotes, and the words from which it can be a sentence of a page,
// such as the message of an error.
var MOST_EXACT = 4;
var EXACT_WORDS = 3;
// What the very words of a query add to a score.
var EXACT = 3;

// Raises the results that have all words of a query next to each other, in its order: those among the best that have
// them in one block. `entryOf(page)` returns a promise of what results show of a page.
function raiseExact(query, found, entryOf) {
  var words = query.match(WORDS) || [];
  var near = found.filter(function (result) { return result.near > 0.97; }).slice(0, MOST_EXACT);
  if (words.length < EXACT_WORDS || words.length > MOST_WORDS * 2 || IDEOGRAPHS.test(query)) return Promise.resolve(found);
  var pattern = new RegExp("(^|[^\\p{L}\\p{N}_])" + words.join("[^\\p{L}\\p{N}_]+") + "(?![\\p{L}\\p{N}_])", "iu");
  return Promise.all(near.map(function (result) {
    return entryOf(result.page).then(function (entry) {
      var isExact = [entry[0], entry[3]].concat(entry[4].map(function (section) { return section[1]; }), entry[4].map(function (section) { return section[2]; }))
        .some(function (text) { return pattern.test(text); });
      if (isExact) result.score *= 1 + EXACT;
    });
  })).then(function () { return found.sort(byScore); });
}

// Whether a text has a phrase that neither begins nor ends within a word.
function hasPhrase(text, phrase) {
  var isLetter = function (letter) { return /[\p{L}\p{N}_]/u.test(letter) && !IDEOGRAPHS.test(letter); };
  for (var at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (!isLetter(text.charAt(at - 1)) && !isLetter(text.charAt(at + phrase.length))) return true;
  }
  return false;
}
