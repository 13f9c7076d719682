// Receives docwright's notifications: HTTP requests, whose signatures the Standard Webhooks library checks, and
// email. Argument: user name and password of the SMTP server, as NAME:PASSWORD.
//
// Prints its address. `POST /secret?name=NAME` with a secret as its body makes `POST /NAME` accept requests signed
// with it; `?answer=503,204` sets its responses in order, `?answer=never` makes it not respond. `GET /received`
// returns everything received, `GET /smtp` the address of the SMTP server.

import http from "node:http";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";

const [login] = process.argv.slice(2);
const targets = new Map();
const received = [];

async function text(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const body = await text(request);
  if (request.method === "GET" && url.pathname === "/received") return response.end(JSON.stringify(received));
  if (request.method === "GET" && url.pathname === "/smtp") return response.end(String(smtp.server.address().port));
  if (url.pathname === "/secret") {
    const answers = (url.searchParams.get("answer") ?? "204").split(",");
    targets.set(url.searchParams.get("name"), { secret: body, answers });
    return response.end();
  }
  const name = url.pathname.slice(1);
  const target = targets.get(name);
  if (!target) return response.writeHead(404).end();
  let verified = true;
  try {
    new Webhook(target.secret).verify(body, request.headers);
  } catch (error) {
    verified = String(error);
  }
  const { headers } = request;
  received.push({ name, id: headers["webhook-id"], type: headers["content-type"], verified, body: JSON.parse(body) });
  const answer = target.answers.length > 1 ? target.answers.shift() : target.answers[0];
  if (answer === "never") return;
  if (answer === "302") response.setHeader("location", "/elsewhere");
  response.writeHead(Number(answer)).end();
});

const smtp = new SMTPServer({
  authOptional: false,
  allowInsecureAuth: true,
  disabledCommands: ["STARTTLS"],
  onAuth({ username, password }, session, done) {
    if (`${username}:${password}` === login) return done(null, { user: username });
    return done(new Error("Invalid username or password"));
  },
  async onData(stream, session, done) {
    const to = session.envelope.rcptTo.map((each) => each.address);
    received.push({ from: session.envelope.mailFrom.address, to, mail: await text(stream) });
    done();
  },
});

smtp.listen(0, "127.0.0.1", () => {
  server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
});
process.stdin.resume();
process.stdin.on("end", () => process.exit());
