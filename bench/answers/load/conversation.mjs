// A conversation of a reader with the assistant, on a connection that stays open.

import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";

/** Questions that one reader asks, below the limit of 20. */
const OF_READER = 15;
/** Earlier questions that a browser sends. */
const HISTORY = 10;

export class Conversation {
  constructor(service, number) {
    Object.assign(this, { service, number, readers: 0, asked: 0, host: service.hosts[number % service.hosts.length] });
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.begin();
  }

  /** Another reader comes. */
  begin() {
    const reader = this.readers++ * 1000 + this.number;
    this.address = `10.${(reader >> 16) & 255}.${(reader >> 8) & 255}.${reader & 255}`;
    this.thread = randomBytes(16).toString("base64url");
    this.history = [];
  }

  /** Opens the connection with the reader's page. */
  open() {
    return this.send("GET", "/index.html").then((answer) => new Promise((resolve) => answer.resume().on("end", resolve)));
  }

  close() {
    this.agent.destroy();
  }

  send(method, path, body) {
    const { base } = this.service;
    return new Promise((resolve, reject) => {
      const headers = { host: this.host, "x-forwarded-for": this.address, ...(body && { "content-type": "application/json", accept: "text/event-stream" }) };
      const sent = request({ agent: this.agent, host: base.hostname, port: base.port, path, method, headers }, resolve);
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Asks. Returns the times in milliseconds since the question was due, and how the answer ended. */
  async ask(question, due) {
    if (this.asked++ > 0 && this.asked % OF_READER === 1) this.begin();
    const { history, thread } = this;
    const row = { question, lag: performance.now() - due };
    const since = () => performance.now() - due;
    const body = JSON.stringify({ question, thread, page: "index", language: "en", history: history.slice(-HISTORY) });
    try {
      const answer = await this.send("POST", "/_docwright/assistant", body);
      let text = "";
      for await (const piece of answer.setEncoding("utf8")) {
        text += piece;
        if (row.first === undefined && text.includes("event: paragraph\n")) row.first = since();
      }
      row.outcome = /event: done\ndata: .*"kind":"(\w+)"/.exec(text)?.[1] ?? (answer.statusCode === 200 ? "broken off" : `status ${answer.statusCode}`);
      const paragraphs = [...text.matchAll(/event: paragraph\ndata: (.*)/g)].map(([, data]) => JSON.parse(data).text);
      history.push({ question, answer: paragraphs.join("\n\n") });
    } catch (error) {
      row.outcome = error.code ?? error.message;
    }
    row.whole = since();
    return row;
  }
}
