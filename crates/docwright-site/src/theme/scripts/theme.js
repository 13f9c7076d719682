// What a page does beyond reading and navigating. Every part works alone; none is needed to read.
(function () {
  "use strict";
  var root = document.documentElement;

  function all(selector, within) {
    return Array.prototype.slice.call((within || document).querySelectorAll(selector));
  }

  // Storage can be forbidden, on file:// for one.
  function stored(key, value) {
    try {
      if (value === undefined) return localStorage.getItem(key);
      localStorage.setItem(key, value);
    } catch (_) {
      /* nothing is remembered then */
    }
    return null;
  }

  // ---- color mode ----
  document.addEventListener("click", function (event) {
    if (!event.target.closest("[data-mode-toggle]")) return;
    var dark = !root.classList.contains("dark");
    root.classList.toggle("dark", dark);
    root.classList.toggle("light", !dark);
    stored("docwright-mode", dark ? "dark" : "light");
  });

  // ---- copying ----
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy]");
    if (!button) return;
    var holder = button.closest("[data-copy-text],.dw-code-block,.dw-prompt");
    var source = holder && (holder.querySelector("pre code") || holder.querySelector("[data-copy-source]"));
    copy((holder && holder.dataset.copyText) || (source ? source.textContent : ""), button);
  });

  function copy(text, button) {
    var done = function () {
      button.dataset.done = "";
      setTimeout(function () { delete button.dataset.done; }, 1500);
    };
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(text).then(done, function () {});
      return;
    }
    var area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    if (document.execCommand("copy")) done();
    area.remove();
  }

  // ---- the page for elsewhere ----
  // On file:// nothing can be fetched: what is shown must do.
  function pageText(address) {
    var shown = document.querySelector("article.dw-content").innerText;
    return fetch(address).then(function (answer) { return answer.ok ? answer.text() : shown; }).catch(function () { return shown; });
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy-page]");
    if (button) pageText(button.dataset.copyPage).then(function (text) { copy(text, button); });
  });
  all("[data-ask]").forEach(function (link) {
    link.href = link.dataset.ask + encodeURIComponent("Read from " + location.href + " so I can ask questions about it.");
  });
  all("[data-print]").forEach(function (button) {
    button.addEventListener("click", function () { window.print(); });
  });

  // The server that gave the page says what else it does, and where.
  function offered(name) {
    var visit = performance.getEntriesByType("navigation")[0];
    var offer = ((visit && visit.serverTiming) || []).find(function (each) { return each.name === name; });
    return offer && location.origin + offer.description;
  }
  var server = offered("mcp");
  all("[data-mcp]").forEach(function (entry) {
    entry.hidden = !server;
    if (!server) return;
    if (entry.dataset.copyServer !== undefined) {
      entry.addEventListener("click", function () { copy(entry.dataset.copyServer + server, entry); });
    } else if (entry.dataset.addServer === "cursor") {
      var config = btoa(JSON.stringify({ url: server }));
      entry.href = "cursor://anysphere.cursor-deeplink/mcp/install?name=" + encodeURIComponent(entry.dataset.name) + "&config=" + encodeURIComponent(config);
    } else {
      entry.href = "vscode:mcp/install?" + encodeURIComponent(JSON.stringify({ name: entry.dataset.name, type: "http", url: server }));
    }
  });
  all("[data-template]").forEach(function (link) {
    var template = link.dataset.template.replace("$path", encodeURIComponent(location.pathname)).replace("$mcp", encodeURIComponent(server || location.origin + "/mcp"));
    link.href = template.replace("$page", encodeURIComponent(location.href));
    if (!template.includes("$page")) return;
    link.addEventListener("click", function (event) {
      event.preventDefault();
      pageText(link.dataset.markdown).then(function (text) {
        window.open(template.replace("$page", encodeURIComponent(text)), "_blank", "noopener");
      });
    });
  });
  // ---- did the page help? ----
  all("[data-feedback]").forEach(function (form) {
    var address = offered("feedback");
    var comment = form.querySelector(".dw-feedback-comment");
    var helpful;
    var sent = false;
    form.hidden = !address;
    function answered() {
      sent = true;
      return JSON.stringify({ page: form.dataset.feedback, helpful: helpful, comment: form.querySelector("textarea").value || null });
    }
    // Who leaves without a comment has still given an answer.
    window.addEventListener("pagehide", function () {
      if (helpful !== undefined && !sent) navigator.sendBeacon(address, new Blob([answered()], { type: "application/json" }));
    });
    function sendAnswer() {
      var answer = answered();
      fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: answer }).then(function (reply) {
        if (!reply.ok) return;
        var thanks = form.querySelector("[data-thanks]");
        thanks.textContent = thanks.dataset.thanks;
        form.querySelector("fieldset").hidden = true;
        comment.hidden = true;
      }).catch(function () {});
    }
    all("fieldset button", form).forEach(function (button) {
      button.addEventListener("click", function () {
        helpful = button.value === "true";
        all("fieldset button", form).forEach(function (each) { each.setAttribute("aria-pressed", String(each === button)); });
        comment.hidden = false;
        form.querySelector("textarea").focus();
      });
    });
    form.addEventListener("submit", function (event) { event.preventDefault(); sendAnswer(); });
    form.querySelector("#feedback-form-cancel").addEventListener("click", sendAnswer);
  });

  // ---- tooltips stay within the window ----
  all(".dw-tooltip").forEach(function (tooltip) {
    function place() {
      var content = tooltip.querySelector(".dw-tooltip-content");
      content.style.setProperty("--shift", "0px");
      var box = content.getBoundingClientRect();
      var beyond = Math.max(0, box.right - (document.documentElement.clientWidth - 8)) || Math.min(0, box.left - 8);
      content.style.setProperty("--shift", -beyond + "px");
    }
    tooltip.addEventListener("pointerenter", place);
    tooltip.addEventListener("focusin", place);
  });

  // ---- tabs ----
  function select(tab, focus) {
    var set = tab.closest("[data-tabs]");
    all(":scope > [role=tablist] > [role=tab]", set).forEach(function (each) {
      var chosen = each === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
      document.getElementById(each.getAttribute("aria-controls")).classList.toggle("active", chosen);
    });
    if (focus) tab.focus();
  }

  // Sets that hold a tab of the same title follow.
  function choose(tab, focus) {
    var top = tab.getBoundingClientRect().top;
    select(tab, focus);
    var title = tab.textContent.trim();
    if (tab.closest("[data-tabs]").hasAttribute("data-sync")) {
      all("[data-tabs][data-sync]").forEach(function (set) {
        if (set.contains(tab)) return;
        var same = all(":scope > [role=tablist] > [role=tab]", set).find(function (each) { return each.textContent.trim() === title; });
        if (same) select(same, false);
      });
    }
    // What changed above must not move the tab from under the pointer.
    window.scrollBy(0, tab.getBoundingClientRect().top - top);
  }

  document.addEventListener("click", function (event) {
    var tab = event.target.closest("[role=tab]");
    if (tab && tab.closest("[data-tabs]")) choose(tab, false);
  });
  document.addEventListener("keydown", function (event) {
    var tab = event.target.closest && event.target.closest("[role=tab]");
    if (!tab) return;
    var tabs = all("[role=tab]", tab.parentElement);
    var at = tabs.indexOf(tab);
    var next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(tabs[(next + tabs.length) % tabs.length], true);
  });

  // ---- the place that the address names ----
  function reveal() {
    var id;
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch (_) {
      return;
    }
    var target = id && document.getElementById(id);
    if (!target) return;
    for (var element = target; element; element = element.parentElement) {
      if (element.tagName === "DETAILS") element.open = true;
      if (element.getAttribute("role") === "tabpanel" && !element.classList.contains("active")) {
        choose(document.getElementById(element.getAttribute("aria-labelledby")), false);
      }
      if (element.dataset.view !== undefined && !element.classList.contains("active")) showView(element.dataset.view);
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  document.addEventListener("toggle", function (event) {
    var details = event.target;
    if (details.classList && details.classList.contains("dw-accordion") && details.open && details.id && document.readyState === "complete") {
      try {
        history.replaceState(null, "", "#" + encodeURIComponent(details.id));
      } catch (_) {
        /* some places forbid it */
      }
    }
  }, true);

  // ---- views of the page ----
  function showView(number) {
    all(".dw-view").forEach(function (view) { view.classList.toggle("active", view.dataset.view === String(number)); });
    all("[data-view-button]").forEach(function (button) {
      button.setAttribute("aria-pressed", String(button.dataset.viewButton === String(number)));
    });
    all(".dw-toc-item[data-view]").forEach(function (item) { item.hidden = item.dataset.view !== String(number); });
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-view-button]");
    if (button) showView(button.dataset.viewButton);
  });
  if (document.querySelector("[data-view-button]")) showView(0);

  // ---- changelog filters ----
  (function () {
    var bar = document.getElementById("changelog-filters");
    var tags = [];
    function tagsOf(update) {
      return JSON.parse(update.dataset.tags || "[]");
    }
    all(".dw-update[data-tags]").forEach(function (update) {
      tagsOf(update).forEach(function (tag) { if (tags.indexOf(tag) < 0) tags.push(tag); });
    });
    if (!bar || tags.length < 2) return;
    var named = (new URLSearchParams(location.search).get("tags") || "").split(",");
    var chosen = tags.filter(function (tag) { return named.indexOf(tag) >= 0; });
    function apply() {
      all(".dw-update").forEach(function (update) {
        var own = tagsOf(update);
        update.hidden = !chosen.every(function (tag) { return own.indexOf(tag) >= 0; });
      });
      all("button", bar).forEach(function (button) { button.setAttribute("aria-pressed", String(chosen.indexOf(button.textContent) >= 0)); });
    }
    tags.forEach(function (tag) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = tag;
      button.addEventListener("click", function () {
        chosen = chosen.indexOf(tag) >= 0 ? chosen.filter(function (each) { return each !== tag; }) : chosen.concat(tag);
        apply();
      });
      bar.append(button);
    });
    bar.hidden = false;
    apply();
  })();

  // ---- many languages: a list to choose from instead of a row of tabs ----
  all("[data-tabs][data-dropdown]").forEach(function (set) {
    var list = set.querySelector(":scope > [role=tablist]");
    var tabs = all("[role=tab]", list);
    if (tabs.length < 4) return;
    var chooser = document.createElement("select");
    chooser.setAttribute("aria-label", "Language");
    tabs.forEach(function (tab, number) { chooser.append(new Option(tab.textContent.trim(), String(number))); });
    chooser.addEventListener("change", function () { choose(tabs[Number(chooser.value)], false); });
    new MutationObserver(function () {
      chooser.value = String(tabs.findIndex(function (tab) { return tab.getAttribute("aria-selected") === "true"; }));
    }).observe(list, { subtree: true, attributeFilter: ["aria-selected"] });
    list.hidden = true;
    list.before(chooser);
  });

  // ---- contents list ----
  (function () {
    var links = all(".dw-toc-item a");
    if (links.length === 0) return;
    var box = links[0].closest(".dw-toc");
    var targets = links.map(function (link) { return document.getElementById(decodeURIComponent(link.hash.slice(1))); });
    // The place that the reader asked for, until the reader moves on.
    var asked = -1;
    function ask() {
      asked = links.findIndex(function (link) { return link.hash === location.hash; });
      mark();
    }
    function mark() {
      // Headings pass the edge below the header. The last ones would never reach it: on the last
      // screen the edge comes towards them.
      var top = parseFloat(getComputedStyle(root).scrollPaddingTop) + 8;
      var range = root.scrollHeight - innerHeight;
      var edge = top;
      if (range > 0) edge += (innerHeight - top) * Math.max(0, 1 - (range - scrollY) / Math.min(innerHeight, range));
      var current = 0;
      targets.forEach(function (target, index) {
        if (target && target.offsetParent !== null && target.getBoundingClientRect().top <= edge) current = index;
      });
      var place = asked >= 0 && targets[asked] && targets[asked].getBoundingClientRect();
      if (place && place.top >= 0 && place.bottom <= innerHeight) current = asked;
      links.forEach(function (link, index) {
        if (index === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
      keepInSight(box, links[current]);
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
    addEventListener("hashchange", ask);
    ask();
  })();

  // Scrolls a box as little as it takes to show what is in it.
  function keepInSight(box, item) {
    var outer = box.getBoundingClientRect();
    var inner = item.getBoundingClientRect();
    box.scrollTop += Math.min(0, inner.top - outer.top - 24) || Math.max(0, inner.bottom - outer.bottom + 24);
  }

  // ---- menus close when the reader goes elsewhere ----
  document.addEventListener("click", function (event) {
    all("details[data-dropdown][open]").forEach(function (menu) { if (!menu.contains(event.target)) menu.open = false; });
  });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") return;
    all("details[data-dropdown][open],.dw-mobile-menu[open]").forEach(function (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  });
  (function () {
    var menu = document.getElementById("mobile-nav");
    var sidebar = document.querySelector(".dw-sidebar");
    if (!menu || !sidebar) return;
    sidebar.addEventListener("click", function (event) { if (event.target.closest("a")) menu.open = false; });
  })();

  // ---- pictures, large ----
  all("img[data-zoom]").forEach(function (image) {
    image.tabIndex = 0;
    image.setAttribute("role", "button");
    if (!image.alt) image.alt = "Image";
  });
  function enlarge(event) {
    var button = event.target.closest("[data-enlarge]");
    var source = button ? button.parentElement.querySelector("[data-zoom]") : event.target.closest("[data-zoom]");
    if (!source || (event.target.closest("a") && source.tagName !== "IMG")) return;
    var large;
    if (source.tagName === "IMG") {
      if (source.naturalWidth <= source.clientWidth) return;
      large = document.createElement("img");
      large.src = source.currentSrc || source.src;
      large.alt = source.alt;
    } else {
      large = source.querySelector("svg").cloneNode(true);
    }
    event.preventDefault();
    var dialog = document.createElement("dialog");
    dialog.className = "dw-zoom-dialog";
    dialog.append(large);
    document.body.append(dialog);
    dialog.addEventListener("click", function () { dialog.close(); });
    dialog.addEventListener("close", function () { dialog.remove(); });
    dialog.showModal();
  }
  document.addEventListener("click", enlarge);
  document.addEventListener("keydown", function (event) {
    if (event.key === "Enter" || (event.key === " " && event.target.tagName === "IMG")) {
      if (!event.target.closest("[data-enlarge]")) enlarge(event);
    }
  });

  // ---- banner ----
  (function () {
    var banner = document.querySelector("section.dw-banner");
    if (!banner) return;
    if (stored("docwright-banner") === banner.dataset.banner) banner.hidden = true;
    banner.addEventListener("click", function (event) {
      if (!event.target.closest("[data-banner-close]")) return;
      banner.hidden = true;
      stored("docwright-banner", banner.dataset.banner);
    });
  })();
})();
