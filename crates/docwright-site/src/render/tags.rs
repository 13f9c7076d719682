//! Tags in markup of other renderers, which quote every value.

/// The end of a tag, from the character after its `<`: the first `>` outside quotes.
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

/// The text of markup of ours, its entities as they are.
pub(crate) fn without_tags(html: &str) -> String {
    let mut in_tag = false;
    let text = html.chars().filter(|letter| {
        match letter {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                return false;
            }
            _ => {}
        }
        !in_tag
    });
    text.collect()
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
