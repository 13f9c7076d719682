// A coding agent with the Agent Client Protocol, based on the protocol's own SDK. The first word of the prompt
// selects its behavior.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { PROTOCOL_VERSION, agent, ndJsonStream } from "@agentclientprotocol/sdk";

let folder;
const say = (client, sessionId, text) =>
  client.notify("session/update", { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } });
const page = (text) => `---\ntitle: New\n---\n\n${text}\n`;

// Asks for permission to run a tool of a kind. Returns the chosen option.
async function permission(client, sessionId, kind) {
  const { outcome } = await client.request("session/request_permission", {
    sessionId,
    toolCall: { toolCallId: kind, title: kind, kind, status: "pending" },
    options: [
      { optionId: "no", name: "Reject", kind: "reject_once" },
      { optionId: "yes", name: "Allow", kind: "allow_once" },
    ],
  });
  return outcome.optionId;
}

const tasks = {
  // Writes through docwright and directly, and fixes the check's diagnostics.
  async write(client, sessionId, prompt) {
    if (prompt.includes("The check found")) {
      writeFileSync(join(folder, "new.mdx"), page("See [one](/page-1)."));
      return "Fix the link";
    }
    const config = await client.request("fs/read_text_file", { sessionId, path: join(folder, "docs.json") });
    const changed = JSON.parse(config.content);
    changed.navigation.groups[0].pages.push("new");
    await client.request("fs/write_text_file", { sessionId, path: join(folder, "docs.json"), content: JSON.stringify(changed, null, 2) });
    writeFileSync(join(folder, "new.mdx"), page("See [one](/nowhere)."));
    rmSync(join(folder, "page-2.mdx"));
    changed.navigation.groups[0].pages = changed.navigation.groups[0].pages.filter((each) => each !== "page-2");
    writeFileSync(join(folder, "docs.json"), JSON.stringify(changed, null, 2));
    return "Add a page";
  },
  async ask(client, sessionId) {
    const answers = [];
    for (const kind of ["edit", "execute", "fetch"]) answers.push(`${kind} ${await permission(client, sessionId, kind)}`);
    for (const path of ["/etc/passwd", join(folder, "../../x")]) {
      answers.push(await client.request("fs/read_text_file", { sessionId, path }).then(() => "read", () => "refused"));
    }
    answers.push(Object.keys(process.env).filter((name) => name.startsWith("DOCWRIGHT_")).join() || "no secrets");
    return answers.join(", ");
  },
  async escape() {
    writeFileSync(join(folder, ".hidden"), readFileSync("/etc/hostname"));
    return "Done";
  },
  // Tries to access forbidden resources, and does what every agent must be able to do.
  async trespass(client, sessionId, prompt) {
    const { readable, writable, address } = JSON.parse(prompt.slice(prompt.indexOf("{")));
    const attempt = (action) => {
      try {
        action();
        return "done";
      } catch (error) {
        return error.code;
      }
    };
    const results = {};
    for (const [name, path] of Object.entries(readable)) results[`read ${name}`] = attempt(() => readFileSync(path));
    for (const [name, path] of Object.entries(writable)) results[`write ${name}`] = attempt(() => writeFileSync(path, "x"));
    results["read the server's environment"] = attempt(() => readFileSync(`/proc/${process.ppid}/environ`));
    results["signal the server"] = attempt(() => process.kill(process.ppid, 0));
    results["read its own file"] = attempt(() => readFileSync(join(folder, "docs.json")));
    results["write to its home"] = attempt(() => writeFileSync(join(homedir(), "x"), "x"));
    results["write to its temporary folder"] = attempt(() => writeFileSync(join(tmpdir(), "x"), "x"));
    results["run a program"] = attempt(() => execFileSync("git", ["--version"]));
    results["use the network"] = await fetch(address).then(() => "done", (error) => error.message);
    const secret = /^DOCWRIGHT_|SECRET|PASSWORD|TOKEN/;
    results["variables"] = Object.keys(process.env).filter((name) => secret.test(name) || name === "LISTED");
    return JSON.stringify(results);
  },
  async crash() {
    process.exit(3);
  },
};

agent({ name: "test-agent" })
  .onRequest("initialize", () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest("session/new", ({ params }) => {
    folder = params.cwd;
    return { sessionId: "one" };
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const prompt = params.prompt.map((block) => block.text ?? "").join("");
    await say(client, params.sessionId, await tasks[prompt.split(" ")[0]](client, params.sessionId, prompt));
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
