// The Python programs of the tests, in the virtual environment of this folder.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { parse, parseAllDocuments } from "yaml";

const here = dirname(fileURLToPath(import.meta.url));
export const deploy = join(here, "../../deploy");
const chart = join(deploy, "chart");

/** Runs a program. Returns its exit code and output. */
export function run(program, args, input = "") {
  // An unreachable proxy, so that nothing is downloaded.
  const env = { PATH: process.env.PATH, HOME: tmpdir(), HTTPS_PROXY: "http://127.0.0.1:9" };
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd: here, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? -1) : 0, stdout, text: stdout + stderr });
    });
    child.stdin.end(input);
  });
}

/** Runs a program of the virtual environment. */
export const python = (name, args, input) => run(join(here, ".venv/bin", name), args, input);

/** Why tests with a Python package are left out, or false. */
export async function missing(module) {
  const { code } = await python("python", ["-c", `import ${module}`]);
  return code === 0 ? false : `left out: the Python package ${module} isn't installed`;
}

async function helm(request) {
  const { code, stdout, text } = await python("python", ["render.py"], JSON.stringify({ chart, ...request }));
  if (code !== 0) throw new Error(text);
  return JSON.parse(stdout);
}

/** What `helm lint` says about values. */
export const lint = (values) => helm({ operation: "lint", values });

/** Renders values. Returns the objects and the notes, or the error. */
export async function render(values, name = "docs") {
  const { files, error } = await helm({ operation: "render", values, name });
  if (error) return { error };
  const isNotes = (path) => path.endsWith("NOTES.txt");
  const manifests = Object.entries(files).filter(([path]) => !isNotes(path));
  const documents = manifests.flatMap(([, text]) => parseAllDocuments(text));
  for (const { errors } of documents) if (errors.length > 0) throw errors[0];
  const objects = documents.map((document) => document.toJS()).filter(Boolean);
  const notes = Object.entries(files).find(([path]) => isNotes(path))[1];
  return { objects, notes, kind: (kind) => objects.find((object) => object.kind === kind) };
}

/** The values of a file in deploy/chart/ci. */
export const values = (name) => parse(readFileSync(join(chart, "ci", `${name}-values.yaml`), "utf8"));
