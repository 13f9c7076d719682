// The tests of `forms.test.mjs` by HTTP/2, over docwright's own TLS.

process.env.DOCWRIGHT_TEST_HTTP2 = "1";
await import("./forms.test.mjs");
