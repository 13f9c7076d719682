//! Splits the HTML of a built page into tokens, as far as comparing two pages needs it. The compiler's output is
//! well formed; anything else is cut, never misread as a script: nothing runs where it is shown.

use unicode_segmentation::UnicodeSegmentation;
use url::Url;

/// A piece of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Token<'a> {
    /// A whole tag.
    Tag(&'a str),
    /// A word, white space, or a punctuation mark.
    Word(&'a str),
}

/// Elements that are left out with their contents.
const LEFT_OUT: [&str; 5] = ["script", "noscript", "iframe", "object", "form"];

/// The tokens of some HTML, without scripts and comments.
pub(super) fn tokens(html: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            words(rest, &mut tokens);
            break;
        };
        words(&rest[..start], &mut tokens);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some(length) = tag_length(rest) else { break };
        let (tag, after) = rest.split_at(length);
        rest = after;
        let name = name(tag);
        if LEFT_OUT.contains(&name) {
            if !tag.starts_with("</") {
                rest = after_element(rest, name);
            }
            continue;
        }
        if name == "style" && !tag.starts_with("</") {
            // Its text isn't text of the page.
            let end = rest.find("</style").unwrap_or(rest.len());
            rest = &rest[end..];
            continue;
        }
        if name != "style" {
            tokens.push(Token::Tag(tag));
        }
    }
    tokens
}

/// The contents of the first element with a name and class, without its own tags.
pub(super) fn inside<'a>(html: &'a str, element: &str, class: &str) -> Option<&'a str> {
    let mut from = 0;
    let start = loop {
        let at = from + html[from..].find(&format!("<{element}"))?;
        let length = tag_length(&html[at..])?;
        let tag = &html[at..at + length];
        from = at + length;
        if name(tag) == element && has_class(tag, class) {
            break from;
        }
    };
    let mut depth = 1;
    let mut at = start;
    while let Some(next) = html[at..].find('<') {
        at += next;
        let Some(length) = tag_length(&html[at..]) else { break };
        let tag = &html[at..at + length];
        if name(tag) == element {
            depth += if tag.starts_with("</") { -1 } else { 1 };
            if depth == 0 {
                return Some(&html[start..at]);
            }
        }
        at += length;
    }
    Some(&html[start..])
}

/// The addresses of a page's style sheets.
pub(super) fn style_sheets(html: &str) -> Vec<&str> {
    let head = &html[..html.find("</head>").unwrap_or(0)];
    let links = head.split("<link ").skip(1);
    let links = links.filter(|link| link.starts_with("rel=\"stylesheet\""));
    links.filter_map(|link| link.split("href=\"").nth(1)?.split('"').next()).collect()
}

/// The same HTML, with images of the site from another path. `page` is what their addresses are relative to.
pub(super) fn with_images_at(html: &str, page: &str) -> String {
    let Ok(base) = Url::parse(&format!("http://site.invalid{page}")) else {
        return html.to_owned();
    };
    let mut changed = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find("<img") {
        let length = tag_length(&rest[at..]).unwrap_or(rest.len() - at);
        let (before, tag, after) = (&rest[..at], &rest[at..at + length], &rest[at + length..]);
        changed.push_str(before);
        let source = tag
            .split_once(" src=\"")
            .and_then(|(start, rest)| Some((start, rest.split_once('"')?)));
        match source {
            Some((start, (source, end))) if !source.contains(':') && !source.starts_with("//") => {
                // Addresses from the root of the site are relative to that path here.
                let source = source
                    .strip_prefix('/')
                    .map_or_else(|| source.to_owned(), |below| format!("{}{below}", super::BEFORE));
                let address =
                    base.join(&source).map(|url| url.path().to_owned()).unwrap_or_default();
                changed.push_str(&format!("{start} src=\"{}\"{end}", address.replace('"', "%22")));
            }
            _ => changed.push_str(tag),
        }
        rest = after;
    }
    changed.push_str(rest);
    changed
}

/// Whether an element has no contents and no end tag.
pub(super) fn is_void(tag: &str) -> bool {
    matches!(name(tag), "img" | "br" | "hr" | "input" | "source" | "track" | "wbr" | "col")
        || tag.ends_with("/>")
}

/// The name of a tag.
pub(super) fn name(tag: &str) -> &str {
    let tag = tag.trim_start_matches('<').trim_start_matches('/');
    let end = tag.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(tag.len());
    &tag[..end]
}

fn has_class(tag: &str, class: &str) -> bool {
    let classes = tag.split("class=\"").nth(1).and_then(|rest| rest.split('"').next());
    classes.is_some_and(|classes| classes.split(' ').any(|each| each == class))
}

/// Length of the tag at the start of a text; `None` if it never ends.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The text after the end of an element whose start tag was read.
fn after_element<'a>(text: &'a str, name: &str) -> &'a str {
    let Some(end) = text.find(&format!("</{name}")) else { return "" };
    let rest = &text[end..];
    rest.find('>').map_or("", |end| &rest[end + 1..])
}

fn words<'a>(text: &'a str, tokens: &mut Vec<Token<'a>>) {
    let mut rest = text;
    while !rest.is_empty() {
        let is_sign = rest.starts_with('&');
        // An entity is one character. Any other `&` stands for itself.
        let entity = rest.bytes().take(10).position(|byte| byte == b';').filter(|_| is_sign);
        if let Some(end) = entity {
            let (entity, behind) = rest.split_at(end + 1);
            tokens.push(Token::Word(entity));
            rest = behind;
            continue;
        }
        let from = usize::from(is_sign);
        let until = rest[from..].find('&').map_or(rest.len(), |at| from + at);
        let (plain, behind) = rest.split_at(until);
        tokens.extend(plain.split_word_bounds().map(Token::Word));
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_words_are_separated() {
        let html =
            r#"<p class="a > b">It's &amp; é <b>so</b>.</p><!-- <i> --><script>x<y</script>"#;
        let shown: Vec<_> = tokens(html)
            .into_iter()
            .map(|token| match token {
                Token::Tag(tag) => tag,
                Token::Word(word) => word,
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"<p class="a > b">"#,
                "It's",
                " ",
                "&amp;",
                " ",
                "é",
                " ",
                "<b>",
                "so",
                "</b>",
                ".",
                "</p>"
            ]
        );
    }

    #[test]
    fn text_can_start_with_any_letter() {
        for text in ["É", "你好世界", "&lt;É", "É&é;", "&É&", "\u{1f600}&amp;\u{301}"] {
            let shown: String = tokens(&format!("<p>{text}</p>"))
                .into_iter()
                .filter_map(|token| match token {
                    Token::Word(word) => Some(word),
                    Token::Tag(_) => None,
                })
                .collect();
            assert_eq!(shown, text);
        }
    }

    #[test]
    fn truncated_html_ends_parsing() {
        for html in ["<", "<p", "<p a=\"", "<!--", "<script>", "a & b &", "&é;", "</", "<style>x"]
        {
            tokens(html);
            inside(html, "p", "x");
        }
        assert_eq!(inside("<p>", "p", "x"), None);
        assert!(tokens("<form><input></form>").is_empty());
    }

    #[test]
    fn element_is_found_with_its_contents() {
        let html = "<div>0</div><div class=\"x y\">1<div>2</div>3</div>4";
        assert_eq!(inside(html, "div", "y"), Some("1<div>2</div>3"));
        assert_eq!(inside(html, "div", "z"), None);
    }

    #[test]
    fn images_are_taken_from_the_release_before() {
        let html = r#"<p><img alt="a" src="../i/a.png"><img src="/b.png"><img src="https://e.org/c.png"></p><img"#;
        let moved = with_images_at(html, "/_docwright/before/guides/deep");
        assert_eq!(
            moved,
            r#"<p><img alt="a" src="/_docwright/before/i/a.png"><img src="/_docwright/before/b.png"><img src="https://e.org/c.png"></p><img"#
        );
        let out = with_images_at(r#"<img src="../../../../v1/x">"#, "/_docwright/before/a");
        assert_eq!(out, r#"<img src="/v1/x">"#, "a site's host has nothing but the site");
    }

    #[test]
    fn style_sheets_are_found() {
        let html = "<head><link rel=\"icon\" href=\"i\"><link rel=\"stylesheet\" href=\"../a.css\"></head><link rel=\"stylesheet\" href=\"b\">";
        assert_eq!(style_sheets(html), ["../a.css"]);
    }
}
