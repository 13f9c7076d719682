// A service with sites of the same pages, whose readers are counted.

import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, readdirSync, statSync } from "node:fs";
import { get } from "node:http";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

/** The dimensions that requests count, by their numbers in the database (`docwright_types::analytics::Dimension`). */
const DIMENSIONS = {
  1: "referrer", 2: "language", 3: "device", 5: "entry", 6: "campaign_source", 11: "search", 12: "empty_search", 13: "opened_result",
  14: "reading_time", 15: "scroll_depth", 16: "largest_paint", 17: "interaction_delay", 18: "layout_shift", 20: "copied_code", 21: "chosen_tab",
};

export class Service {
  constructor(binary, folder) {
    Object.assign(this, { binary, hosts: [], data: join(folder, "data"), log: join(folder, "serve.log") });
  }

  admin(...words) {
    return JSON.parse(execFileSync(this.binary, ["admin", "--json", "--data", this.data, ...words], { stdio: ["ignore", "pipe", "inherit"] }));
  }

  /** Starts the service, publishes the sites, and finds their pages. */
  async start(docs, sites) {
    const organization = this.admin("organization", "create", "Load").id;
    const { key } = this.admin("key", "create", "load", "--organization", organization, "--scope", "admin");
    const hosts = Array.from({ length: sites }, (_, number) => `docs-${number}.example.com`);
    for (const host of hosts) {
      const project = this.admin("project", "create", host, "--organization", organization, "--import", docs).id;
      this.admin("domain", "create", host, "--project", project);
    }
    await this.serve();
    for (const host of hosts) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const body = JSON.stringify({ domain: host, deployment: "cloud" });
      const answer = await fetch(new URL("/v1/static-export/jobs", this.base), { method: "POST", headers, body });
      if (!answer.ok) throw new Error(`export of ${host}: ${answer.status} ${await answer.text()}`);
      while ((await this.status(host, "/index")) !== 200) await wait(500);
      this.hosts.push(host);
    }
    const files = readdirSync(docs, { recursive: true, withFileTypes: true }).filter((file) => file.isFile() && file.name.endsWith(".mdx"));
    const paths = files.map((file) => relative(docs, join(file.parentPath ?? file.path, file.name)).slice(0, -4));
    this.pages = [];
    for (const path of paths.sort()) if ((await this.status(hosts[0], `/${path}`)) === 200) this.pages.push(path);
  }

  async serve() {
    const file = openSync(this.log, "w");
    this.process = spawn(this.binary, ["serve", "--data", this.data, "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1"], { stdio: ["ignore", "pipe", file] });
    closeSync(file);
    const line = await new Promise((resolve, reject) => {
      createInterface({ input: this.process.stdout }).once("line", resolve);
      this.process.once("exit", () => reject(new Error(readFileSync(this.log, "utf8"))));
    });
    this.base = new URL(line.replace("listening on ", ""));
  }

  /** The status of a page. No reader asks for it: it isn't counted. */
  status(host, path) {
    return new Promise((resolve, reject) => {
      const asked = get({ host: this.base.hostname, port: this.base.port, path, headers: { host, "user-agent": "curl/8", "sec-purpose": "prefetch" } }, (answer) => answer.resume().on("end", () => resolve(answer.statusCode)));
      asked.on("error", reject);
    });
  }

  /** Seconds of processor time of the process until now, and the memory of its own in bytes. */
  used() {
    const fields = readFileSync(`/proc/${this.process.pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
    const memory = Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.process.pid}/status`, "utf8"))[1]) * 1024;
    return { processor: (Number(fields[11]) + Number(fields[12])) / 100, memory };
  }

  /** What the database has counted: views, and values of each dimension. */
  counted() {
    const query = `SELECT 'views', SUM(human) FROM analytics_views WHERE step = 1 UNION ALL SELECT dimension, SUM(views) FROM analytics_values WHERE page = 0 GROUP BY dimension`;
    const text = execFileSync("sqlite3", ["-separator", "\t", join(this.data, "docwright.db"), query], { encoding: "utf8" });
    return Object.fromEntries(text.trim().split("\n").map((line) => line.split("\t")).map(([name, count]) => [DIMENSIONS[name] ?? name, Number(count)]));
  }

  /** Files of events, and their bytes. */
  events() {
    const folder = join(this.data, "objects");
    const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".parquet"));
    return { files: files.length, bytes: files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) };
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.once("close", resolve));
    this.process.kill();
    await ended;
  }

  kill() {
    this.process?.kill("SIGKILL");
  }
}
