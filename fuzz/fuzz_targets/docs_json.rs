#![no_main]

mod site;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    site::render(&[("docs.json", data), ("index.mdx", b"text"), ("a/b.mdx", b"text")]);
});
