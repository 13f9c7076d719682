//! `sitemap.xml` (<https://www.sitemaps.org/protocol.html>) and `robots.txt`.

use maud::html;

use super::{GeneratedInput, base};

/// The protocol allows 50,000 addresses a file.
const MAXIMUM_ADDRESSES: usize = 50_000;

/// The sitemap. Its addresses must be absolute, so without a public address it lists none.
pub(super) fn sitemap(input: &GeneratedInput<'_>) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    if let Some(base) = base(input) {
        let slash = if input.content.config.seo.trailing_slash { "/" } else { "" };
        for page in input.pages.iter().filter(|page| page.in_sitemap).take(MAXIMUM_ADDRESSES) {
            let path = if page.slug == "index" {
                String::new()
            } else {
                format!("/{}", encode(&page.slug))
            };
            let entry = html! {
                url {
                    loc { (base) (path) (slash) }
                    @if let Some(date) = &page.last_modified { lastmod { (date) } }
                }
            };
            xml.push_str(&entry.0);
            xml.push('\n');
        }
    }
    xml.push_str("</urlset>\n");
    xml
}

fn encode(slug: &str) -> String {
    crate::content::links::relative("x", slug)
}

/// Allows everything; content signals as <https://contentsignals.org> has them.
pub(super) fn robots(input: &GeneratedInput<'_>) -> String {
    match base(input) {
        Some(base) => format!(
            "User-agent: *\nContent-Signal: ai-train=yes, search=yes, ai-input=yes\nAllow: /\n\nSitemap: {base}/sitemap.xml\n"
        ),
        // Where no crawler comes, there is nothing to signal.
        None => "User-agent: *\nAllow: /\n".to_owned(),
    }
}
