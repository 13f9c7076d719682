// Corrections of mistyped words.

// By how many letters forms of a word differ.
var LONGEST_ENDING = 6;
// Common endings of words, which stems lack.
var ENDINGS = ["s", "es", "ed", "er", "ing", "ion", "ation", "ment"];
// Letters of a word whose first letter is right.
var SHORT_WORD = 6;

// Number of edits between two words, with a transposition as one edit. A result over `limit` is `limit + 1`.
function distance(one, other, limit) {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  var before = [];
  var row = [];
  for (var column = 0; column <= other.length; column += 1) row[column] = column;
  for (var index = 1; index <= one.length; index += 1) {
    var next = [index];
    var least = index;
    for (column = 1; column <= other.length; column += 1) {
      // Further from the diagonal than the limit, the number of edits is beyond it.
      if (column < index - limit || column > index + limit) {
        next[column] = limit + 1;
        continue;
      }
      var same = one.charCodeAt(index - 1) === other.charCodeAt(column - 1);
      var value = Math.min(row[column] + 1, next[column - 1] + 1, row[column - 1] + (same ? 0 : 1));
      if (index > 1 && column > 1 && one[index - 1] === other[column - 2] && one[index - 2] === other[column - 1]) {
        value = Math.min(value, before[column - 2] + 1);
      }
      next[column] = value;
      if (value < least) least = value;
    }
    if (least > limit) return limit + 1;
    before = row;
    row = next;
  }
  return row[other.length];
}

// The letters of a word as bits, to leave out most words without counting edits.
function letters(word) {
  var bits = 0;
  for (var at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) % 31);
  return bits;
}

function differences(one, other) {
  var bits = one ^ other;
  var count = 0;
  for (; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}

function byLikeness(one, other) {
  return one[2] - other[2] || (one[1] < other[1] ? -1 : 1);
}

// Similar words of the site: [[edits, word, likeness]], best first. Common words and those with the same first letter win.
function near(word, known) {
  var limit = word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
  if (limit === 0) return [];
  var own = letters(word);
  var found = [];
  for (var length = Math.max(2, word.length - limit); length <= word.length + limit; length += 1) {
    (known.byLength[length] || []).forEach(function (entry) {
      if (differences(own, entry[2]) > 2 * limit || entry[0] === word) return;
      // A short word with another first letter is another word.
      if (word.length < SHORT_WORD && entry[0][0] !== word[0] && entry[0][0] !== word[1]) return;
      var edits = distance(word, entry[0], limit);
      if (edits <= limit) found.push([edits, entry[0], edits - 0.06 * entry[1] + (entry[0][0] === word[0] ? 0 : 0.5)]);
    });
  }
  found.sort(byLikeness);
  return found.slice(0, 3);
}

// Similar words of the site, as `near` returns them, for a word that isn't the form that the site uses most:
// `cofiguration` where pages say `configure`. Only the beginnings without endings are compared.
function nearForm(word, known, stem) {
  var limit = word.length >= 8 ? 2 : word.length >= 5 ? 1 : 0;
  if (limit === 0) return [];
  var start = stem(word);
  var found = [];
  known.all.forEach(function (power, form) {
    // Few misspell the first letter, and most words have another one.
    if (form[0] !== word[0] || Math.abs(form.length - word.length) > LONGEST_ENDING) return;
    var other = stem(form);
    var edits = distance(start, other, limit);
    // The error can be in the ending.
    if (edits > 1 && other.length > 5 && word.length <= other.length + LONGEST_ENDING && word.startsWith(other)) edits = 1;
    if (edits > 1) {
      ENDINGS.forEach(function (ending) { edits = Math.min(edits, distance(word, other + ending, 1)); });
      edits = Math.min(edits, distance(word, other + other.slice(-1) + "ing", 1));
    }
    if (edits > 0 && edits <= limit) found.push([edits, form, edits - 0.06 * power]);
  });
  found.sort(byLikeness);
  return found.slice(0, 3);
}

// Two words of the site that a word consists of.
function divide(word, known) {
  for (var at = word.length - 3; at >= 3; at -= 1) {
    if (known.all.has(word.slice(0, at)) && known.all.has(word.slice(at))) return [word.slice(0, at), word.slice(at)];
  }
  return null;
}
