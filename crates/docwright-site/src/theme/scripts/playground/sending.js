// Sends a request: from the browser, or through the proxy of the site's own host.

// The proxy refused the request, or got no response.
class ProxyError extends Error {}

// Sends a request. Returns `{status, statusText, headers, body}`, in which the body is a stream.
function exchange(request, settings, signal) {
  return settings.mode === "proxy" ? exchangeByProxy(request, settings, signal) : exchangeByBrowser(request, settings, signal);
}

// The bytes of a body, as `fetch` takes them.
function bytesOf(body) {
  if (!body) return undefined;
  if (body.pairs) return formText(body.pairs);
  if (body.parts) return multipartBody(body.parts, body.boundary);
  return body.file || body.text;
}

async function exchangeByBrowser(request, settings, signal) {
  // Pages can't send cookies of their choice.
  const headers = new Headers(request.headers.filter(([name]) => name.toLowerCase() !== "cookie"));
  const body = METHODS_WITHOUT_BODY.includes(request.method) ? undefined : bytesOf(request.body);
  const response = await fetch(request.url, { method: request.method, headers, body, signal, cache: "no-store", credentials: settings.hasCredentials ? "include" : "same-origin" });
  return { status: response.status, statusText: response.statusText, headers: [...response.headers], body: response.body };
}

async function exchangeByProxy(request, settings, signal) {
  const headers = {
    "Content-Type": "application/octet-stream",
    "Docwright-Request-Method": request.method,
    "Docwright-Request-Url": request.url,
    "Docwright-Request-Headers": encodeURIComponent(JSON.stringify(request.headers)),
  };
  const response = await fetch(new URL("_docwright/request", settings.root), { method: "POST", headers, body: bytesOf(request.body), signal, cache: "no-store" });
  const status = response.headers.get("Docwright-Response-Status");
  if (status === null) {
    const answer = await response.json().catch(() => ({}));
    throw new ProxyError(typeof answer.error === "string" ? answer.error : `The server of this page returned ${response.status}. It can't send requests.`);
  }
  const written = response.headers.get("Docwright-Response-Headers");
  return { status: Number(status), statusText: "", headers: written ? JSON.parse(decodeURIComponent(written)) : [], body: response.body };
}

// What the reader must know about a request before it is sent.
function notesOn(request, settings) {
  const notes = [];
  const hasCookie = request.headers.some(([name]) => name.toLowerCase() === "cookie");
  if (hasCookie && settings.mode === "browser") notes.push("Browsers don't let pages send cookies to other sites, so the request is sent without them. Copy it to send it from a terminal.");
  if (request.body && METHODS_WITHOUT_BODY.includes(request.method) && settings.mode === "browser") notes.push(`Browsers don't send a body with ${request.method}. Copy the request to send it from a terminal.`);
  return notes;
}
