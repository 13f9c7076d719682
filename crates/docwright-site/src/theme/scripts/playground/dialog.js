// The dialog of the playground: a form made from the page's data, code samples of the request, and the response.

const PLACES = [["path", "Path"], ["query", "Query"], ["querystring", "Query"], ["header", "Headers"], ["cookie", "Cookies"]];

// The playground of the page. `root` is the address of the site.
async function Playground(root) {
  const holder = document.querySelector(".dw-playground-data");
  const data = readData(holder);
  const settings = { root, mode: await sendingMode(holder.dataset.mode || "browser"), hasCredentials: holder.dataset.credentials !== undefined };
  const context = { schemas: Schemas(data.schemas || []), hasParts: false, isText: false, about: (name) => aboutField("body", name) };
  let dialog = null;

  function build() {
    const servers = serversSection(holder.dataset.baseUrl ? [{ url: holder.dataset.baseUrl }] : data.servers);
    const sections = {
      servers,
      authorization: authorizationSection(data, settings, servers),
      parameters: parameterFields(data, context),
      body: data.body && hasSendableBody(data, settings) ? bodySection(data.body, context, data.prefill) : null,
    };
    const response = responseSection();
    const history = historySection(`docwright-playground:${root.pathname}${data.method} ${data.path}`, (state) => restoreState(sections, state, update));
    const samples = sampleSection();
    const address = create("code", { class: "dw-playground-address" });
    const send = create("button", { class: "dw-playground-send", type: "submit" }, settings.mode === "show" ? "Copy request" : "Send");
    const title = create("h2", { id: newId() }, create("span", { class: "method-pill dw-method-pill", "data-method": data.method }, data.method), address);
    const close = button("✕", () => dialog.close(), { class: "dw-playground-close", "aria-label": "Close" });
    const form = create("form", { method: "dialog", novalidate: true },
      create("div", { class: "dw-playground-head" }, title, send, close),
      create("div", { class: "dw-playground-inputs" }, servers.element, sections.authorization.element, ...parameterGroups(sections.parameters), sections.body && sections.body.element, history.element),
      create("div", { class: "dw-playground-output" }, samples.element, settings.mode === "show" ? null : response.element));
    dialog = create("dialog", { class: "dw-playground", "aria-labelledby": title.id }, form);

    function update() {
      const request = composeRequest(data, sections, true);
      address.textContent = request.url;
      samples.show(request);
    }
    let isStale = false;
    const updateSoon = () => {
      if (isStale) return;
      isStale = true;
      requestAnimationFrame(() => {
        isStale = false;
        update();
      });
    };
    form.addEventListener("input", updateSoon);
    form.addEventListener("change", updateSoon);
    const sender = Sender(data, settings, sections, { send, response, samples, history });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sender.submit();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(send);
    });
    dialog.addEventListener("close", sender.cancel);
    document.body.append(dialog);
    update();
  }

  return {
    open() {
      if (!dialog) build();
      if (!dialog.open) dialog.showModal();
    },
  };
}

// The page's data. Pages without a spec have fields that an author wrote.
function readData(holder) {
  const data = JSON.parse(holder.textContent);
  return data.parameters ? data : { ...data, ...requestOfPage(), isHandwritten: true };
}

// Browsers send no body with some methods; the proxy does, and a copied request can have one.
function hasSendableBody(data, settings) {
  return settings.mode !== "browser" || !METHODS_WITHOUT_BODY.includes(data.method);
}

// The controls of all parameters. Those that the request decides itself are left out.
function parameterFields(data, context) {
  const hasOwnType = (parameter) => parameter.in === "header" && /^content-type$/i.test(parameter.name) && data.body;
  return data.parameters.filter((parameter) => !hasOwnType(parameter)).map((parameter) => {
    // The JSON of a parameter with a content type can be any value.
    const inner = { ...context, isText: !parameter.content, about: null };
    const own = context.schemas.find(parameter.schema);
    const schema = parameter.example === undefined ? parameter.schema : { ...own, example: context.schemas.typed(own, parameter.example) };
    const control = fieldRow(inner, parameter.name, schema, { required: parameter.required === true || parameter.in === "path", depth: 0, about: aboutField(parameter.in, parameter.name) });
    const sample = data.prefill ? context.schemas.example(schema) : undefined;
    if (sample !== undefined) control.write(sample);
    return { parameter, control };
  });
}

function parameterGroups(fields) {
  return PLACES.flatMap(([place, title]) => {
    const here = fields.filter(({ parameter }) => parameter.in === place);
    return here.length > 0 ? [create("fieldset", {}, create("legend", {}, title), ...here.map(({ control }) => control.row))] : [];
  });
}

// The request as code, in a language that the reader chooses.
function sampleSection() {
  const code = create("code");
  const names = Object.keys(SAMPLES);
  const choices = names.map((name) => button(name, () => choose(name), {}));
  const copy = button("Copy", () => copyText(code.textContent, copy), { class: "dw-playground-small" });
  let language = names[0];
  let request = null;
  function choose(name) {
    language = name;
    choices.forEach((choice) => choice.setAttribute("aria-pressed", String(choice.textContent === name)));
    if (request) code.textContent = SAMPLES[language](request);
  }
  choose(language);
  const tools = create("div", { class: "dw-playground-tools" }, create("span", { class: "dw-playground-toggle", role: "group", "aria-label": "Language" }, ...choices), copy);
  return {
    element: create("section", { "aria-label": "Request" }, create("h3", {}, "Request"), tools, create("pre", { tabindex: "0", "aria-label": "Code of the request" }, code)),
    show(composed) {
      request = composed;
      choose(language);
    },
    text: () => code.textContent,
  };
}

// What was filled in, and how it is filled in again.
function stateOf(sections) {
  const parameters = {};
  for (const { parameter, control } of sections.parameters) put(parameters, `${parameter.in}:${parameter.name}`, withoutFiles(control.read()));
  return { server: sections.servers.state(), parameters, body: sections.body ? sections.body.state() : null };
}

function restoreState(sections, state, update) {
  sections.servers.restore(state.server);
  for (const { parameter, control } of sections.parameters) control.write(state.parameters[`${parameter.in}:${parameter.name}`]);
  if (sections.body && state.body) sections.body.restore(state.body);
  update();
}
