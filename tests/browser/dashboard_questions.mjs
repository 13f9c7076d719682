// Questions of readers to the site of the demo, and a key of its assistant, so that the dashboard shows some.

import { request } from "node:http";

const HOST = "docs.localhost";
// What the manual doesn't say, in several wordings, and a text without a place to break.
const UNANSWERED = [
  "How do I export pages to PDF with Prince?",
  "Can I export a page to PDF with Prince?",
  "Which settings of Prince export a PDF of all pages?",
  "How do I connect Salesforce?",
  "Can docwright connect to Salesforce Service Cloud?",
  "How do I import a space from Confluence?",
  `Why is https://tracker.example.com/browse/${"HARBOR-1234567890".repeat(8)} not shown in Zendesk?`,
];
const ANSWERED = "How do I roll back to an earlier release?";

/** Turns the assistant on, asks, rates an answer, and creates a key. Returns the paths of the pages that show it. */
export async function ask(page, project) {
  const { origin } = new URL(project);
  await page.goto(`${project}/deployments/cloud`);
  await page.locator("select[name=assistant]").selectOption("on");
  await page.locator("form:has(select[name=assistant]) button[type=submit]").first().click();
  const site = (method, path, body) => send(origin, method, path, body);
  while (!(await site("GET", "/index.html")).offers.includes("assistant;")) await page.waitForTimeout(500);
  const thread = "conversation-of-the-demo";
  for (const question of UNANSWERED) await site("POST", "/_docwright/assistant", { question });
  const { text } = await site("POST", "/_docwright/assistant", { question: ANSWERED, thread });
  const [, answer] = /"id":"(\w+)","rated":true/.exec(text);
  await site("POST", "/_docwright/assistant/rating", { thread, answer, helpful: false, reason: "unclear" });
  const keys = `${project}/settings/assistant-keys`;
  for (const [name, origins] of [["Support bot", ""], ["Shop", "https://shop.example.com\nhttps://checkout.shop.example.com"]]) {
    await page.goto(keys);
    await page.locator("input[name=name]").fill(name);
    await page.locator("input[name=domain]").fill(HOST);
    await page.locator("textarea[name=origins]").fill(origins);
    await page.getByRole("button", { name: "Create assistant key" }).click();
    await page.waitForURL(`${keys}/*`);
  }
  return { gaps: `${project}/gaps`, "assistant-keys": keys, "assistant-key": page.url(), deployment: `${project}/deployments/cloud` };
}

/** A request to the site. Its host needs no name server. */
function send(origin, method, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, origin), { method, headers: { host: HOST, "content-type": "application/json" } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => (text += piece));
      answer.on("end", () => resolve({ offers: answer.headers["server-timing"] ?? "", text }));
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}
