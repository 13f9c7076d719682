// Runs authors' interactive components with Preact. Only pages with such components load it.
(function (global) {
  "use strict";
  const preact = global.preact;
  const compat = global.preactCompat;
  const factories = {};
  const loaded = {};
  const thunks = {};
  let links = {};
  let icons = {};

  // ---- addresses: authors write them from the root of the site ----
  const root = (function () {
    const script = document.currentScript && document.currentScript.getAttribute("src");
    return script ? script.replace(/_docwright\/code\/.*$/, "") : "";
  })();
  function address(written, isPage) {
    if (typeof written !== "string") return written;
    if (links[written]) return links[written];
    if (!/^\/(?!\/)/.test(written)) return written;
    const [, path, rest] = /^\/([^?#]*)(.*)$/.exec(written);
    const file = path.replace(/\/$/, "") || "index";
    return root + file + (isPage && !/\.[a-z0-9]{2,5}$/i.test(file) ? ".html" : "") + rest;
  }

  // ---- content from Markdown, moved to the place where the component shows it ----
  const slots = {};
  function Slot({ index }) {
    const show = (element) => {
      if (!element || !slots[index]) return;
      element.append(...slots[index]);
      // Hidden content can contain islands.
      mountIslands(element);
    };
    return h("docwright-slot", { "data-slot": index, ref: show });
  }
  const filled = (value) => (value && typeof value === "object" && value.$slot !== undefined ? preact.h(Slot, { index: value.$slot, key: "slot-" + value.$slot }) : Array.isArray(value) ? value.map(filled) : value);

  function h(type, props, ...children) {
    const given = {};
    for (const key of Object.keys(props || {})) given[key] = filled(props[key]);
    if (type === "a" && given.href !== undefined) given.href = address(given.href, true);
    if (typeof type === "string" && given.src !== undefined) given.src = address(given.src, false);
    if (type === undefined || type === null || (typeof type === "object" && type.snippet)) type = preact.Fragment;
    return compat.createElement(type, given, ...children.map(filled));
  }

  // ---- built-in components that code creates in the browser ----
  const className = (name) => (props) => h("div", { class: name + " dw-" + name + " " + (props.className || ""), style: props.style }, props.children);
  function Icon({ icon, name, src, size, color, className: given }) {
    const which = icon || name || src;
    if (typeof which !== "string") return which || null;
    const style = { ...(size ? { width: size + "px", height: size + "px" } : {}), ...(color ? { color, backgroundColor: "transparent" } : {}) };
    if (/[/.]/.test(which)) return h("img", { class: "icon dw-icon " + (given || ""), src: which, alt: "", style });
    return h("span", { class: "dw-icon-holder " + (given || ""), style, dangerouslySetInnerHTML: { __html: icons[which] || "" } });
  }
  const callout = (kind) => (props) => h("div", { class: "callout dw-callout", "data-callout-type": kind, role: "note" }, h("div", { class: "dw-callout-content" }, props.children));
  function Card(props) {
    const title = props.title && h("p", { class: "dw-card-title" }, props.href ? h("a", { class: "dw-card-link", href: props.href }, props.title) : props.title);
    return h(
      "div",
      { class: "card dw-card " + (props.className || ""), "data-link": props.href ? "" : undefined, "data-horizontal": props.horizontal ? "" : undefined },
      props.img && h("img", { class: "dw-card-image", src: props.img, alt: "" }),
      h("div", { class: "dw-card-body" }, props.icon && h("div", { class: "dw-card-icon" }, h(Icon, { icon: props.icon })), title, h("div", { class: "dw-card-content" }, props.children)),
    );
  }
  function CodeBlock(props) {
    return h("div", { class: "code-block dw-code-block" }, props.filename && h("div", { class: "dw-code-block-header" }, props.filename), h("pre", null, h("code", null, props.children)));
  }
  const details = (name) => (props) => h("details", { class: name + " dw-" + name, open: props.defaultOpen }, h("summary", null, props.title), h("div", { class: "dw-" + name + "-content" }, props.children));
  const named = {
    Icon,
    Card,
    CodeBlock,
    Accordion: details("accordion"),
    Expandable: details("expandable"),
    Columns: (props) => h("div", { class: "columns dw-columns", style: "--columns:" + (props.cols || 2) }, props.children),
    Badge: (props) => h("span", { class: "dw-badge", "data-color": props.color || "gray" }, props.children),
    Tooltip: (props) => h("span", { class: "tooltip dw-tooltip", title: props.tip }, props.children),
    Link: (props) => h("a", props, props.children),
    Frame: className("frame"),
  };
  named.CardGroup = named.Columns;
  for (const kind of ["Note", "Warning", "Info", "Tip", "Check", "Danger"]) named[kind] = callout(kind.toLowerCase());
  const MintlifyComponents = new Proxy(named, { get: (own, key) => own[key] || preact.Fragment });
  const prelude = new Proxy(
    { ...compat, ...global.preactHooks, React: compat, MintlifyComponents, h, Fragment: preact.Fragment, user: {} },
    { get: (own, key) => (key in own ? own[key] : MintlifyComponents[key]) },
  );

  // Modules can look for it among the globals while they are loaded.
  global.React = global.React || compat;

  // ---- modules ----
  function load(key) {
    if (key === "react") return { ...compat, ...global.preactHooks, default: compat };
    if (key === "react-dom") return { ...compat, default: compat };
    if (!factories[key]) return new Proxy({}, { get: () => preact.Fragment });
    if (!loaded[key]) {
      loaded[key] = {};
      const { targets, make } = factories[key];
      try {
        make(prelude)((target) => load(targets[target] || "missing"), loaded[key], (number, thunk) => (thunks[number] = thunk));
      } catch (error) {
        delete loaded[key];
        throw error;
      }
    }
    return loaded[key];
  }

  class Boundary extends compat.Component {
    static getDerivedStateFromError() {
      return { failed: true };
    }
    render() {
      return this.state.failed ? null : this.props.children;
    }
  }

  let page;
  function mount(given) {
    page = given;
    links = page.links;
    icons = page.icons;
    document.querySelectorAll("template[data-slot]").forEach((template) => {
      slots[template.dataset.slot] = [...template.content.childNodes];
    });
    document.querySelectorAll("docwright-slot").forEach((slot) => {
      slots[slot.dataset.slot] = [...slot.childNodes];
    });
    mountIslands(document);
  }

  function mountIslands(within) {
    within.querySelectorAll("docwright-island:not([data-mounted])").forEach((island) => {
      const number = Number(island.dataset.island);
      island.dataset.mounted = "";
      try {
        load(page.islands[number]);
        const scope = {};
        for (const name of Object.keys(page.scopes[number])) scope[name] = filled(page.scopes[number][name]);
        const shown = thunks[number](scope);
        island.textContent = "";
        preact.render(preact.h(Boundary, null, shown), island);
      } catch (error) {
        // The content from the build stays.
        console.warn("docwright: a component of this page failed", error);
      }
    });
  }

  global.docwrightCode = { define: (key, targets, make) => (factories[key] = { targets, make }), mount };
})(window);
