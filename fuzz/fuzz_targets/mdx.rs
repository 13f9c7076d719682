#![no_main]

mod site;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    site::render(&[("docs.json", site::CONFIG.as_bytes()), ("index.mdx", data), ("snippets/x.mdx", data)]);
});
