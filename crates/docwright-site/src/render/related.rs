//! Related pages, from the frontmatter key `related`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PageRenderer;
use crate::content::links::Resolution;

/// Maximum number of links on one page.
const MAXIMUM_LINKS: usize = 10;

/// A link to a related page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedLink {
    /// Its title.
    pub title: String,
    /// The address for the link.
    pub address: String,
}

impl PageRenderer<'_> {
    /// The links of `related`: paths, addresses, or `{Title: link}`.
    pub(super) fn related(&mut self) -> Vec<RelatedLink> {
        let entries = self.page.frontmatter.related.as_ref().and_then(Value::as_array);
        let mut wanted = Vec::new();
        for entry in entries.into_iter().flatten() {
            match entry {
                Value::String(link) => wanted.push((None, link)),
                Value::Object(named) => {
                    for (title, link) in named {
                        if let Value::String(link) = link {
                            wanted.push((Some(title), link));
                        }
                    }
                }
                _ => {}
            }
        }
        let links = wanted.into_iter().take(MAXIMUM_LINKS);
        links.filter_map(|(title, link)| self.related_link(title, link)).collect()
    }

    fn related_link(&mut self, title: Option<&String>, link: &str) -> Option<RelatedLink> {
        // Like navigation entries, they start at the root, even without a slash.
        let is_bare = !link.contains("://") && !link.starts_with(['/', '.', '#']);
        let link = if is_bare { format!("/{link}") } else { link.to_owned() };
        let address = self.link(&link, 1, 0)?;
        let own = match self.context.resolve(&self.page.path, &link) {
            Resolution::Page { slug, .. } if title.is_none() => self.context.title(&slug),
            _ => None,
        };
        let title = title.or(own).cloned().unwrap_or_else(|| link.clone());
        Some(RelatedLink { title, address })
    }
}
