// A site that is exported and deployed by docwright for a test.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { said, stop } from "./service.mjs";

// Exports a docs root and deploys the bundle, each with more flags. Returns `address` and `close`.
export async function deploy(source, exportFlags, deployFlags) {
  const folder = mkdtempSync(join(tmpdir(), "docwright-deployed-"));
  const [bundle, values, data] = ["bundle.tar.gz", "values.yaml", "data"].map((name) => join(folder, name));
  execFileSync(process.env.DOCWRIGHT, ["export", source, "--out", bundle, ...exportFlags], { stdio: "pipe" });
  writeFileSync(values, `staticExport:\n  bundleUrl: "${bundle}"\n`);
  const flags = ["--values", values, "--data", data, "--listen", "127.0.0.1:0", ...deployFlags];
  const process_ = spawn(process.env.DOCWRIGHT, ["deploy", ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  const address = `${await said(process_.stdout, /listening on (\S+)/)}/`;
  // It listens before the bundle is verified.
  while (!(await fetch(`${address}readyz`)).ok);
  return {
    address,
    async close() {
      await stop(process_);
      rmSync(folder, { recursive: true });
    },
  };
}
