// Hosts serve `404.html` at any depth, and a site may lie in any folder of its host. This finds that
// folder, the deepest one above that holds the site's styles; until then, and without scripts,
// addresses begin at the root of the host, where most sites lie.
(function () {
  "use strict";
  var DEEPEST = 6;
  var visit = performance.getEntriesByType("navigation")[0];
  // docwright's own server names what it offers, and always serves a site at the root.
  var served = ((visit && visit.serverTiming) || []).length > 0;
  var names = served ? [] : location.pathname.split("/").slice(1, -1).slice(0, DEEPEST);
  // A path that begins with two slashes would name another host.
  if (names.indexOf("") >= 0) names = names.slice(0, names.indexOf(""));
  var folders = names.map(function (_, index) { return "/" + names.slice(0, index + 1).join("/"); }).reverse();

  function holdsSite(folder) {
    return fetch(folder + "/_docwright/theme.css", { method: "HEAD" }).then(function (answer) {
      return answer.ok && /css/.test(answer.headers.get("content-type"));
    }).catch(function () { return false; });
  }

  Promise.all(folders.map(holdsSite)).then(function (held) {
    var folder = folders[held.indexOf(true)] || "";
    var late = document.getElementById("not-found-assets").content;
    [document, late].forEach(function (part) {
      ["href", "src", "data-root"].forEach(function (name) {
        part.querySelectorAll("[" + name + "^='/']:not([" + name + "^='//'])").forEach(function (element) {
          if (folder) element.setAttribute(name, folder + element.getAttribute(name));
        });
      });
    });
    late.querySelectorAll("script,link").forEach(function (element) {
      var copy = document.importNode(element, true);
      copy.async = false;
      document.head.append(copy);
    });
  });
})();
