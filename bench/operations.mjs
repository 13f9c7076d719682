// Writes a docs root whose API reference is a description several times over, to measure large ones. Arguments: the
// description as JSON, a new folder, and the number of copies. Each copy has a prefix of its own in its paths and tags.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [source, folder, copies] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const description = JSON.parse(readFileSync(source, "utf8"));
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const prefixed = (operation, copy) =>
  ({ ...operation, tags: (operation.tags ?? ["api"]).map((tag) => `copy-${copy} ${tag}`) });
const paths = {};
for (let copy = 0; copy < copies; copy += 1) {
  for (const [path, item] of Object.entries(description.paths)) {
    const entries = Object.entries(item).map(([key, value]) =>
      [key, methods.includes(key) && copy > 0 ? prefixed(value, copy) : value]);
    paths[copy === 0 ? path : `/copy-${copy}${path}`] = Object.fromEntries(entries);
  }
}
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "openapi.json"), JSON.stringify({ ...description, paths }));
const navigation = { groups: [{ group: "API", openapi: "openapi.json" }] };
const config = { $schema: "https://mintlify.com/docs.json", theme: "mint", name: "Operations", colors: { primary: "#0f766e" }, navigation };
writeFileSync(join(folder, "docs.json"), JSON.stringify(config));
