// Reports what readers do on a page: no id, no cookie, no storage. An error in it stays in it.
(() => {
  "use strict";
  var data = document.currentScript.dataset;
  var root = new URL("..", document.currentScript.src).pathname;
  var visit = performance.getEntriesByType("navigation")[0] || {};
  var activation = visit.activationStart || 0;
  var events = [];
  var once = {};

  function add(name, value) {
    if (events.push({ [name]: value }) >= 40) send();
  }
  function addOnce(name, value) {
    if (!once[name + value]) add(name, value);
    once[name + value] = 1;
  }
  function send() {
    if (events.length === 0) return;
    var text = JSON.stringify({ page: data.page, events: events });
    events = [];
    // Another host gets no cookies, and its answer isn't read.
    fetch(data.elsewhere, { method: "POST", mode: "no-cors", credentials: "omit", keepalive: true, body: text }).catch(() => {});
    navigator.sendBeacon(data.to, new Blob([text], { type: "application/json" }));
  }
  function guarded(action) {
    return (argument) => {
      try {
        action(argument);
      } catch (_) {
        // The page goes on.
      }
    };
  }
  function on(target, kind, action) {
    target.addEventListener(kind, guarded(action), { capture: true, passive: true });
  }

  // ---- views that the server does not see, or must not count ----
  function view(referrer) {
    // Of other sites, only the origin.
    var from = referrer && new URL(referrer);
    var own = from && from.origin === location.origin;
    var view = { referrer: own ? from.origin + from.pathname : from && from.origin };
    new URLSearchParams(own ? "" : location.search).forEach((value, name) => {
      if (/^utm_(source|medium|campaign)$/.test(name)) view[name] = value;
    });
    add("view", view);
    send();
  }
  guarded(() => {
    // The server sees requests that only ask whether the browser's copy is new.
    var isUnseen = activation || visit.transferSize === 0 || visit.deliveryType === "navigational-prefetch";
    if (data.all || isUnseen) view(visit.type === "navigate" ? document.referrer : location.href);
  })();

  // ---- how long, and how far ----
  var since = 0;
  var spent = 0;
  var bottom = 0;
  function start() {
    since = document.hidden ? 0 : performance.now();
  }
  function scrolled() {
    bottom = Math.max(bottom, scrollY + innerHeight);
  }
  function measure() {
    scrolled();
    if (since) spent += performance.now() - since;
    since = 0;
    [0, 10, 30, 60, 180].forEach((seconds) => {
      if (spent >= seconds * 1000) addOnce("time", seconds);
    });
    for (var part = 25; part <= Math.min(100, (100 * (bottom + 2)) / document.documentElement.scrollHeight); part += 25) addOnce("scroll", part);
  }
  start();
  on(window, "scroll", scrolled);

  // ---- Web Vitals: once, when the page is hidden first ----
  var paint, shift, delays = {};
  function observe(type, action) {
    guarded(() => {
      if (!PerformanceObserver.supportedEntryTypes.includes(type)) return;
      new PerformanceObserver(guarded((list) => list.getEntries().forEach(action))).observe({ type: type, buffered: true, durationThreshold: 40 });
      if (type === "layout-shift") shift = 0;
    })();
  }
  observe("largest-contentful-paint", (entry) => { paint = Math.max(0, entry.startTime - activation); });
  var first, last, sum;
  observe("layout-shift", (entry) => {
    if (entry.hadRecentInput) return;
    var time = entry.startTime;
    // Shifts of at most five seconds, without a pause of one second, are one.
    if (!(time - last < 1000 && time - first < 5000)) {
      first = time;
      sum = 0;
    }
    last = time;
    sum += entry.value;
    shift = Math.max(shift, sum);
  });
  function interacted(entry) {
    var id = entry.interactionId;
    if (id) delays[id] = Math.max(delays[id] || 0, entry.duration);
  }
  observe("event", interacted);
  observe("first-input", interacted);
  function vitals() {
    var hidden = performance.getEntriesByType("visibility-state").some((entry) => entry.name === "hidden" && entry.startTime < paint);
    if (paint && !hidden) add("lcp", Math.round(paint));
    // One of 50 interactions can be slower.
    var slowest = Object.values(delays).sort((a, b) => b - a);
    var place = Math.floor((performance.interactionCount || 0) / 50);
    if (slowest.length) add("inp", Math.round(slowest[Math.min(place, slowest.length - 1)]));
    if (shift !== undefined) add("cls", Math.round(shift * 1000));
    vitals = function () {};
  }

  // ---- searches: a query counts when the reader stops typing ----
  var search, timer;
  function settle() {
    clearTimeout(timer);
    if (search && !search.done) add("search", [search.query, search.count]);
    if (search) search.done = 1;
  }
  on(document, "docwright-found", (event) => {
    var query = event.detail.query.trim().slice(0, 200);
    if (search && search.query === query) return;
    clearTimeout(timer);
    search = { query: query, count: event.detail.count };
    timer = setTimeout(guarded(settle), 2000);
  });
  on(document, "close", (event) => {
    if (!event.target.querySelector("#search-input")) return;
    settle();
    search = null;
  });
  function open(link) {
    var field = document.getElementById("search-input");
    if (!search || field.value.trim().slice(0, 200) !== search.query) return;
    settle();
    var path = decodeURIComponent(link.pathname.slice(root.length)).replace(/\.html$/, "");
    add("open", [search.query, path || "index"]);
  }

  // ---- what readers choose ----
  function clicked(event) {
    var at = (selector) => event.target.closest(selector);
    var link = at("a[href]");
    if (link && at("#search-results")) open(link);
    else if (link && /^http/.test(link.protocol) && link.host !== location.host) add("link", link.origin + link.pathname);
    var chosen = at("a[hreflang]");
    if (chosen) add("language", chosen.hreflang);
    if (at(".dw-code-block [data-copy]")) add("copy", at(".dw-code-block").dataset.language || "text");
    if (at("[data-tabs] [role=tab]")) add("tab", at("[role=tab]").textContent.trim());
    if (at("[data-playground-open]")) addOnce("playground", null);
  }
  on(document, "click", clicked);
  on(document, "auxclick", (event) => {
    if (event.button === 1) clicked(event);
  });

  // ---- when the page is hidden, shown again, or comes back from the browser's memory ----
  function leave() {
    settle();
    measure();
    vitals();
    send();
  }
  on(document, "visibilitychange", () => {
    if (document.hidden) leave();
    else start();
  });
  on(window, "pagehide", leave);
  on(window, "pageshow", (event) => {
    if (!event.persisted) return;
    once = {};
    spent = bottom = 0;
    start();
    view(location.href);
  });
})();
