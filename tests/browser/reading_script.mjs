// Waits for the script that reports what readers do on a page.

/** Lets the pages of a context say when the script runs. Call it before the first page opens. */
export async function watchReadingScript(context) {
  await context.addInitScript(() => {
    document.addEventListener("load", ({ target }) => {
      if (target.matches?.("script[src*='_docwright/reading.js']")) target.dataset.ran = "";
    }, true);
  });
}

/** Waits until the script runs on a page: what a reader does before isn't reported. */
export const readingScript = (page) => page.locator("script[src*='_docwright/reading.js'][data-ran]").waitFor({ state: "attached" });
