// The files of the index, as the build writes them.

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

function words(vocabulary) {
  var before = "";
  return vocabulary.split(" ").map(function (entry) {
    before = before.slice(0, parseInt(entry[0], 36)) + entry.slice(1);
    return before;
  });
}

// The core with cached data for queries.
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
