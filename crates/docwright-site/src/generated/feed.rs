//! `<page>/rss.xml`: the updates of a changelog (<https://www.rssboard.org/rss-specification>).

use maud::html;

use crate::{
    Options,
    content::{Content, Page},
    render::FeedItem,
};

/// The feed of a page; `None` if the page has no updates, or the site no public address, which entries require.
/// `description` is what lists of pages say about it.
pub fn feed(
    page: &Page,
    (updates, description): (&[FeedItem], &str),
    (content, options): (&Content, &Options),
) -> Option<String> {
    if updates.is_empty() {
        return None;
    }
    let base = content.config.public_address(options)?;
    let (address, title) = (format!("{base}/{}", page.slug), &page.frontmatter.title);
    let site = &content.config.name;
    let body = html! {
        channel {
            title { (site) " - " (title) }
            link { (address) }
            description { (description) }
            generator { "docwright" }
            @for update in updates {
                item {
                    title { (update.title) }
                    link { (address) "#" (update.id) }
                    guid isPermaLink="true" { (address) "#" (update.id) }
                    @for tag in &update.tags { category { (tag) } }
                    description { (update.text) }
                }
            }
        }
    };
    // `link` is a void element in HTML, but not in RSS.
    Some(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">{}</rss>\n",
        body.0
    ))
}
