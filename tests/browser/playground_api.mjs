// An API for tests of the playground: a spec whose operations have the shapes of real APIs, and a server that records
// what arrives.

import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

const string = { type: "string" };
const integer = { type: "integer" };
const json = (schema, more) => ({ required: true, content: { "application/json": { schema, ...more } } });
const parameter = (place, name, schema, more) => ({ in: place, name, schema, required: place === "path", ...more });
const strings = { type: "array", items: string };
const point = { type: "object", properties: { x: integer, y: integer } };

const PET = {
  type: "object",
  required: ["name", "kind"],
  properties: {
    id: { type: "integer", readOnly: true },
    name: { ...string, example: "Rex" },
    kind: { type: "string", enum: ["cat", "dog"] },
    vaccinated: { type: "boolean" },
    weight: { type: "number", minimum: 0 },
    nickname: { type: ["string", "null"] },
    tags: strings,
    owner: { $ref: "#/components/schemas/Owner" },
    labels: { type: "object", additionalProperties: string },
    visits: { type: "array", items: { type: "object", required: ["day"], properties: { day: string, cost: integer } } },
    color: { type: "string", default: "black" },
  },
};
const CAT = { type: "object", required: ["type"], properties: { type: string, lives: integer } };
const DOG = { type: "object", required: ["type", "tricks"], properties: { type: string, tricks: strings } };

// Operations by the name of their page: method, path, and the rest.
export const OPERATIONS = {
  "get-pet": ["get", "/pets/{petId}", { security: [{ bearer: [] }], parameters: [parameter("path", "petId", { type: "integer", format: "int64" })] }],
  "list-pets": ["get", "/pets", {
    security: [{ queryKey: [] }],
    parameters: [
      parameter("query", "status", { type: "array", items: { type: "string", enum: ["new", "sold"] } }, { required: true }),
      parameter("query", "tags", strings),
      parameter("query", "ids", { type: "array", items: integer }, { explode: false }),
      parameter("query", "sort", strings, { style: "pipeDelimited", explode: false }),
      parameter("query", "limit", { type: "integer", minimum: 1, maximum: 100, default: 20 }),
      parameter("query", "dry", { type: "boolean" }),
    ],
  }],
  "create-pet": ["post", "/pets", { security: [{ basic: [] }], requestBody: json({ $ref: "#/components/schemas/Pet" }) }],
  "replace-pet": ["put", "/pets/{petId}", { security: [{ headerKey: [] }], parameters: [parameter("path", "petId", string)], requestBody: json({ $ref: "#/components/schemas/Pet" }) }],
  "add-photo": ["post", "/pets/{petId}/photo", {
    parameters: [parameter("path", "petId", integer)],
    requestBody: { required: true, content: { "multipart/form-data": {
      schema: { type: "object", required: ["file"], properties: { file: { type: "string", format: "binary" }, meta: point, caption: string, tags: strings, settings: { type: "string" } } },
      encoding: { settings: { contentType: "application/json" } },
    } } },
  }],
  "create-charge": ["post", "/charges", { requestBody: { content: { "application/x-www-form-urlencoded": {
    schema: {
      type: "object",
      required: ["amount"],
      properties: {
        amount: integer,
        source: { anyOf: [{ title: "Card", type: "object", required: ["number"], properties: { number: string, billing: { type: "object", properties: { city: string } } } }, { title: "Token", type: "string" }] },
        expand: strings,
        items: { type: "array", items: { type: "object", properties: { price: string } } },
        metadata: { type: "object", additionalProperties: string },
      },
    },
    encoding: Object.fromEntries(["source", "expand", "items", "metadata"].map((name) => [name, { style: "deepObject", explode: true }])),
  } } } }],
  "create-session": ["post", "/session", { requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: { type: "object", required: ["user"], properties: { user: string, scopes: strings, device: point } } } } } }],
  search: ["get", "/search", { parameters: [parameter("query", "filter", { type: "object", properties: { color: string, size: { type: "object", properties: { min: integer } } } }, { style: "deepObject", explode: true, required: true })] }],
  styles: ["get", "/styles/{matrix}/{label}/{simple}/end", { parameters: [
    parameter("path", "matrix", point, { style: "matrix", explode: true }),
    parameter("path", "label", strings, { style: "label", explode: true }),
    parameter("path", "simple", strings),
  ] }],
  headers: ["get", "/headers", { parameters: [
    parameter("header", "X-Ids", { type: "array", items: integer }, { required: true }),
    parameter("header", "X-Point", point, { explode: true, required: true }),
    parameter("cookie", "theme", string),
  ] }],
  "create-animal": ["post", "/animals", { requestBody: json({
    oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
    discriminator: { propertyName: "type", mapping: { cat: "#/components/schemas/Cat", dog: "#/components/schemas/Dog" } },
  }) }],
  upload: ["post", "/upload", { requestBody: { required: true, content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } } }],
  "send-xml": ["post", "/xml", { requestBody: { content: { "application/xml": { example: "<a/>" } } } }],
  "add-note": ["post", "/notes", { requestBody: { required: true, content: { "text/plain": { schema: string }, "application/json": { schema: { type: "object", properties: { text: string } } } } } }],
  report: ["get", "/report", { security: [{ oauth: ["read"] }] }],
  either: ["get", "/either", { security: [{ bearer: [] }, { headerKey: [], queryKey: [] }, {}] }],
  session: ["get", "/me", { security: [{ cookieKey: [] }] }],
  events: ["get", "/events", {}],
  lines: ["get", "/lines", {}],
  picture: ["get", "/picture", {}],
  "delete-item": ["delete", "/carts/{cartId}/items/{itemId}", { parameters: [parameter("path", "cartId", string), parameter("path", "itemId", string)] }],
  regions: ["get", "/where", {}],
  "json-query": ["get", "/query", { parameters: [{ in: "query", name: "where", required: true, content: { "application/json": { schema: { type: "object", required: ["field"], properties: { field: string, value: {} } } } } }] }],
  "create-tree": ["post", "/tree", { requestBody: json({ $ref: "#/components/schemas/Tree" }) }],
  "add-many": ["post", "/many", { requestBody: json({ type: "array", items: { anyOf: [integer, string] } }) }],
};

// The spec, for a server at this address.
export function specification(address) {
  const paths = {};
  for (const [name, [method, path, operation]] of Object.entries(OPERATIONS)) {
    paths[path] = paths[path] ?? {};
    paths[path][method] = { operationId: name, summary: name, responses: { 200: { description: "Done" } }, ...operation };
  }
  paths["/where"].servers = [
    { url: `${address}/{region}/v{version}`, description: "Regions", variables: { region: { default: "eu", enum: ["eu", "us"] }, version: { default: "1" } } },
    { url: `${address}/test`, description: "Test" },
  ];
  return {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: address }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        basic: { type: "http", scheme: "basic" },
        headerKey: { type: "apiKey", in: "header", name: "X-Key" },
        queryKey: { type: "apiKey", in: "query", name: "key" },
        cookieKey: { type: "apiKey", in: "cookie", name: "sid" },
        oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl: `${address}/oauth/token`, scopes: { read: "Read", write: "Write" } } } },
      },
      schemas: {
        Pet: PET,
        Owner: { type: "object", required: ["name"], properties: { name: string, email: { ...string, format: "email" } } },
        Cat: CAT,
        Dog: DOG,
        Tree: { type: "object", required: ["name"], properties: { name: string, parent: { $ref: "#/components/schemas/Tree" }, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } } },
      },
    },
  };
}

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

// A server that records requests, other than those of CORS. `requests` has what arrived. `release` lets the response of
// `/events` continue.
export async function recorder() {
  const requests = [];
  let waiting = [];
  const closing = new EventEmitter();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const allowed = { "access-control-allow-origin": "*", "access-control-allow-methods": "*", "access-control-expose-headers": "*", "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*" };
      if (request.method === "OPTIONS") return response.writeHead(204, allowed).end();
      const body = Buffer.concat(chunks);
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const reply = (type, content, status = 200) => response.writeHead(status, { ...allowed, "content-type": type, "x-request-id": "7" }).end(content);
      const { pathname } = new URL(request.url, "http://x");
      if (pathname === "/events") {
        response.writeHead(200, { ...allowed, "content-type": "text/event-stream" });
        response.write(': hello\n\nevent: message\ndata: {"number": 1}\n\n');
        waiting.push(() => response.end('data: {"number": 2}\n\n'));
        response.on("close", () => {
          requests.push({ closed: pathname });
          closing.emit("closed");
        });
        return undefined;
      }
      if (pathname === "/lines") return reply("application/x-ndjson", '{"line": 1}\n{"line": 2}\n');
      if (pathname === "/picture") return reply("image/png", PIXEL);
      if (pathname === "/oauth/token") {
        const isKnown = new URLSearchParams(body.toString()).get("client_secret") === "s3 cret";
        return isKnown ? reply("application/json", '{"access_token": "fresh", "token_type": "bearer"}') : reply("application/json", '{"error": "invalid_client"}', 401);
      }
      return reply("application/json", '{"done": true, "id": 12345678901234567890}', pathname === "/xml" ? 422 : 200);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    requests,
    address: `http://127.0.0.1:${server.address().port}`,
    // The last request, once the page shows its response.
    last: () => requests.filter((request) => !request.closed).at(-1),
    // Resolves when the next stream of `/events` is closed.
    nextClosed: () => once(closing, "closed"),
    release() {
      waiting.forEach((send) => send());
      waiting = [];
    },
    close: () => server.close(),
  };
}
