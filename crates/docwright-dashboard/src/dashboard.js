// Features that need a script. Everything else works without it.
(() => {
  "use strict";
  const ready = (root) => {
    for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(button.dataset.copy);
    const label = button.textContent;
    button.textContent = "✓";
    setTimeout(() => { button.textContent = label; }, 1200);
  });
  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm;
    if (question && !confirm(question)) event.preventDefault();
  });

  // Parts with a version refresh themselves.
  const isWritten = (field) => field === document.activeElement || (field.defaultValue ?? field.value) !== field.value;
  const isInUse = (part) => {
    const selection = getSelection();
    if (selection && !selection.isCollapsed && selection.containsNode(part, true)) return true;
    return [...part.querySelectorAll("textarea,select,input:not([type=hidden])")].some(isWritten);
  };
  // A name that identifies an element before and after a swap.
  const name = (element) => [element.tagName, element.id, element.href, element.form?.action, element.textContent].join("\n");
  const named = (part, wanted) => [...part.querySelectorAll("a,button,summary,[tabindex]")].find((each) => name(each) === wanted);
  const stand = (part) => {
    const active = document.activeElement;
    const top = (each) => each.getBoundingClientRect().top;
    // The reading position: the focused element, or the first visible link of a long part.
    const isIn = active !== document.body && active.id !== "content";
    const read = isIn ? active : top(part) < 0 && [...part.querySelectorAll("a[href],summary")].find((each) => top(each) >= 0);
    return {
      focus: part.contains(active) && name(active),
      read: read && [read, name(read), top(read)],
      open: new Map([...part.querySelectorAll("summary")].map((each) => [name(each), each.parentElement.open])),
      aside: [...part.querySelectorAll(".scroll")].map((each) => each.scrollLeft),
    };
  };
  const stood = new Map();
  document.addEventListener("htmx:before:request", (event) => {
    if (event.target.dataset?.version && document.hidden) event.preventDefault();
  });
  document.addEventListener("htmx:after:request", (event) => {
    const part = event.target;
    const version = part.dataset?.version;
    if (!version) return;
    const text = event.detail.ctx.text;
    // A response without the part is another page, such as the sign-in page.
    const isNew = text.includes(`id="${part.id}"`) && !text.includes(`data-version="${version}"`);
    if (!isNew || isInUse(part)) event.preventDefault();
    else stood.set(part.id, stand(part));
  });
  document.addEventListener("htmx:after:swap", () => {
    for (const [id, before] of stood) {
      const part = document.getElementById(id);
      if (!part) continue;
      for (const each of part.querySelectorAll("summary")) each.parentElement.open = before.open.get(name(each)) ?? each.parentElement.open;
      part.querySelectorAll(".scroll").forEach((each, number) => { each.scrollLeft = before.aside[number] ?? 0; });
      if (before.focus) named(part, before.focus)?.focus({ preventScroll: true });
      if (!before.read) continue;
      const [was, called, top] = before.read;
      const read = was.isConnected ? was : named(part, called);
      if (read) scrollBy(0, read.getBoundingClientRect().top - top);
    }
    stood.clear();
    ready(document);
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const part of document.querySelectorAll("[data-version]")) htmx.trigger(part, "every", {}, false);
  });
  ready(document);
})();
