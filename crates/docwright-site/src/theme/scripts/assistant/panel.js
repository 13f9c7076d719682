// The panel: beside the page in a wide window, over it in a narrow one, a sheet on phones. Pages of the mode `assistant`
// have it in the page.

// `settings` has the words, the site's root, the server's address, and what the page is.
function Panel(settings) {
  const { words, endpoint, host } = settings;
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
    search: window.docwrightSearchOpen && ((question) => {
      if (!wide.matches && !host) hide();
      docwrightSearchOpen(question);
    }),
  });
  const head = create("div", { class: "dw-assistant-head" }, title, fresh, close);
  const element = create(host ? "section" : "dialog", { class: "dw-assistant", id: "chat-assistant-sheet", "aria-labelledby": title.id }, head, conversation.log, composer.form, live);
  (host || document.body).append(element);
  composer.write(conversation.thread.draft);

  const isOpen = () => host || element.open;

  // Beside the page, the panel takes no focus from it; over the page, nothing else can have it.
  function show() {
    if (isOpen()) return;
    if (wide.matches) {
      element.setAttribute("open", "");
      document.documentElement.dataset.assistantShown = "";
    } else element.showModal();
    kept(openKey, true);
    conversation.reveal();
  }

  function hide() {
    if (host || !element.open) return;
    const hadFocus = element.contains(document.activeElement) || document.activeElement === document.body;
    element.close();
    delete document.documentElement.dataset.assistantShown;
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
    // Over the page, a link would lead to what the panel covers.
    if (event.target.closest("a[href]:not([target])") && !wide.matches) hide();
  });
  element.addEventListener("cancel", (event) => {
    event.preventDefault();
    hide();
  });
  wide.addEventListener("change", () => {
    if (host || !element.open) return;
    element.close();
    delete document.documentElement.dataset.assistantShown;
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
      const active = document.activeElement;
      if (toggle && isOpen() && element.contains(active) && !host) {
        hide();
        return;
      }
      if (!element.contains(active)) opener = active;
      show();
      if (selection) composer.setSelection(selection);
      if (question && ask && !conversation.isBusy()) conversation.ask(question);
      else if (question) composer.write(question);
      if (!quietly) composer.field.focus({ preventScroll: Boolean(host) });
    },
  };
}
