// Where a reader can ask from: the button, a key, the search, selected text, and a link with `?assistant=`. The panel
// is loaded when it is opened first.
(function () {
  "use strict";
  // Characters of selected text that the server takes.
  const MOST_SELECTED = 4000;
  const script = document.currentScript;
  const settings = script.dataset;
  const root = document.documentElement;
  // The place of the panel on pages of the mode `assistant`.
  const host = document.querySelector("[data-assistant-page]");
  let loading = null;
  let about = null;

  function part(tag, attributes) {
    return new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(tag), attributes);
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });
  }

  function load() {
    const address = (name) => new URL(`assistant/${name}`, script.src).href;
    const scripts = [`${settings.language}.js`, "panel.js"].map((name) => part("script", { src: address(name) }));
    return Promise.all([part("link", { rel: "stylesheet", href: address("panel.css") }), ...scripts])
      .then(() => docwrightAssistant.Panel({ ...settings, ...docwrightAssistantSettings, root: new URL("..", script.src).href, endpoint: root.dataset.assistant, host }));
  }

  // `wanted` is what `open` of the panel takes.
  function open(wanted) {
    if (!root.dataset.assistant) return;
    // The text makes room immediately: what moves later would surprise.
    if (!host && matchMedia("(min-width:80rem)").matches) root.dataset.assistantShown = "";
    loading = loading || load();
    loading.then((panel) => panel.open(wanted), () => {
      // Another click tries again.
      loading = null;
      delete root.dataset.assistantShown;
    });
  }

  // As much of a text as the server takes. Half a character isn't valid in JSON.
  function shortened(text) {
    return text.trim().slice(0, MOST_SELECTED).replace(/[\ud800-\udbff]$/, "");
  }

  // The selected text of the page.
  function selected() {
    const selection = getSelection();
    const content = document.getElementById("content-area");
    if (!selection.rangeCount || !content || !content.contains(selection.getRangeAt(0).commonAncestorContainer)) return "";
    return shortened(String(selection));
  }

  // A button on each code block, beside the one that copies it.
  function offerCode() {
    const icon = document.querySelector("[data-assistant-open] svg");
    for (const block of document.querySelectorAll(".dw-main .dw-code-block")) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "dw-assistant-code", title: settings.code });
      button.setAttribute("aria-label", settings.code);
      if (icon) button.append(icon.cloneNode(true));
      button.addEventListener("click", () => open({ selection: shortened(block.querySelector("code").textContent) }));
      block.querySelector("pre").before(button);
    }
  }

  // A button below selected text.
  function offerAbout() {
    if (about) about.remove();
    about = null;
    const text = selected();
    if (!text || !root.dataset.assistant) return;
    about = Object.assign(document.createElement("button"), { type: "button", id: "text-selection-tooltip", className: "dw-assistant-about", textContent: settings.about });
    about.addEventListener("mousedown", (event) => event.preventDefault());
    about.addEventListener("click", () => {
      about.remove();
      open({ selection: text });
    });
    document.body.append(about);
    const place = getSelection().getRangeAt(0).getBoundingClientRect();
    const left = Math.min(place.left, root.clientWidth - about.offsetWidth - 8);
    about.style.left = `${Math.max(8, left) + scrollX}px`;
    about.style.top = `${place.bottom + scrollY + 8}px`;
  }

  // A last row in the results of the search.
  function offerRow(event) {
    const query = event.detail.query.trim();
    if (!query || !root.dataset.assistant) return;
    let row = document.getElementById("search-assistant");
    if (!row) {
      row = Object.assign(document.createElement("li"), { id: "search-assistant", className: "dw-assistant-row" });
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", "false");
      const link = Object.assign(document.createElement("a"), { href: `?assistant=${encodeURIComponent(query)}`, tabIndex: -1, textContent: `${settings.ask}: ${query}` });
      link.addEventListener("click", (click) => {
        click.preventDefault();
        click.stopPropagation();
        document.getElementById("search-input").closest("dialog").close();
        open({ question: query, ask: true });
      });
      row.append(link);
    }
    event.target.append(row);
  }

  // A link fills the question in, and the reader sends it: nobody else decides what a reader asks, and what that costs.
  function start() {
    if (!root.dataset.assistant) return;
    offerCode();
    const address = new URL(location.href);
    const question = address.searchParams.get("assistant");
    if (question !== null) {
      address.searchParams.delete("assistant");
      history.replaceState(history.state, "", address);
      open({ question });
    } else if (host || "assistantShown" in root.dataset) open({ quietly: true });
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-assistant-open]")) open({ selection: selected() });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "i" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (!root.dataset.assistant || event.target.isContentEditable) return;
    // What is typed in the search goes along; other dialogs keep the reader.
    const modal = document.querySelector("dialog:modal:not(#chat-assistant-sheet)");
    const searched = modal && modal.querySelector("#search-input");
    if (modal && !searched) return;
    event.preventDefault();
    if (modal) modal.close();
    open({ question: searched && searched.value, selection: selected(), toggle: !modal });
  });
  document.addEventListener("pointerup", () => setTimeout(offerAbout));
  document.addEventListener("keyup", (event) => { if (event.shiftKey || event.key === "Shift" || about) offerAbout(); });
  document.addEventListener("docwright-found", offerRow);
  if (root.dataset.assistant || document.readyState === "complete") start();
  else addEventListener("load", start);
})();
