#![no_main]

mod site;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    site::render(&[("docs.json", site::CONFIG.as_bytes()), ("index.mdx", b"---\nopenapi: GET /a\n---\n"), ("channel.mdx", b"---\nasyncapi: api.json c\n---\n"), ("api.json", data)]);
});
