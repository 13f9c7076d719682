// Checks item by item that the pages of API operations show their API spec, in HTML and in Markdown: names,
// descriptions, types, formats, options, limits, patterns, defaults, and examples, at any depth.
//
//   node api_items.mjs SOURCE BUILT [--operations N] [--show N]
//
// Looks at the N operations (5) with the most items. A built page is found by the operation that it names.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse as parseYaml } from "yaml";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

export function checkItems(source, built, count) {
  const pages = pagesOf(built);
  const operations = [];
  for (const { file, spec } of specsBelow(source)) {
    for (const [path, item] of Object.entries(spec.paths ?? {})) {
      for (const method of METHODS.filter((method) => item?.[method])) {
        const candidates = pages.get(`${method.toUpperCase()} ${path.replace(/\/+$/, "")}`) ?? [];
        const page = nearest(candidates, file);
        if (page) operations.push({ name: `${method.toUpperCase()} ${path}`, page: join(built, page), items: itemsOf(spec, item, item[method]) });
      }
    }
  }
  operations.sort((one, other) => other.items.length - one.items.length || (one.name < other.name ? -1 : 1));
  const largest = [...new Set(operations.map((operation) => operation.page))].slice(0, count);
  // Several specs can have an operation; the page shows one of them.
  return largest.map((page) => {
    const checked = operations.filter((operation) => operation.page === page).map(check);
    return checked.sort((one, other) => one.missing.html.length - other.missing.html.length)[0];
  });
}

function check(operation) {
  const texts = { html: shownText(readFileSync(`${operation.page}.html`, "utf8")), markdown: markdownText(`${operation.page}.md`) };
  const missing = {};
  for (const [kind, text] of Object.entries(texts)) {
    const squeezed = letters(text) + letters(kind === "markdown" ? words(text) : "");
    missing[kind] = operation.items.filter((item) => !isShown(item, text, squeezed));
  }
  return { ...operation, missing };
}

// The page that shares the most folders with a file: pages of a language are beside its spec.
function nearest(pages, file) {
  const folders = file.split("/").slice(0, -1);
  const shared = (page) => folders.findIndex((folder, at) => page.split("/")[at] !== folder);
  const score = (page) => (shared(page) < 0 ? folders.length : shared(page));
  return [...pages].sort((one, other) => score(other) - score(one) || one.split("/").length - other.split("/").length)[0];
}

// The pages of a built site by method and path, without their endings.
function pagesOf(built) {
  const pages = new Map();
  for (const file of files(built)) {
    if (!file.endsWith(".html")) continue;
    const bar = readFileSync(join(built, file), "utf8").match(
      /<div class="dw-api-operation">.*?data-method="([A-Z]+)".*?<code>(?:<span class="dw-api-server">.*?<\/span>)?(.*?)<\/code>/s,
    );
    const key = bar && `${bar[1]} ${unescaped(bar[2].replace(/<[^>]*>/g, "")).replace(/\/+$/, "")}`;
    if (key) pages.set(key, [...(pages.get(key) ?? []), file.slice(0, -5)]);
  }
  return pages;
}

function files(folder) {
  return readdirSync(folder, { recursive: true }).filter((file) => !/(^|\/)(node_modules|\.git)\//.test(file)).sort();
}

function specsBelow(source) {
  const specs = [];
  for (const file of files(source).filter((file) => /\.(json|ya?ml)$/.test(file) && !/(^|\/)(tests?|docs)\.json$/.test(file))) {
    const text = readFileSync(join(source, file), "utf8");
    if (!text.includes("openapi") || !text.includes("paths")) continue;
    try {
      const spec = file.endsWith(".json") ? JSON.parse(text) : parseYaml(text, { maxAliasCount: -1 });
      if (spec?.openapi && spec.paths) specs.push({ file, spec });
    } catch {
      // A broken file isn't a spec.
    }
  }
  return specs;
}

// ---- what a spec says about an operation ----

function itemsOf(root, item, operation) {
  const items = [];
  const seen = new Set();
  const add = (kind, value) => {
    if (value === undefined || value === null || value === "") return;
    const key = `${kind} ${JSON.stringify(value)}`;
    if (!seen.has(key)) items.push({ kind, value });
    seen.add(key);
  };
  const resolve = (value) => {
    for (let depth = 0; depth < 20 && typeof value?.$ref === "string" && value.$ref.startsWith("#/"); depth += 1) {
      const keys = value.$ref.slice(2).split("/").map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
      value = keys.reduce((part, key) => part?.[key], root);
    }
    return value ?? {};
  };
  const values = (kind, list) => (Array.isArray(list) ? list : []).forEach((value) => add(kind, value));
  const walked = new Map();
  const schema = (value, side, depth = 0) => {
    if (value?.$ref) add("description", value.description);
    const own = resolve(value);
    if (typeof own !== "object" || depth > 30) return;
    const hidden = side === "request" ? own.readOnly : own.writeOnly;
    if (hidden === true) return;
    const sides = walked.get(own) ?? [];
    if (sides.includes(side)) return;
    walked.set(own, [...sides, side]);
    for (const key of ["title", "description", "format", "pattern", "default", "const", "contentMediaType", "contentEncoding"]) add(key, own[key]);
    for (const key of ["minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"]) add(key, own[key]);
    for (const key of ["exclusiveMinimum", "exclusiveMaximum"]) if (typeof own[key] === "number") add(key, own[key]);
    for (const type of [own.type].flat()) if (type && type !== "null") add("type", type);
    for (const key of ["uniqueItems", "deprecated", "readOnly", "writeOnly"]) if (own[key] === true) add("flag", key);
    values("enum", own.enum);
    add("example", own.example);
    values("example", own.examples);
    if (own.discriminator) {
      add("discriminator", own.discriminator.propertyName);
      Object.keys(own.discriminator.mapping ?? {}).forEach((key) => add("discriminator", key));
    }
    add("description", own.externalDocs?.description);
    for (const group of ["properties", "patternProperties", "dependentSchemas"]) {
      for (const [name, property] of Object.entries(own[group] ?? {})) {
        const target = resolve(property);
        if (side === "request" ? target.readOnly : target.writeOnly) continue;
        add("name", name);
        schema(property, side, depth + 1);
      }
    }
    for (const group of ["allOf", "oneOf", "anyOf", "prefixItems"]) (own[group] ?? []).forEach((part) => schema(part, side, depth + 1));
    for (const key of ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"]) {
      if (own[key] && typeof own[key] === "object") schema(own[key], side, depth + 1);
    }
  };
  const examples = (holder) => {
    if (holder.example !== undefined) add("example", holder.example);
    for (const each of Object.values(holder.examples ?? {})) {
      const example = resolve(each);
      add("summary", example.summary);
      add("description", example.description);
      add("example", example.value);
    }
  };
  const content = (holder, side) => {
    for (const [type, media] of Object.entries(holder.content ?? {})) {
      add("content type", type);
      schema(media.schema, side);
      examples(media);
      for (const encoding of Object.values(media.encoding ?? {})) add("encoding", encoding.contentType);
    }
  };
  const parameter = (value, side) => {
    add("description", value.description);
    if (value.deprecated) add("flag", "deprecated");
    schema(value.schema, side);
    examples(value);
    content(value, side);
  };
  const call = (operation, item) => {
    const overridden = (operation.parameters ?? []).map(resolve);
    const inherited = (item.parameters ?? []).map(resolve).filter((each) => !overridden.some((own) => own.name === each.name && own.in === each.in));
    for (const each of [...inherited, ...overridden]) {
      add("name", each.name);
      parameter(each, "request");
    }
    const body = resolve(operation.requestBody);
    add("description", body.description);
    content(body, "request");
    for (const [status, value] of Object.entries(operation.responses ?? {})) {
      if (status.startsWith("x-")) continue;
      const response = resolve(value);
      add("status", status);
      add("description", response.description);
      content(response, "response");
      for (const [name, header] of Object.entries(response.headers ?? {})) {
        add("name", name);
        parameter(resolve(header), "response");
      }
      for (const [name, link] of Object.entries(response.links ?? {})) {
        add("name", name);
        add("description", resolve(link).description);
      }
    }
  };
  add("title", operation.summary);
  add("description", operation.description);
  if (operation.deprecated) add("flag", "deprecated");
  add("description", operation.externalDocs?.description);
  call(operation, item);
  for (const requirement of operation.security ?? root.security ?? []) {
    for (const [name, scopes] of Object.entries(requirement ?? {})) {
      const scheme = resolve(root.components?.securitySchemes?.[name]);
      add("description", scheme.description);
      add("name", scheme.in ? scheme.name : undefined);
      values("scope", scopes);
    }
  }
  for (const server of operation.servers ?? item.servers ?? root.servers ?? []) {
    add("description", server.description);
    for (const variable of Object.values(server.variables ?? {})) {
      add("description", variable.description);
      values("enum", variable.enum);
    }
  }
  for (const [name, callback] of Object.entries(operation.callbacks ?? {})) {
    add("name", name);
    for (const item of Object.values(resolve(callback))) for (const method of METHODS) if (item?.[method]) call(item[method], item);
  }
  return items;
}

// ---- what a page shows ----

function shownText(html) {
  const main = html.slice(html.indexOf("<main"), html.indexOf("</main>")).replace(/<(script|style|svg)[^>]*>.*?<\/\1>/gs, " ");
  return unescaped(main.replace(/<\/?(?:span|a|b|i|em|strong|code|mark)\b[^>]*>/g, "").replace(/<[^>]*>/g, "\n"));
}

function markdownText(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function unescaped(text) {
  const entities = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " ", "#39": "'" };
  return text.replace(/&(#?\w+);/g, (whole, name) => entities[name] ?? (name.startsWith("#x") ? String.fromCodePoint(parseInt(name.slice(2), 16)) : name.startsWith("#") ? String.fromCodePoint(Number(name.slice(1))) : whole));
}

// Letters and digits only: layout and punctuation differ between a spec, HTML, and Markdown.
function letters(text) {
  return String(text).replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

// A description without the parts of Markdown that aren't text.
function words(text) {
  const parts = String(text)
    .replace(/!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?:[^()]|\([^)]*\))*\)/g, "$1")
    .split(/(`+[^`]*`+)/);
  return parts
    .map((part, at) => (at % 2 ? part : part.replace(/<\/?[a-z][^>]*>/gi, "")))
    .join("")
    .replace(/^(```+|~~~+).*$/gm, "")
    .replace(/^\s*\d+\.\s/gm, "")
    .replace(/^\s*\[[ x]\]\s/gm, "");
}

function isShown({ kind, value }, text, squeezed) {
  switch (kind) {
    case "description":
    case "summary": {
      const whole = letters(unescaped(words(value)));
      if (squeezed.includes(whole) || squeezed.includes(letters(value))) return true;
      return unescaped(words(value)).split(/\n+|[|]/).every((line) => squeezed.includes(letters(line)));
    }
    case "minimum":
    case "minLength":
    case "minItems":
    case "minProperties":
    case "minContains":
      return new RegExp(`(?:≥ |(?<![\\d.])(?=${number(value)} ≤))${number(value)}(?![\\d.]*\\d)`).test(text);
    case "exclusiveMinimum":
      return new RegExp(`(?:> |(?<![\\d.])(?=${number(value)} <))${number(value)}(?![\\d.]*\\d)`).test(text);
    case "maximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
    case "maxContains":
      return new RegExp(`≤ ${number(value)}(?![\\d.]*\\d)`).test(text) || new RegExp(`< ${number(value)}(?![\\d.]*\\d)`).test(text);
    case "exclusiveMaximum":
      return new RegExp(`< ${number(value)}(?![\\d.]*\\d)`).test(text);
    case "multipleOf":
      return new RegExp(`multiple of \`?${number(value)}(?![\\d.]*\\d)`).test(text);
    case "flag": {
      const word = { uniqueItems: "unique", deprecated: "deprecated", readOnly: "read-only", writeOnly: "write-only" }[value];
      return text.toLowerCase().includes(word);
    }
    case "default":
    case "const":
    case "enum":
    case "example":
      if (typeof value === "object" || typeof value === "string") {
        const wanted = letters(typeof value === "string" ? value : JSON.stringify(value));
        return wanted === "" ? text.includes(typeof value === "string" ? value : JSON.stringify(value)) : squeezed.includes(wanted);
      }
      return new RegExp(`(?<![\\w.])${number(value)}(?![\\w]|\\.\\d)`).test(text);
    case "pattern":
      return text.replace(/\s/g, "").includes(String(value).replace(/\s/g, ""));
    default:
      return text.includes(String(value)) || squeezed.includes(letters(value) || "\0");
  }
}

function number(value) {
  return String(value).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const option = (name, usual) => (process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : usual);
  const [source, built] = process.argv.slice(2);
  const checked = checkItems(source, built, option("--operations", 5));
  let items = 0;
  const missing = { html: 0, markdown: 0 };
  for (const operation of checked) {
    items += operation.items.length;
    for (const kind of ["html", "markdown"]) missing[kind] += operation.missing[kind].length;
    console.log(`${operation.name}: ${operation.items.length} items, ${operation.missing.html.length} not in HTML, ${operation.missing.markdown.length} not in Markdown`);
    for (const kind of ["html", "markdown"]) {
      for (const item of operation.missing[kind].slice(0, option("--show", 0))) console.log(`  ${kind} ${item.kind}: ${JSON.stringify(item.value).slice(0, 200)}`);
    }
  }
  console.log(`total: ${items} items of ${checked.length} operations, ${missing.html} not in HTML, ${missing.markdown} not in Markdown`);
}
