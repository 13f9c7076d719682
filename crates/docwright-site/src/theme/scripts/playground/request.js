// The request, composed from what the reader filled in: `{method, url, headers, body, notes}`. The body has `text`,
// `pairs`, `parts`, or a `file`. In a draft, the placeholders of required values stay, for the samples.

const METHODS_WITHOUT_BODY = ["GET", "HEAD"];

// `sections` has the servers, the authorization, the body, and the parameters with their controls.
function composeRequest(data, sections, isDraft) {
  const authorization = sections.authorization.read(isDraft);
  const query = [...authorization.query];
  const cookies = [...authorization.cookies];
  const headers = [];
  let path = data.path;
  let wholeQuery = "";
  for (const { parameter, control } of sections.parameters) {
    const value = control.read();
    const isEmpty = value === undefined || value === null;
    if (isEmpty) continue;
    switch (parameter.in) {
      case "path":
        path = path.replaceAll(`{${parameter.name}}`, () => pathValue(parameter, value));
        // Addresses that are written by hand can have `:name`.
        if (data.isHandwritten) path = path.replace(new RegExp(`:${parameter.name.replace(/[^\w]/g, "\\$&")}(?=/|$)`), () => pathValue(parameter, value));
        break;
      case "query": query.push(...queryPairs(parameter, value)); break;
      case "querystring": wholeQuery = queryString(parameter, value); break;
      case "header": headers.push([parameter.name, headerValue(parameter, value)]); break;
      case "cookie": cookies.push(...cookiePairs(parameter, value)); break;
    }
  }
  const known = new Set(headers.map(([name]) => name.toLowerCase()));
  headers.unshift(...authorization.headers.filter(([name]) => !known.has(name.toLowerCase())));
  if (cookies.length > 0) headers.push(["Cookie", cookies.join("; ")]);
  const search = [query.map((pair) => pair.join("=")).join("&"), wholeQuery].filter(Boolean).join("&");
  const request = { method: data.method, url: absolute(sections.servers.read() + path + (search ? `?${search}` : ""), isDraft), headers, body: null };
  const body = sections.body && sections.body.read();
  if (body) {
    request.body = body.parts ? { ...body, boundary: newBoundary() } : body;
    const type = body.parts ? `${body.type}; boundary=${request.body.boundary}` : body.type;
    request.headers = [...headers.filter(([name]) => name.toLowerCase() !== "content-type"), ["Content-Type", type]];
  }
  return request;
}

// The whole query as one value.
function queryString(parameter, value) {
  if (/x-www-form-urlencoded/.test(parameter.content || "") && isObject(value)) return formText(formPairs(value));
  return encoded(isObject(value) || parameter.content ? toJson(value) : value);
}

// An address without a host is one of the site's own.
function absolute(address, isDraft) {
  if (isDraft && /^https?:/.test(address)) return address;
  try {
    const url = new URL(address, location.href);
    // A draft keeps the braces of parameters without a value.
    return isDraft ? decodeBraces(url.href) : url.href;
  } catch (_) {
    return address;
  }
}

function decodeBraces(address) {
  return address.replace(/%7B([\w-]+)%7D/gi, "{$1}");
}

// A path segment of dots would change the path.
function pathProblem(parameter, value) {
  return parameter.in === "path" && /^\.{1,2}$/.test(plain(value)) ? "Enter another value. Browsers remove a path segment of dots." : null;
}
