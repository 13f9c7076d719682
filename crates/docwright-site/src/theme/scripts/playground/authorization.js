// How a request is authorized: one of several alternatives, each with fields for its schemes. What readers enter stays in
// the tab, and is only filled in again for the same API.

const CREDENTIALS = "docwright-credentials";

// A section whose `read` returns the headers, pairs of the query, and cookies of the chosen alternative.
function authorizationSection(data, settings, serverOf) {
  const alternatives = (data.security || []).filter((names) => names.length > 0);
  const hasNone = (data.security || []).some((names) => names.length === 0);
  if (alternatives.length === 0) return { element: null, read: () => ({ headers: [], query: [], cookies: [] }) };
  const place = create("div");
  const options = alternatives.map((names, number) => [number, names.join(" and ")]);
  if (hasNone) options.push(["", "No authorization"]);
  const choice = select(options, { id: newId() });
  let fields = [];

  function show() {
    const names = alternatives[choice.value] || [];
    fields = names.map((name) => schemeField(name, data.schemes[name], settings, serverOf));
    place.replaceChildren(...fields.map((field) => field.element));
  }
  choice.addEventListener("change", show);
  show();
  const label = create("label", { class: "dw-playground-spoken", for: choice.id }, "Authorize with");
  return {
    element: create("fieldset", {}, create("legend", {}, "Authorization"), ...(options.length > 1 ? [label, choice] : []), place),
    read(isDraft) {
      const parts = { headers: [], query: [], cookies: [] };
      for (const field of fields) {
        const { scheme, value } = field.read(isDraft);
        if (value === null) continue;
        if (scheme.in === "query") parts.query.push([encoded(scheme.name), encoded(value)]);
        else if (scheme.in === "cookie") parts.cookies.push(`${scheme.name}=${encoded(value)}`);
        else parts.headers.push([scheme.name, value]);
      }
      return parts;
    },
  };
}

// A text field that the tab remembers.
function secretField(label, place, store, type) {
  const input = create("input", { id: newId(), type, autocomplete: "off", spellcheck: "false" });
  input.value = store.read(place) || "";
  input.addEventListener("input", () => store.write(place, input.value));
  return { input, element: create("div", { class: "dw-playground-row" }, create("div", { class: "dw-playground-name" }, create("label", { for: input.id }, label)), create("div", {}, input)) };
}

// What the tab remembers of a scheme.
function credentialStore(key) {
  return {
    read: (place) => ((kept(CREDENTIALS) || {})[key] || {})[place],
    write(place, value) {
      const all = kept(CREDENTIALS) || {};
      kept(CREDENTIALS, { ...all, [key]: { ...all[key], [place]: value } });
    },
  };
}

// The fields of one scheme. Without a value, a draft has a placeholder.
function schemeField(name, scheme, settings, serverOf) {
  const store = credentialStore(`${serverOf.origin} ${name}`);
  if (scheme.prefix === "Basic ") return basicField(scheme, store);
  const isToken = scheme.prefix === "Bearer ";
  const label = isToken ? "Token" : scheme.name;
  const secret = secretField(label, "value", store, "password");
  const place = { query: "query", cookie: "cookie" }[scheme.in] || "header";
  secret.element.firstElementChild.append(create("small", {}, isToken ? `${scheme.name}: Bearer` : place));
  if (secret.input.value === "" && scheme.value) secret.input.value = scheme.value;
  const parts = [secret.element];
  if (scheme.flow && settings.mode !== "show") {
    parts.push(clientCredentials(scheme.flow, settings, serverOf, store, (token) => {
      secret.input.value = token;
      secret.input.dispatchEvent(new Event("input", { bubbles: true }));
    }));
  }
  return {
    element: create("div", {}, ...parts),
    read(isDraft) {
      const given = secret.input.value.trim();
      const bare = isToken ? given.replace(/^bearer\s+/i, "") : given;
      if (bare === "" && !isDraft) return { scheme, value: null };
      return { scheme, value: (scheme.prefix || "") + (bare || (isToken ? "<token>" : "<api-key>")) };
    },
  };
}

// User name and password, which the request has as base64.
function basicField(scheme, store) {
  const name = secretField("Username", "username", store, "text");
  const password = secretField("Password", "password", store, "password");
  return {
    element: create("div", {}, name.element, password.element),
    read(isDraft) {
      const isEmpty = name.input.value === "" && password.input.value === "";
      if (isEmpty) return { scheme, value: isDraft ? "Basic <encoded-value>" : null };
      return { scheme, value: `Basic ${base64(`${name.input.value}:${password.input.value}`)}` };
    },
  };
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

// Gets a token of OAuth 2 by client credentials.
function clientCredentials(flow, settings, serverOf, store, done) {
  const id = secretField("Client ID", "clientId", store, "text");
  const secret = secretField("Client secret", "clientSecret", store, "password");
  const required = flow.required || [];
  const scopes = [...new Set([...flow.scopes, ...required])].map((scope) => ({ scope, input: create("input", { type: "checkbox", checked: required.includes(scope) }) }));
  const boxes = scopes.length > 0 ? create("div", { class: "dw-playground-boxes", role: "group", "aria-label": "Scopes" }, ...scopes.map(({ scope, input }) => create("label", {}, input, scope))) : null;
  const status = create("p", { role: "status", class: "dw-playground-note" });
  const get = button("Get token", async () => {
    get.disabled = true;
    status.textContent = "";
    try {
      const address = new URL(flow.tokenUrl, new URL(`${serverOf.read()}/`, location.href)).href;
      const chosen = scopes.filter(({ input }) => input.checked).map(({ scope }) => scope);
      done(await fetchToken(address, id.input.value, secret.input.value, chosen, settings));
      status.textContent = "The token is filled in.";
    } catch (error) {
      status.textContent = error instanceof TokenError || error instanceof ProxyError ? error.message : "No response. The server of the tokens can't be reached, or doesn't allow requests from this page (CORS). Paste a token instead.";
    }
    get.disabled = false;
  }, { class: "dw-playground-small" });
  return create("details", { class: "dw-playground-flow" }, create("summary", {}, "Get a token with client credentials"), id.element, secret.element, boxes, get, status);
}

// A refused request for a token.
class TokenError extends Error {}

// Asks for a token: with the credentials in a header, as servers must understand, or in the body, as some want them.
async function fetchToken(address, id, secret, scopes, settings) {
  const pairs = [["grant_type", "client_credentials"], ...(scopes.length > 0 ? [["scope", encoded(scopes.join(" "))]] : [])];
  const ask = async (headers, more) => {
    const type = ["Content-Type", "application/x-www-form-urlencoded"];
    const answer = await exchange({ method: "POST", url: address, headers: [type, ["Accept", "application/json"], ...headers], body: { pairs: [...pairs, ...more] } }, settings);
    const text = await new Response(answer.body).text();
    let token = {};
    try {
      token = JSON.parse(text);
    } catch (_) {
      /* the message says what is wrong */
    }
    return { status: answer.status, token };
  };
  let result = await ask([["Authorization", `Basic ${base64(`${encoded(id)}:${encoded(secret)}`)}`]], []);
  if (result.status === 400 || result.status === 401) result = await ask([], [["client_id", encoded(id)], ["client_secret", encoded(secret)]]);
  const { access_token: token, error, error_description: about } = result.token;
  if (typeof token === "string") return token;
  throw new TokenError(`No token: the server returned ${result.status}${error ? `, ${error}` : ""}${about ? ` (${about})` : ""}. Check the client ID and secret.`);
}
