// The composed request as code that readers copy. It is what the playground sends, but for files, which are named.

const SAMPLES = { cURL: curlSample, JavaScript: javascriptSample, Python: pythonSample };

function fileName(file) {
  return file && file.name ? file.name : "file";
}

// Headers of the sample; those of a multipart body are left to the tool, which chooses the boundary.
function sampleHeaders(request) {
  return request.body && request.body.parts ? request.headers.filter(([name]) => name.toLowerCase() !== "content-type") : request.headers;
}

function curlSample(request) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl --request ${request.method}`, `--url ${quoted(request.url)}`];
  for (const [name, value] of sampleHeaders(request)) lines.push(`--header ${quoted(`${name}: ${value}`)}`);
  const body = request.body;
  if (body && body.text !== undefined) lines.push(`--data-raw ${quoted(body.text)}`);
  if (body && body.pairs) for (const pair of body.pairs) lines.push(`--data ${quoted(formText([pair]))}`);
  if (body && body.file) lines.push(`--data-binary ${quoted(`@${fileName(body.file)}`)}`);
  for (const { name, value, type } of (body && body.parts) || []) {
    // A value in double quotes can have `;`, and begin with `@`.
    const text = (part) => `"${part.replace(/["\\]/g, "\\$&")}"`;
    const written = value instanceof Blob ? `@${text(fileName(value))}` : text(value);
    lines.push(`--form ${quoted(`${name}=${written}${type ? `;type=${type}` : ""}`)}`);
  }
  return lines.join(" \\\n  ");
}

// A text as a JavaScript literal.
function javascriptText(text) {
  return JSON.stringify(text);
}

function javascriptSample(request) {
  const before = [];
  const options = [`method: ${javascriptText(request.method)}`];
  const headers = sampleHeaders(request);
  if (headers.length > 0) options.push(`headers: {\n${headers.map(([name, value]) => `    ${javascriptText(name)}: ${javascriptText(value)},\n`).join("")}  }`);
  const body = request.body;
  if (body && body.pairs) options.push(`body: ${javascriptText(formText(body.pairs))}`);
  else if (body && body.file) options.push(`body: await openAsBlob(${javascriptText(fileName(body.file))})`);
  else if (body && body.parts) {
    before.push("const form = new FormData();");
    for (const { name, value, type } of body.parts) {
      const options = type ? `, { type: ${javascriptText(type)} }` : "";
      if (value instanceof Blob) before.push(`form.append(${javascriptText(name)}, await openAsBlob(${javascriptText(fileName(value))}${options}), ${javascriptText(fileName(value))});`);
      else before.push(`form.append(${javascriptText(name)}, ${type ? `new Blob([${javascriptText(value)}]${options})` : javascriptText(value)});`);
    }
    options.push("body: form");
  } else if (body && body.text !== undefined) {
    options.push(`body: ${isExactJson(request, body.text) ? `JSON.stringify(${body.text.replaceAll("\n", "\n  ")})` : javascriptText(body.text)}`);
  }
  if (before.join().includes("openAsBlob") || options.join().includes("openAsBlob")) before.unshift('import { openAsBlob } from "node:fs";', "");
  const call = `const response = await fetch(${javascriptText(request.url)}, {\n  ${options.join(",\n  ")},\n});`;
  return [...before, ...(before.length > 0 ? [""] : []), call, "console.log(response.status, await response.text());"].join("\n");
}

// Whether a text is JSON that programs read without a loss.
function isExactJson(request, text) {
  const type = request.headers.find(([name]) => name.toLowerCase() === "content-type");
  if (!type || !isJsonType(type[1])) return false;
  try {
    return isSame(JSON.parse(text), parseJson(text));
  } catch (_) {
    return false;
  }
}

// A value of JSON as a Python literal.
function pythonValue(value, indentation) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return toJson(value);
  const inner = `${indentation}    `;
  const entries = Array.isArray(value)
    ? value.map((item) => pythonValue(item, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return entries.length === 0 ? open + close : `${open}\n${inner}${entries.join(`,\n${inner}`)},\n${indentation}${close}`;
}

function pythonSample(request) {
  const text = JSON.stringify;
  const lines = [text(request.method), text(request.url)];
  const headers = sampleHeaders(request);
  if (headers.length > 0) lines.push(`headers={\n${headers.map(([name, value]) => `        ${text(name)}: ${text(value)},\n`).join("")}    }`);
  const body = request.body;
  if (body && body.pairs) lines.push(`data=${text(formText(body.pairs))}`);
  if (body && body.file) lines.push(`data=open(${text(fileName(body.file))}, "rb")`);
  if (body && body.parts) {
    const part = ({ name, value, type }) => {
      const kind = type ? `, ${text(type)}` : "";
      return `        (${text(name)}, ${value instanceof Blob ? `(${text(fileName(value))}, open(${text(fileName(value))}, "rb")${kind})` : `(None, ${text(value)}${kind})`}),\n`;
    };
    lines.push(`files=[\n${body.parts.map(part).join("")}    ]`);
  }
  if (body && body.text !== undefined) {
    const isJson = isExactJson(request, body.text);
    lines.push(isJson ? `json=${pythonValue(parseJson(body.text), "    ")}` : `data=${text(body.text)}.encode()`);
  }
  return `import requests\n\nresponse = requests.request(\n${lines.map((line) => `    ${line},\n`).join("")})\nprint(response.status_code, response.text)`;
}
