// The panel: beside the page in a wide window, over it in a narrow one, a sheet on phones. Pages of the mode `assistant`
// have it in the page.

// `settings` has the words, the site's root, the server's address, what the deployment sets, and what the page is. On a page of
// another site, `widget` is the element of its shadow tree, and `key` the key of that site.
function Panel(settings) {
  const { words, endpoint, host, widget } = settings;
  const wide = matchMedia("(min-width:80rem)");
  const openKey = `docwright-assistant-open:${endpoint}`;
  const live = create("p", { class: "dw-visually-hidden", role: "status" });
  const title = create("h2", { id: "dw-assistant-title" }, words.title);
  const fresh = button(words.new, () => {
    conversation.clear();
    composer.field.focus();
  }, { class: "dw-assistant-new" });
  const close = host ? null : button("×", hide, { class: "dw-assistant-close", "aria-label": words.close });
  let opener = null;

  const composer = Composer(words, { send: (question, selection) => conversation.ask(question, selection), stop: () => conversation.stop() });
  const conversation = Conversation(settings, {
    announce: (text) => { live.textContent = text; },
    onBusy: composer.setBusy,
    onThread: showSupport,
    search: window.docwrightSearchOpen && ((question) => {
      if (!wide.matches && !host) hide();
      docwrightSearchOpen(question);
    }),
  });
  const head = create("div", { class: "dw-assistant-head" }, title, fresh, close);
  const element = create(host ? "section" : "dialog", { class: "dw-assistant", id: "chat-assistant-sheet", "aria-labelledby": title.id }, head, conversation.log, composer.form, live);
  (host || widget || document.body).append(element);
  composer.write(conversation.thread.draft);
  showSupport();

  const isOpen = () => host || element.open;
  // In a shadow tree, the document only knows its host.
  const active = () => element.getRootNode().activeElement || document.activeElement;

  // The text of a page of another site makes no room.
  function setBeside(isBeside) {
    if (widget) return;
    if (isBeside) document.documentElement.dataset.assistantShown = "";
    else delete document.documentElement.dataset.assistantShown;
  }

  // The way to people, with the id of the conversation.
  function showSupport() {
    composer.setSupport(supportLink(settings, conversation.thread.id));
  }

  // Beside the page, the panel takes no focus from it; over the page, nothing else can have it.
  function show() {
    if (isOpen()) return;
    if (wide.matches) {
      element.setAttribute("open", "");
      setBeside(true);
    } else element.showModal();
    kept(openKey, true);
    conversation.reveal();
  }

  function hide() {
    if (host || !element.open) return;
    const hadFocus = element.contains(active()) || document.activeElement === document.body;
    element.close();
    setBeside(false);
    try {
      sessionStorage.removeItem(openKey);
    } catch (_) {
      /* nothing was kept */
    }
    if (hadFocus && opener?.isConnected) opener.focus();
  }

  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    hide();
  });
  // What lies outside of the head, the log, and the form is the backdrop.
  element.addEventListener("click", (event) => {
    if (event.target === element && !wide.matches) hide();
    const link = event.target.closest("a[href]:not([target],[href^='mailto:'])");
    // Readers of another site stay there.
    if (link && widget) Object.assign(link, { target: "_blank", rel: "noopener" });
    // Over the page, a link would lead to what the panel covers.
    else if (link && !wide.matches) hide();
    // The script of the site's pages copies code; other sites don't have it.
    const copy = widget && event.target.closest("[data-copy]");
    if (copy) copyText(copy.parentElement.querySelector("code").textContent, copy, "");
  });
  element.addEventListener("cancel", (event) => {
    event.preventDefault();
    hide();
  });
  wide.addEventListener("change", () => {
    if (host || !element.open) return;
    element.close();
    setBeside(false);
    show();
  });
  window.addEventListener("pagehide", () => {
    conversation.thread.draft = composer.field.value;
    conversation.stop();
    conversation.thread.save();
  });
  // The sheet stays above the keyboard of a phone.
  window.visualViewport?.addEventListener("resize", () => {
    const covered = window.innerHeight - visualViewport.height - visualViewport.offsetTop;
    element.style.setProperty("--keyboard", `${Math.max(0, Math.round(covered))}px`);
  });

  return {
    // `question` fills the field, or is asked with `ask`; `selection` is text of the page; `quietly` leaves the focus where it
    // is; `toggle` closes the panel that has the focus.
    open({ question, ask, selection, quietly, toggle } = {}) {
      const current = active();
      if (toggle && isOpen() && element.contains(current) && !host) {
        hide();
        return;
      }
      if (!element.contains(current)) opener = current;
      show();
      if (selection) composer.setSelection(selection);
      if (question && ask && !conversation.isBusy()) conversation.ask(question);
      else if (question) composer.write(question);
      if (!quietly) composer.field.focus({ preventScroll: Boolean(host) });
    },
  };
}
