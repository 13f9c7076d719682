// The response: status, time, size, headers, and the body by its content type.

// Longest text that is shown, in characters. All of it can be saved.
const LONGEST_SHOWN = 1000000;
// Bytes of a response that can be saved. Streams can be endless.
const MOST_KEPT = 100000000;
const TEXT_TYPE = /^text\/|[/+](json|xml|yaml|javascript|ecmascript)|x-www-form-urlencoded|ndjson|jsonl|json-seq|graphql|x-yaml|csv/;

function sizeLabel(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1000000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1000000).toFixed(1)} MB`;
}

function timeLabel(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

// The place of the response. `show` returns the status when the body is complete.
function responseSection() {
  const status = create("div", { class: "dw-playground-status", role: "status" });
  const place = create("div");
  const empty = create("p", { class: "dw-playground-note" }, "Send the request to see the response.");
  place.append(empty);
  const addresses = [];
  function clear() {
    addresses.splice(0).forEach((address) => URL.revokeObjectURL(address));
    status.replaceChildren();
    place.replaceChildren();
  }
  function addressOf(blob) {
    addresses.push(URL.createObjectURL(blob));
    return addresses.at(-1);
  }

  async function show(answer, began, isOwn) {
    clear();
    const isFailed = answer.status >= 400;
    const time = timeLabel(performance.now() - began);
    const size = create("span");
    status.append(create("b", { "data-failed": isFailed }, `${answer.status} ${answer.statusText || statusText(answer.status)}`.trim()), create("span", {}, time), size);
    const type = (answer.headers.find(([name]) => name.toLowerCase() === "content-type") || ["", ""])[1].toLowerCase();
    const body = create("div");
    place.append(headersView(answer.headers, isOwn), body);
    const read = await readBody(answer.body, type, body);
    size.textContent = sizeLabel(read.size);
    await showBody(read.bytes, type, body);
    return answer.status;
  }

  // Shows a stream while it comes. Returns what can be saved of it, and the size of all.
  async function readBody(stream, type, body) {
    const chunks = [];
    const view = streamView(type);
    const isText = TEXT_TYPE.test(type);
    const text = isText && !view ? create("pre", { tabindex: "0", "aria-label": "Body" }) : null;
    if (view) body.append(view.element);
    if (text) body.append(text);
    const decoder = new TextDecoder();
    const reader = stream ? stream.getReader() : null;
    let shown = 0;
    let size = 0;
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size <= MOST_KEPT) chunks.push(value);
      const piece = decoder.decode(value, { stream: true });
      if (view) view.add(piece);
      if (text && shown < LONGEST_SHOWN) text.append(piece.slice(0, LONGEST_SHOWN - shown));
      shown += piece.length;
    }
    if (view) view.end();
    return { bytes: new Blob(chunks, { type }), size };
  }

  // Shows a body that is complete.
  async function showBody(bytes, type, body) {
    if (bytes.size === 0) {
      body.replaceChildren(create("p", { class: "dw-playground-note" }, "The response has no body."));
      return;
    }
    const [, media] = /^(image|audio|video)\//.exec(type) || [];
    const save = create("a", { class: "dw-playground-small", href: addressOf(bytes), download: fileNameOf(type) }, "Save");
    const tools = create("div", { class: "dw-playground-tools" }, save);
    if (media) {
      const src = addressOf(bytes);
      body.replaceChildren(media === "image" ? create("img", { src, alt: "Response" }) : create(media, { src, controls: true }), tools);
      return;
    }
    const text = TEXT_TYPE.test(type) || type === "" ? await decoded(bytes) : null;
    if (text === null) {
      body.replaceChildren(create("p", { class: "dw-playground-note" }, `${type || "Binary data"}, ${sizeLabel(bytes.size)}`), tools);
      return;
    }
    tools.prepend(button("Copy", (event) => copyText(text, event.currentTarget), { class: "dw-playground-small" }));
    if (text.length > LONGEST_SHOWN) tools.append(create("span", { class: "dw-playground-note" }, "Only the beginning is shown. Save the response to see all of it."));
    const isJson = isJsonType(type) || (type === "" && /^\s*[{[]/.test(text));
    const pre = body.querySelector("pre");
    if (isJson && text.length <= LONGEST_SHOWN) body.replaceChildren(create("pre", { tabindex: "0", "aria-label": "Body" }, prettyJson(text)));
    else if (!pre) body.replaceChildren(create("pre", { tabindex: "0", "aria-label": "Body" }, text.slice(0, LONGEST_SHOWN)));
    body.append(tools);
  }

  // Shows why there is no response.
  function fail(title, ...texts) {
    clear();
    status.append(create("b", { "data-failed": true }, title));
    place.append(...texts.map((text) => create("p", { class: "dw-playground-note" }, text)));
  }

  function wait(text) {
    clear();
    place.append(create("p", { class: "dw-playground-note" }, text));
  }

  function note(text) {
    place.prepend(create("p", { class: "dw-playground-note dw-playground-warning" }, text));
  }

  const element = create("section", { class: "dw-playground-response", "aria-label": "Response" }, create("h3", {}, "Response"), status, place);
  return { element, show, fail, wait, note, status };
}

// A body as text; `null` if it isn't UTF-8.
async function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await bytes.arrayBuffer());
  } catch (_) {
    return null;
  }
}

function headersView(headers, isOwn) {
  const rows = headers.map(([name, value]) => create("tr", {}, create("th", { scope: "row" }, name), create("td", {}, value)));
  const note = isOwn ? null : create("p", { class: "dw-playground-note" }, "Browsers hide headers of other sites, except those of Access-Control-Expose-Headers.");
  return create("details", { class: "dw-playground-headers" }, create("summary", {}, `Headers (${headers.length})`), create("table", {}, create("tbody", {}, ...rows)), note);
}

function fileNameOf(type) {
  const [, name] = /^[\w.-]+\/(?:[\w.-]+\+)?([\w-]+)/.exec(type) || [];
  return `response.${{ plain: "txt", "octet-stream": "bin", jpeg: "jpg", "event-stream": "txt" }[name] || name || "bin"}`;
}

// HTTP/2 and proxies have no text of a status.
function statusText(status) {
  const texts = {
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict", 410: "Gone",
    413: "Content Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  };
  return texts[status] || "";
}
