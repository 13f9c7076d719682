// A model with Chat Completions that answers immediately: a paragraph for each of the first two sections, with their
// own words as quotes. Sends its address to the thread that started it.

import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

/** A quote of a section: words of one line without Markdown marks. */
function quote(section) {
  const [, text = ""] = section.split(/\n\n([^]*)/);
  const lines = text.split("=== ")[0].split("\n").filter((line) => !/^(#|```|\||>|<)/.test(line));
  const parts = lines.flatMap((line) => line.split(/[*_`[\]()<>|#\\"]+/)).map((part) => part.trim());
  return parts.sort((one, other) => other.length - one.length)[0]?.slice(0, 80).replace(/\s\S*$/, "");
}

function answer(prompt) {
  const sections = prompt.split("=== Section ").slice(1, 3);
  const quotes = sections.map((section, number) => [number + 1, quote(section)]).filter(([, words]) => words);
  return quotes.map(([number, words]) => `The pages say it here.\n[[${number}: "${words}"]]\n\n`).join("");
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    const { messages } = JSON.parse(Buffer.concat(pieces));
    const text = answer(messages.at(-1).content);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    for (let at = 0; at < text.length; at += 24) send({ content: text.slice(at, at + 24) });
    send({}, "stop");
    response.end("data: [DONE]\n\n");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => parentPort.postMessage(`http://127.0.0.1:${server.address().port}`));
