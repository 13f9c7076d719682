// Loads the files of the index as scripts that pass their data on, since browsers refuse to fetch from
// `file://`. The file of a small index has all its parts.
var arrived = {};
var waiting = {};

// Called by each file of the index when it runs.
function receive(name, data) {
  arrived[name] = data;
  if (waiting[name]) waiting[name](data);
}

// Loads the files of a language for an engine. `root` is the address of the site's root.
function loader(root, language) {
  return function (name) {
    var whole = language + "/" + name;
    if (whole in arrived) return Promise.resolve(arrived[whole]);
    return new Promise(function (resolve, reject) {
      waiting[whole] = resolve;
      var element = document.createElement("script");
      element.src = root + "_docwright/search/" + whole + ".js";
      element.onerror = function () {
        reject(new Error("the search index can't be loaded"));
      };
      document.head.appendChild(element);
    });
  };
}
