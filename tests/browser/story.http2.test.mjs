// The tests of `story.test.mjs` by HTTP/2, over docwright's own TLS.

process.env.DOCWRIGHT_TEST_HTTP2 = "1";
await import("./story.test.mjs");
