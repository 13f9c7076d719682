// Waits for the script that reports what readers do on a page.

const SCRIPT = "script[src*='_docwright/reading.js']";

/** Lets the pages of a context say when the script runs. Call it before the first page opens. */
export async function watchReadingScript(context) {
  await context.addInitScript((script) => {
    document.addEventListener("load", ({ target }) => {
      if (target.matches?.(script)) target.dataset.ran = "";
    }, true);
  }, SCRIPT);
}

/** Waits until the script runs on a page: what a reader does before isn't reported. */
export const readingScript = (page) => page.locator(`${SCRIPT}[data-ran]`).waitFor({ state: "attached" });
