(function (data) {
  function load() {
    if (document.prerendering) return document.addEventListener("prerenderingchange", load);
    var visit = performance.getEntriesByType("navigation")[0];
    var offer = visit?.serverTiming?.find((each) => each.name === "reading");
    if (!offer || navigator.doNotTrack === "1" || navigator.globalPrivacyControl) return;
    var script = document.createElement("script");
    Object.assign(script.dataset, data, { to: offer.description });
    script.src = data.script;
    document.head.append(script);
  }
  addEventListener("load", load);
})(document.currentScript.dataset);
