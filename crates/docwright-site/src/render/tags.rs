//! Tags of markup that other renderers give, where every value is in quotes.

/// Where a tag ends, from the character after its `<`: the first `>` outside quotes.
pub(super) fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    tag.bytes().position(|byte| {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        quote.is_none() && byte == b'>'
    })
}

/// The `key="value"` pairs of a tag, up to the first that is not well formed.
pub(super) struct Attributes<'a>(pub(super) &'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, rest) = self.0.split_once('=')?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
        let (value, rest) = rest[1..].split_once(quote)?;
        self.0 = rest;
        Some((key.trim(), value))
    }
}
