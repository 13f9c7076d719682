// The assistant on pages of other sites: a button in a shadow tree, where the styles of the page don't reach. The panel is
// loaded when it is opened first. `site` has the languages of the site with the words of the button, those that are written
// from right to left, and its colors.
function docwrightWidget(site) {
  "use strict";
  const script = document.currentScript;
  const { key } = script.dataset;
  if (!key) {
    console.error("docwright: the script of the assistant has no data-key; add the key of this site");
    return;
  }
  const folder = new URL("./", script.src);
  const root = new URL("../../", folder).href;
  const language = languageOf(document.documentElement.lang);
  let loading = null;

  // The language of the site that is nearest to that of the page.
  function languageOf(wanted) {
    const known = Object.keys(site.labels);
    const main = (code) => code.toLowerCase().split("-")[0];
    return known.find((code) => code.toLowerCase() === wanted.toLowerCase()) || known.find((code) => main(code) === main(wanted)) || site.main;
  }

  // Whether the page is dark: it says so itself, or leaves it to the reader's device.
  function isDark() {
    const scheme = getComputedStyle(document.documentElement).colorScheme;
    return /dark/.test(scheme) && (!/light/.test(scheme) || matchMedia("(prefers-color-scheme:dark)").matches);
  }

  function part(parent, tag, attributes) {
    return new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(tag), attributes);
      element.onload = resolve;
      element.onerror = reject;
      parent.append(element);
    });
  }

  function start() {
    const host = document.createElement("docwright-assistant");
    // No rule of the page is stronger, and the browser's protection against inline styles allows it.
    host.style.setProperty("all", "initial", "important");
    const tree = host.attachShadow({ mode: "open" });
    const styles = new CSSStyleSheet();
    styles.replaceSync(BUTTON_STYLES.replace(/ACCENT/g, site.button).replace(/INK/g, site.ink));
    tree.adoptedStyleSheets = [styles];
    const place = document.createElement("div");
    place.dir = site.rightToLeft.includes(language) ? "rtl" : "ltr";
    place.lang = language;
    const launcher = Object.assign(document.createElement("button"), { type: "button", className: "launcher", textContent: site.labels[language] });
    launcher.setAttribute("aria-haspopup", "dialog");
    launcher.addEventListener("click", () => {
      place.className = `dw-widget js ${isDark() ? "dark" : "light"}`;
      loading = loading || load(tree, place);
      // Another click tries again.
      loading.then((panel) => panel.open(), () => { loading = null; });
    });
    place.append(launcher);
    tree.append(place);
    document.body.append(host);
  }

  function load(tree, place) {
    const address = (name) => new URL(name, folder).href;
    const scripts = [`${language}.js`, "panel.js"].map((name) => part(document.head, "script", { src: address(name) }));
    return Promise.all([part(tree, "link", { rel: "stylesheet", href: address("widget.css") }), ...scripts])
      .then(() => docwrightAssistant.Panel({ ...docwrightAssistantSettings, key, language, root, endpoint: `${root}_docwright/assistant`, widget: place }));
  }

  if (document.body) start();
  else addEventListener("DOMContentLoaded", start);
}

const BUTTON_STYLES = `
.launcher{position:fixed;inset-block-end:20px;inset-inline-end:20px;z-index:2147483000;min-height:44px;max-width:calc(100vw - 40px);padding:8px 20px;border:1px solid transparent;border-radius:22px;background:ACCENT;color:INK;font:600 15px/1.4 system-ui,sans-serif;box-shadow:0 4px 16px rgb(0 0 0/.25);cursor:pointer}
.launcher:focus-visible{outline:2px solid ACCENT;outline-offset:3px}
:has(dialog[open])>.launcher{visibility:hidden}
@media print{.launcher{display:none}}
`;
