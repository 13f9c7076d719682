(function (data) {
  function load() {
    if (document.prerendering) return document.addEventListener("prerenderingchange", load);
    var to = performance.getEntriesByType("navigation")[0]?.serverTiming?.find((each) => each.name === "reading")?.description;
    var to = /^http/.test(location.protocol) && data.elsewhere;
    if (!to || navigator.doNotTrack === "1" || navigator.globalPrivacyControl) return;
    var script = document.createElement("script");
    Object.assign(script.dataset, data, { to });
    script.src = data.script;
    document.head.append(script);
  }
  addEventListener("load", load);
})(document.currentScript.dataset);
