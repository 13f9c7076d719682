// Runs the engine outside a browser. `$read(name)` returns the text of a file of the index, or nothing;
// `$answer(json)` takes the results. Engines keep what they loaded for the next query.
var $engines = {};

function $engine(language) {
  var parts = {};
  return docwrightSearch.Engine(function (name) {
    if (!(name in parts)) {
      ($read(language + "/" + name) || "").split("\n").forEach(function (line) {
        var call = /^docwrightSearch\.receive\("[^"]*\/([^"]+)",/.exec(line);
        if (call) parts[call[1]] = JSON.parse(line.slice(call[0].length, -1));
      });
    }
    var data = parts[name];
    // The engine keeps what it makes of the data.
    parts[name] = undefined;
    return data === undefined ? Promise.reject(new Error(name)) : Promise.resolve(data);
  });
}

function $engineOf(language) {
  $engines[language] = $engines[language] || $engine(language);
  return $engines[language];
}

function $textOf(pieces) {
  return pieces.map(function (piece) { return piece[0]; }).join("");
}

function $ask(language, query, options) {
  $engineOf(language).search(query, JSON.parse(options)).then(function (found) {
    var hits = found.results.map(function (result) {
      return {
        path: result.path, title: result.title, breadcrumbs: result.crumbs, heading: result.heading,
        fragment: result.id, excerpt: $textOf(result.pieces),
      };
    });
    var defining = found.results.filter(function (result) { return result.symbol; })[0];
    var definition = defining ? {
      name: defining.symbol.name, kind: defining.symbol.kind, path: defining.path, title: defining.title,
      fragment: defining.symbol.id, excerpt: $textOf(defining.symbol.pieces),
    } : null;
    return { hits: hits, definition: definition, correction: found.correction };
  }).then(function (found) { $answer(JSON.stringify(found)); }, function () {
    $answer(JSON.stringify({ hits: [], definition: null, correction: "" }));
  });
}

// Every page of the index, in its order.
function $pages(language) {
  var engine = $engineOf(language);
  engine.find("", {}).then(function (ranking) {
    var core = ranking.core;
    var versions = core.facets.version;
    var entries = [];
    for (var number = 0; number < core.count; number += 1) entries.push(engine.page(core, number));
    return Promise.all(entries).then(function (entries) {
      return entries.map(function (entry, number) {
        return {
          path: entry[1] + ".html", title: entry[0], version: versions.names[versions.values[number]] || "",
          headings: entry[4].map(function (section) { return { anchor: section[0], text: section[1] }; }),
        };
      });
    });
  }).then(function (pages) { $answer(JSON.stringify(pages)); }, function () { $answer("[]"); });
}
