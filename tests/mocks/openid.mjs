// A provider of OpenID Connect, which keeps everybody signed in without a question. Argument: PEOPLE as JSON, by
// name, as { "ada": { "email": …, "email_verified": true, "groups": [] } }.
//
// Prints its address. `POST /client` with the address that people are sent back to lets a service use it.
// Whoever comes is the one whom `POST /now` named last; nobody refuses. `POST /people` replaces everybody,
// `POST /nonce` makes the next tokens be those of another sign-in.

import http from "node:http";
import Provider from "oidc-provider";

// What it says of its settings would go where nobody reads after the address.
console.info = console.warn = () => {};

let people = JSON.parse(process.argv[2]);
let [now, back, nonce] = ["", "http://localhost/", ""];

async function text(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function make(address) {
  const provider = new Provider(address, {
    clients: [{ client_id: "docwright", client_secret: "a secret+of ours", redirect_uris: [back] }],
    scopes: ["openid", "email", "profile", "groups"],
    claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ["a test"] },
    interactions: { url: (context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  });
  // A code keeps the nonce that was asked for.
  provider.use(async (context, next) => {
    if (nonce && context.path === "/auth") context.query = { ...context.query, nonce };
    await next();
  });
  return provider;
}

const server = http.createServer();
server.listen(0, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  let provider = make(address);
  const set = {
    "/client": (body) => {
      back = body;
      provider = make(address);
    },
    "/now": (body) => (now = body),
    "/people": (body) => (people = JSON.parse(body)),
    "/nonce": (body) => (nonce = body),
  };
  server.on("request", async (request, response) => {
    if (set[request.url]) {
      set[request.url](await text(request));
      return response.end();
    }
    if (!request.url.startsWith("/interaction/")) return provider.callback()(request, response);
    const result = now ? { login: { accountId: now, remember: false } } : { error: "access_denied" };
    return provider.interactionFinished(request, response, result);
  });
  console.log(`listening on ${address}`);
});
process.stdin.resume();
process.stdin.on("end", () => process.exit());
