//! Markdown of agents and callers as HTML that can do nothing: tags are shown as they were written,
//! images are links, and links lead to web and mail addresses only.

use docwright_site::mdx::{Node, NodeKind, parse_text};
use maud::{Markup, PreEscaped, html};

/// Longest text that is read as Markdown, in bytes; a longer one is shown as it is.
const LONGEST: usize = 64 * 1024;
/// Stack of the thread that reads it: a text may be as deep as it is long. Bytes.
const STACK: usize = 64 * 1024 * 1024;

/// The text as HTML. Its headings stand below the one of the page.
pub(super) fn render(text: &str) -> Markup {
    if text.len() <= LONGEST {
        let text = text.to_owned();
        let reader = std::thread::Builder::new().stack_size(STACK);
        let read = reader.spawn(move || nodes(&parse_text(&text)));
        if let Some(html) = read.ok().and_then(|thread| thread.join().ok()) {
            return html;
        }
    }
    html! { pre.plain { (text) } }
}

fn nodes(all: &[Node]) -> Markup {
    html! { @for each in all { (node(each)) } }
}

fn node(node: &Node) -> Markup {
    let inner = || nodes(&node.children);
    match &node.kind {
        NodeKind::Paragraph => html! { p { (inner()) } },
        NodeKind::Heading { depth, .. } => match depth {
            1 | 2 => html! { h2 { (inner()) } },
            3 => html! { h3 { (inner()) } },
            _ => html! { h4 { (inner()) } },
        },
        NodeKind::ThematicBreak => html! { hr; },
        NodeKind::BlockQuote => html! { blockquote { (inner()) } },
        NodeKind::List { ordered: true, start, .. } => html! { ol start=(start) { (inner()) } },
        NodeKind::List { .. } => html! { ul { (inner()) } },
        NodeKind::ListItem { checked, .. } => html! {
            li { @if let Some(checked) = checked { (if *checked { "☑ " } else { "☐ " }) } (inner()) }
        },
        NodeKind::Code { value, .. } => html! { pre.code tabindex="0" { code { (value) } } },
        NodeKind::InlineCode { value } => html! { code { (value) } },
        NodeKind::Text { value } | NodeKind::Html { value } | NodeKind::Esm { value } => {
            html! { (value) }
        }
        NodeKind::Math { value } | NodeKind::InlineMath { value } => html! { code { (value) } },
        NodeKind::Expression { value, .. } => html! { "{" (value) "}" },
        NodeKind::Emphasis => html! { em { (inner()) } },
        NodeKind::Strong => html! { strong { (inner()) } },
        NodeKind::Delete => html! { del { (inner()) } },
        NodeKind::Break => html! { br; },
        NodeKind::Link { url, .. } => link(url, &inner()),
        NodeKind::Image { url, alt, .. } => {
            link(url, &html! { @if alt.is_empty() { (url) } @else { (alt) } })
        }
        NodeKind::Table { .. } => html! { div.scroll tabindex="0" { table { (inner()) } } },
        NodeKind::TableRow => html! { tr { (inner()) } },
        NodeKind::TableCell => html! { td { (inner()) } },
        NodeKind::FootnoteReference { label, .. } => html! { "[^" (label) "]" },
        NodeKind::FootnoteDefinition { label, .. } => html! { p { "[^" (label) "]: " } (inner()) },
        NodeKind::Jsx { .. } | NodeKind::Slot { .. } => inner(),
    }
}

/// A link that says nothing of this page to where it leads. Addresses of the documentation are no
/// addresses of this host, and are shown as text.
fn link(url: &str, text: &Markup) -> Markup {
    let lower = url.trim_start().to_ascii_lowercase();
    if ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme)) {
        return html! { a href=(url.trim()) rel="nofollow noopener noreferrer" { (text) } };
    }
    html! { (PreEscaped(&text.0)) " (" code { (url) } ")" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_read() {
        let text = "# One\n\nSome *text*, **bold** and `code`:\n\n- a\n- [x] b\n\n```sh\nls <x>\n```\n\n> quoted\n\n[site](https://e.org) [page](/a/b) $5 and $6\n\n| a |\n| - |\n| b |\n";
        let html = render(text).into_string();
        for part in [
            "<h2>One</h2>",
            "<em>text</em>, <strong>bold</strong> and <code>code</code>",
            "<li>",
            "☑ ",
            "ls &lt;x&gt;",
            "<blockquote><p>quoted</p></blockquote>",
            r#"<a href="https://e.org" rel="nofollow noopener noreferrer">site</a>"#,
            "page (<code>/a/b</code>)",
            "$5 and $6",
            "<td>b</td>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn nothing_in_it_can_do_anything() {
        let text = "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n<details open ontoggle=alert(1)>\n\ninline <b onclick=x>b</b>\n\n[a](javascript:alert(1)) [b]( JAVASCRIPT:alert(1)) [c](data:text/html,x) [d](//evil.example)\n\n![i](https://evil.example/track.png) ![](javascript:x)\n\n<javascript:alert(1)>\n\n[\"><script>](https://e.org/\"onmouseover=x)\n\n`</code><script>`\n\n```\n</pre><script>\n```\n\n&lt;script&gt;\n";
        let html = render(text).into_string();
        for part in [
            "<script",
            "<img",
            "<details",
            "<b ",
            "href=\"javascript",
            "href=\"data",
            "href=\"//",
            "src=",
        ] {
            assert!(
                !html.to_lowercase().replace("src=x onerror", "").contains(part),
                "{part}: {html}"
            );
        }
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
        assert!(html.contains(">i</a>") && !html.contains("\"onmouseover"), "{html}");
    }

    #[test]
    fn texts_made_to_hurt_are_shown_too() {
        for text in [
            ">".repeat(LONGEST),
            "- ".repeat(LONGEST / 2),
            "[".repeat(LONGEST),
            "*a **b ".repeat(LONGEST / 8),
            "![](".repeat(LONGEST / 8),
            "<a ".repeat(LONGEST / 4),
            "`".repeat(LONGEST / 2) + "x",
            "|a".repeat(LONGEST / 4) + "\n" + &"|-".repeat(LONGEST / 4),
        ] {
            assert!(!render(&text).0.is_empty());
        }
        assert!(render(&"x".repeat(LONGEST + 1)).0.starts_with("<pre"));
    }
}
