//! The root element of a component: its class, id, and style, with the author's additions.

use crate::render::{Element, PageRenderer, attributes};

/// The attributes that every component takes on its root element.
#[derive(Debug)]
pub(super) struct Root {
    /// The documented class, then the author's.
    pub(super) class: String,
    /// The id for links.
    pub(super) id: Option<String>,
    /// CSS declarations.
    pub(super) style: Option<String>,
}

impl Root {
    /// A root with an id only if its author set one.
    pub(super) fn new(element: &Element<'_>, page: &mut PageRenderer<'_>, class: &str) -> Self {
        let mut classes = class.to_owned();
        for prop in ["className", "class"] {
            for name in element.text(prop).iter().flat_map(|names| names.split_whitespace()) {
                classes.push(' ');
                classes.push_str(name);
            }
        }
        let id = element.text("id").filter(|id| !id.trim().is_empty());
        Self {
            class: classes,
            id: id.map(|id| claim(&id, page)),
            style: element
                .value("style")
                .and_then(attributes::declarations)
                .filter(|style| !style.is_empty()),
        }
    }

    /// A root that can be linked: without its own id, it gets one derived from `text`.
    pub(super) fn anchored(
        element: &Element<'_>,
        page: &mut PageRenderer<'_>,
        class: &str,
        text: &str,
    ) -> Self {
        let mut root = Self::new(element, page, class);
        if root.id.is_none() && !text.trim().is_empty() {
            root.id = Some(page.unique_id(text));
        }
        root
    }

    /// Adds a declaration before the author's, which therefore win.
    pub(super) fn declare(&mut self, property: &str, value: &str) {
        let own = self.style.take().unwrap_or_default();
        let gap = if own.is_empty() { "" } else { ";" };
        self.style = Some(format!("{property}:{value}{gap}{own}"));
    }
}

/// White space isn't allowed in ids, so such a text is treated like a title.
fn claim(id: &str, page: &mut PageRenderer<'_>) -> String {
    let id = id.trim();
    if id.contains(char::is_whitespace) { page.unique_id(id) } else { page.claim_id(id) }
}
