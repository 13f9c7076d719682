// Corrections of mistyped words.

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

// Similar words, nearest first.
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
