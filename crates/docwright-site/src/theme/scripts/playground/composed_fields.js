// Fields of objects, maps, lists, and alternatives. Their parts are created when they are needed: a schema can contain
// itself. Controls are those of `single_fields.js`.

// Deeper values are written as JSON.
const DEEPEST_FIELD = 12;
// A list with at most this many options for its items has checkboxes.
const MOST_BOXES = 12;

// The control of a schema. `options` has the `name` of the value, whether it is `required`, its `depth`, the ids that
// label and describe it, and the values that a discriminator has decided (`fixed`).
function createControl(context, schema, options) {
  const found = context.schemas.find(schema);
  const control = bareControl(context, found, { id: newId(), depth: 0, ...options });
  return found.nullable && !control.hasNull ? nullableField(control) : control;
}

function bareControl(context, schema, options) {
  const type = context.schemas.typeOf(schema);
  if (options.depth > DEEPEST_FIELD) return jsonField(schema, options);
  if (schema.choices) return choiceField(context, schema, options);
  if (Array.isArray(schema.type)) return choiceField(context, byType(schema), options);
  if (schema.enum || type === "boolean") return optionsField(schema, options);
  if (context.hasParts && context.schemas.isFile(schema)) return fileField(options, false);
  if (type === "array") return listOf(context, schema, options);
  if (schema.properties) return options.required ? objectField(context, schema, options) : optionalField(context, schema, options);
  if (schema.values !== undefined) return mapField(context, schema, options);
  if (["string", "integer", "number"].includes(type) || (!type && context.isText)) return textField(context, schema, options);
  return jsonField(schema, options);
}

function listOf(context, schema, options) {
  const items = context.schemas.find(schema.items);
  if (context.hasParts && context.schemas.isFile(items)) return fileField(options, true);
  if (items.enum && items.enum.length <= MOST_BOXES) return checkboxField(context, schema, items, options);
  if (schema.items === undefined && !context.isText) return jsonField(schema, options);
  return listField(context, schema, options);
}

// A schema with several types as alternatives.
function byType(schema) {
  return { choices: [{ options: schema.type.map((type) => ({ title: type, schema: { ...schema, type, nullable: undefined } })) }], nullable: schema.nullable };
}

// A control with its name, its type, and what the page says about it.
function fieldRow(context, name, schema, options) {
  const labelId = newId();
  const description = options.about ? newId() : null;
  const control = createControl(context, schema, { ...options, name, labelId, description });
  const mark = options.required ? create("span", { class: "dw-playground-required" }, "required") : null;
  const label = create(control.isGroup ? "span" : "label", { id: labelId, for: control.isGroup ? null : control.id }, create("code", {}, name), mark && " ", mark);
  const head = create("div", { class: "dw-playground-name" }, label, create("small", {}, context.schemas.label(schema)), control.toggle);
  const about = options.about ? create("p", { class: "dw-playground-about", id: description }, options.about) : null;
  const element = create("div", { class: "dw-playground-row" }, create("div", {}, head, about), create("div", { class: "dw-playground-control" }, control.element));
  return { ...control, row: element };
}

// A control whose value can also be `null`.
function nullableField(control) {
  const toggle = button("null", () => set(!isNull), { class: "dw-playground-null", "aria-pressed": "false" });
  const holder = create("div", {}, control.element);
  let isNull = false;
  function set(value) {
    isNull = value;
    toggle.setAttribute("aria-pressed", String(value));
    control.element.inert = value;
    control.element.classList.toggle("dw-playground-off", value);
    changed(holder);
  }
  if (control.isGroup) holder.prepend(toggle);
  return {
    ...control,
    element: holder,
    toggle: control.isGroup ? null : toggle,
    read: () => (isNull ? null : control.read()),
    write(value) {
      set(value === null);
      return value === null ? null : control.write(value);
    },
    check: () => (isNull ? [] : control.check()),
  };
}

// Says that a form has changed.
function changed(element) {
  element.dispatchEvent(new Event("input", { bubbles: true }));
}

// Moves the focus to the first input of an element.
function focusWithin(element) {
  const input = element.querySelector("input:not([tabindex='-1']),select,textarea,button");
  if (input) input.focus();
}

// The properties of an object. Members that the schema doesn't know are kept, and shown by name.
function objectField(context, schema, options) {
  const fixed = options.fixed || {};
  const rows = new Map();
  const required = new Set(schema.required || []);
  for (const [name, property] of Object.entries(schema.properties || {})) {
    if (options.omit && options.omit.has(name)) continue;
    if (fixed[name] && fixed[name].length === 1) continue;
    const chosen = fixed[name] ? { type: "string", enum: fixed[name] } : property;
    const about = context.about && options.depth === 0 ? context.about(name) : null;
    rows.set(name, fieldRow(context, name, chosen, { required: required.has(name) || Boolean(fixed[name]), depth: options.depth + 1, about }));
  }
  const named = schema.values === undefined ? null : mapField(context, schema, { ...options, id: newId(), required: false });
  let others = {};
  const rest = create("p", { class: "dw-playground-rest", hidden: true });
  const showRest = () => {
    rest.hidden = Object.keys(others).length === 0;
    rest.textContent = `Also sent: ${Object.keys(others).join(", ")}`;
  };
  return {
    isGroup: true,
    element: create("div", { class: "dw-playground-object", role: "group", "aria-labelledby": options.labelId }, ...[...rows.values()].map(({ row }) => row), named && named.element, rest),
    read() {
      const object = {};
      for (const [name, values] of Object.entries(fixed)) if (values.length === 1) put(object, name, values[0]);
      for (const [name, row] of rows) {
        const value = row.read();
        if (value !== undefined) put(object, name, value);
      }
      return { ...object, ...(named && named.read()), ...others };
    },
    write(value) {
      if (value !== undefined && !isObject(value)) return "";
      const given = value || {};
      for (const [name, row] of rows) {
        const problem = row.write(Object.hasOwn(given, name) ? given[name] : undefined);
        if (problem !== null) return problem ? `${name}.${problem}` : name;
      }
      const isOther = ([name]) => !rows.has(name) && !fixed[name] && !(options.omit && options.omit.has(name));
      others = Object.fromEntries(Object.entries(given).filter(isOther));
      if (named) {
        const problem = named.write(others);
        others = {};
        if (problem !== null) return problem;
      }
      showRest();
      return null;
    },
    check: () => [...rows.values(), ...(named ? [named] : [])].flatMap((row) => row.check()),
  };
}

// An object that is sent only if the reader adds it.
function optionalField(context, schema, options) {
  let inner = null;
  const place = create("div");
  const add = button(`Add ${options.name || "object"}`, () => {
    show();
    changed(element);
    focusWithin(place);
  }, { class: "dw-playground-small" });
  const remove = button("Remove", () => {
    hide();
    changed(element);
    add.focus();
  }, { class: "dw-playground-small", hidden: true, "aria-label": `Remove ${options.name || "object"}` });
  const element = create("div", {}, add, remove, place);
  function show() {
    inner = inner || objectField(context, schema, options);
    place.replaceChildren(inner.element);
    add.hidden = true;
    remove.hidden = false;
  }
  function hide() {
    inner = null;
    place.replaceChildren();
    add.hidden = false;
    remove.hidden = true;
  }
  return {
    isGroup: true,
    element,
    read: () => (inner ? inner.read() : undefined),
    write(value) {
      if (value === undefined) {
        hide();
        return null;
      }
      if (!isObject(value)) return "";
      show();
      return inner.write(value);
    },
    check: () => (inner ? inner.check() : []),
  };
}

// Entries that can be added and removed. `noun` is what they are called, and `createEntry` makes one.
function entriesOf(options, noun, createEntry) {
  const owner = options.name ? ` ${options.name}` : " the body";
  let entries = [];
  const list = create("div", { class: "dw-playground-entries" });
  const error = create("p", { class: "dw-playground-error", id: newId(), hidden: true });
  const add = button(`Add ${noun}`, () => {
    const entry = append();
    changed(element);
    focusWithin(entry.row);
  }, { class: "dw-playground-small", id: options.id, "aria-describedby": error.id, "aria-label": `Add ${noun} to${owner}` });
  const element = create("div", { role: "group", "aria-labelledby": options.labelId }, list, add, error);
  function append() {
    const entry = createEntry();
    const remove = button("✕", () => {
      entries = entries.filter((each) => each !== entry);
      entry.row.remove();
      changed(element);
      add.focus();
    }, { class: "dw-playground-remove", "aria-label": `Remove ${noun} of${owner}` });
    entry.row = create("div", { class: "dw-playground-entry" }, entry.element, remove);
    entries.push(entry);
    list.append(entry.row);
    showError(add, error, null);
    return entry;
  }
  function clear() {
    entries = [];
    list.replaceChildren();
    showError(add, error, null);
  }
  const say = (message) => {
    showError(add, error, message);
    return message ? [add] : [];
  };
  return { element, append, clear, say, all: () => entries };
}

// A list of values of one schema.
function listField(context, schema, options) {
  const entries = entriesOf(options, "item", () => {
    const name = `Item of ${options.name || "the list"}`;
    const labelId = newId();
    const item = createControl(context, schema.items, { name, required: true, isItem: true, depth: options.depth + 1, labelId });
    return { ...item, element: create("div", {}, create(item.isGroup ? "span" : "label", { class: "dw-playground-spoken", id: labelId, for: item.isGroup ? null : item.id }, name), item.toggle, item.element) };
  });
  // An empty list that was written isn't the same as none.
  let isEmptyList = false;
  return {
    isGroup: true,
    element: entries.element,
    read() {
      const values = entries.all().map((entry) => entry.read()).filter((value) => value !== undefined);
      return values.length > 0 || options.required || isEmptyList ? values : undefined;
    },
    write(value) {
      if (value !== undefined && !Array.isArray(value)) return "";
      entries.clear();
      isEmptyList = value !== undefined && value.length === 0;
      for (const [number, each] of (value || []).entries()) {
        const problem = entries.append().write(each);
        if (problem !== null) return `${number}${problem ? `.${problem}` : ""}`;
      }
      return null;
    },
    check() {
      const count = entries.all().length;
      const least = Math.max(schema.minItems || 0, options.required && !isEmptyList && context.isText ? 1 : 0);
      const isUsed = options.required || count > 0;
      if (isUsed && count < least) return entries.say(`Add ${least === 1 ? "an item" : `at least ${least} items`}. ${options.name || "This list"} needs ${least === 1 ? "one" : "them"}.`);
      if (count > schema.maxItems) return entries.say(`Remove items. At most ${schema.maxItems} are allowed.`);
      return entries.all().flatMap((entry) => entry.check());
    },
  };
}

// An object whose names are free.
function mapField(context, schema, options) {
  const entries = entriesOf(options, "entry", () => {
    const key = create("input", { type: "text", "aria-label": "Key", placeholder: "Key", autocomplete: "off", spellcheck: "false" });
    const error = errorOf(key);
    const labelId = newId();
    const value = createControl(context, schema.values, { name: "Value", required: true, isItem: true, depth: options.depth + 1, labelId });
    const spoken = create(value.isGroup ? "span" : "label", { class: "dw-playground-spoken", id: labelId, for: value.isGroup ? null : value.id }, "Value");
    key.addEventListener("input", () => showError(key, error, null));
    return { key, error, value, element: create("div", { class: "dw-playground-pair" }, create("div", {}, key, error), create("div", {}, spoken, value.toggle, value.element)) };
  });
  return {
    isGroup: true,
    element: entries.element,
    read() {
      const object = {};
      for (const { key, value } of entries.all()) {
        const read = value.read();
        if (key.value !== "" && read !== undefined) put(object, key.value, read);
      }
      return Object.keys(object).length > 0 || options.required ? object : undefined;
    },
    write(value) {
      if (value !== undefined && !isObject(value)) return "";
      entries.clear();
      for (const [name, each] of Object.entries(value || {})) {
        const entry = entries.append();
        entry.key.value = name;
        const problem = entry.value.write(each);
        if (problem !== null) return problem ? `${name}.${problem}` : name;
      }
      return null;
    },
    check() {
      const names = new Set();
      return entries.all().flatMap(({ key, error, value }) => {
        const message = key.value === "" ? "Enter a key, or remove the entry." : names.has(key.value) ? "Change the key. Another entry has it." : null;
        names.add(key.value);
        showError(key, error, message);
        return [...(message ? [key] : []), ...value.check()];
      });
    },
  };
}
