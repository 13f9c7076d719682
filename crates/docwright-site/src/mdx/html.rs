//! HTML in plain Markdown.

use super::{Node, NodeKind};

/// Tags that are kept, without their attributes.
const HARMLESS: &[&str] = &[
    "b",
    "blockquote",
    "br",
    "code",
    "dd",
    "del",
    "dl",
    "dt",
    "em",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];

/// HTML becomes text.
pub(super) fn show_as_text(nodes: &mut [Node]) {
    for node in nodes {
        if let NodeKind::Html { value } = &mut node.kind {
            node.kind = NodeKind::Text { value: std::mem::take(value) };
        }
        show_as_text(&mut node.children);
    }
}

/// Keeps harmless tags and removes others. Text between them stays.
pub(super) fn keep_harmless(nodes: &mut [Node]) {
    for node in nodes {
        if let NodeKind::Html { value } = &mut node.kind {
            *value = harmless(value);
        }
        keep_harmless(&mut node.children);
    }
}

fn harmless(html: &str) -> String {
    let mut clean = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        push_escaped(&mut clean, &rest[..open]);
        let Some(length) = rest[open..].find('>') else {
            push_escaped(&mut clean, &rest[open..]);
            return clean;
        };
        let tag = &rest[open + 1..open + length];
        rest = &rest[open + length + 1..];
        let closing = tag.starts_with('/');
        let name = tag.trim_start_matches('/').trim_end_matches('/');
        let name = name.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        if HARMLESS.contains(&name.as_str()) {
            clean.push_str(if closing { "</" } else { "<" });
            clean.push_str(&name);
            clean.push('>');
        }
    }
    push_escaped(&mut clean, rest);
    clean
}

/// Entities of the author stay.
fn push_escaped(clean: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '<' => clean.push_str("&lt;"),
            '>' => clean.push_str("&gt;"),
            letter => clean.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn only_harmless_tags_stay_without_their_attributes() {
        assert_eq!(harmless("a<br/>b <B class='x'>c</B>"), "a<br>b <b>c</b>");
        assert_eq!(harmless("<script>alert(1)</script><img src=x onerror=y>"), "alert(1)");
        assert_eq!(harmless("a < b &amp; <unclosed"), "a &lt; b &amp; &lt;unclosed");
    }
}
