// Edits of docs.json: its keys and the navigation.

import { words } from "./texts.mjs";

/** Values of keys. */
const KEYS = {
  theme: ["mint", "maple", "palm", "willow", "linden", "almond", "aspen", "sequoia", "luma"], name: ["Edited", "Other docs"],
  description: ["How to use Acme", "Other"], "colors.primary": ["#0f766e", "#aa3300"], "colors.light": ["#5eead4"], "colors.dark": ["#134e4a"],
  logo: ["/logo.svg", { light: "/images/edited-1.png", dark: "/images/edited-2.png", href: "/edited" }], favicon: ["/favicon.svg", "/images/edited-3.png"],
  "fonts.family": ["Lora", "Inter"], "fonts.heading": [{ family: "Roboto", weight: 700 }], "background.decoration": ["grid", "windows"],
  "background.color": [{ light: "#fffbeb", dark: "#1c1917" }], "appearance.default": ["dark", "light"], "appearance.strict": [true],
  "icons.library": ["lucide", "fontawesome"], "styling.eyebrows": ["breadcrumbs", "section"], "styling.codeblocks": ["dark", "system", { theme: "github-dark" }],
  "styling.latex": [true, false], "navbar.links": [[{ label: "Blog", href: "https://example.com/blog" }], []],
  "navbar.primary": [{ type: "button", label: "Sign up", href: "https://example.com" }, { type: "github", href: "https://github.com/acme/docs" }],
  "footer.socials": [{ github: "https://github.com/acme", x: "https://x.com/acme" }],
  "footer.links": [[{ header: "Company", items: [{ label: "Jobs", href: "https://example.com/jobs" }, { label: "Page", href: "/index" }] }]],
  banner: [{ content: "An [edited](/index) banner", dismissible: true }, { content: "Other" }], "contextual.options": [["copy", "claude"], ["view", "mcp"], []],
  "contextual.display": ["toc", "header"], "interaction.drilldown": [true, false], redirects: [[{ source: "/edited", destination: "/index" }], [{ source: "/edited/:slug*", destination: "/:slug*" }], []],
  "errors.404.redirect": [true, false], "errors.404.title": ["Nothing"], "seo.indexing": ["all", "navigable"], "seo.metatags": [{ robots: "noindex" }, { "og:image": "/logo.png" }, { canonical: "https://docs.example.com" }],
  "seo.organization": [{ name: "Acme Ltd" }], "search.prompt": ["Find it"], "metadata.timestamp": [true, false], "markdown.instructions": ["Prefer version 2."],
  "api.openapi": ["openapi.json", []], "api.playground.display": ["none", "interactive", "simple"], "api.playground.proxy": [false], "api.params.expanded": ["all"],
  "api.examples.languages": [["curl", "go"], ["python"]], "api.examples.defaults": ["required", "all"], "api.mdx.server": ["https://api.example.com"], "api.mdx.auth.method": ["bearer", "key"],
  "integrations.ga4": [{ measurementId: "G-12345" }], "feedback.thumbsRating": [true], variables: [{ product: "Acme", edited: "changed" }, { edited: "2" }], unknown: ["x"],
};

/** The keys of divisions whose value is a name. */
const NAMES = ["group", "tab", "anchor", "dropdown", "product", "version", "language", "item"];

function changeConfig({ docs }, change) {
  const config = docs.config();
  if (!config) return undefined;
  const before = JSON.stringify(config);
  const what = change(config);
  if (what === undefined || JSON.stringify(config) === before) return undefined;
  docs.setConfig(config);
  return `${docs.configuration}: ${what}`;
}

/** All objects in a value. */
function objects(value) {
  if (value === null || typeof value !== "object") return [];
  const below = Object.values(value).flatMap(objects);
  return Array.isArray(value) ? below : [value, ...below];
}

/** Divisions of the navigation. */
function divisions(config) {
  return objects([config.navigation, config.tabs, config.anchors]).filter((each) => NAMES.some((name) => typeof each[name] === "string"));
}

/** Lists of several divisions. */
function siblings(config) {
  const values = objects([config.navigation]).flatMap((object) => Object.values(object));
  return values.filter((value) => Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === "object"));
}

/** Lists of pages. */
function lists(config) {
  return objects([config.navigation]).map(({ pages }) => pages).filter((pages) => Array.isArray(pages) && pages.length > 0);
}

/** An edit of a list of pages. */
const inList = (change) => (place) =>
  changeConfig(place, (config) => {
    const list = place.random.one(lists(config));
    return list && change(place, list, config);
  });

/** An edit of a division. */
const inDivision = (change) => (place) =>
  changeConfig(place, (config) => {
    const division = place.random.one(divisions(config));
    return division && change(place, division, config);
  });

/** Sets a key, whose parts are objects. Removes it without a value. */
function setKey(config, path, value) {
  const parts = path.split(".");
  const last = parts.pop();
  let object = config;
  for (const part of parts) {
    if (object[part] === null || typeof object[part] !== "object") object[part] = {};
    object = object[part];
  }
  if (value === undefined) delete object[last];
  else object[last] = value;
}

export const CONFIGURATION_EDITS = {
  "key set": (place) =>
    changeConfig(place, (config) => {
      const key = place.random.one(Object.keys(KEYS));
      const value = place.random.one(KEYS[key]);
      setKey(config, key, value);
      return `${key} set to ${JSON.stringify(value)}`;
    }),
  "key removed": (place) =>
    changeConfig(place, (config) => {
      const key = place.random.one(Object.keys(config).filter((each) => each !== "navigation" && each !== "$schema"));
      delete config[key];
      return `${key} removed`;
    }),
  "docs.json broken": ({ docs }) => {
    docs.write(docs.configuration, docs.read(docs.configuration).trimEnd().slice(0, -1));
    return `${docs.configuration} broken`;
  },
  "docs.json indented": ({ docs, random }) => {
    const config = docs.config();
    if (config) docs.write(docs.configuration, JSON.stringify(config, null, random.below(8)));
    return config && `${docs.configuration} indented`;
  },
  "entry removed": inList(({ random }, list) => `${JSON.stringify(list.splice(random.below(list.length), 1)).slice(0, 80)} removed`),
  "entry renamed": inList(({ random }, list) => {
    const at = random.below(list.length);
    if (typeof list[at] !== "string") return undefined;
    list[at] += "-renamed";
    return `${list[at]} without a page`;
  }),
  "entry moved": inList(({ random }, list, config) => {
    const [entry] = list.splice(random.below(list.length), 1);
    const to = random.one(lists(config));
    if (!to) return undefined;
    to.splice(random.below(to.length + 1), 0, entry);
    return `${JSON.stringify(entry).slice(0, 80)} moved`;
  }),
  "order changed": inList(({ random }, list) => {
    list.splice(0, list.length, ...random.shuffled(list));
    return "order changed";
  }),
  "page added": (place) => {
    const { docs, random } = place;
    const page = `edited/new-${random.below(1000)}`;
    const changed = inList((_, list) => {
      list.splice(random.below(list.length + 1), 0, page);
      return `${page} added`;
    })(place);
    docs.write(`${page}.mdx`, `---\ntitle: ${words(random, 2)}\n---\n\n## ${words(random, 2)}\n\n${words(random, 20)}.\n`);
    return changed ?? `${page} added`;
  },
  "page renamed": (place) => {
    const { docs, random } = place;
    return inList((_, list) => {
      const at = list.findIndex((entry) => typeof entry === "string" && docs.has(`${entry}.mdx`));
      if (at < 0) return undefined;
      const to = `${list[at]}-${words(random, 1)}`;
      docs.move(`${list[at]}.mdx`, `${to}.mdx`);
      list[at] = to;
      return `page renamed to ${to}`;
    })(place);
  },
  "page listed twice": inList(({ random }, list, config) => {
    const entry = random.one(list);
    random.one(lists(config)).push(entry);
    return `${JSON.stringify(entry).slice(0, 80)} listed twice`;
  }),
  "hidden page listed": (place) =>
    inList(({ docs, random }, list) => {
      const page = random.one(docs.pages()).replace(/\.mdx?$/, "");
      list.push(page);
      return `${page} listed`;
    })(place),
  "division renamed": inDivision(({ random }, division) => {
    const name = NAMES.find((each) => typeof division[each] === "string");
    if (name === "language") return undefined;
    division[name] += ` ${words(random, 1)}`;
    return `${name} renamed to ${division[name]}`;
  }),
  "division changed": inDivision(({ random }, division) => {
    const [key, values] = random.one(Object.entries({ icon: ["star", "book"], tag: ["NEW"], hidden: [true], expanded: [true, false], root: ["index"], directory: ["card", "accordion"], searchable: [false], boost: [3], href: ["https://example.com"], openapi: ["openapi.json"], default: [true] }));
    division[key] = random.one(values);
    return `${key} of a division set to ${division[key]}`;
  }),
  "divisions reordered": (place) =>
    changeConfig(place, (config) => {
      const list = place.random.one(siblings(config));
      if (list) list.splice(0, list.length, ...place.random.shuffled(list));
      return list && "divisions reordered";
    }),
  "division removed": (place) =>
    changeConfig(place, (config) => {
      const removed = place.random.one(siblings(config))?.splice(-1, 1);
      return removed && `division ${JSON.stringify(removed).slice(0, 80)} removed`;
    }),
  "group added": inList(({ docs, random }, list) => {
    const pages = random.shuffled(docs.pages()).slice(0, 3).map((page) => page.replace(/\.mdx?$/, ""));
    list.push({ group: words(random, 2), pages });
    return "group added";
  }),
};
