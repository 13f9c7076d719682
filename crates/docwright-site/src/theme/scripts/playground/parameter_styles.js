// How parameters are written, by `style` and `explode` of OpenAPI.

// A text in a URL. `reserved` keeps the characters that OpenAPI allows unencoded, except those that end a value.
function encoded(value, reserved) {
  const text = plain(value);
  if (!reserved) return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return encodeURI(text).replace(/[&#+]/g, encodeURIComponent);
}

// Names and values of an object, as far as they are sent.
function membersOf(value) {
  return Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
}

function itemsOf(value) {
  return value.filter((each) => each !== undefined && each !== null);
}

// A value in the path, such as `5`, `.5`, or `;id=5`.
function pathValue(parameter, value) {
  const style = parameter.style || "simple";
  const write = (each) => encoded(each, parameter.reserved);
  const name = encoded(parameter.name);
  const explode = parameter.explode === true;
  if (parameter.content) return write(toJson(value));
  const start = style === "label" ? "." : style === "matrix" ? ";" : "";
  const between = explode && start ? start : ",";
  if (Array.isArray(value)) {
    const items = itemsOf(value).map(write);
    if (style === "matrix") return explode ? items.map((item) => `;${name}=${item}`).join("") : `;${name}=${items.join(",")}`;
    return start + items.join(between);
  }
  if (isObject(value)) {
    const pairs = membersOf(value).map(([key, each]) => [encoded(key), write(each)]);
    if (explode) return start + pairs.map((pair) => pair.join("=")).join(between);
    return (style === "matrix" ? `;${name}=` : start) + pairs.flat().join(",");
  }
  return (style === "matrix" ? `;${name}=` : start) + write(value);
}

// The pairs of a query parameter, or of a property of a form, as `[name, value]`, both encoded.
function queryPairs(parameter, value) {
  const style = parameter.style || "form";
  const explode = parameter.explode === undefined ? style === "form" : parameter.explode;
  const name = encoded(parameter.name);
  const write = (each) => encoded(each, parameter.reserved);
  if (value === undefined || value === null) return [];
  if (parameter.content) return [[name, write(toJson(value))]];
  if (style === "deepObject") return deepPairs(parameter.name, value).map(([key, each]) => [encoded(key), write(each)]);
  const between = { spaceDelimited: "%20", pipeDelimited: "%7C" }[style] || ",";
  if (Array.isArray(value)) {
    const items = itemsOf(value).map(write);
    if (explode) return items.map((item) => [name, item]);
    return items.length > 0 ? [[name, items.join(between)]] : [];
  }
  if (isObject(value)) {
    const pairs = membersOf(value).map(([key, each]) => [encoded(key), write(each)]);
    if (explode) return pairs;
    return pairs.length > 0 ? [[name, pairs.flat().join(between)]] : [];
  }
  return [[name, write(value)]];
}

// The pairs of nested values: `a[b]=1`, `a[]=1` for a list of single values, and `a[0][b]=1` for one of objects.
function deepPairs(name, value) {
  if (Array.isArray(value)) {
    return itemsOf(value).flatMap((item, number) => deepPairs(`${name}[${typeof item === "object" ? number : ""}]`, item));
  }
  if (isObject(value)) return membersOf(value).flatMap(([key, each]) => deepPairs(`${name}[${key}]`, each));
  return [[name, value]];
}

// A value in a header. Headers aren't encoded.
function headerValue(parameter, value) {
  if (parameter.content) return toJson(value);
  if (Array.isArray(value)) return itemsOf(value).map(plain).join(",");
  if (isObject(value)) {
    const pairs = membersOf(value).map(([key, each]) => [key, plain(each)]);
    return parameter.explode ? pairs.map((pair) => pair.join("=")).join(",") : pairs.flat().join(",");
  }
  return plain(value);
}

// The pairs of a cookie, as `name=value`.
function cookiePairs(parameter, value) {
  const written = parameter.style === "cookie" ? plain : encoded;
  const explode = parameter.explode !== false;
  if (parameter.content) return [`${parameter.name}=${encoded(toJson(value))}`];
  if (Array.isArray(value)) {
    const items = itemsOf(value).map((item) => written(item));
    return explode ? items.map((item) => `${parameter.name}=${item}`) : [`${parameter.name}=${items.join(",")}`];
  }
  if (isObject(value)) {
    const pairs = membersOf(value).map(([key, each]) => [key, written(each)]);
    return explode ? pairs.map((pair) => pair.join("=")) : [`${parameter.name}=${pairs.flat().join(",")}`];
  }
  return [`${parameter.name}=${written(value)}`];
}
