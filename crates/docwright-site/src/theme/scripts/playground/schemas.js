// Schemas of the page's data: what they are called, examples of them, and which of several a value fits.

// Recursive examples end here.
const DEEPEST_EXAMPLE = 6;

// Finds schemas by their number.
function Schemas(table) {
  function find(schema) {
    return typeof schema === "number" ? table[schema] || {} : schema || {};
  }

  // The one type of a schema, without `null`; nothing if it can have several.
  function typeOf(schema) {
    return Array.isArray(schema.type) ? undefined : schema.type;
  }

  // A short label: `string<date>`, `integer[]`, `enum`.
  function label(schema) {
    const found = find(schema);
    const type = typeOf(found);
    if (found.enum) return "enum";
    if (found.choices) return "one of";
    if (type === "array") return `${label(found.items)}[]`;
    if (Array.isArray(found.type)) return found.type.join(" | ");
    return (type || "any") + (found.format && type !== "object" ? `<${found.format}>` : "");
  }

  // Whether a value is uploaded as a file, where the request has parts.
  function isFile(schema) {
    const found = find(schema);
    return found.format === "binary" || (!found.encoding && /octet-stream|^(image|audio|video)\//.test(found.media || ""));
  }

  function isBase64(schema) {
    const found = find(schema);
    return ["byte", "base64"].includes(found.format) || /^base64/.test(found.encoding || "");
  }

  // An example with the type of its schema: descriptions often have `"1"` for a number.
  function typed(schema, value) {
    const type = typeOf(find(schema));
    if (type === "string" && ["number", "boolean"].includes(typeof value)) return String(value);
    if ((type === "integer" || type === "number") && typeof value === "string" && value.trim() !== "" && !isNaN(value)) return Number(value);
    if (type === "boolean" && ["true", "false"].includes(value)) return value === "true";
    return value;
  }

  // The example of a schema, as far as the description has any; `undefined` without one.
  function example(schema, depth = 0) {
    const found = find(schema);
    if (found.example !== undefined && found.example !== null) return typed(found, found.example);
    if (found.default !== undefined && found.default !== null) return typed(found, found.default);
    if (found.enum && found.enum.length === 1) return found.enum[0];
    if (depth > DEEPEST_EXAMPLE) return undefined;
    if (found.items !== undefined) {
      const item = example(found.items, depth + 1);
      return item === undefined ? undefined : [item];
    }
    const object = {};
    for (const [name, property] of Object.entries(found.properties || {})) {
      const value = example(property, depth + 1);
      if (value !== undefined) put(object, name, value);
    }
    const [choice] = found.choices || [];
    if (choice) {
      const [option] = choice.options;
      const value = example(option.schema, depth + 1);
      if (value !== undefined && !isObject(value)) return value;
      if (isObject(value)) Object.assign(object, value);
      if (isObject(value) && choice.by && option.values) put(object, choice.by, option.values[0]);
    }
    return Object.keys(object).length > 0 ? object : undefined;
  }

  // How well a value fits a schema: below 0 if it doesn't.
  function fit(schema, value, depth = 0) {
    const found = find(schema);
    if (value === null) return found.nullable ? 1 : -1;
    if (found.enum) return found.enum.some((option) => isSame(option, value)) ? 3 : -1;
    const types = [found.type ?? []].flat();
    if (types.length > 0 && !types.some((type) => hasType(value, type))) return -1;
    if (!isObject(value) || depth > DEEPEST_EXAMPLE) return types.length > 0 ? 2 : 0;
    let score = 1;
    for (const name of found.required || []) score += name in value ? 2 : -3;
    for (const [name, each] of Object.entries(value)) {
      const property = (found.properties || {})[name];
      const inner = property === undefined ? -1 : fit(property, each, depth + 1);
      // A property with one allowed value says which alternative is meant.
      if (property !== undefined && inner < 0 && find(property).enum) return -1;
      score += inner < 0 ? -1 : 2;
    }
    return Math.max(score, 0);
  }

  // The number of the option that a value fits best, or -1.
  function bestOption(choice, value) {
    const scores = choice.options.map((option) => {
      const isNamed = isObject(value) && choice.by && (option.values || []).includes(value[choice.by]);
      return fit(option.schema, value) + (isNamed ? 1000 : 0);
    });
    const best = Math.max(...scores);
    return best < 0 ? -1 : scores.indexOf(best);
  }

  return { find, typeOf, label, isFile, isBase64, typed, example, fit, bestOption };
}

function hasType(value, type) {
  switch (type) {
    case "integer": return typeof value === "bigint" || Number.isInteger(value);
    case "number": return typeof value === "bigint" || typeof value === "number";
    case "array": return Array.isArray(value);
    case "object": return isObject(value);
    case "null": return value === null;
    default: return typeof value === type;
  }
}
