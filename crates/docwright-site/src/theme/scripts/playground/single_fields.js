// Fields of single values. Each control has an `element`, the `id` of its input, and three functions:
// `read` returns the value, or `undefined` if there is none; `write` shows a value and returns `null`, or the path of
// what it can't show; `check` shows messages and returns the inputs that are wrong.

// A text field: texts, numbers, and what the description says nothing about.
function textField(context, schema, options) {
  const type = schema.type || "string";
  const isNumber = type === "integer" || type === "number";
  const sample = plain(schema.example).slice(0, 120);
  const hint = schema.default !== undefined && schema.default !== null ? `Default: ${plain(schema.default)}` : sample;
  const shared = {
    id: options.id, placeholder: hint || null, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    "aria-required": options.required ? "true" : null, "aria-describedby": options.description,
  };
  // An empty text that was written isn't the same as none.
  let isEmptyText = false;
  function createInput(isLong) {
    const mode = isNumber ? (type === "integer" ? "numeric" : "decimal") : null;
    const created = isLong
      ? create("textarea", { ...shared, rows: "4" })
      : create("input", { ...shared, type: schema.format === "password" ? "password" : "text", inputmode: mode });
    created.addEventListener("input", () => {
      isEmptyText = false;
      showError(created, error, null);
    });
    return created;
  }
  let input = createInput(!isNumber && (schema.maxLength > 300 || sample.includes("\n")));
  const error = errorOf(input);
  const field = {
    id: options.id,
    element: create("div", {}, input, error),
    read() {
      if (input.value === "") return isEmptyText ? "" : undefined;
      if (!isNumber || numberProblem(type, input.value)) return input.value;
      const isRounded = /^-?\d+$/.test(input.value) && !Number.isSafeInteger(Number(input.value));
      return isRounded ? BigInt(input.value) : Number(input.value);
    },
    write(value) {
      const isText = typeof value === "string" && !isNumber;
      if (value !== undefined && !isText && !(isNumber && hasType(value, "number"))) return "";
      // A single line would lose the others.
      if (isText && /[\r\n]/.test(value) && input.tagName === "INPUT") {
        const area = createInput(true);
        area.setAttribute("aria-describedby", input.getAttribute("aria-describedby"));
        input.replaceWith(area);
        input = area;
      }
      input.value = plain(value);
      isEmptyText = value === "";
      if (isEmptyText) input.placeholder = "Empty text";
      showError(input, error, null);
      return null;
    },
    check() {
      showError(input, error, isEmptyText ? null : textProblem(schema, type, input.value, options));
      return error.hidden ? [] : [input];
    },
  };
  if (context.schemas.isBase64(schema)) field.element.append(encodedFile(() => input));
  return field;
}

// The message of a field that has no value.
function missing(request, options) {
  return options.isItem ? `${request}, or remove the item.` : `${request}. ${options.name || "This field"} is required.`;
}

// What is wrong with a number.
function numberProblem(type, text) {
  if (type === "integer") return /^-?\d+$/.test(text) ? null : "Enter a whole number, such as 10.";
  return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? null : "Enter a number, such as 1.5.";
}

// What is wrong with a text, by the limits of its schema.
function textProblem(schema, type, text, options) {
  if (text === "") return options.required ? missing("Enter a value", options) : null;
  if (type === "integer" || type === "number") {
    const problem = numberProblem(type, text);
    const number = Number(text);
    // Exclusive limits are numbers in OpenAPI 3.1, and flags in 3.0.
    const least = typeof schema.exclusiveMinimum === "number" ? schema.exclusiveMinimum : schema.minimum;
    const most = typeof schema.exclusiveMaximum === "number" ? schema.exclusiveMaximum : schema.maximum;
    if (problem) return problem;
    if (number < least || (schema.exclusiveMinimum && number === least)) return `Enter ${schema.exclusiveMinimum ? "more than" : "at least"} ${least}.`;
    if (number > most || (schema.exclusiveMaximum && number === most)) return `Enter ${schema.exclusiveMaximum ? "less than" : "at most"} ${most}.`;
    return null;
  }
  const length = [...text].length;
  if (length < schema.minLength) return `Enter at least ${schema.minLength} characters.`;
  if (length > schema.maxLength) return `Enter at most ${schema.maxLength} characters.`;
  return schema.pattern && !matches(schema.pattern, text) ? `Enter a value that matches ${schema.pattern}.` : null;
}

// Whether a text matches a pattern. One that this browser doesn't know matches everything.
function matches(pattern, text) {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch (_) {
    return true;
  }
}

// A button that writes the content of a file into a text field, as base64.
function encodedFile(inputOf) {
  const file = create("input", { type: "file", class: "dw-playground-hidden", tabindex: "-1", "aria-hidden": "true" });
  file.addEventListener("change", () => {
    const reader = new FileReader();
    reader.onload = () => {
      const input = inputOf();
      input.value = reader.result.slice(reader.result.indexOf(",") + 1);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    };
    if (file.files[0]) reader.readAsDataURL(file.files[0]);
  });
  return create("div", { class: "dw-playground-below" }, button("Encode a file", () => file.click(), { class: "dw-playground-small" }), file);
}

// A list of allowed values; `null` is one of them if the schema allows it.
function optionsField(schema, options) {
  const values = schema.enum ? [...schema.enum] : [true, false];
  if (schema.nullable && !values.includes(null)) values.push(null);
  const unset = schema.default !== undefined && schema.default !== null ? `Default: ${plain(schema.default)}` : options.required ? "Select a value" : "Not set";
  const label = (value) => (value === "" ? '""' : value === null ? "null" : plain(value));
  const input = select([["", unset], ...values.map((value, number) => [number, label(value)])], {
    id: options.id, "aria-required": options.required ? "true" : null, "aria-describedby": options.description,
  });
  const error = errorOf(input);
  input.addEventListener("input", () => showError(input, error, null));
  if (options.required && values.length === 1) input.value = "0";
  return {
    id: options.id,
    hasNull: true,
    element: create("div", {}, input, error),
    read: () => (input.value === "" ? undefined : values[input.value]),
    write(value) {
      let number = value === undefined ? -1 : values.findIndex((each) => isSame(each, value));
      if (value !== undefined && number < 0) {
        // A value that the description doesn't know can be sent too.
        number = values.push(value) - 1;
        input.append(create("option", { value: number }, label(value)));
      }
      input.value = number < 0 ? (options.required && values.length === 1 ? "0" : "") : number;
      showError(input, error, null);
      return null;
    },
    check() {
      showError(input, error, options.required && input.value === "" ? missing("Select a value", options) : null);
      return error.hidden ? [] : [input];
    },
  };
}

// Checkboxes for a list of which each item has one of a few values.
function checkboxField(context, schema, items, options) {
  const boxes = items.enum.map((value) => ({ value, input: create("input", { type: "checkbox" }) }));
  const element = create("div", { class: "dw-playground-boxes", role: "group", "aria-labelledby": options.labelId },
    ...boxes.map(({ value, input }) => create("label", {}, input, plain(value))));
  const error = create("p", { class: "dw-playground-error", hidden: true, id: newId() });
  for (const { input } of boxes) input.setAttribute("aria-describedby", error.id);
  const say = (message) => boxes.forEach(({ input }) => showError(input, error, message));
  element.addEventListener("input", () => say(null));
  let isEmptyList = false;
  return {
    isGroup: true,
    element: create("div", {}, element, error),
    read() {
      const values = boxes.filter(({ input }) => input.checked).map(({ value }) => value);
      return values.length > 0 || isEmptyList || options.required ? values : undefined;
    },
    write(value) {
      const list = value === undefined ? [] : value;
      if (!Array.isArray(list)) return "";
      const isKnown = (item) => boxes.some((box) => isSame(box.value, item));
      if (!list.every(isKnown)) return "";
      isEmptyList = value !== undefined && list.length === 0;
      for (const { value: each, input } of boxes) input.checked = list.some((item) => isSame(item, each));
      return null;
    },
    check() {
      const count = boxes.filter(({ input }) => input.checked).length;
      const isNeeded = options.required && (context.isText || schema.minItems > 0);
      say(isNeeded && count === 0 && !isEmptyList ? missing("Select a value", options) : null);
      return error.hidden ? [] : [boxes[0].input];
    },
  };
}

// A value written as JSON, for schemas that allow any value.
function jsonField(schema, options) {
  const sample = schema.example === undefined ? "" : toJson(schema.example, true);
  const input = create("textarea", {
    id: options.id, rows: "3", spellcheck: "false", placeholder: sample || 'JSON, such as {"key": "value"}',
    "aria-required": options.required ? "true" : null, "aria-describedby": options.description,
  });
  const error = errorOf(input);
  input.addEventListener("input", () => showError(input, error, null));
  return {
    id: options.id,
    hasNull: true,
    element: create("div", {}, input, error),
    read() {
      if (input.value.trim() === "") return undefined;
      try {
        return parseJson(input.value);
      } catch (_) {
        return input.value;
      }
    },
    write(value) {
      input.value = value === undefined ? "" : toJson(value, true);
      showError(input, error, null);
      return null;
    },
    check() {
      const isMissing = input.value.trim() === "" && options.required;
      showError(input, error, isMissing ? missing("Enter a value", options) : jsonProblem(input.value));
      return error.hidden ? [] : [input];
    },
  };
}

// What is wrong with a text of JSON.
function jsonProblem(text) {
  if (text.trim() === "") return null;
  try {
    parseJson(text);
    return null;
  } catch (error) {
    return `This isn't valid JSON. ${error.message}.`;
  }
}

// A file, or several.
function fileField(options, isList) {
  const input = create("input", { type: "file", id: options.id, multiple: isList, "aria-describedby": options.description, "aria-required": options.required ? "true" : null });
  const error = errorOf(input);
  input.addEventListener("input", () => showError(input, error, null));
  return {
    id: options.id,
    element: create("div", {}, input, error),
    read: () => (input.files.length === 0 ? undefined : isList ? [...input.files] : input.files[0]),
    write: () => null,
    check() {
      showError(input, error, options.required && input.files.length === 0 ? missing("Choose a file", options) : null);
      return error.hidden ? [] : [input];
    },
  };
}
