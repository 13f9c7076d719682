// The contents list: what it names, and where the reader is.
(function () {
  "use strict";
  var root = document.documentElement;
  var links = Array.prototype.slice.call(document.querySelectorAll(".dw-toc-item a"));
  if (links.length === 0) return;
  var box = links[0].closest(".dw-toc");
  var bar = document.querySelector(".dw-contents-bar");
  var here = bar.querySelector(".dw-contents-here");
  var targets = links.map(function (link) { return document.getElementById(decodeURIComponent(link.hash.slice(1))); });

  // The list names what can be seen: nothing in a closed accordion, or in a tab or view that isn't chosen.
  function isShown(target) {
    for (var part = target; part; part = part.parentElement) {
      if (part.matches(".dw-tab-panel:not(.active),.dw-view:not(.active),[hidden]")) return false;
      var closed = part.parentElement && part.parentElement.matches("details:not([open])");
      if (closed && part.tagName !== "SUMMARY") return false;
    }
    return true;
  }
  function list() {
    links.forEach(function (link, index) { link.parentElement.hidden = Boolean(targets[index]) && !isShown(targets[index]); });
  }

  // Whether a heading is above an edge. One in a part that is laid out late is asked only if the edge is in that part.
  function isAbove(target, edge) {
    var part = target.parentElement.closest("[data-deferred]");
    if (part) {
      var outer = part.getBoundingClientRect();
      if (outer.top > edge) return false;
      if (outer.bottom <= edge) return true;
    }
    return target.getBoundingClientRect().top <= edge;
  }

  // The place that the reader asked for, until the reader moves on.
  var asked = -1;
  function ask() {
    asked = links.findIndex(function (link) { return link.hash === location.hash; });
  }
  function mark() {
    // Headings pass the edge below the header. The last ones would never reach it: on the last
    // screen the edge comes towards them.
    var top = parseFloat(getComputedStyle(root).scrollPaddingTop) + 8;
    var range = root.scrollHeight - innerHeight;
    var edge = top;
    if (range > 0) edge += (innerHeight - top) * Math.max(0, 1 - (range - scrollY) / Math.min(innerHeight, range));
    var current = 0;
    links.forEach(function (link, index) {
      if (targets[index] && !link.parentElement.hidden && isAbove(targets[index], edge)) current = index;
    });
    if (asked >= 0 && targets[asked] && !links[asked].parentElement.hidden) {
      var place = targets[asked].getBoundingClientRect();
      if (place.top >= 0 && place.bottom <= innerHeight) current = asked;
    }
    show(links[current]);
    bar.style.setProperty("--read", range > 0 ? Math.min(1, Math.max(0, scrollY / range)).toFixed(3) : "1");
  }

  var marked;
  var opened;
  function show(link) {
    if (link === marked) return;
    if (marked) marked.removeAttribute("aria-current");
    marked = link;
    link.setAttribute("aria-current", "true");
    here.textContent = link.textContent;
    // The month of a changelog that is read is open.
    var month = link.closest("details");
    if (opened && opened !== month) opened.open = false;
    if (month && !month.open) {
      month.open = true;
      opened = month;
    }
    keepInSight();
  }
  // Scrolls the list as little as it takes to show the link.
  function keepInSight() {
    var outer = box.getBoundingClientRect();
    if (outer.height === 0) return;
    var inner = marked.getBoundingClientRect();
    box.scrollTop += Math.min(0, inner.top - outer.top - 24) || Math.max(0, inner.bottom - outer.bottom + 24);
  }

  var waiting = false;
  addEventListener("scroll", function () {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; mark(); });
  }, { passive: true });
  ["wheel", "touchmove", "keydown", "pointerdown"].forEach(function (kind) {
    addEventListener(kind, function () { asked = -1; }, { passive: true });
  });
  bar.addEventListener("toggle", function () { if (bar.open) keepInSight(); });
  document.addEventListener("docwright-shown", function () { list(); mark(); });
  addEventListener("hashchange", function () { ask(); mark(); });
  list();
  ask();
  // Places are known once the page is painted. To compute them now would delay that.
  requestAnimationFrame(function () { setTimeout(mark); });
})();
