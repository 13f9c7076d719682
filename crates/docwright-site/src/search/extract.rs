//! The text of a rendered body, divided at its headings, with the symbols that it defines and its links.

use serde::{Deserialize, Serialize};

use super::symbols::{Capture, Symbol};

/// Text under one heading.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Everything that search takes from a page's body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageText {
    /// Its text, divided at headings.
    pub sections: Vec<Section>,
    /// Fields, variables, and commands that it defines, in order.
    pub symbols: Vec<Symbol>,
    /// Its links to other pages, each target and text once.
    pub links: Vec<Link>,
}

/// A link to another page.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// Its target as the HTML has it, without a fragment.
    pub target: String,
    /// Its text, white space folded; that of a card with what the card says. Cut to a few hundred bytes.
    pub text: String,
}

/// Text of a link that is kept, in bytes.
const LINK_TEXT: usize = 240;
/// Elements whose content is not text.
const SKIPPED: &[&str] = &["svg", "script", "style", "math", "button", "template"];
/// Elements that don't end a word.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "code", "del", "em", "i", "kbd", "mark", "s", "small", "span", "strong",
    "sub", "sup", "u", "wbr",
];

/// Reads the HTML of a page's body as this crate renders it.
pub fn extract(html: &str) -> PageText {
    let mut extraction = Extraction {
        page: PageText { sections: vec![Section::default()], ..PageText::default() },
        capture: Capture::default(),
        link: None,
        card: None,
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
    let open =
        extraction.card.take().map(|(link, _)| link).into_iter().chain(extraction.link.take());
    extraction.page.links.extend(open);
    finish(extraction.page)
}

/// Folds white space, and removes empty sections and repeated links.
fn finish(mut page: PageText) -> PageText {
    let mut numbers = Vec::with_capacity(page.sections.len());
    let mut kept = Vec::with_capacity(page.sections.len());
    for mut section in std::mem::take(&mut page.sections) {
        section.text = fold(&section.text);
        section.heading = fold(&section.heading);
        section.code = section.code.trim().into();
        numbers.push(kept.len());
        if !section.heading.is_empty() || !section.text.is_empty() || !section.code.is_empty() {
            kept.push(section);
        }
    }
    for symbol in &mut page.symbols {
        symbol.section = numbers[symbol.section].min(kept.len().saturating_sub(1));
    }
    kept.shrink_to_fit();
    page.sections = kept;
    page.symbols.shrink_to_fit();
    for link in &mut page.links {
        link.text = fold(&link.text);
    }
    page.links.sort_unstable();
    page.links.dedup();
    page.links.shrink_to_fit();
    page
}

struct Extraction {
    page: PageText,
    capture: Capture,
    /// The open link.
    link: Option<Link>,
    /// The link of the open card, and how many of the card's `div` elements are open since.
    card: Option<(Link, usize)>,
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
        if let Some(symbol) = self.capture.text(text, push_decoded) {
            self.define(symbol);
        }
        for link in self.link.iter_mut().chain(self.card.as_mut().map(|(link, _)| link)) {
            if link.text.len() < LINK_TEXT {
                push_decoded(text, &mut link.text);
            }
        }
        let Some(section) = self.page.sections.last_mut() else { return };
        let target = if self.heading {
            &mut section.heading
        } else if self.code > 0 {
            &mut section.code
        } else {
            &mut section.text
        };
        push_decoded(text, target);
    }

    /// Adds a symbol, which its section's anchor leads to unless it has its own.
    fn define(&mut self, mut symbol: Symbol) {
        let Some(section) = self.page.sections.last() else { return };
        symbol.section = self.page.sections.len() - 1;
        if symbol.id.is_empty() {
            symbol.id.clone_from(&section.id);
        }
        self.page.symbols.push(symbol);
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
            "a" if closing => self.page.links.extend(self.link.take()),
            "a" => self.link(tag),
            "div" => self.card_tag(closing),
            _ => {}
        }
        if let Some(symbol) = self.capture.tag(name, tag, closing) {
            self.define(symbol);
        }
        // Tokens of code are elements such as `dw-1`.
        if !INLINE.contains(&name) && !name.starts_with("dw-") {
            self.text(" ");
        }
    }

    fn heading_tag(&mut self, tag: &str, closing: bool) {
        if !closing {
            let mut id = String::new();
            push_decoded(attribute(tag, "id").unwrap_or_default(), &mut id);
            self.page.sections.push(Section { id, ..Section::default() });
        }
        self.heading = !closing;
    }

    fn link(&mut self, tag: &str) {
        let Some(target) = attribute(tag, "href") else { return };
        let target = target.split(['#', '?']).next().unwrap_or_default();
        if !target.ends_with(".html") || target.contains(':') {
            return;
        }
        let link = Link { target: target.to_owned(), text: String::new() };
        if tag.contains("dw-card-link") {
            self.page.links.extend(self.card.replace((link, 0)).map(|(link, _)| link));
        } else {
            self.page.links.extend(self.link.replace(link));
        }
    }

    /// Sees the start or the end of a `div`. The text of a card goes on to the end of the one that its link is in.
    fn card_tag(&mut self, closing: bool) {
        let Some((_, open)) = &mut self.card else { return };
        if !closing {
            *open += 1;
        } else if *open > 0 {
            *open -= 1;
        } else {
            self.page.links.extend(self.card.take().map(|(link, _)| link));
        }
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

pub(super) fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
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
    // A site has the text of all its pages in memory.
    folded.shrink_to_fit();
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_to_break_a_word_does_not_divide_it() {
        let page =
            extract("<h2 id=\"a\"><code>create<wbr>Identity<wbr>Link</code></h2><p>Text</p>");
        assert_eq!(page.sections[0].heading, "createIdentityLink");
    }

    #[test]
    fn text_is_divided_at_headings() {
        let html = r##"<p>Intro &amp; <em>more</em></p><h2 id="a-b">A <code>b</code><a class="heading-anchor" href="#a-b">#</a></h2><p>Text<svg><path d=">"/></svg></p><pre><code>let x;</code></pre><img alt="a picture" src="x">"##;
        assert_eq!(
            extract(html).sections,
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
    fn links_have_their_texts() {
        let html = r#"<p><a href="a.html#x">The <em>first</em></a> and <a href="https://e.com">other</a></p>
            <div class="dw-card"><div class="dw-card-content"><p><a class="dw-card-link" href="b.html">Second</a></p>
            <div>Says <a href="c.html">more</a>.</div></div></div><p>Text</p><a href="a.html">The first</a>"#;
        let link = |target: &str, text: &str| Link { target: target.into(), text: text.into() };
        let expected = [
            link("a.html", "The first"),
            link("b.html", "Second Says more."),
            link("c.html", "more"),
        ];
        assert_eq!(extract(html).links, expected);
    }

    #[test]
    fn broken_html_ends_quietly() {
        assert!(extract("<p title=\"never closed").sections.is_empty());
        assert_eq!(extract("a < b").sections[0].text, "a");
    }
}
