// JSON whose integers are exact: those that a number can't hold are `BigInt`.

// The value of a JSON text. Throws `SyntaxError`.
function parseJson(text) {
  return JSON.parse(text, (_, value, context) => {
    const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && context && /^-?\d+$/.test(context.source);
    return isRounded ? BigInt(context.source) : value;
  });
}

// A value as JSON, indented by two spaces if it is `pretty`.
function toJson(value, pretty, indentation = "") {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const inner = indentation + "  ";
  const entries = Array.isArray(value)
    ? value.map((item) => toJson(item, pretty, inner))
    : Object.entries(value).filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${JSON.stringify(name)}:${pretty ? " " : ""}${toJson(each, pretty, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return open + close;
  return pretty ? `${open}\n${inner}${entries.join(`,\n${inner}`)}\n${indentation}${close}` : open + entries.join(",") + close;
}

// A value as plain text, without quotes around texts.
function plain(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? toJson(value) : String(value);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Blob);
}

// Whether two values are the same as JSON.
function isSame(one, other) {
  return toJson(one) === toJson(other);
}

// Sets a member, even one called `__proto__`.
function put(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
