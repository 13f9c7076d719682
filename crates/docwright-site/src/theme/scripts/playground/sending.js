// Sends a request: from the browser, or through the proxy of the site's own host.

// The proxy refused the request, or got no response.
class ProxyError extends Error {}

// How requests are sent here. The browser sends them where no server announces the proxy, as on static hosts.
async function sendingMode(mode) {
  return mode === "proxy" && !(await hasProxy()) ? "browser" : mode;
}

async function hasProxy() {
  const [visit] = performance.getEntriesByType("navigation");
  if (visit && visit.serverTiming) return visit.serverTiming.some((each) => each.name === "requests");
  // Without HTTPS, pages don't see this header of their own visit, so they ask for it.
  if (!/^https?:$/.test(location.protocol)) return false;
  const response = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
  return /(^|,\s*)requests;/.test((response && response.headers.get("Server-Timing")) || "");
}

// Whether the browser sends a request: the site's own host needs no proxy.
function isByBrowser(request, settings) {
  return settings.mode !== "proxy" || new URL(request.url).origin === location.origin;
}

// Sends a request. Returns `{status, statusText, headers, body}`, in which the body is a stream.
function exchange(request, settings, signal) {
  return isByBrowser(request, settings) ? exchangeByBrowser(request, settings, signal) : exchangeByProxy(request, settings, signal);
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
  if (hasCookie && isByBrowser(request, settings)) notes.push("Browsers don't let pages send cookies to other sites, so the request is sent without them. Copy it to send it from a terminal.");
  if (request.body && METHODS_WITHOUT_BODY.includes(request.method) && isByBrowser(request, settings)) notes.push(`Browsers don't send a body with ${request.method}. Copy the request to send it from a terminal.`);
  return notes;
}
