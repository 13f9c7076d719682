// What the page itself says about fields: the text beside a name, and all fields of pages that are written by hand.

// Lines of facts, which aren't what a field is for.
const FACT = /^(Available options|Allowed value|Required|Examples?|Default|Pattern|Format|Title|Style|Explode|Content|Must be|One of|Any of)\b/;
// Longest text below a name, in characters.
const LONGEST_ABOUT = 160;

function fieldsOfPage(place) {
  const fields = document.querySelectorAll(`.dw-field[data-field="${place}"]`);
  return [...fields].filter((field) => !field.parentElement.closest(".dw-field"));
}

function textOf(field, part) {
  const element = field.querySelector(`:scope > .dw-field-head .dw-field-${part}`);
  return element ? element.textContent.trim() : "";
}

// The first sentences that the page has on a parameter or a property of the body.
function aboutField(place, name) {
  const field = fieldsOfPage(place).find((each) => textOf(each, "name") === name);
  const paragraph = field && field.querySelector(":scope > .dw-field-content p");
  const text = paragraph ? paragraph.textContent.trim() : "";
  if (!text || FACT.test(text)) return null;
  return text.length > LONGEST_ABOUT ? `${text.slice(0, LONGEST_ABOUT).replace(/\s+\S*$/, "")} …` : text;
}

// The schema of a type that an author wrote: `string`, `integer[]`, `file`.
function schemaOfType(type) {
  const list = /^(.*)\[\]$/.exec(type);
  if (list) return { type: "array", items: schemaOfType(list[1]) };
  if (type === "file") return { type: "string", format: "binary" };
  if (["string", "integer", "number", "boolean"].includes(type)) return { type };
  return /^(object|any|map|dict)/.test(type) ? {} : { type: "string" };
}

// The parameters and the body of a page without a spec.
function requestOfPage() {
  const read = (field) => ({
    name: textOf(field, "name"),
    required: Boolean(field.querySelector(":scope > .dw-field-head .dw-field-required")),
    schema: schemaOfType(textOf(field, "type") || "string"),
  });
  const parameters = ["path", "query", "header", "cookie"].flatMap((place) => fieldsOfPage(place).map((field) => ({ in: place, ...read(field) })));
  const fields = fieldsOfPage("body").map(read);
  if (fields.length === 0) return { parameters, body: null };
  const schema = { type: "object", properties: {}, required: fields.filter((field) => field.required).map((field) => field.name) };
  for (const field of fields) put(schema.properties, field.name, field.schema);
  const hasFile = fields.some((field) => field.schema.format === "binary");
  return { parameters, body: { required: schema.required.length > 0, content: [{ type: hasFile ? "multipart/form-data" : "application/json", schema }] } };
}
