// Pages whose last part arrives late, as on a slow connection.

import { readFileSync } from "node:fs";
import { join } from "node:path";

// Returns `handle` for a fixture, which answers `late/PATH` with the page at PATH up to `mark`, and `finish`, which sends
// the rest of the page that was asked for last. `folder` returns the folder of the site.
export function latePages(folder, mark) {
  let finish;
  return {
    finish: () => finish(),
    handle(request, response) {
      const path = request.url.match(/^\/late\/([\w/-]+\.html)$/)?.[1];
      if (!path) return false;
      // Addresses in the page are relative to its own.
      const html = readFileSync(join(folder(), path), "utf8").replace("<head>", `<head><base href="/${path}">`);
      const end = html.indexOf(mark);
      if (end < 0) throw new Error(`${path} has no ${mark}`);
      response.writeHead(200, { "content-type": "text/html" });
      response.write(html.slice(0, end));
      finish = () => response.end(html.slice(end));
      return true;
    },
  };
}

// Opens the late page at a path, and waits until its first part is drawn.
export async function openLate(site, path, options) {
  const page = await site.open("404.html", options);
  await page.goto(new URL(`late/${path}`, site.address).href, { waitUntil: "commit" });
  await page.locator(".mdx-content p").first().waitFor();
  return page;
}
