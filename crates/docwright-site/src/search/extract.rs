//! The text of a rendered body, divided at its headings.

/// Text under one heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// Id of the heading; empty for the text before the first one.
    pub id: String,
    /// Its text.
    pub heading: String,
    /// The text below it, white space folded.
    pub text: String,
    /// The code below it.
    pub code: String,
}

/// Elements whose content is not text.
const SKIPPED: &[&str] = &["svg", "script", "style", "math", "button", "template"];
/// Elements that don't end a word.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "code", "del", "em", "i", "kbd", "mark", "s", "small", "span", "strong",
    "sub", "sup", "u",
];

/// Splits the HTML of a page's body as this crate renders it.
pub fn extract(html: &str) -> Vec<Section> {
    let mut extraction = Extraction {
        sections: vec![Section::default()],
        heading: false,
        code: 0,
        skipped: 0,
        skip_tag: String::new(),
    };
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        extraction.text(&rest[..open]);
        let Some(length) = tag_length(&rest[open..]) else {
            rest = "";
            break;
        };
        extraction.tag(&rest[open..open + length]);
        rest = &rest[open + length..];
    }
    extraction.text(rest);
    let kept = |section: &Section| {
        !section.heading.is_empty() || !section.text.is_empty() || !section.code.is_empty()
    };
    let mut sections = extraction.sections;
    for section in &mut sections {
        section.text = fold(&section.text);
        section.heading = fold(&section.heading);
        section.code = section.code.trim().to_owned();
    }
    sections.retain(kept);
    sections
}

struct Extraction {
    sections: Vec<Section>,
    heading: bool,
    code: usize,
    skipped: usize,
    skip_tag: String,
}

impl Extraction {
    fn text(&mut self, text: &str) {
        if text.is_empty() || self.skipped > 0 {
            return;
        }
        let Some(section) = self.sections.last_mut() else { return };
        let target = if self.heading {
            &mut section.heading
        } else if self.code > 0 {
            &mut section.code
        } else {
            &mut section.text
        };
        push_decoded(text, target);
    }

    fn tag(&mut self, tag: &str) {
        let closing = tag.starts_with("</");
        let name = tag_name(tag);
        if self.skipped > 0 {
            if name == self.skip_tag {
                self.skipped = if closing { self.skipped - 1 } else { self.skipped + 1 };
            }
            return;
        }
        let anchor = name == "a" && tag.contains("heading-anchor");
        if !closing && (SKIPPED.contains(&name) || anchor) {
            (self.skipped, self.skip_tag) = (1, name.to_owned());
            return;
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading_tag(tag, closing),
            "p" if closing && self.heading => self.heading = false,
            "p" if tag.contains("class=\"dw-step-title\"") => self.heading_tag(tag, false),
            "pre" => self.code = if closing { self.code.saturating_sub(1) } else { self.code + 1 },
            "img" => {
                if let Some(alt) = attribute(tag, "alt") {
                    self.text(" ");
                    self.text(alt);
                }
            }
            _ => {}
        }
        if !INLINE.contains(&name) {
            self.text(" ");
        }
    }

    fn heading_tag(&mut self, tag: &str, closing: bool) {
        if !closing {
            let mut id = String::new();
            push_decoded(attribute(tag, "id").unwrap_or_default(), &mut id);
            self.sections.push(Section { id, ..Section::default() });
        }
        self.heading = !closing;
    }
}

/// Length of the tag at the start of a text. A `>` inside quotes doesn't end it.
fn tag_length(text: &str) -> Option<usize> {
    let mut quoted = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return Some(index + 1),
            _ => {}
        }
    }
    None
}

fn tag_name(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find([' ', '>', '/', '\n']).unwrap_or(name.len());
    &name[..end]
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

/// Decodes the character references that this crate writes.
fn push_decoded(text: &str, target: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        target.push_str(&rest[..at]);
        let known =
            [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\'')];
        if let Some((reference, letter)) =
            known.iter().find(|(reference, _)| rest[at..].starts_with(reference))
        {
            target.push(*letter);
            rest = &rest[at + reference.len()..];
        } else {
            target.push('&');
            rest = &rest[at + 1..];
        }
    }
    target.push_str(rest);
}

fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_divided_at_headings() {
        let html = r##"<p>Intro &amp; <em>more</em></p><h2 id="a-b">A <code>b</code><a class="heading-anchor" href="#a-b">#</a></h2><p>Text<svg><path d=">"/></svg></p><pre><code>let x;</code></pre><img alt="a picture" src="x">"##;
        assert_eq!(
            extract(html),
            [
                Section { text: "Intro & more".into(), ..Section::default() },
                Section {
                    id: "a-b".into(),
                    heading: "A b".into(),
                    text: "Text a picture".into(),
                    code: "let x;".into()
                },
            ]
        );
    }

    #[test]
    fn broken_html_ends_quietly() {
        assert!(extract("<p title=\"never closed").is_empty());
        assert_eq!(extract("a < b")[0].text, "a");
    }
}
