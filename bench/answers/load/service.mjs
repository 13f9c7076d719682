// A service with several sites of the same pages, whose assistant asks a scripted model.

import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

/** Sites of one organization. */
const OF_ORGANIZATION = 3;

export class Service {
  constructor(binary, folder, model) {
    Object.assign(this, { binary, folder, model, hosts: [] });
    this.data = join(folder, "data");
    this.log = join(folder, "serve.log");
  }

  admin(...words) {
    return JSON.parse(execFileSync(this.binary, ["admin", "--json", "--data", this.data, ...words], { stdio: ["ignore", "pipe", "inherit"] }));
  }

  /** Starts the service, and publishes the sites. */
  async start(docs, sites) {
    const projects = [];
    for (let number = 0; number < sites; number++) {
      if (number % OF_ORGANIZATION === 0) this.organization = this.admin("organization", "create", `Load ${number}`).id;
      const project = this.admin("project", "create", `Docs ${number}`, "--organization", this.organization, "--import", docs).id;
      const host = `docs-${number}.example.com`;
      this.admin("domain", "create", host, "--project", project);
      const { key } = this.admin("key", "create", "load", "--organization", this.organization, "--scope", "admin");
      projects.push({ project, host, key });
    }
    await this.serve();
    // One after the other: workers build the sites.
    for (const { project, host, key } of projects) {
      await this.call("PATCH", `/v1/projects/${project}/deployments/cloud`, key, { features: { assistant: { mode: "on" } } });
      await this.call("POST", "/v1/static-export/jobs", key, { domain: host, deployment: "cloud" });
      while (!(await this.answers(host))) await wait(500);
      this.hosts.push(host);
    }
  }

  async serve() {
    const file = openSync(this.log, "w");
    const environment = { ...process.env, DOCWRIGHT_ASSISTANT_MODEL: "openai-chat:scripted", DOCWRIGHT_AGENT_URLS: `openai-chat=${this.model}` };
    this.process = spawn(this.binary, ["serve", "--data", this.data, "--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1"], { stdio: ["ignore", "pipe", file], env: environment });
    closeSync(file);
    const line = await new Promise((resolve, reject) => {
      createInterface({ input: this.process.stdout }).once("line", resolve);
      this.process.once("exit", () => reject(new Error(readFileSync(this.log, "utf8"))));
    });
    this.base = new URL(line.replace("listening on ", ""));
  }

  async call(method, path, key, body) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(new URL(path, this.base), { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }

  /** Whether a site has the assistant. */
  async answers(host) {
    const answer = await fetch(new URL("/index.html", this.base), { headers: { "x-forwarded-host": host } });
    await answer.arrayBuffer();
    return (answer.headers.get("server-timing") ?? "").includes("assistant;");
  }

  /** The memory of the process, in bytes, every second from now on. */
  recordMemory() {
    const recorded = [];
    const read = () => recorded.push(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.process.pid}/status`, "utf8"))[1]) * 1024);
    this.memory = setInterval(read, 1000);
    read();
    return recorded;
  }

  async stop() {
    clearInterval(this.memory);
    const ended = new Promise((resolve) => this.process.once("close", resolve));
    this.process.kill();
    await ended;
  }

  kill() {
    this.process?.kill();
  }
}
