// A mock of GitHub Enterprise: Prism checks each request with GitHub's own API spec, and git serves git.
// Arguments: the folder of bare repositories, and the token. Prints its address. `GET /journal` returns all
// requests; `GET /fail?status=N&times=M` makes the next API responses errors that ask clients to wait (`after`,
// `reset`); `GET /pull?number=N&head=BRANCH&owner=O` opens a pull request of another owner, whose commit is
// `refs/pull/N/head`. It has an app with the private key `app.pem` in the folder.

import { execFileSync, spawn } from "node:child_process";
import { createVerify, generateKeyPairSync } from "node:crypto";
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
  "/repos/{owner}/{repo}/statuses/{sha}",
  "/repos/{owner}/{repo}/check-runs",
  "/repos/{owner}/{repo}/check-runs/{check_run_id}",
  "/repos/{owner}/{repo}/commits/{ref}/check-runs",
  "/repos/{owner}/{repo}/issues/{issue_number}/comments",
  "/repos/{owner}/{repo}/issues/comments/{comment_id}",
];

// Prism needs long to read the whole description, so this keeps only the operations that docwright uses.
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
const statuses = [];
const checks = [];
const comments = [];
const app = generateKeyPairSync("rsa", { modulusLength: 2048 });
writeFileSync(join(folder, "app.pem"), app.privateKey.export({ type: "pkcs1", format: "pem" }));
const APP_TOKEN = "token-of-the-app";
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

// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
function isApp(authorization) {
  const [head, claims, signature] = (authorization ?? "").replace("Bearer ", "").split(".");
  if (!signature) return false;
  return createVerify("RSA-SHA256").update(`${head}.${claims}`).verify(app.publicKey, signature, "base64url");
}

function commit(ref) {
  return execFileSync("git", ["-C", join(folder, "acme/docs.git"), "rev-parse", ref]).toString().trim();
}

// A pull request as in lists.
function listed({ number, title, html_url, head, base, owner = "acme" }) {
  const own = head.includes(":") ? head.split(":")[1] : head;
  const ref = owner === "acme" ? `refs/heads/${own}` : `refs/pull/${number}/head`;
  return {
    number, title, html_url, user: { login: owner },
    head: { ref: own, sha: commit(ref), repo: { full_name: `${owner}/docs` } },
    base: { ref: base, sha: commit(base), repo: { full_name: "acme/docs" } },
  };
}

function page(request, all) {
  const query = new URL(request.url, "http://x").searchParams;
  const size = Number(query.get("per_page") ?? 30);
  return all.slice(size * (Number(query.get("page") ?? 1) - 1)).slice(0, size);
}

// Operations on commits and pull requests. Returns `undefined` for other paths.
function said(request, path, value) {
  const [where] = path.split("?");
  const parts = where.split("/").slice(4);
  const made = (list, entry) => {
    list.push({ id: list.length + 1, ...entry });
    return [201, list.at(-1)];
  };
  const changed = (list, id) => {
    const found = list.find((each) => each.id === Number(id));
    return found ? [200, Object.assign(found, value)] : [404, { message: "Not Found" }];
  };
  if (parts[0] === "statuses") return made(statuses, { sha: parts[1], ...value });
  if (parts[0] === "check-runs") return parts[1] ? changed(checks, parts[1]) : made(checks, value);
  if (parts[0] === "commits") {
    const name = new URL(request.url, "http://x").searchParams.get("check_name");
    const runs = checks.filter((run) => run.head_sha === parts[1] && run.name === name).slice(-1);
    return [200, { total_count: runs.length, check_runs: runs }];
  }
  if (parts[0] === "issues" && parts[1] === "comments") return changed(comments, parts[2]);
  if (parts[0] === "issues" && request.method === "POST") return made(comments, { number: Number(parts[1]), ...value });
  if (parts[0] === "issues") return [200, page(request, comments.filter((each) => each.number === Number(parts[1])))];
  if (parts[0] === "installation") return [200, { id: 7 }];
  if (path.startsWith("/app/installations/7/")) return [201, { token: APP_TOKEN }];
  return undefined;
}

// Asks Prism whether a request is valid, then responds with this mock's data.
async function api(request, response) {
  const path = request.url.slice("/api/v3".length);
  const sent = await body(request);
  const isForApps = path.endsWith("/installation") || path.startsWith("/app/");
  const good = isForApps ? isApp(request.headers.authorization) : [token, APP_TOKEN].includes(request.headers.authorization?.replace("Bearer ", ""));
  if (!good) return reply(response, 401, { message: "Bad credentials" });
  const checked = await fetch(prism + path, {
    method: request.method,
    headers: { "content-type": "application/json", authorization: request.headers.authorization },
    body: sent.length > 0 ? sent : undefined,
  });
  // Prism also reports errors in its own example responses.
  const violations = JSON.parse(checked.headers.get("sl-violations") ?? "[]");
  const problems = violations.filter((violation) => violation.location[0] === "request");
  const known = checked.status !== 404;
  const valid = known && problems.length === 0;
  const text = JSON.stringify(known ? problems : "GitHub has no such operation");
  journal.push({ method: request.method, path, valid, problem: valid ? null : text });
  if (failures.times > 0) {
    failures.times -= 1;
    return failures.status === 0 ? response.destroy() : reply(response, failures.status, { message: "planned" }, failures.headers);
  }
  if (!valid) return reply(response, 422, { message: "not as GitHub wants it", errors: [{ message: text }] });
  const value = sent.length > 0 ? JSON.parse(sent) : {};
  const answer = said(request, path, value);
  if (answer) return reply(response, ...answer);
  if (request.method === "GET") {
    const asked = new URL(request.url, "http://x").searchParams.get("head");
    if (!asked) return reply(response, 200, page(request, pulls.filter((pull) => pull.state === "open").map(listed)));
    const head = asked.split(":")[1];
    return reply(response, 200, pulls.filter((pull) => pull.head === head));
  }
  if (request.method === "POST") {
    if (pulls.some((pull) => pull.head === value.head)) {
      return reply(response, 422, { message: "Validation Failed", errors: [{ message: `A pull request already exists for acme:${value.head}.` }] });
    }
    const number = pulls.length + 1;
    pulls.push({ number, state: "open", html_url: `https://github.example/acme/docs/pull/${number}`, ...value });
    execFileSync("git", ["-C", join(folder, "acme/docs.git"), "update-ref", `refs/pull/${number}/head`, `refs/heads/${value.head}`]);
    return reply(response, 201, pulls.at(-1));
  }
  const pull = pulls.find((each) => path.endsWith(`/${each.number}`));
  Object.assign(pull, value);
  return reply(response, 200, pull);
}

// https://git-scm.com/docs/git-http-backend
async function git(request, response) {
  const basic = (secret) => `Basic ${Buffer.from(`x-access-token:${secret}`).toString("base64")}`;
  if (![basic(token), basic(APP_TOKEN)].includes(request.headers.authorization)) {
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
  if (request.url === "/journal") return reply(response, 200, { requests: journal, pulls, statuses, checks, comments });
  if (request.url.startsWith("/pull?")) {
    const { number, head, owner } = Object.fromEntries(new URL(request.url, "http://x").searchParams);
    pulls.push({ number: Number(number), state: "open", html_url: `https://github.example/acme/docs/pull/${number}`, title: "From elsewhere", head, base: "trunk", owner });
    return reply(response, 200, pulls.at(-1));
  }
  if (request.url.startsWith("/close?")) {
    const number = Number(new URL(request.url, "http://x").searchParams.get("number"));
    return reply(response, 200, Object.assign(pulls.find((pull) => pull.number === number), { state: "closed" }));
  }
  if (request.url.startsWith("/fail")) {
    const query = new URL(request.url, "http://x").searchParams;
    const headers = query.has("reset")
      ? { "x-ratelimit-remaining": "0", "x-ratelimit-reset": query.get("reset") }
      : { "retry-after": query.get("after") ?? "0" };
    const status = Number(query.get("status"));
    const waits = query.has("reset") || status === 429 || status >= 500;
    failures = { status, times: Number(query.get("times")), headers: waits ? headers : {} };
    return reply(response, 200, failures);
  }
  const handler = request.url.startsWith("/api/v3/") ? api : git;
  return handler(request, response).catch((problem) => reply(response, 500, { message: String(problem) }));
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
