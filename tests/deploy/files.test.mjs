// Compose files, CI recipes, workflows, and units: valid for the programs that read them, and no option that
// docwright doesn't have.

import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { parse } from "yaml";

import { deploy, missing, python, render, run } from "./tools.mjs";

const root = join(deploy, "..");
const read = (path) => readFile(join(root, path), "utf8");
const files = async (folder, ending = "") => {
  const entries = await readdir(join(root, folder));
  return entries.filter((entry) => entry.endsWith(ending)).map((entry) => join(folder, entry));
};
const skipSchemas = await missing("check_jsonschema");
const hasSystemd = (await run("systemd-analyze", ["--version"])).code === 0;
const skipUnits = hasSystemd ? false : "left out: systemd-analyze isn't installed";

/** What is wrong with a file, according to a schema of check-jsonschema. */
async function check(schema, path) {
  const { code, text } = await python("check-jsonschema", ["--builtin-schema", `vendor.${schema}`, path]);
  return code === 0 ? "" : text;
}

test("compose files, workflows, and recipes match their schemas", { skip: skipSchemas }, async () => {
  const all = [
    ...(await files("deploy/compose", ".yaml")).map((file) => ["compose-spec", file]),
    ...(await files(".github/workflows", ".yml")).map((file) => ["github-workflows", file]),
    ["github-workflows", "deploy/ci/github-actions.yml"],
    ["gitlab-ci", "deploy/ci/gitlab-ci.yml"],
  ];
  assert.ok(all.length >= 6);
  for (const [schema, file] of all) assert.equal(await check(schema, join(root, file)), "", file);
  const folder = await mkdtemp(join(tmpdir(), "compose-"));
  try {
    await writeFile(join(folder, "wrong.yaml"), "services: { docs: { image: docs, prots: [80] } }\n");
    assert.match(await check("compose-spec", join(folder, "wrong.yaml")), /prots/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("containers are confined and use a target of the Dockerfile", async () => {
  const dockerfile = await read("deploy/Dockerfile");
  const targets = new Set([...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name));
  let count = 0;
  for (const file of await files("deploy/compose", ".yaml")) {
    const { services } = parse(await read(file), { merge: true });
    for (const service of Object.values(services)) {
      if (!service.image.startsWith("docwright")) continue;
      count += 1;
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ["ALL"]);
      assert.deepEqual(service.security_opt, ["no-new-privileges:true"]);
      if (service.build) {
        assert.equal(join(root, "deploy/compose", service.build.context), join(root));
        assert.ok(targets.has(service.build.target), service.build.target);
      }
    }
  }
  assert.equal(count, 5);
  for (const target of ["deployment", "service"]) {
    const [, stage] = dockerfile.split(` AS ${target}\n`);
    const [own] = stage.split("\nFROM ");
    assert.match(own, /^USER 65532:65532$/m, target);
    assert.match(own, /org\.opencontainers\.image\.licenses/, target);
  }
});

test("options and variables are those of the reference", { skip: await missing("helm_python") }, async () => {
  const reference = await read("docs/reference/commands.mdx");
  const sections = new Map(reference.split("\n## ").map((text) => [text.split("\n")[0], text]));
  const recipes = ["github-actions.yml", "gitlab-ci.yml", "export.sh"].map((file) => `deploy/ci/${file}`);
  // Variables of the script itself.
  const script = await read("deploy/ci/export.sh");
  const own = new Set([...script.matchAll(/^#   export (DOCWRIGHT_\w+)=/gm)].map(([, name]) => name));
  for (const file of recipes) {
    for (const [name] of (await read(file)).matchAll(/DOCWRIGHT_\w+/g)) assert.ok(own.has(name), `${file} ${name}`);
  }
  const settings = [
    ["deploy/Dockerfile", "deploy/chart/templates/workload.yaml"],
    await files("deploy/compose", ".yaml"),
    await files("deploy/systemd", ".service"),
  ].flat();
  for (const file of settings) {
    for (const [name] of (await read(file)).matchAll(/DOCWRIGHT_\w+/g)) {
      assert.ok(reference.includes(`\`${name}\``), `${file} ${name}`);
    }
  }
  const staticExport = { enabled: true, bundleUrl: "https://example.com/bundle.tar.gz" };
  const rendered = await render({ staticExport, basePath: "/docs", trustedProxies: ["10.0.0.0/8"] });
  const [container] = rendered.kind("StatefulSet").spec.template.spec.containers;
  const options = container.args.slice(1).map((argument) => argument.split("=")[0]);
  assert.deepEqual(options, ["--values", "--listen", "--probes", "--base-path", "--trusted-proxies"]);
  for (const option of options) assert.ok(sections.get("`docwright deploy`").includes(`\`${option} <`), option);
});

test("units are valid and confined", { skip: skipUnits }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "units-"));
  try {
    for (const file of await files("deploy/systemd", ".service")) {
      const text = await read(file);
      assert.match(text, /^ExecStart=\/usr\/local\/bin\/docwright (serve|deploy) ?/m);
      const unit = join(folder, file.split("/").at(-1));
      // systemd refuses programs that aren't installed.
      await writeFile(unit, text.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
      const verified = await run("systemd-analyze", ["verify", unit]);
      assert.deepEqual([verified.code, verified.text], [0, ""], file);
      // An exposure of 2.0 of 10.
      const offline = ["security", "--offline=true", "--threshold=20", "--no-pager", unit];
      const { code, text: report } = await run("systemd-analyze", offline);
      assert.equal(code, 0, report);
      await writeFile(unit, text.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true").replace("UMask=", "Umsk="));
      assert.match((await run("systemd-analyze", ["verify", unit])).text, /Umsk/);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
