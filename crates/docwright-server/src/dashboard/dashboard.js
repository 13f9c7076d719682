// What pages can do only with a script. Everything else works without.
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
  document.addEventListener("htmx:after:swap", () => ready(document));
  ready(document);
})();
