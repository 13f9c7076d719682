// The search dialog: a combobox over a list of results. Loads nothing until it is opened.
(function () {
  "use strict";
  if (typeof document === "undefined") return;
  var script = document.currentScript;
  var root = script.dataset.root || "";
  var language = script.dataset.language || "en";
  var labels = { prompt: script.dataset.prompt, nothing: script.dataset.nothing, close: script.dataset.close };
  var dialog, input, list, status, engine;
  var results = [];
  var chosen = -1;
  var asked = 0;

  function create(tag, attributes, children) {
    var element = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      element.setAttribute(name, attributes[name]);
    });
    (children || []).forEach(function (child) {
      element.append(child);
    });
    return element;
  }

  function build() {
    input = create("input", {
      id: "search-input", type: "search", role: "combobox", "aria-expanded": "false", "aria-controls": "search-results",
      "aria-autocomplete": "list", "aria-label": labels.prompt, placeholder: labels.prompt, autocomplete: "off",
      autocapitalize: "off", spellcheck: "false", enterkeyhint: "go",
    });
    list = create("ul", { id: "search-results", role: "listbox", "aria-label": labels.prompt });
    status = create("p", { class: "dw-search-status", role: "status" });
    var close = create("button", { type: "button", class: "dw-search-close", "aria-label": labels.close }, ["Esc"]);
    dialog = create("dialog", { class: "dw-search-dialog", "aria-label": labels.prompt }, [
      create("div", { class: "dw-search-head" }, [input, close]), list, status,
    ]);
    document.body.append(dialog);
    close.addEventListener("click", function () { dialog.close(); });
    dialog.addEventListener("click", function (event) {
      if (event.target === dialog) dialog.close();
    });
    input.addEventListener("input", ask);
    input.addEventListener("keydown", onKey);
    list.addEventListener("mousemove", function (event) {
      var option = event.target.closest("[role=option]");
      if (option) choose(Array.prototype.indexOf.call(list.children, option), false);
    });
    engine = docwrightSearch.Engine(docwrightSearch.loader(root, language));
  }

  function open(query) {
    if (!dialog) build();
    if (!dialog.open) dialog.showModal();
    input.select();
    if (query) {
      input.value = query;
      ask();
    } else {
      // Loaded before the reader has finished typing.
      engine.search("a", 1).catch(function () {});
    }
  }

  function ask() {
    var query = input.value;
    var number = (asked += 1);
    engine.search(query, 8).then(function (found) {
      if (number !== asked) return;
      show(query, found);
      found.forEach(function (result, index) {
        // Titles are shown immediately, and excerpts follow.
        engine.excerpt(result).then(function (excerpt) {
          if (number === asked) addExcerpt(index, result, excerpt);
        }).catch(function () {});
      });
    }).catch(function (error) {
      if (number === asked) status.textContent = "Search does not work here: " + error.message + ".";
    });
  }

  function show(query, found) {
    results = found;
    chosen = -1;
    list.textContent = "";
    found.forEach(function (result, index) {
      list.append(option(result, index));
    });
    input.setAttribute("aria-expanded", String(found.length > 0));
    status.textContent = found.length > 0 || !query.trim() ? "" : labels.nothing + " “" + query + "”";
    if (found.length > 0) choose(0, false);
    else input.removeAttribute("aria-activedescendant");
  }

  function option(result, index) {
    var link = create("a", { href: address(result), tabindex: "-1" }, [
      create("span", { class: "dw-search-title" }, [result.title]),
      create("span", { class: "dw-search-place" }, [result.crumbs.join(" › ")]),
      create("span", { class: "dw-search-text" }),
    ]);
    return create("li", { role: "option", id: "search-result-" + index, "aria-selected": "false" }, [link]);
  }

  function addExcerpt(index, result, excerpt) {
    var link = list.children[index].firstChild;
    link.href = address(result) + (excerpt.id ? "#" + encodeURIComponent(excerpt.id) : "");
    var place = result.crumbs.slice();
    if (excerpt.heading && excerpt.heading !== result.title) place.push(excerpt.heading);
    link.querySelector(".dw-search-place").textContent = place.join(" › ");
    var text = link.querySelector(".dw-search-text");
    excerpt.pieces.forEach(function (piece) {
      text.append(piece[1] ? create("mark", {}, [piece[0]]) : piece[0]);
    });
  }

  function address(result) {
    return root + result.path.split("/").map(encodeURIComponent).join("/");
  }

  function choose(index, scroll) {
    if (chosen >= 0 && list.children[chosen]) list.children[chosen].setAttribute("aria-selected", "false");
    chosen = index;
    var option = list.children[chosen];
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", option.id);
    if (scroll) option.scrollIntoView({ block: "nearest" });
  }

  function onKey(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      var step = event.key === "ArrowDown" ? 1 : -1;
      if (results.length > 0) choose((chosen + step + results.length) % results.length, true);
    } else if (event.key === "Enter" && list.children[chosen]) {
      event.preventDefault();
      dialog.close();
      list.children[chosen].querySelector("a").click();
    }
  }

  document.addEventListener("click", function (event) {
    if (event.target.closest("[data-search-open]")) open();
  });
  document.addEventListener("keydown", function (event) {
    var typing = /^(input|textarea|select)$/i.test(event.target.tagName) || event.target.isContentEditable;
    if ((event.key === "k" && (event.metaKey || event.ctrlKey)) || (event.key === "/" && !typing)) {
      event.preventDefault();
      open();
    }
  });
  window.docwrightSearchOpen = open;
})();
