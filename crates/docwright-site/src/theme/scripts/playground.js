// The playground of API pages: a form made from what the page says, and the answer of the server.
(function () {
  "use strict";
  const holder = document.querySelector(".dw-playground-data");
  const opener = document.querySelector("[data-playground-open]");
  if (!holder || !opener) return;
  const data = JSON.parse(holder.textContent);
  const key = "docwright-playground:" + data.method + " " + data.path;
  let dialog;
  let aborted;

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const name of Object.keys(attributes || {})) {
      const value = attributes[name];
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }
  const text = (value) => (value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

  // Storage can be forbidden, on file:// for one. Secrets are kept for the tab only.
  function keep(store, name, value) {
    try {
      if (value === undefined) return JSON.parse(store().getItem(name));
      store().setItem(name, JSON.stringify(value));
    } catch (_) {
      /* nothing is remembered then */
    }
    return null;
  }
  const session = () => sessionStorage;
  const local = () => localStorage;

  // Pages whose fields are written by hand say what there is by showing it.
  function parametersOfPage() {
    return [...document.querySelectorAll(".dw-field[data-field]")]
      .filter((field) => !field.parentElement.closest(".dw-field") && ["path", "query", "header", "cookie", "body"].includes(field.dataset.field))
      .map((field) => ({
        in: field.dataset.field,
        name: field.querySelector(".dw-field-name").textContent.trim(),
        type: (field.querySelector(".dw-field-type") || { textContent: "string" }).textContent.trim(),
        required: !!field.querySelector(".dw-field-required"),
      }));
  }

  function control(parameter, name) {
    const placeholder = text(parameter.hint) || (parameter.required ? "required" : "");
    if (parameter.file || parameter.type === "file") return make("input", { type: "file", name });
    if (parameter.type === "file[]") return make("input", { type: "file", name, multiple: true });
    const options = parameter.options || (parameter.type === "boolean" ? [true, false] : null);
    if (options) {
      const select = make("select", { name }, make("option", { value: "" }, "—"));
      for (const option of options) select.append(make("option", { value: text(option), selected: text(option) === text(parameter.value) && parameter.value !== null }, text(option)));
      return select;
    }
    const numeric = /^(integer|number)/.test(parameter.type || "");
    return make("input", { name, value: text(parameter.value), placeholder, inputmode: numeric ? "decimal" : undefined, autocomplete: "off", spellcheck: "false" });
  }
  function row(parameter, name, input) {
    return make("label", {}, make("span", {}, parameter.name + (parameter.required ? " *" : ""), make("small", {}, parameter.type || "")), input || control(parameter, name));
  }
  const group = (title, rows) => (rows.length ? make("fieldset", {}, make("legend", {}, title), ...rows) : null);

  function build() {
    const parameters = data.parameters || parametersOfPage();
    const secrets = keep(session, "docwright-credentials") || {};
    const credentials = data.credentials.map((credential, index) => row({ ...credential, type: credential.prefix.trim() || "key" }, "", make("input", { name: "credential-" + index, type: "password", autocomplete: "off", value: secrets[credential.name] || credential.value || "", placeholder: credential.prefix === "Basic " ? "username:password" : "" })));
    const rows = (place) => parameters.filter((parameter) => parameter.in === place).map((parameter) => row(parameter, place + ":" + parameter.name));
    const body = data.body;
    let bodyGroup = null;
    if (body && body.fields.length) bodyGroup = group("Body (" + body.type + ")", body.fields.map((field) => row(field, "form:" + field.name)));
    else if (body && /json/.test(body.type)) bodyGroup = group("Body (" + body.type + ")", [make("textarea", { name: "body", spellcheck: "false", "aria-label": "Body" }, JSON.stringify(body.sample, null, 2))]);
    else if (body && /octet-stream|image|audio|video|pdf/.test(body.type)) bodyGroup = group("Body (" + body.type + ")", [row({ name: "file" }, "", make("input", { type: "file", name: "file" }))]);
    else if (body) bodyGroup = group("Body (" + body.type + ")", [make("textarea", { name: "body", spellcheck: "false", "aria-label": "Body" }, text(body.sample))]);
    else bodyGroup = group("Body", rows("body"));
    const servers = data.servers.map((server) => make("option", { value: server.url }, server.url + (server.description ? " – " + server.description : "")));
    const server = make("label", {}, make("span", {}, "Server"), servers.length > 1 ? make("select", { name: "server" }, ...servers) : make("input", { name: "server", value: data.servers[0].url }));
    const answer = make("div", { class: "dw-playground-answer", "aria-live": "polite" }, make("p", {}, "Send the request to see the answer here."));
    const form = make(
      "form",
      { method: "dialog", onsubmit: (event) => (event.preventDefault(), send(form, answer)) },
      make("div", { class: "dw-playground-head" }, make("span", { class: "method-pill dw-method-pill", "data-method": data.method }, data.method), make("code", {}, data.path), make("button", { class: "dw-playground-send", type: "submit" }, "Send"), make("button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "✕")),
      make("div", { class: "dw-playground-inputs" }, make("fieldset", {}, server), group("Authorization", credentials), group("Path", rows("path")), group("Query", rows("query")), group("Headers", rows("header")), group("Cookies", rows("cookie")), bodyGroup, make("div", { class: "dw-playground-history" })),
      answer,
    );
    dialog = make("dialog", { class: "dw-playground", "aria-label": "Try " + data.method + " " + data.path, onclose: () => aborted && aborted.abort() }, form);
    document.body.append(dialog);
    showHistory(form);
  }

  // ---- the request ----
  function requestOf(form) {
    const value = (name) => (form.elements[name] ? form.elements[name].value : "");
    const headers = {};
    const query = new URLSearchParams();
    const secrets = {};
    data.credentials.forEach((credential, index) => {
      let secret = value("credential-" + index).trim();
      if (!secret) return;
      secrets[credential.name] = secret;
      if (credential.prefix === "Basic " && secret.includes(":")) secret = btoa(unescape(encodeURIComponent(secret)));
      if (credential.prefix && !secret.startsWith(credential.prefix)) secret = credential.prefix + secret;
      if (credential.in === "query") query.append(credential.name, secret);
      else if (credential.in === "header") headers[credential.name] = secret;
    });
    keep(session, "docwright-credentials", Object.assign(keep(session, "docwright-credentials") || {}, secrets));
    let path = data.path;
    const own = {};
    for (const input of form.elements) {
      const [place, ...rest] = (input.name || "").split(":");
      const name = rest.join(":");
      if (!name || input.type === "file") continue;
      if (place === "path") path = path.replace("{" + name + "}", encodeURIComponent(input.value)).replace(":" + name, encodeURIComponent(input.value));
      if (input.value === "") continue;
      if (place === "query") for (const each of listed(input.value)) query.append(name, each);
      else if (place === "header") headers[name] = input.value;
      else if (place === "body") own[name] = typed(input.value);
    }
    let body;
    if (form.elements.body) {
      body = form.elements.body.value;
      if (body.trim()) headers["Content-Type"] = data.body.type;
      else body = undefined;
    } else if (form.elements.file) {
      body = form.elements.file.files[0];
    } else if (data.body && data.body.fields.length) {
      body = /multipart/.test(data.body.type) ? new FormData() : new URLSearchParams();
      for (const field of data.body.fields) {
        const input = form.elements["form:" + field.name];
        if (input.type === "file") for (const file of input.files) body.append(field.name, file);
        else if (input.value !== "") body.append(field.name, input.value);
      }
    } else if (Object.keys(own).length) {
      body = JSON.stringify(own);
      headers["Content-Type"] = "application/json";
    }
    const search = query.toString();
    const url = value("server").replace(/\/$/, "") + path + (search ? "?" + search : "");
    const credentials = holder.dataset.credentials === undefined ? "same-origin" : "include";
    return { url, options: { method: data.method, headers, credentials, body: ["GET", "HEAD"].includes(data.method) ? undefined : body } };
  }
  const listed = (value) => {
    const parsed = typed(value);
    return Array.isArray(parsed) ? parsed.map(text) : [value];
  };
  function typed(value) {
    try {
      return JSON.parse(value);
    } catch (_) {
      return value;
    }
  }

  async function send(form, answer) {
    const button = form.querySelector(".dw-playground-send");
    const { url, options } = requestOf(form);
    if (aborted) aborted.abort();
    aborted = new AbortController();
    button.disabled = true;
    answer.replaceChildren(make("p", {}, "Waiting for an answer…"));
    const began = performance.now();
    try {
      const response = await fetch(url, { ...options, signal: aborted.signal });
      await show(response, Math.round(performance.now() - began), answer);
      remember(form, response.status);
    } catch (error) {
      if (error.name !== "AbortError") answer.replaceChildren(make("p", {}, make("b", {}, "There was no answer that this page can read.")), make("p", {}, "The address can be wrong, the server can be down, or it can't allow requests from other sites: it must answer with the header Access-Control-Allow-Origin, and to OPTIONS requests as well (CORS). The same request works from a terminal; copy it from the page."), make("pre", {}, String(error.message || error)));
    }
    button.disabled = false;
  }

  async function show(response, milliseconds, answer) {
    const type = response.headers.get("content-type") || "";
    const status = make("div", { class: "dw-playground-status" }, make("b", { "data-failed": !response.ok }, response.status + " " + response.statusText), make("span", {}, milliseconds + " ms"));
    const headers = make("details", {}, make("summary", {}, "Headers"), make("pre", {}, [...response.headers].map(([name, value]) => name + ": " + value).join("\n")));
    answer.replaceChildren(status, headers);
    const media = /^(image|audio|video)\//.exec(type);
    if (media) {
      const src = URL.createObjectURL(await response.blob());
      answer.append(media[1] === "image" ? make("img", { src, alt: "Answer" }) : make(media[1], { src, controls: true }));
      return;
    }
    if (/octet-stream|zip|pdf/.test(type)) {
      const href = URL.createObjectURL(await response.blob());
      answer.append(make("p", {}, make("a", { href, download: "answer" }, "Save the answer as a file")));
      return;
    }
    const shown = make("pre", { tabindex: "0" });
    answer.append(shown);
    if (!response.body) {
      shown.textContent = await response.text();
    } else {
      // Streams are shown as they come.
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        shown.append(decoder.decode(value, { stream: true }));
      }
    }
    if (/json/.test(type)) {
      try {
        shown.textContent = JSON.stringify(JSON.parse(shown.textContent), null, 2);
      } catch (_) {
        /* shown as it came */
      }
    }
  }

  // ---- history: what was typed, without credentials and files ----
  function remember(form, status) {
    const values = {};
    for (const input of form.elements) if (input.name && input.type !== "password" && input.type !== "file") values[input.name] = input.value;
    const history = keep(local, key) || [];
    keep(local, key, [{ status, values, at: new Date().toISOString() }, ...history].slice(0, 8));
    showHistory(form);
  }
  function showHistory(form) {
    const history = keep(local, key) || [];
    const entries = history.map((entry) =>
      make("button", { type: "button", onclick: () => Object.keys(entry.values).forEach((name) => form.elements[name] && (form.elements[name].value = entry.values[name])) }, entry.status + "  " + new Date(entry.at).toLocaleString()),
    );
    const place = form.querySelector(".dw-playground-history");
    place.replaceChildren(...(entries.length ? [make("legend", {}, "Earlier requests"), ...entries] : []));
  }

  function open() {
    if (!dialog) build();
    dialog.showModal();
  }
  opener.addEventListener("click", open);
  if (new URLSearchParams(location.search).get("playground") === "open") open();
})();
