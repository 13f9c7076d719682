// Suggestions of the page for missing addresses: what the search finds by the words of the address takes the place of
// the first pages.
function docwrightSuggest(site, asked, list) {
  "use strict";
  // Pages that are suggested, and words of the address that they are looked up by.
  var SUGGESTIONS = 5;
  var MOST_WORDS = 8;
  var words = asked.join(" ").split(/[^\p{L}\p{N}]+/u).filter(Boolean).slice(-MOST_WORDS);
  if (words.length === 0) return;
  // A space ends the last word: none of them is being typed.
  var query = words.join(" ") + " ";
  docwrightSearch.Engine(docwrightSearch.loader(site.root, site.language)).search(query, { limit: SUGGESTIONS }).then(function (answer) {
    var found = answer.results;
    if (found.length === 0) return;
    var home = list.firstElementChild;
    list.replaceChildren(home);
    found.forEach(function (page) {
      var link = document.createElement("a");
      link.href = site.root + page.path.split("/").map(encodeURIComponent).join("/");
      link.textContent = page.title;
      var item = document.createElement("li");
      item.append(link);
      list.append(item);
    });
  }).catch(function () {
    // Without an index the first pages stay.
  });
}
