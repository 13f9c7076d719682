// The body of the request: its content type, a form or JSON, text, or a file.

// A section whose `read` returns `{type, text}`, `{type, pairs}`, `{type, parts}`, or `{type, file}`; `null` without a body.
function bodySection(body, context, isPrefilled) {
  const contents = body.content;
  const first = Math.max(contents.findIndex((content) => isJsonType(content.type)), 0);
  const editors = new Map();
  const place = create("div");
  const choice = select(contents.map((content, number) => [number, content.type]), { id: newId() });
  let editor = null;

  function show(number) {
    choice.value = number;
    if (!editors.has(number)) editors.set(number, createEditor(contents[number], body, context, isPrefilled));
    editor = editors.get(number);
    place.replaceChildren(editor.element);
  }
  choice.addEventListener("change", () => show(Number(choice.value)));
  show(first);
  const label = create("label", { class: "dw-playground-spoken", for: choice.id }, "Content type");
  const types = contents.length > 1 ? [label, choice] : [create("p", { class: "dw-playground-note" }, create("code", {}, contents[0].type))];
  const mark = body.required ? create("span", { class: "dw-playground-required" }, "required") : null;
  return {
    element: create("fieldset", {}, create("legend", {}, "Body", mark), ...types, place),
    read: () => editor.read(),
    check: () => editor.check(),
    state: () => ({ choice: Number(choice.value), ...editor.state() }),
    restore(state) {
      show(state.choice);
      editor.restore(state);
    },
  };
}

function createEditor(content, body, context, isPrefilled) {
  const schema = context.schemas.find(content.schema);
  const kind = kindOfType(content.type, schema);
  if (kind === "json") return jsonEditor(content, body, context, isPrefilled);
  if (kind === "form" || kind === "parts") return formEditor(content, body, context, kind, isPrefilled);
  return kind === "file" ? fileEditor(content, body) : textEditor(content, body, context);
}

// Examples of a body: those of the description, or one from the examples of its fields.
function examplesOf(content, context) {
  const written = content.examples || [];
  if (written.length > 0) return written;
  const value = context.schemas.example(content.schema);
  return value === undefined ? [] : [{ title: "example", value }];
}

// The button that fills in an example, with a list if there are several.
function exampleChooser(examples, fill) {
  if (examples.length === 0) return null;
  const which = select(examples.map((example, number) => [number, example.title]), { "aria-label": "Example" });
  const use = button("Fill in example", () => {
    fill(examples[which.value].value);
    changed(use);
  }, { class: "dw-playground-small" });
  return create("span", { class: "dw-playground-examples" }, examples.length > 1 ? which : null, use);
}

// Whether a form has more than a field for JSON.
function hasForm(schema) {
  return Boolean(schema.properties || schema.choices || schema.values !== undefined || schema.enum || schema.items !== undefined || (schema.type && schema.type !== "object"));
}

// A body of JSON: a form and its text, of which one is shown. Both have the same value.
function jsonEditor(content, body, context, isPrefilled) {
  const type = content.type.includes("*") ? "application/json" : content.type;
  const schema = context.schemas.find(content.schema);
  const examples = examplesOf(content, context);
  const area = create("textarea", { id: newId(), rows: "12", spellcheck: "false", "aria-label": "Body as JSON" });
  const error = errorOf(area);
  const form = hasForm(schema) ? createControl(context, content.schema, { required: true, name: schema.properties ? "" : "Body" }) : null;
  const problem = create("p", { class: "dw-playground-error", role: "alert", hidden: true });
  const formButton = button("Form", () => showForm(), { "aria-pressed": "true" });
  const jsonButton = button("JSON", () => showJson(), { "aria-pressed": "false" });
  const formPlace = create("div", {}, form && labeledRoot(form));
  const jsonPlace = create("div", {}, area, error);
  let isJson = false;

  area.addEventListener("input", () => {
    showError(area, error, null);
    problem.hidden = true;
  });
  function set(json) {
    isJson = json;
    formPlace.hidden = json;
    jsonPlace.hidden = !json;
    formButton.setAttribute("aria-pressed", String(!json));
    jsonButton.setAttribute("aria-pressed", String(json));
    problem.hidden = true;
  }
  function valueOfForm() {
    const value = form.read();
    const isEmpty = value === undefined || (isObject(value) && Object.keys(value).length === 0);
    return isEmpty && !body.required ? undefined : value;
  }
  function showJson() {
    if (isJson) return;
    const value = valueOfForm();
    area.value = value === undefined ? "" : toJson(value, true);
    set(true);
  }
  function showForm() {
    if (!isJson) return;
    const message = jsonProblem(area.value);
    showError(area, error, message);
    if (message) {
      area.focus();
      return;
    }
    const path = form.write(area.value.trim() === "" ? undefined : parseJson(area.value));
    problem.textContent = path === null ? "" : `The form can't show ${path ? `the value of ${path}` : "this value"}. Send it as JSON.`;
    if (path === null) set(false);
    problem.hidden = path === null;
  }
  function fill(value) {
    if (!isJson && form && form.write(context.schemas.typed(content.schema, value)) === null) return;
    area.value = toJson(value, true);
    showError(area, error, null);
    set(true);
  }
  set(form === null);
  if (examples.length > 0 && (isPrefilled || form === null)) fill(examples[0].value);
  const toggle = form ? create("span", { class: "dw-playground-toggle", role: "group", "aria-label": "Body as" }, formButton, jsonButton) : null;
  return {
    element: create("div", {}, create("div", { class: "dw-playground-tools" }, toggle, exampleChooser(examples, fill)), problem, formPlace, jsonPlace),
    read() {
      if (isJson) return area.value.trim() === "" ? null : { type, text: area.value };
      const value = valueOfForm();
      return value === undefined ? null : { type, text: toJson(value, true) };
    },
    check() {
      if (!isJson) return !body.required && valueOfForm() === undefined ? [] : form.check();
      const isMissing = body.required && area.value.trim() === "";
      showError(area, error, isMissing ? "Enter a body. It is required." : jsonProblem(area.value));
      return error.hidden ? [] : [area];
    },
    state: () => (isJson ? { json: area.value } : { value: withoutFiles(form.read()) }),
    restore(state) {
      if (state.json === undefined && form) {
        set(false);
        form.write(state.value);
        return;
      }
      area.value = state.json || "";
      set(true);
    },
  };
}

// The control of a whole body. A single value has no row with its name.
function labeledRoot(control) {
  if (control.isGroup) return create("div", {}, control.toggle, control.element);
  return create("div", {}, create("label", { class: "dw-playground-spoken", for: control.id }, "Body"), control.toggle, control.element);
}

// A value as the tab remembers it.
function withoutFiles(value) {
  if (value instanceof Blob) return undefined;
  if (Array.isArray(value)) return value.map(withoutFiles).filter((each) => each !== undefined);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutFiles(each)])) : value;
}

// A body with parts.
function formEditor(content, body, context, kind, isPrefilled) {
  const inner = { ...context, hasParts: kind === "parts", isText: true };
  const examples = examplesOf(content, context).filter((example) => isObject(example.value));
  const schema = context.schemas.find(content.schema);
  const isKnown = Boolean(schema.properties || schema.choices || schema.values !== undefined);
  const form = createControl(inner, isKnown ? content.schema : { type: "object", values: { type: "string" } }, { required: true });
  const fill = (value) => form.write(context.schemas.typed(content.schema, value));
  if (isPrefilled && examples.length > 0) fill(examples[0].value);
  const value = () => form.read() || {};
  const isNeeded = () => body.required || Object.keys(value()).length > 0;
  return {
    element: create("div", {}, create("div", { class: "dw-playground-tools" }, exampleChooser(examples, fill)), form.toggle, form.element),
    read() {
      if (!isNeeded()) return null;
      if (kind === "form") return { type: content.type, pairs: formPairs(value(), content.encoding) };
      return { type: content.type.includes("*") ? "multipart/form-data" : content.type, parts: formParts(value(), content.encoding) };
    },
    check: () => (isNeeded() ? form.check() : []),
    state: () => ({ value: withoutFiles(value()) }),
    restore: (state) => form.write(state.value),
  };
}

// A body that is one file.
function fileEditor(content, body) {
  const field = fileField({ id: newId(), name: "The body", required: body.required }, false);
  const label = create("label", { class: "dw-playground-spoken", for: field.id }, "File");
  return {
    element: create("div", {}, label, field.element),
    read() {
      const file = field.read();
      return file ? { type: content.type.includes("*") ? file.type || "application/octet-stream" : content.type, file } : null;
    },
    check: () => field.check(),
    state: () => ({}),
    restore: () => {},
  };
}

// A body of text, such as XML.
function textEditor(content, body, context) {
  const area = create("textarea", { id: newId(), rows: "10", spellcheck: "false", "aria-label": "Body" });
  const error = errorOf(area);
  const examples = examplesOf(content, context).filter((example) => typeof example.value === "string");
  const fill = (value) => { area.value = value; };
  if (examples.length > 0) fill(examples[0].value);
  area.addEventListener("input", () => showError(area, error, null));
  return {
    element: create("div", {}, create("div", { class: "dw-playground-tools" }, exampleChooser(examples, fill)), area, error),
    read: () => (area.value === "" ? null : { type: content.type.includes("*") ? "text/plain" : content.type, text: area.value }),
    check() {
      showError(area, error, body.required && area.value === "" ? "Enter a body. It is required." : null);
      return error.hidden ? [] : [area];
    },
    state: () => ({ json: area.value }),
    restore: (state) => fill(state.json || ""),
  };
}
