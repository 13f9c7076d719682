// A GitHub Enterprise of the tests: each request is checked against GitHub's own description by
// Prism, and git is served by git itself. Arguments: the folder of bare repositories, and the token.
// Prints its address. `GET /journal` tells what was asked; `GET /fail?status=N&times=M` makes the
// next answers of the API errors.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [folder, token] = process.argv.slice(2);
const OPERATIONS = [
  "/repos/{owner}/{repo}/pulls",
  "/repos/{owner}/{repo}/pulls/{pull_number}",
  "/repos/{owner}/{repo}/installation",
  "/app/installations/{installation_id}/access_tokens",
];

// The whole description takes Prism long to read; these are the operations that docwright uses.
function description() {
  const require = createRequire(import.meta.url);
  const file = join(dirname(require.resolve("@octokit/openapi/package.json")), "generated/api.github.com.deref.json");
  const whole = JSON.parse(readFileSync(file, "utf8"));
  const paths = Object.fromEntries(OPERATIONS.map((path) => [path, whole.paths[path]]));
  const target = join(mkdtempSync(join(tmpdir(), "github-")), "description.json");
  writeFileSync(target, JSON.stringify({ openapi: whole.openapi, info: whole.info, paths }));
  return target;
}

function startPrism(file) {
  const prism = spawn(join(here, "node_modules/.bin/prism"), ["mock", "--port", "0", "--host", "127.0.0.1", file]);
  process.on("exit", () => prism.kill());
  return new Promise((resolve, reject) => {
    let output = "";
    prism.stdout.on("data", (data) => {
      output += data;
      const found = output.match(/listening on (http:\/\/127\.0\.0\.1:\d+)/i);
      if (found) resolve(found[1]);
    });
    prism.on("exit", () => reject(new Error(output)));
  });
}

process.stdin.on("end", () => process.exit()).resume();
const prism = await startPrism(description());
const journal = [];
const pulls = [];
let failures = { status: 0, times: 0 };

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function reply(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

// Asks Prism whether the request is as GitHub wants it, then answers with what this GitHub holds.
async function api(request, response) {
  const path = request.url.slice("/api/v3".length);
  const sent = await body(request);
  if (request.headers.authorization !== `Bearer ${token}`) return reply(response, 401, { message: "Bad credentials" });
  const checked = await fetch(prism + path, {
    method: request.method,
    headers: { "content-type": "application/json", authorization: request.headers.authorization },
    body: sent.length > 0 ? sent : undefined,
  });
  // Prism also complains of its own examples, which are answers.
  const violations = JSON.parse(checked.headers.get("sl-violations") ?? "[]");
  const problems = violations.filter((violation) => violation.location[0] === "request");
  const known = checked.status !== 404;
  const valid = known && problems.length === 0;
  const text = JSON.stringify(known ? problems : "GitHub has no such operation");
  journal.push({ method: request.method, path, valid, problem: valid ? null : text });
  if (failures.times > 0) {
    failures.times -= 1;
    return failures.status === 0 ? response.destroy() : reply(response, failures.status, { message: "planned" }, { "retry-after": "0" });
  }
  if (!valid) return reply(response, 422, { message: "not as GitHub wants it", errors: [{ message: text }] });
  const value = sent.length > 0 ? JSON.parse(sent) : {};
  if (request.method === "GET") {
    const head = new URL(request.url, "http://x").searchParams.get("head").split(":")[1];
    return reply(response, 200, pulls.filter((pull) => pull.head === head));
  }
  if (request.method === "POST") {
    if (pulls.some((pull) => pull.head === value.head)) {
      return reply(response, 422, { message: "Validation Failed", errors: [{ message: `A pull request already exists for acme:${value.head}.` }] });
    }
    const number = pulls.length + 1;
    pulls.push({ number, state: "open", html_url: `https://github.example/acme/docs/pull/${number}`, ...value });
    return reply(response, 201, pulls.at(-1));
  }
  const pull = pulls.find((each) => path.endsWith(`/${each.number}`));
  Object.assign(pull, value);
  return reply(response, 200, pull);
}

// https://git-scm.com/docs/git-http-backend
async function git(request, response) {
  const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  if (request.headers.authorization !== expected) {
    response.writeHead(401, { "www-authenticate": "Basic realm=\"git\"" });
    return response.end();
  }
  const [path, query = ""] = request.url.split("?");
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH, GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: "1", REMOTE_USER: "docwright",
      PATH_INFO: path, QUERY_STRING: query, REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "", HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: request.headers["git-protocol"] ?? "",
    },
  });
  request.pipe(backend.stdin);
  const output = await body(backend.stdout);
  const end = output.indexOf("\r\n\r\n");
  const headers = Object.fromEntries(output.subarray(0, end).toString().split("\r\n").map((line) => line.split(": ")));
  response.writeHead(parseInt(headers.Status ?? "200", 10), headers);
  response.end(output.subarray(end + 4));
}

const server = http.createServer((request, response) => {
  if (request.url === "/journal") return reply(response, 200, { requests: journal, pulls });
  if (request.url.startsWith("/fail")) {
    const query = new URL(request.url, "http://x").searchParams;
    failures = { status: Number(query.get("status")), times: Number(query.get("times")) };
    return reply(response, 200, failures);
  }
  const handler = request.url.startsWith("/api/v3/") ? api : git;
  return handler(request, response).catch((problem) => reply(response, 500, { message: String(problem) }));
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
