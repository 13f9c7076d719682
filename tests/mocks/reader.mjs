// An agent that reads a site through its MCP server with the protocol's own SDK. Prints the results.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "reader", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const call = async (name, given = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: given });
  return { text: content[0].text, isError };
};
const { tools } = await client.listTools();
const { resources } = await client.listResources();
const skill = await client.readResource({ uri: resources[0].uri });
console.log(
  JSON.stringify({
    server: client.getServerVersion(),
    tools: tools.map((tool) => tool.name),
    found: await call("search", { query: "kubernets deploy" }),
    nothing: await call("search", { query: "" }),
    foreign: await call("search", { query: "deploy", language: "../.." }),
    answer: await call("ask", { question: "How long is a lease before another worker can claim the job?" }),
    refusal: await call("ask", { question: "Can docwright publish to Zendesk Guide?" }),
    silence: await call("ask", { question: " " }),
    pages: await call("list_pages", { folder: "write" }),
    page: await call("read_page", { path: "/quickstart" }),
    outside: await call("read_page", { path: "../../secret" }),
    unknown: await call("no_such_tool").then(() => "answered", (error) => error.message),
    skill: skill.contents[0].text,
  }),
);
await client.close();
