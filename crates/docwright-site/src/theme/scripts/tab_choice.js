(function (root) {
  // Tabs that the reader chose on other pages, the last one first, are chosen before anything is drawn: sets are
  // visited while the page arrives, until all of their panels are there.
  var titles;
  try {
    titles = JSON.parse(localStorage.getItem("docwright-tabs"));
  } catch (_) {
    /* storage can be forbidden */
  }
  if (!Array.isArray(titles)) return;
  var complete = new WeakSet();
  function apply() {
    root.querySelectorAll("[data-tabs][data-sync]").forEach(function (set) {
      if (complete.has(set)) return;
      var tabs = Array.from(set.querySelectorAll(":scope > [role=tablist] > [role=tab]"));
      var panels = tabs.map(function (tab) { return document.getElementById(tab.getAttribute("aria-controls")); });
      if (tabs.length && panels.every(Boolean)) complete.add(set);
      var ranks = tabs.map(function (tab) { return titles.indexOf(tab.textContent.trim()); });
      var known = ranks.filter(function (rank) { return rank >= 0; });
      if (known.length === 0) return;
      var chosen = ranks.indexOf(Math.min.apply(null, known));
      tabs.forEach(function (tab, index) {
        tab.setAttribute("aria-selected", String(index === chosen));
        tab.tabIndex = index === chosen ? 0 : -1;
        if (panels[index]) panels[index].classList.toggle("active", index === chosen);
      });
    });
  }
  var observer = new MutationObserver(apply);
  observer.observe(root, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", function () {
    apply();
    observer.disconnect();
  });
})(document.documentElement);
