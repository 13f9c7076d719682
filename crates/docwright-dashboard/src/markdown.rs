//! Markdown of pull requests as safe HTML: tags are shown as text, images become links, and links lead only to web
//! and mail addresses.
//!
//! A child process parses the Markdown, because a short text can take long. This module checks the result and
//! renders HTML. A text that can't be parsed is shown verbatim.

use std::{sync::Arc, time::Duration};

use docwright_jobs::child::{
    Folders, Launcher, Limits,
    work::{Element, Markdown, Piece},
};
use docwright_operations::fair_limiter::FairLimiter;
use maud::{Markup, PreEscaped, html};

/// The longest text that is parsed, in bytes. Longer texts are shown verbatim.
const LONGEST: usize = 64 * 1024;
/// The parsed bytes of one page. Further texts are shown verbatim.
const LONGEST_OF_A_PAGE: usize = 512 * 1024;
/// Maximum nesting of elements.
const DEEPEST: usize = 200;
/// Pages that are parsed in parallel, in total and for one organization.
const TURNS: (usize, usize) = (4, 2);
/// How long a page waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads texts of pull requests, in child processes.
#[derive(Debug, Clone)]
pub struct MarkdownReader {
    launcher: Launcher,
    turns: Arc<FairLimiter<String>>,
}

impl MarkdownReader {
    /// Reads in child processes of this program.
    pub fn new(program: impl Into<std::path::PathBuf>) -> Self {
        Self::within(program, limits())
    }

    fn within(program: impl Into<std::path::PathBuf>, limits: Limits) -> Self {
        let (all, each) = TURNS;
        Self {
            launcher: Launcher::new(program, limits),
            turns: Arc::new(FairLimiter::new(all, each)),
        }
    }

    /// The texts of a page of an organization as HTML.
    pub(crate) async fn render(&self, organization: &str, texts: Vec<String>) -> Vec<Markup> {
        let mut left = LONGEST_OF_A_PAGE;
        let is_read: Vec<bool> = texts
            .iter()
            .map(|text| {
                let fits = text.len() <= LONGEST && text.len() <= left;
                left -= if fits { text.len() } else { 0 };
                fits
            })
            .collect();
        let chosen = texts.iter().zip(&is_read).filter(|(_, is_read)| **is_read);
        let chosen: Vec<_> = chosen.map(|(text, _)| text.clone()).collect();
        let mut pieces = self.read(organization, chosen).await.into_iter();
        let text = |(text, is_read): (&String, bool)| {
            let pieces = if is_read { pieces.next().flatten() } else { None };
            pieces.and_then(|pieces| written(&pieces)).unwrap_or_else(|| as_it_is(text))
        };
        texts.iter().zip(is_read).map(text).collect()
    }

    /// The pieces of each text; nothing where the child could not read them.
    async fn read(&self, organization: &str, texts: Vec<String>) -> Vec<Option<Vec<Piece>>> {
        if texts.is_empty() {
            return Vec::new();
        }
        let Some(_turn) = self.turns.take(&organization.to_owned(), PATIENCE).await else {
            return Vec::new();
        };
        let count = texts.len();
        let work = Markdown { texts };
        // The launcher logs why, if it fails.
        let read = self.launcher.run(work, &Folders::default(), &(), std::future::pending()).await;
        read.ok().filter(|pieces| pieces.len() == count).unwrap_or_default()
    }
}

/// The limits of a child that parses the texts of a page.
fn limits() -> Limits {
    Limits {
        wall_time: Duration::from_secs(10),
        processor_time: Duration::from_secs(5),
        memory: 512 * 1024 * 1024,
        file_size: 0,
        output_size: 0,
        open_files: 64,
        ..Limits::default()
    }
}

fn as_it_is(text: &str) -> Markup {
    html! { pre.plain { (text) } }
}

/// The HTML of pieces; `None` for invalid sequences.
fn written(pieces: &[Piece]) -> Option<Markup> {
    let mut html = String::new();
    let mut open: Vec<&Element> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Begin(element) => {
                open.push(element);
                html.push_str(&begin(element).0);
            }
            Piece::End => html.push_str(&end(open.pop()?).0),
            Piece::Text(text) => html.push_str(&html! { (text) }.0),
            Piece::Code(code) => html.push_str(&html! { code { (code) } }.0),
            Piece::CodeBlock(code) => {
                html.push_str(&html! { pre.code tabindex="0" { code { (code) } } }.0);
            }
            Piece::Break => html.push_str("<br>"),
            Piece::Rule => html.push_str("<hr>"),
        }
        if open.len() > DEEPEST {
            return None;
        }
    }
    open.is_empty().then_some(PreEscaped(html))
}

/// Headings are below the page's heading.
fn begin(element: &Element) -> Markup {
    let tag = |tag: &str| PreEscaped(format!("<{tag}>"));
    match element {
        Element::OrderedList(start) => PreEscaped(format!("<ol start=\"{start}\">")),
        Element::Item(checked) => {
            let mark = checked.map(|checked| if checked { "☑ " } else { "☐ " });
            PreEscaped(format!("<li>{}", mark.unwrap_or_default()))
        }
        Element::Table => tag("div class=\"scroll\" tabindex=\"0\"><table"),
        Element::Link(url) => {
            let Some(url) = web_address(url) else { return html! {} };
            let link = html! { a href=(url) rel="nofollow noopener noreferrer" {} }.into_string();
            PreEscaped(link.trim_end_matches("</a>").to_owned())
        }
        other => tag(name(other)),
    }
}

fn end(element: &Element) -> Markup {
    match element {
        Element::Table => PreEscaped("</table></div>".to_owned()),
        Element::Link(url) if web_address(url).is_none() => html! { " (" code { (url) } ")" },
        other => PreEscaped(format!("</{}>", name(other))),
    }
}

fn name(element: &Element) -> &'static str {
    match element {
        Element::Paragraph => "p",
        Element::Heading(..=2) => "h2",
        Element::Heading(3) => "h3",
        Element::Heading(_) => "h4",
        Element::Quote => "blockquote",
        Element::List => "ul",
        Element::OrderedList(_) => "ol",
        Element::Item(_) => "li",
        Element::Emphasis => "em",
        Element::Strong => "strong",
        Element::Deleted => "del",
        Element::Link(_) => "a",
        Element::Table => "table",
        Element::Row => "tr",
        Element::Cell => "td",
    }
}

/// A valid target of a link that reveals nothing about this page. Addresses within the documentation don't exist
/// on this host, so they are shown as text.
fn web_address(url: &str) -> Option<&str> {
    let lower = url.trim_start().to_ascii_lowercase();
    let is_web = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    is_web.then_some(url.trim())
}

#[cfg(test)]
mod tests {
    use docwright_jobs::child::work::pieces;

    use super::*;

    /// The HTML of a text that the child could parse.
    fn render(text: &str) -> Markup {
        pieces(text).and_then(|pieces| written(&pieces)).unwrap_or_else(|| as_it_is(text))
    }

    #[test]
    fn invalid_pieces_of_text_are_refused() {
        let begin = || Piece::Begin(Element::Quote);
        assert!(written(&[Piece::End]).is_none());
        assert!(written(&[begin()]).is_none());
        let deep = [vec![begin(); 300], vec![Piece::End; 300]].concat();
        assert!(written(&deep).is_none());
    }

    #[tokio::test]
    async fn text_is_shown_verbatim_if_child_cannot_parse_it() {
        let reader = MarkdownReader::within("/there/is/no/such/program", limits());
        let texts = vec!["**a** <b>".to_owned(), "x".repeat(LONGEST + 1)];
        let shown = reader.render("org", texts).await;
        assert_eq!(shown[0].0, "<pre class=\"plain\">**a** &lt;b&gt;</pre>");
        assert!(shown[1].0.starts_with("<pre") && shown.len() == 2);
    }

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
    }
}
