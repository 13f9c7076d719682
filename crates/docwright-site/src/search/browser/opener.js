// Where a reader opens the search from: its buttons and keys. The search itself is loaded when the page is done, or
// earlier if a reader wants it, so that it never delays the page.
(function () {
  "use strict";
  var own = document.currentScript;
  var loading = false;
  // What a reader who waits for the search has typed so far. Without one, null.
  var typed = null;

  function load() {
    if (loading || window.docwrightSearchDialog) return;
    loading = true;
    var style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("search.css", own.src).href;
    var script = document.createElement("script");
    script.src = new URL("search.js", own.src).href;
    Object.assign(script.dataset, own.dataset);
    var left = 2;
    style.onload = script.onload = function () {
      left -= 1;
      if (left > 0) return;
      loading = false;
      if (typed !== null) docwrightSearchDialog.open(typed);
      typed = null;
    };
    // Another click tries again.
    style.onerror = script.onerror = function () {
      loading = false;
      typed = null;
    };
    document.head.append(style, script);
  }

  function open(query) {
    if (window.docwrightSearchDialog && !loading) return docwrightSearchDialog.open(query);
    typed = query || "";
    load();
  }

  document.addEventListener("click", function (event) {
    if (event.target.closest("[data-search-open]")) open();
  });
  document.addEventListener("keydown", function (event) {
    var typing = /^(input|textarea|select)$/i.test(event.target.tagName) || event.target.isContentEditable;
    if ((event.key === "k" && (event.metaKey || event.ctrlKey)) || (event.key === "/" && !typing && typed === null)) {
      event.preventDefault();
      open();
    } else if (typed !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (event.key === "Escape") typed = null;
      else if (event.key === "Backspace") typed = typed.slice(0, -1);
      else if (event.key.length === 1) typed += event.key;
      else return;
      event.preventDefault();
    }
  });
  window.docwrightSearchOpen = open;
  var later = window.requestIdleCallback || setTimeout;
  if (document.readyState === "complete") later(load);
  else addEventListener("load", function () { later(load); });
})();
