// An OpenID Connect provider that signs people in without asking. Argument: PEOPLE as JSON by name, such as {
// "ada": { "email": …, "email_verified": true, "groups": [] } }.
//
// Prints its address. `POST /client` with a redirect address registers a service. `POST /now` sets the person of
// later sign-ins, which always succeed. `POST /people` replaces all people. `POST /nonce` gives later tokens the
// nonce of another sign-in.

import http from "node:http";
import Provider from "oidc-provider";

// The provider's messages would fill a pipe that no one reads after the address.
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
  // A code keeps the requested nonce.
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
