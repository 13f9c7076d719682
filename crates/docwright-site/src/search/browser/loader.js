// Loads the files of the index as scripts that pass their data on, since browsers refuse to fetch from
// `file://`.
var waiting = {};

// Called by each file of the index when it runs.
function receive(name, data) {
  if (waiting[name]) waiting[name](data);
}

// Loads the files of a language for an engine. `root` is the address of the site's root.
function loader(root, language) {
  return function (name) {
    return new Promise(function (resolve, reject) {
      waiting[language + "/" + name] = resolve;
      var element = document.createElement("script");
      element.src = root + "_docwright/search/" + language + "/" + name + ".js";
      element.onerror = function () {
        reject(new Error("the search index can't be loaded"));
      };
      document.head.appendChild(element);
    });
  };
}
