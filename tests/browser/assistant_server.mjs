// An imitation of the server that answers questions. A test decides what it sends, and when.

const PATH = /^(\/some\/base)?\/_docwright\/assistant$/;

// `handle` is for a fixture. `next()` is the next question, once it has arrived.
export function assistantServer() {
  const arrived = [];
  const waiting = [];
  let announces = true;

  function handle(request, response) {
    const base = request.url.startsWith("/some/base/") ? "/some/base" : "";
    if (announces) response.setHeader("server-timing", `mcp;desc="${base}/mcp", assistant;desc="${base}/_docwright/assistant"`);
    if (request.method !== "POST" || !PATH.test(request.url)) return false;
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const question = exchange(request, JSON.parse(body), response);
      if (waiting.length > 0) waiting.shift()(question);
      else arrived.push(question);
    });
    return true;
  }

  return {
    handle,
    setAnnounces(value) {
      announces = value;
    },
    // Questions that no test has taken yet.
    get arrived() {
      return arrived.length;
    },
    next: () => (arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => waiting.push(resolve))),
  };
}

function exchange(request, body, response) {
  const closed = new Promise((resolve) => response.once("close", resolve));
  const begin = () => response.headersSent || response.writeHead(200, { "content-type": "text/event-stream" });
  const question = {
    body,
    headers: request.headers,
    closed,
    // Writes bytes or text, whatever they are, and waits until they are on their way.
    write: (piece) => {
      begin();
      return new Promise((resolve) => response.write(piece, resolve));
    },
    send: (name, data) => question.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
    async answer(events) {
      for (const [name, data] of events) await question.send(name, data);
      response.end();
    },
    refuse(status, error, headers = {}) {
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ error }));
    },
    // Breaks the connection.
    cut() {
      begin();
      response.destroy();
    },
    end: () => response.end(),
  };
  return question;
}
