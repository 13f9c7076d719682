// Addresses of pages and links. Only pages and files of the site, and http(s) addresses, become links.

// The address of a page, or of a heading of it. `page` is relative to the site's root, without `.html`.
function pageAddress(root, page, anchor) {
  const path = page.split("/").filter(Boolean).map(encodeURIComponent).join("/");
  return `${root}${path || "index"}.html${anchor ? `#${encodeURIComponent(anchor)}` : ""}`;
}

// The address of a link in an answer; `null` for anything that must not be a link.
function linkAddress(root, destination) {
  if (/^https?:\/\//i.test(destination)) {
    try {
      return new URL(destination).href;
    } catch (_) {
      return null;
    }
  }
  if (/^[\w+.-]*:/.test(destination) || /^[\\/]{2}/.test(destination) || /[\u0000-\u001f\\]/.test(destination)) return null;
  const [, path, rest] = /^\/?([^?#]*)(.*)$/s.exec(destination);
  const isFile = /\.[a-z][a-z0-9]{0,7}$/i.test(path);
  const target = new URL(path && !isFile ? `${path.replace(/\/$/, "")}.html${rest}` : `${path}${rest}`, root);
  return target.href.startsWith(root) ? target.href : null;
}
