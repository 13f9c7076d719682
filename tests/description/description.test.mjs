// The API spec in third-party tools: validators report no diagnostic, and a client in strict TypeScript
// compiles. Nothing here uses the network.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const description = join(here, "../../docs/api/openapi.json");
const program = (name) => join(here, "node_modules/.bin", name);

/** Runs a program in this folder. Returns its exit code and output. */
function run(file, args, folder = here) {
  // An unreachable proxy, so that programs can't send telemetry.
  const nowhere = "http://127.0.0.1:9";
  const env = {
    PATH: process.env.PATH,
    HOME: tmpdir(),
    NO_COLOR: "1",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? -1) : 0, text: stdout + stderr });
    });
  });
}

/** Diagnostics of each validator in an API spec, or an empty text. */
const validators = {
  redocly: async (file) => {
    const { text } = await run(program("redocly"), ["lint", file, "--format=json"]);
    const { totals, problems } = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    assert.equal(typeof totals.errors, "number", text);
    return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`).join("\n");
  },
  spectral: async (file) => {
    const args = ["lint", file, "--ruleset", ".spectral.yaml", "--format=json", "--fail-severity=hint"];
    const { code, text } = await run(program("spectral"), [...args, "--quiet"]);
    const diagnostics = JSON.parse(text.slice(text.indexOf("["), text.lastIndexOf("]") + 1));
    assert.equal(code === 0, diagnostics.length === 0, text);
    return diagnostics.map(({ code, message, path }) => `${code}: ${message} ${path.join(".")}`).join("\n");
  },
  "openapi-spec-validator": async (file) => {
    const { code, text } = await run(join(here, ".venv/bin/openapi-spec-validator"), [file]);
    return code === 0 ? "" : text;
  },
};

/** Compiles the client with an API spec. Returns the exit code and the compiler's output. */
async function compile(file) {
  const folder = await mkdtemp(join(here, "node_modules/.client-"));
  try {
    await mkdir(join(folder, "generated"));
    const types = join(folder, "generated/api.d.ts");
    const made = await run(program("openapi-typescript"), [file, "--output", types]);
    assert.ok(existsSync(types), made.text);
    for (const name of ["client.ts", "tsconfig.json"]) {
      await writeFile(join(folder, name), await readFile(join(here, name)));
    }
    return await run(program("tsc"), ["--project", folder], folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** An API spec that differs in one position. */
async function changed(change) {
  const document = JSON.parse(await readFile(description, "utf8"));
  change(document);
  const folder = await mkdtemp(join(tmpdir(), "description-"));
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  return file;
}

for (const [name, diagnostics] of Object.entries(validators)) {
  test(`${name} has no diagnostic`, async () => {
    assert.equal(await diagnostics(description), "");
  });
  test(`${name} finds an error`, async () => {
    const file = await changed((document) => {
      document.paths["/v1/new"] = { get: { responses: { nonsense: {} } } };
    });
    assert.notEqual(await diagnostics(file), "");
  });
}

test("strict client compiles without checks for required fields", async () => {
  const { code, text } = await compile(description);
  assert.equal(code, 0, text);
});

test("strict client does not compile if a field is optional", async () => {
  const file = await changed((document) => {
    const job = document.components.schemas.AgentJob;
    job.required = job.required.filter((name) => name !== "prLink");
  });
  const { code, text } = await compile(file);
  assert.notEqual(code, 0);
  assert.match(text, /string \| null \| undefined/);
});
