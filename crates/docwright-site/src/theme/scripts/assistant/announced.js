// Whether the server that gave the page answers questions. It runs before anything is drawn, so that nothing jumps:
// the button shows, and an open panel has its room.
(function (root) {
  function check() {
    var visit = performance.getEntriesByType("navigation")[0];
    var offer = ((visit && visit.serverTiming) || []).find(function (each) { return each.name === "assistant"; });
    if (!offer) return;
    root.dataset.assistant = offer.description;
    try {
      if (root.dataset.pageMode === "assistant" || !matchMedia("(min-width:80rem)").matches) return;
      // A link opens the panel with `?assistant=`.
      if (/[?&]assistant(=|&|$)/.test(location.search) || sessionStorage.getItem("docwright-assistant-open:" + offer.description)) root.dataset.assistantShown = "";
    } catch (_) {
      /* without storage, the panel is closed on the next page */
    }
  }
  check();
  // Some browsers know it only once the page has arrived.
  if (!root.dataset.assistant) addEventListener("DOMContentLoaded", check);
})(document.documentElement);
