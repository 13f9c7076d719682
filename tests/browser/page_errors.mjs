// Errors that scripts of a page report.

/** Adds the errors of a page to a list, from now on. Returns the list. */
export function pageErrors(page, errors = []) {
  // A slow machine can let the browser give up the fade between two pages. It reports that as an error of the page.
  page.on("pageerror", (error) => /Transition was (aborted|skipped)/.test(error) || errors.push(`${page.url()}: ${error}`));
  return errors;
}
