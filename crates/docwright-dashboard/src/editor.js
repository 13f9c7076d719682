// Previews of a page while someone writes it: at most one at once, a second after the last key. Without this script, the
// button does it.
(() => {
  "use strict";
  const PAUSE = 1000;
  const form = document.querySelector("form.editor");
  const text = form.elements.namedItem("text");
  const written = text.value;
  let isLeaving = false;
  addEventListener("beforeunload", (event) => {
    if (!isLeaving && text.value !== written) event.preventDefault();
  });
  const button = form.querySelector("button[formtarget]");
  let frame = form.querySelector("iframe");
  let shown = text.value;
  let next = null;
  let timer = 0;
  let number = 0;
  // Each text has a frame of its own, so that the browser's history has no entry for it, and the last one stays
  // visible until the next one is there.
  const prepare = () => {
    next?.remove();
    next = frame.cloneNode(false);
    next.removeAttribute("src");
    next.name = `draft-${(number += 1)}`;
    next.classList.add("coming");
    frame.after(next);
    button.formTarget = next.name;
    shown = text.value;
    const own = next;
    own.addEventListener("load", () => {
      if (own !== next) return;
      frame.remove();
      frame = own;
      next = null;
      own.classList.remove("coming");
      later();
    });
  };
  const later = () => {
    clearTimeout(timer);
    if (next || text.value === shown) return;
    timer = setTimeout(() => form.requestSubmit(button), PAUSE);
  };
  form.addEventListener("submit", (event) => {
    if (event.submitter && event.submitter === button) prepare();
    else isLeaving = true;
  });
  // The next preview opens where the reader of this one is.
  addEventListener("message", (event) => {
    const { scrolled } = event.data ?? {};
    if (event.source === frame?.contentWindow && Number.isFinite(scrolled)) form.elements.namedItem("scrolled").value = Math.round(scrolled);
  });
  if (button) text.addEventListener("input", later);
})();
