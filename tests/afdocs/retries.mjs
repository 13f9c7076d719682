// Repeats a request whose connection the server had closed. The checks can compute for more than a minute between two
// requests, and Node.js notices only at the next request that idle connections are gone. Browsers repeat such requests
// too: the server has seen nothing of them.

const send = globalThis.fetch;

globalThis.fetch = async (...request) => {
  try {
    return await send(...request);
  } catch (error) {
    if (error.cause?.code !== "UND_ERR_SOCKET") throw error;
    return send(...request);
  }
};
