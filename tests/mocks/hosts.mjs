// Applies the redirects that docwright wrote for a static host. Reads the host's name, the file, and a JSON list of
// paths. Prints the response to each: `null`, the target, or for CloudFront the file.
//
// Uses Netlify's own matcher, Vercel's own compiler of `vercel.json`, and the matcher of Cloudflare's Workers.
// GitLab's matcher isn't available as a package, so its documented rules are implemented here.

import { readFileSync } from "node:fs";
import vm from "node:vm";
import { getTransformedRoutes } from "@vercel/routing-utils";
import netlify from "netlify-redirector";
import { generateRedirectsEvaluator } from "redirects-in-workers";

// One of the packages prints its input.
console.log = console.error;
const [host, file] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const origin = "https://docs.example.com";

const hosts = {
  async netlify() {
    const rules = await netlify.parsePlain(text, { jwtSecret: "" });
    return (path) => {
      const found = rules.match({ scheme: "https", host: "docs.example.com", path, query: "" });
      return found && { status: found.status, location: found.to, forced: found.force };
    };
  },

  async cloudflare() {
    const answer = generateRedirectsEvaluator(text);
    return async (path) => {
      const response = await answer(new Request(origin + path), { fetch });
      return response && { status: response.status, location: response.headers.get("location") };
    };
  },

  async vercel() {
    const { routes, error } = getTransformedRoutes(JSON.parse(text));
    if (error) throw new Error(JSON.stringify(error));
    const before = routes.slice(0, routes.findIndex((route) => route.handle === "filesystem") >>> 0);
    const ask = (path) => {
      for (const route of before) {
        const found = route.src && new RegExp(route.src).exec(path);
        if (!found || !route.headers?.Location) continue;
        const location = route.headers.Location.replace(/\$(\d)/g, (_, group) => found[group] ?? "");
        return { status: route.status, location };
      }
      return null;
    };
    // Cloudflare first redirects to the path without a slash.
    return (path) => {
      const bare = path.replace(/\/$/, "");
      const first = ask(path);
      return first && bare && bare !== path && first.location === bare ? ask(bare) : first;
    };
  },

  async gitlab() {
    const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
    if (lines.length > 1000 || text.length > 64 * 1024) throw new Error("too much for GitLab");
    const rules = lines.map((line) => {
      const [from, to, status, ...more] = line.split(/\s+/);
      if (more.length || !/^30[12]$/.test(status)) throw new Error(`not for GitLab: ${line}`);
      const parts = from.split("/").filter(Boolean).map((part) => {
        if (part === "*") return "/*(?<splat>.*)/*";
        if (/^:[a-z]+$/i.test(part)) return `/+(?<${part.slice(1)}>[^/]+)`;
        return "/+" + part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      });
      return { from: new RegExp(`^${parts.join("")}/*$`, "i"), to, status: Number(status) };
    });
    return (path) => {
      for (const { from, to, status } of rules) {
        const found = from.exec(path);
        if (!found) continue;
        const filled = to.replace(/:([a-z]+)/gi, (_, name) => found.groups?.[name] ?? "");
        return { status, location: filled.replace(/(?<!:)\/\/+/g, "/") };
      }
      return null;
    };
  },

  async cloudfront() {
    if (text.length > 10 * 1024) throw new Error("too much for CloudFront");
    const context = vm.createContext({});
    vm.runInContext(`${text}\nglobalThis.handler = handler;`, context);
    return (path) => {
      const result = context.handler({ request: { method: "GET", uri: path, querystring: {} } });
      if (!result.statusCode) return { file: result.uri };
      return { status: result.statusCode, location: result.headers.location.value };
    };
  },
};

const answer = await hosts[host]();
const answers = {};
for (const path of JSON.parse(readFileSync(0, "utf8"))) answers[path] = await answer(path);
process.stdout.write(JSON.stringify(answers));
