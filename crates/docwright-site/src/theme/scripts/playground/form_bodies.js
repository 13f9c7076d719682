// Bodies with parts: form-encoded and multipart, by `encoding` of OpenAPI.

// The pairs of a form-encoded body, as `[name, value]`, both encoded.
function formPairs(value, encodings = {}) {
  return membersOf(value).flatMap(([name, each]) => {
    const encoding = encodings[name] || {};
    const hasStyle = encoding.style !== undefined || encoding.explode !== undefined || encoding.reserved;
    if (hasStyle) return queryPairs({ ...encoding, name }, each);
    // Without a style, nested values are JSON.
    const isJson = isJsonType(encoding.contentType || "");
    if (Array.isArray(each) && !isJson) return itemsOf(each).map((item) => [encoded(name), encoded(item)]);
    return [[encoded(name), encoded(isJson ? toJson(each) : each)]];
  });
}

// A form-encoded body. Spaces are `+` there.
function formText(pairs) {
  return pairs.map((pair) => pair.join("=").replaceAll("%20", "+")).join("&");
}

// The parts of a multipart body: `{name, value, type}`, in which `value` is a text or a file.
function formParts(value, encodings = {}) {
  return membersOf(value).flatMap(([name, each]) => {
    // A list of types says what files are allowed.
    const [type] = (encodings[name]?.contentType || "").split(",").map((text) => text.trim());
    const isJson = isJsonType(type);
    const isList = Array.isArray(each) && !isJson;
    return (isList ? itemsOf(each) : [each]).map((item) => {
      if (item instanceof Blob) return { name, value: item, type: item.type || (type.includes("*") ? "" : type) || "application/octet-stream" };
      if (typeof item === "object") return { name, value: toJson(item), type: type || "application/json" };
      return { name, value: isJson ? toJson(item) : plain(item), type: type || null };
    });
  });
}

// A multipart body as bytes.
function multipartBody(parts, boundary) {
  const quoted = (text) => text.replace(/"/g, "%22").replace(/\r?\n/g, "%0D%0A");
  const pieces = parts.flatMap(({ name, value, type }) => {
    const file = value instanceof Blob ? `; filename="${quoted(value.name || "file")}"` : "";
    const kind = type ? `\r\nContent-Type: ${type}` : "";
    return [`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}${kind}\r\n\r\n`, value, "\r\n"];
  });
  return new Blob([...pieces, `--${boundary}--\r\n`]);
}

// A text that separates parts.
function newBoundary() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `docwright-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

// What a content type means for its form: `json`, `form`, `parts`, `file`, or `text`.
function kindOfType(type, schema) {
  if (isJsonType(type)) return "json";
  if (/x-www-form-urlencoded/.test(type)) return "form";
  if (/^multipart\//.test(type)) return "parts";
  if (/^(image|audio|video|font)\/|octet-stream|pdf|zip|gzip|tar/.test(type) || schema.format === "binary") return "file";
  if (/\*\/\*|application\/\*/.test(type)) return schema.properties || schema.choices || schema.values !== undefined ? "json" : "file";
  return "text";
}

function isJsonType(type) {
  return /[/+]json\s*(;|$)/.test(type);
}
