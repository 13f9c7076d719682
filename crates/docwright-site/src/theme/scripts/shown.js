// Parts of a page that are shown in turn, or once readers open them: tabs, views, accordions. A link to a place in
// one shows it, and paper has them all. `docwright-shown` tells other scripts that something else is shown.
(function () {
  "use strict";
  // The titles of chosen tabs, the last one first; `tab_choice.js` reads them before the page is drawn.
  var CHOICES = "docwright-tabs";
  var MOST_CHOICES = 20;

  function all(selector, within) {
    return Array.prototype.slice.call((within || document).querySelectorAll(selector));
  }
  function tell() {
    document.dispatchEvent(new Event("docwright-shown"));
  }
  function tabsOf(set) {
    return all(":scope > [role=tablist] > [role=tab],:scope > .dw-choice > [role=tablist] > [role=tab]", set);
  }
  function titleOf(tab) {
    return tab.textContent.trim();
  }

  // ---- tabs ----
  function select(tab) {
    tabsOf(tab.closest("[data-tabs]")).forEach(function (each) {
      var chosen = each === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
      document.getElementById(each.getAttribute("aria-controls")).classList.toggle("active", chosen);
    });
  }

  // Sets that hold a tab of the same title follow.
  function show(tab) {
    var top = tab.getBoundingClientRect().top;
    select(tab);
    if (tab.closest("[data-tabs]").hasAttribute("data-sync")) {
      all("[data-tabs][data-sync]").forEach(function (set) {
        if (set.contains(tab)) return;
        var same = tabsOf(set).find(function (each) { return titleOf(each) === titleOf(tab); });
        if (same) select(same);
      });
    }
    tell();
    // What changed above must not move the tab from under the pointer.
    window.scrollBy(0, tab.getBoundingClientRect().top - top);
  }

  // What the reader chooses is chosen on other pages too.
  function choose(tab) {
    show(tab);
    if (!tab.closest("[data-sync]")) return;
    try {
      var kept = JSON.parse(localStorage.getItem(CHOICES)) || [];
      kept = kept.filter(function (title) { return title !== titleOf(tab); });
      localStorage.setItem(CHOICES, JSON.stringify([titleOf(tab)].concat(kept).slice(0, MOST_CHOICES)));
    } catch (_) {
      /* storage can be forbidden: nothing is remembered then */
    }
  }

  document.addEventListener("click", function (event) {
    var tab = event.target.closest("[role=tab]");
    if (tab && tab.closest("[data-tabs]")) choose(tab);
  });
  document.addEventListener("keydown", function (event) {
    var tab = event.target.closest && event.target.closest("[role=tab]");
    if (!tab) return;
    var tabs = all("[role=tab]", tab.parentElement);
    var at = tabs.indexOf(tab);
    var next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    var wanted = tabs[(next + tabs.length) % tabs.length];
    choose(wanted);
    wanted.focus();
  });

  // ---- many languages: a menu instead of a row of tabs ----
  all("[data-tabs][data-dropdown]").forEach(function (set) {
    var list = set.querySelector(":scope > [role=tablist]");
    var tabs = all("[role=tab]", list);
    if (tabs.length < 4) return;
    var menu = document.createElement("details");
    var current = document.createElement("summary");
    menu.className = "dw-choice";
    menu.dataset.dropdown = "";
    function follow() {
      var chosen = tabs.find(function (tab) { return tab.getAttribute("aria-selected") === "true"; });
      current.textContent = titleOf(chosen || tabs[0]);
    }
    list.addEventListener("click", function () {
      menu.open = false;
      current.focus();
    });
    new MutationObserver(follow).observe(list, { subtree: true, attributeFilter: ["aria-selected"] });
    follow();
    list.before(menu);
    menu.append(current, list);
  });

  // ---- fields that the page has shown before: a link opens a copy of them here ----
  var copies = 0;
  document.addEventListener("click", function (event) {
    var link = event.target.closest("a[href^='#fields-']");
    var line = link && link.closest("p");
    var fields = line && document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (!fields || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    var open = link.getAttribute("aria-expanded") === "true";
    link.setAttribute("aria-expanded", String(!open));
    if (open) {
      line.nextElementSibling.remove();
      return;
    }
    var copy = fields.cloneNode(true);
    copy.classList.add("dw-same-fields");
    all(".dw-same-fields", copy).forEach(function (inner) {
      all("[aria-expanded]", inner.previousElementSibling).forEach(function (each) { each.removeAttribute("aria-expanded"); });
      inner.remove();
    });
    // The first place keeps the ids.
    copies += 1;
    ["id", "aria-controls", "aria-labelledby"].forEach(function (name) {
      [copy].concat(all("[" + name + "]", copy)).forEach(function (each) {
        if (each.hasAttribute(name)) each.setAttribute(name, each.getAttribute(name) + "-copy" + copies);
      });
    });
    line.after(copy);
    tell();
  }, true);

  // ---- views of the page ----
  function showView(number) {
    all(".dw-view").forEach(function (view) { view.classList.toggle("active", view.dataset.view === String(number)); });
    all("[data-view-button]").forEach(function (button) {
      button.setAttribute("aria-pressed", String(button.dataset.viewButton === String(number)));
    });
    tell();
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-view-button]");
    if (button) showView(button.dataset.viewButton);
  });

  // ---- the place that the address names ----
  function letters(id) {
    return id.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  }

  // Ids of other programs, and of earlier versions of this one, differ in signs only.
  function place(id) {
    var exact = document.getElementById(id);
    if (exact || !letters(id)) return exact;
    var similar = all(".dw-main [id]").filter(function (each) { return letters(each.id) === letters(id); });
    return similar.length === 1 ? similar[0] : null;
  }

  function reveal() {
    var id;
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch (_) {
      return;
    }
    var target = id && place(id);
    if (!target) return;
    for (var element = target; element; element = element.parentElement) {
      if (element.tagName === "DETAILS") element.open = true;
      if (element.getAttribute("role") === "tabpanel" && !element.classList.contains("active")) {
        show(document.getElementById(element.getAttribute("aria-labelledby")));
      }
      if (element.dataset.view !== undefined && !element.classList.contains("active")) showView(element.dataset.view);
    }
    target.scrollIntoView();
    if (document.querySelector("[data-deferred]")) settle(target);
  }

  // Parts that are laid out late get their true height once they are near, which moves the place.
  var FRAMES = 30;
  function settle(target) {
    var left = FRAMES;
    ["wheel", "touchmove", "keydown", "pointerdown"].forEach(function (kind) {
      addEventListener(kind, function () { left = 0; }, { once: true, passive: true });
    });
    function again() {
      if (left-- <= 0) return;
      target.scrollIntoView();
      requestAnimationFrame(again);
    }
    requestAnimationFrame(again);
  }

  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
  // A link to the place that the address names already changes no address.
  document.addEventListener("click", function (event) {
    var link = event.target.closest("a[href^='#']");
    if (link && link.hash && link.hash === location.hash) setTimeout(reveal);
  });

  // ---- what readers open ----
  var printed = [];
  document.addEventListener("toggle", function (event) {
    var details = event.target;
    if (printed.indexOf(details) >= 0) return;
    tell();
    if (details.classList.contains("dw-accordion") && details.open && details.id && document.readyState === "complete") {
      try {
        history.replaceState(null, "", "#" + encodeURIComponent(details.id));
      } catch (_) {
        /* some places forbid it */
      }
    }
  }, true);

  // Paper opens nothing. The styles say so too, for browsers that can style what is closed.
  addEventListener("beforeprint", function () {
    printed = all(".dw-main details:not([open],[data-dropdown])");
    printed.forEach(function (details) { details.open = true; });
  });
  addEventListener("afterprint", function () {
    printed.forEach(function (details) { details.open = false; });
    setTimeout(function () { printed = []; });
  });
})();
