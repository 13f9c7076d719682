// Runs the tests of `story.test.mjs` over HTTP/2 with docwright's own TLS.

process.env.DOCWRIGHT_TEST_HTTP2 = "1";
await import("./story.test.mjs");
