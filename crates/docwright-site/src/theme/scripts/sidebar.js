// All of a long sidebar, in place of the part that the page has.
(function (html) {
  "use strict";
  var nav = document.querySelector(".dw-sidebar-nav");
  var current = nav.querySelector("[aria-current=page]");
  // The script is two folders below the root of the site.
  var site = new URL("../..", document.currentScript.src);
  var list = document.createElement("template");
  list.innerHTML = html;
  ["href", "src"].forEach(function (name) {
    list.content.querySelectorAll("[" + name + "]:not([" + name + "^='#'])").forEach(function (element) {
      element.setAttribute(name, new URL(element.getAttribute(name), site).href);
    });
  });
  list.content.querySelectorAll("a:not([data-first])").forEach(function (link) {
    if (!current || link.href !== current.href) return;
    link.setAttribute("aria-current", "page");
    link.toggleAttribute("data-active", link.parentElement.localName === "li");
    for (var group = link.closest("details"); group; group = group.parentElement.closest("details")) group.open = true;
  });
  nav.querySelector("ul").replaceWith(list.content);
})(LIST);
