// Loads the playground when a reader opens it, or comes by a link that ends in `?playground=open`.
(function () {
  "use strict";
  const script = document.currentScript;
  const opener = document.querySelector("[data-playground-open]");
  if (!opener) return;
  let loading = null;

  function part(tag, attributes) {
    return new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(tag), attributes);
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });
  }

  function load() {
    const address = (name) => new URL(`playground/${name}`, script.src).href;
    const parts = [part("link", { rel: "stylesheet", href: address("dialog.css") }), part("script", { src: address("dialog.js") })];
    return Promise.all(parts).then(() => docwrightPlayground.Playground(new URL("..", script.src)));
  }

  function open() {
    loading = loading || load();
    // Without a network, another click tries again.
    loading.then((playground) => playground.open(), () => { loading = null; });
  }

  opener.addEventListener("click", open);
  if (new URLSearchParams(location.search).get("playground") === "open") open();
})();
