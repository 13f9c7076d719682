// An imitation of the server that answers questions. A test decides what it sends, and when.

const PATH = /^(\/some\/base)?\/_docwright\/assistant(\/rating)?$/;
/// The key of a page of another site.
export const KEY = "dwp_test";

// `handle` is for a fixture. `next()` is the next question, once it has arrived. `origins` are those of other sites that the
// server answers if they have the key.
export function assistantServer({ origins = [] } = {}) {
  const arrived = [];
  const waiting = [];
  const ratings = [];
  let announces = true;
  let ratingStatus = 204;

  // Whether a page can ask; its own origin always can.
  function isAllowed(request, response) {
    const { origin, host, authorization } = request.headers;
    if (!origin || new URL(origin).host === host) return true;
    if (!origins.includes(origin)) return false;
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-allow-headers", "authorization, content-type");
    return request.method === "OPTIONS" || authorization === `Bearer ${KEY}`;
  }

  function handle(request, response) {
    const base = request.url.startsWith("/some/base/") ? "/some/base" : "";
    if (announces) response.setHeader("server-timing", `mcp;desc="${base}/mcp", assistant;desc="${base}/_docwright/assistant"`);
    if (!["POST", "OPTIONS"].includes(request.method) || !PATH.test(request.url)) return false;
    if (!isAllowed(request, response)) {
      response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify({ error: "Not allowed." }));
      return true;
    }
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return true;
    }
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      if (request.url.endsWith("/rating")) {
        ratings.push(JSON.parse(body));
        response.writeHead(ratingStatus).end();
        return;
      }
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
    // Ratings that arrived, and the status of the next ones.
    ratings,
    setRatingStatus(status) {
      ratingStatus = status;
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
