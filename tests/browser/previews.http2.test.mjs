// Runs the tests of `previews.test.mjs` over HTTP/2 with docwright's own TLS.

process.env.DOCWRIGHT_TEST_HTTP2 = "1";
await import("./previews.test.mjs");
