//! `<page>/rss.xml`: the updates of a changelog (<https://www.rssboard.org/rss-specification>).

use maud::html;

use super::{GeneratedInput, PageSummary, base};

/// The feed of a page; `None` if the page has no updates, or the site no public address, which entries require.
pub(super) fn feed(page: &PageSummary, input: &GeneratedInput<'_>) -> Option<String> {
    let base = base(input).filter(|_| !page.updates.is_empty())?;
    let address = format!("{base}/{}", page.slug);
    let site = &input.content.config.name;
    let body = html! {
        channel {
            title { (site) " - " (page.title) }
            link { (address) }
            description { (page.description) }
            generator { "docwright" }
            @for update in &page.updates {
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
