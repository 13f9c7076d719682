// The search dialog: a combobox over pages and their sections, with filters. Loads nothing until the opener opens it.
(function () {
  "use strict";
  if (typeof document === "undefined") return;
  // Pages that are shown first, in the next frame, with each further step, and at most.
  var FIRST = 4;
  var NEXT = 4;
  var STEP = 10;
  var MOST = 60;
  // Pages that were opened from the dialog, as far as they are kept.
  var RECENT = 5;
  var FACETS = ["section", "kind", "version"];
  var script = document.currentScript;
  var root = script.dataset.root || "";
  var language = script.dataset.language || "en";
  var labels = { prompt: script.dataset.prompt, nothing: script.dataset.nothing, close: script.dataset.close };
  var filter = script.dataset.version ? { version: script.dataset.version } : {};
  var engines = {};
  var selects = {};
  var dialog, input, list, status, hint, filters, footer, engine, about, ranking;
  var shown = 0;
  var chosen = -1;
  var rows = 0;
  var asked = 0;
  var isScrolled = false;

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
    hint = create("p", { class: "dw-search-hint" });
    filters = create("div", { class: "dw-search-filters" });
    footer = create("div", { class: "dw-search-keys", "aria-hidden": "true" });
    var close = create("button", { type: "button", class: "dw-search-close", "aria-label": labels.close }, ["Esc"]);
    dialog = create("dialog", { class: "dw-search-dialog", "aria-label": labels.prompt }, [
      create("div", { class: "dw-search-head" }, [input, close]), filters, hint, list, status, footer,
    ]);
    document.body.append(dialog);
    close.addEventListener("click", function () { dialog.close(); });
    dialog.addEventListener("click", function (event) {
      if (event.target === dialog) dialog.close();
    });
    input.addEventListener("input", ask);
    input.addEventListener("keydown", onKey);
    list.addEventListener("scroll", function () {
      isScrolled = list.scrollTop > 0;
      if (list.scrollTop + list.clientHeight > list.scrollHeight - 80) more();
    });
    list.addEventListener("mousemove", function (event) {
      var option = event.target.closest("[role=option]");
      if (option) choose(options().indexOf(option), false);
    });
    list.addEventListener("click", function (event) {
      var link = event.target.closest("a");
      if (link) remember(link);
    });
    search(language);
  }

  // Changes the language that is searched.
  function search(code) {
    language = code;
    engine = engines[code] = engines[code] || docwrightSearch.Engine(docwrightSearch.loader(root, code));
    engine.about().then(function (found) {
      about = found;
      footer.replaceChildren(key("↑↓", about.labels.select), key("↵", about.labels.open), key("Esc", labels.close));
      ask();
    }).catch(fail);
  }

  function key(name, label) {
    return create("span", {}, [create("kbd", {}, [name]), " " + label]);
  }

  function open(query) {
    if (!dialog) build();
    if (!dialog.open) dialog.showModal();
    input.select();
    if (query) input.value = query;
    ask();
  }

  function fail(error) {
    status.textContent = "Search does not work here: " + error.message + ".";
  }

  function ask() {
    var query = input.value;
    var number = (asked += 1);
    if (!query.trim()) return suggest();
    engine.find(query, { filter: filter }).then(function (found) {
      return engine.show(found, 0, FIRST).then(function (results) {
        if (number !== asked) return;
        ranking = found;
        show(query, results);
      });
    }).catch(function (error) {
      if (number === asked) fail(error);
    });
  }

  // Calls a function after the browser has painted, unless there is another query then.
  function afterFrame(callback) {
    var number = asked;
    requestAnimationFrame(function () {
      setTimeout(function () { if (number === asked) callback(); });
    });
  }

  // Adds the next results to the list.
  function more(count) {
    var from = shown;
    var number = asked;
    if (!ranking || from >= Math.min(MOST, ranking.found.length)) return;
    shown = Math.min(MOST, from + (count || STEP));
    engine.show(ranking, from, shown).then(function (results) {
      if (number !== asked) return;
      results.forEach(add);
      offer();
    }).catch(fail);
  }

  function show(query, results) {
    clear();
    shown = results.length;
    var symbol = results.filter(function (result) { return result.symbol; })[0];
    if (symbol) addSymbol(symbol);
    results.forEach(add);
    if (results.length === 0) status.textContent = labels.nothing + " “" + query + "”";
    if (ranking.correction) {
      var button = create("button", { type: "button" }, [ranking.correction]);
      button.addEventListener("click", function () {
        input.value = ranking.correction;
        input.focus();
        ask();
      });
      hint.replaceChildren(about.labels.didYouMean + " ", button);
    }
    offer();
    finish();
    // The rows that a reader sees first don't wait for the others.
    afterFrame(function () {
      showFilters();
      more(NEXT);
    });
  }

  // Other scripts of the site can add a last row. They learn the query and the number of pages found.
  function offer() {
    list.dispatchEvent(new CustomEvent("docwright-found", { bubbles: true, detail: { query: input.value, count: ranking.count } }));
  }

  // Pages that the reader opened before, and those that many pages link to.
  function suggest() {
    clear();
    ranking = null;
    if (filters.firstChild) filters.replaceChildren();
    if (!about) return;
    var suggested = about.suggested.map(function (page) { return [page[0], address({ path: page[1] })]; });
    [[about.labels.recent, recent()], [about.labels.suggested, suggested]].forEach(function (group) {
      if (group[1].length === 0) return;
      list.append(create("li", { class: "dw-search-group", role: "presentation" }, [group[0]]));
      group[1].forEach(function (page) { list.append(option(page[1], [line("title", [page[0]])])); });
    });
    finish();
  }

  // Changes only what must change: the browser would need more time for the page than the search for its results.
  function clear() {
    // To read the position, the browser would lay out rows that are removed here.
    if (isScrolled) list.scrollTop = 0;
    isScrolled = false;
    chosen = -1;
    rows = 0;
    list.replaceChildren();
    if (hint.firstChild) hint.replaceChildren();
    if (status.firstChild) status.textContent = "";
  }

  function finish() {
    var some = options().length > 0;
    input.setAttribute("aria-expanded", String(some));
    if (some) choose(0, false);
    else input.removeAttribute("aria-activedescendant");
  }

  function options() {
    return Array.prototype.slice.call(list.querySelectorAll("[role=option]"));
  }

  function line(kind, children) {
    return create("span", { class: "dw-search-" + kind }, children);
  }

  function option(path, children, kind) {
    rows += 1;
    var item = create("li", { role: "option", id: "search-result-" + (rows - 1), "aria-selected": "false" }, [
      create("a", { href: root + path, tabindex: "-1" }, children),
    ]);
    if (kind) item.className = kind;
    return item;
  }

  function marked(pieces) {
    return pieces.map(function (piece) { return piece[1] ? create("mark", {}, [piece[0]]) : piece[0]; });
  }

  function addSymbol(result) {
    var symbol = result.symbol;
    list.append(option(address(result, symbol.id), [
      line("title", [create("code", {}, [symbol.name]), line("kind", [about.labels[symbol.kind]])]),
      line("place", [result.crumbs.concat(result.title).join(" › ")]),
      line("text", marked(symbol.pieces)),
    ], "dw-search-symbol"));
  }

  function add(result) {
    var place = result.crumbs.slice();
    list.append(option(address(result, result.id), [
      line("title", [result.title]), line("place", [place.join(" › ")]),
      line("text", marked(result.heading ? result.top : result.pieces)),
    ]));
    result.sections.forEach(function (section) {
      if (section.heading === result.title) return;
      list.append(option(address(result, section.id), [
        line("heading", [section.heading]), line("text", marked(section.pieces)),
      ], "dw-search-section"));
    });
  }

  function address(result, id) {
    return result.path.split("/").map(encodeURIComponent).join("/") + (id ? "#" + encodeURIComponent(id) : "");
  }

  // The filters that have a choice.
  function showFilters() {
    var parts = [];
    FACETS.forEach(function (name) {
      var values = ranking.facets[name].filter(function (value) { return value[0] && (value[1] > 0 || value[0] === filter[name]); });
      if (values.length < 2 && !filter[name]) return;
      var named = function (value) { return name === "kind" ? about.labels[value] : value; };
      parts.push(select(name, filter[name] || "", [["", about.labels[name]]].concat(values.map(function (value) {
        return [value[0], named(value[0]) + " (" + value[1] + ")"];
      })), function (value) {
        if (value) filter[name] = value;
        else delete filter[name];
        ask();
      }));
    });
    if (about.languages.length > 1) parts.push(select("language", language, about.languages, search));
    var same = parts.length === filters.children.length && parts.every(function (part, at) { return part === filters.children[at]; });
    if (!same) filters.replaceChildren.apply(filters, parts);
  }

  // The element of a filter. It stays the same from key to key, and so do its options as long as their values do.
  function select(name, value, values, chosen) {
    var element = selects[name];
    if (!element) {
      element = selects[name] = create("select");
      element.addEventListener("change", function () { chosen(element.value); });
    }
    if (element.ariaLabel !== about.labels[name]) element.setAttribute("aria-label", about.labels[name]);
    var same = values.length === element.options.length && values.every(function (each, at) { return each[0] === element.options[at].value; });
    if (!same) element.replaceChildren.apply(element, values.map(function (each) { return create("option", { value: each[0] }, [each[1]]); }));
    else values.forEach(function (each, at) {
      if (element.options[at].textContent !== each[1]) element.options[at].textContent = each[1];
    });
    if (element.value !== value) element.value = value;
    return element;
  }

  function choose(index, scroll) {
    var all = options();
    var before = list.querySelector("[aria-selected=true]");
    if (before) before.setAttribute("aria-selected", "false");
    chosen = index;
    var option = all[chosen];
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", option.id);
    if (scroll) option.scrollIntoView({ block: "nearest" });
    if (scroll && chosen > all.length - 3) more();
  }

  function onKey(event) {
    if (event.isComposing) return;
    var all = options();
    // Results that arrived since then came before the last row.
    chosen = all.findIndex(function (each) { return each.getAttribute("aria-selected") === "true"; });
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      var step = event.key === "ArrowDown" ? 1 : -1;
      if (all.length > 0) choose((chosen + step + all.length) % all.length, true);
    } else if (event.key === "Enter" && all[chosen]) {
      event.preventDefault();
      dialog.close();
      all[chosen].querySelector("a").click();
    }
  }

  // Recent pages are kept for the site, which its root names.
  function store() {
    return "docwright-search:" + new URL(root || ".", location.href).pathname;
  }

  function recent() {
    try {
      return JSON.parse(localStorage.getItem(store())) || [];
    } catch (error) {
      return [];
    }
  }

  function remember(link) {
    var title = link.querySelector(".dw-search-title, .dw-search-heading");
    var page = [title ? title.textContent : link.textContent, link.getAttribute("href").slice(root.length)];
    var others = recent().filter(function (other) { return other[1] !== page[1]; });
    try {
      localStorage.setItem(store(), JSON.stringify([page].concat(others).slice(0, RECENT)));
    } catch (error) {
      // Without storage, nothing is remembered.
    }
  }

  window.docwrightSearchDialog = { open: open };
})();
