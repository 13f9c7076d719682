//! `sitemap.xml` (<https://www.sitemaps.org/protocol.html>) and `robots.txt`.

use maud::{PreEscaped, html};

use super::{GeneratedInput, base};

/// The protocol allows 50,000 addresses a file.
const MAXIMUM_ADDRESSES: usize = 50_000;

/// The sitemap. Its addresses must be absolute, so without a public address it lists none.
pub(super) fn sitemap(input: &GeneratedInput<'_>) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    if let Some(base) = base(input) {
        let slash = if input.content.config.seo.trailing_slash { "/" } else { "" };
        let address = |slug: &str| match slug {
            "index" => format!("{base}{slash}"),
            slug => format!("{base}/{}{slash}", encode(slug)),
        };
        for page in input.pages.iter().filter(|page| page.in_sitemap).take(MAXIMUM_ADDRESSES) {
            let entry = html! {
                url {
                    loc { (address(&page.slug)) }
                    @if let Some(date) = &page.last_modified { lastmod { (date) } }
                    // https://developers.google.com/search/docs/specialty/international/localized-versions
                    @for (language, slug) in &page.alternates {
                        (PreEscaped("<xhtml:link rel=\"alternate\" hreflang=\""))
                        (language) (PreEscaped("\" href=\"")) (address(slug)) (PreEscaped("\"/>"))
                    }
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

/// Allows everything. It doesn't restrict uses of the text, such as training of models: the site's owner can do
/// that in a custom `robots.txt`.
pub(super) fn robots(input: &GeneratedInput<'_>) -> String {
    let sitemap = base(input).map(|base| format!("\nSitemap: {base}/sitemap.xml\n"));
    format!("User-agent: *\nAllow: /\n{}", sitemap.unwrap_or_default())
}
