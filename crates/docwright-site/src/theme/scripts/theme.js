// What a page does beyond reading and navigating. Every part works alone; none is needed to read.
(function () {
  "use strict";
  var root = document.documentElement;
  // The root of the site: the script is in a folder there.
  var folder = new URL("..", document.currentScript.src).pathname;

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

  // ---- language: the home page opens in the chosen one, where docwright serves it ----
  document.addEventListener("click", function (event) {
    var link = event.target.closest("a.dw-nav-dropdown-item[hreflang]");
    if (!link || location.protocol === "file:") return;
    document.cookie = "docwright_language=" + link.hreflang + "; path=" + folder + "; max-age=31536000; samesite=lax";
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
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(text).then(function () { done(button); }, function () {});
      return;
    }
    var area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    if (document.execCommand("copy")) done(button);
    area.remove();
  }

  // ---- pictures, copied and downloaded ----
  function done(button) {
    button.dataset.done = "";
    setTimeout(function () { delete button.dataset.done; }, 1500);
  }
  // What the clipboard takes: a PNG file.
  function png(image) {
    var canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return new Promise(function (resolve, reject) {
      canvas.toBlob(function (blob) { if (blob) resolve(blob); else reject(new Error("empty image")); });
    });
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy-image],[data-download-image]");
    if (!button) return;
    var image = button.closest(".dw-image").querySelector("img");
    var address = image.currentSrc || image.src;
    if ("downloadImage" in button.dataset) {
      var link = document.createElement("a");
      link.href = address;
      link.download = "";
      link.click();
      return;
    }
    // Pictures of other sites and of files can't be read; their address can be copied.
    var copied;
    try {
      copied = navigator.clipboard.write([new ClipboardItem({ "image/png": png(image) })]);
    } catch (error) {
      copied = Promise.reject(error);
    }
    copied.then(function () { done(button); }, function () { copy(address, button); });
  });

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
  // ---- on a preview, the same page before and after ----
  var changes = offered("changes");
  if (changes) document.addEventListener("keydown", function (event) {
    var isText = event.target.closest("input,textarea,select,[contenteditable],dialog");
    if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey || isText || event.defaultPrevented) return;
    location.assign(changes + location.pathname);
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
      document.dispatchEvent(new Event("docwright-shown"));
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
    sidebar.addEventListener("click", function (event) {
      if (event.target.closest("a") && !event.defaultPrevented) menu.open = false;
    });
    // The menu opens at the page that is shown.
    menu.addEventListener("toggle", function () {
      var current = menu.open && sidebar.querySelector("[aria-current=page]");
      if (!current) return;
      openGroups(current.closest("details"));
      current.scrollIntoView({ block: "center" });
    });
  })();

  // Opens a group of the sidebar and those around it.
  function openGroups(group) {
    for (; group; group = group.parentElement.closest("details")) group.open = true;
  }

  // ---- closed groups of a very long sidebar ----
  all(".dw-sidebar-nav[data-list]").forEach(function (nav) {
    nav.addEventListener("click", function (event) {
      var link = event.target.closest(".dw-sidebar-closed");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      var top = link.getBoundingClientRect().top;
      var script = document.createElement("script");
      script.src = nav.dataset.list;
      script.addEventListener("error", function () { location.href = link.href; });
      script.addEventListener("load", function () { reveal(nav, link.href, top); });
      document.head.append(script);
    });
  });
  // Opens the group that an address is in, and leaves it where the reader saw it.
  function reveal(nav, address, top) {
    var found = all("a", nav).find(function (link) { return link.href === address; });
    var root = found.closest(".dw-sidebar-root");
    openGroups(root ? root.nextElementSibling : found.closest("details"));
    found.focus({ preventScroll: true });
    document.getElementById("sidebar-content").scrollTop += found.getBoundingClientRect().top - top;
  }

  // ---- pictures, large ----
  all("img[data-zoom]").forEach(function (image) {
    image.tabIndex = 0;
    image.setAttribute("role", "button");
    if (!image.alt) image.alt = "Image";
  });
  function enlarge(event) {
    var source = event.target.closest("img[data-zoom]");
    if (!source || source.naturalWidth <= source.clientWidth) return;
    var large = document.createElement("img");
    large.src = source.currentSrc || source.src;
    large.alt = source.alt;
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
    if (event.key === "Enter" || event.key === " ") enlarge(event);
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
