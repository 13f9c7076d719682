// Hosts serve `404.html` at any depth, and a site can lie in any folder of its host. This finds that
// folder, the deepest one above that holds the site's styles; until then, and without scripts,
// addresses begin where the address of the site says, or at the root of the host, where most sites lie.
(function () {
  "use strict";
  var DEEPEST = 6;
  var assets = document.getElementById("not-found-assets");
  var list = document.querySelector(".not-found-recommended-pages-list");
  var visit = performance.getEntriesByType("navigation")[0];
  // docwright's own server says where its server for agents is, which lies at the root of the site.
  var served = ((visit && visit.serverTiming) || []).find(function (each) { return each.name === "mcp"; });
  var names = served ? [] : location.pathname.split("/").slice(1, -1).slice(0, DEEPEST);
  // A path that begins with two slashes would name another host.
  if (names.indexOf("") >= 0) names = names.slice(0, names.indexOf(""));
  var folders = names.map(function (_, index) { return "/" + names.slice(0, index + 1).join("/"); }).reverse();
  var base = assets.dataset.base;
  if (base && !served) folders.push("");

  function holdsSite(folder) {
    return fetch(folder + "/_docwright/theme.css", { method: "HEAD" }).then(function (answer) {
      return answer.ok && /css/.test(answer.headers.get("content-type"));
    }).catch(function () { return false; });
  }

  Promise.all(folders.map(holdsSite)).then(function (held) {
    var folder = served ? served.description.replace(/\/mcp$/, "") : folders[held.indexOf(true)];
    if (folder === undefined) folder = base;
    var late = assets.content;
    [document, late].forEach(function (part) {
      ["href", "src", "data-root"].forEach(function (name) {
        part.querySelectorAll("[" + name + "^='/']:not([" + name + "^='//'])").forEach(function (element) {
          var written = element.getAttribute(name);
          if (written.startsWith(base + "/")) element.setAttribute(name, folder + written.slice(base.length));
        });
      });
    });
    var home = list.querySelector("a");
    if (assets.dataset.redirect !== undefined && home && home.pathname !== location.pathname) {
      location.replace(home.href);
      return;
    }
    var asked = partsOf(location.pathname.slice(folder.length));
    var texts = JSON.parse(assets.dataset.languages)[asked[0]] || {};
    translate(texts);
    late.querySelectorAll("script,link").forEach(function (element) {
      var copy = document.importNode(element, true);
      copy.async = false;
      if (copy.dataset.root !== undefined) {
        if (texts.language) copy.dataset.language = texts.language;
        copy.addEventListener("load", function () { docwrightSuggest(copy.dataset, asked, list); });
      }
      document.head.append(copy);
    });
  });

  // The parts of a path, without what ends its file's name.
  function partsOf(path) {
    try {
      path = decodeURIComponent(path);
    } catch (error) {
      // Something else than text; its letters still say what was asked for.
    }
    return path.replace(/\.(html?|mdx?)$/i, "").replace(/\/index$/, "").split("/").filter(Boolean);
  }

  // The language of the folder that was asked for is the reader's.
  function translate(texts) {
    if (!texts.language) return;
    document.getElementById("content-area").lang = texts.language;
    if (texts.title) document.getElementById("page-title").textContent = texts.title;
    if (texts.description) document.querySelector(".not-found-description").textContent = texts.description;
  }
})();
