// Pages that the reader is about to open are asked for early, where the browser takes such hints. The browser
// decides: it asks for nothing where data is to be saved. Files are near enough as they are.
(function () {
  "use strict";
  var supported = window.HTMLScriptElement && HTMLScriptElement.supports && HTMLScriptElement.supports("speculationrules");
  if (!supported || !/^https?:$/.test(location.protocol)) return;
  var folder = new URL("..", document.currentScript.src).pathname;
  var rules = document.createElement("script");
  rules.type = "speculationrules";
  rules.textContent = JSON.stringify({
    prefetch: [{
      where: { and: [{ href_matches: folder + "*" }, { not: { href_matches: ["/*.md", "/*.txt", "/*.xml", "/*.json"] } }, { not: { selector_matches: "[download],[rel~=nofollow]" } }] },
      eagerness: "moderate",
    }],
  });
  document.head.append(rules);
})();
