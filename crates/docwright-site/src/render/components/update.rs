//! `Update`: an entry of a changelog.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, props};
use crate::mdx::{Node, NodeKind};
use crate::render::{Element, FeedItem, Month, PageRenderer, Value, estimated_height, plain_text};

/// Updates stand at this level of the contents list, whatever headings the one before had.
const CONTENTS_LEVEL: u8 = 2;

/// Later updates than these are laid out once readers come near them.
const FIRST_UPDATES: usize = 3;

/// Space above and below the text of an update, in pixels.
const UPDATE_PADDING: usize = 72;

/// Its label is its anchor, and all that the contents list shows of it; `rss` is for the feed.
pub(super) const UPDATE: Component = Component {
    names: &["Update"],
    about: "A changelog entry; the page has a [feed](/reference/frontmatter).",
    props: &[
        required("label", r#"="March 2026""#, "Date or version, and anchor"),
        prop("description", r#"="Version 2""#, "Line below the label"),
        prop("tags", r#"={["API"]}"#, "Tags that filter entries"),
        prop("rss", r#"={{ title: "Two", description: "New" }}"#, "Title and text in the feed"),
    ],
    ignored: &["date", "title"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let number = page.count_update();
    let label = props::label(element, page, "label");
    let text = label.as_ref().map_or("", |label| label.text.trim());
    let mut root = Root::anchored(element, page, "update update-container dw-update", text);
    let description = props::label(element, page, "description");
    if let Some(id) = &root.id
        && !text.is_empty()
    {
        let described = || Month::find(&description.as_ref()?.text);
        let month = Month::find(text).or_else(described);
        page.add_contents_update(CONTENTS_LEVEL, id, text, month);
    }
    if let Some(update) = page.nesting.current() {
        update.is_unlisted = true;
    }
    let tags = props::texts(element, "tags");
    if let Some(id) = &root.id {
        let (title, own_text) = feed_entry(element);
        page.add_update(FeedItem {
            title: title.unwrap_or_else(|| text.to_owned()),
            id: id.clone(),
            tags: tags.clone(),
            text: own_text.unwrap_or_else(|| prose(element.children)),
        });
    }
    let content = page.nodes(element.children);
    let is_late = number > FIRST_UPDATES;
    if is_late {
        root.declare("--height", &format!("{}px", estimated_height(&content.0) + UPDATE_PADDING));
    }
    let data_tags = (!tags.is_empty()).then(|| serde_json::json!(tags).to_string());
    html! {
        section class=(root.class) id=[&root.id] style=[root.style] data-tags=[data_tags] data-deferred[is_late] {
            div.dw-update-head {
                @if let Some(label) = label {
                    a.dw-update-label data-component-part="update-label" href=[root.id.map(|id| format!("#{id}"))] { (label.html) }
                }
                @if !tags.is_empty() {
                    div.dw-update-tags { @for tag in tags { span.dw-update-tag { (tag) } } }
                }
                @if let Some(description) = description {
                    div.dw-update-description { (description.html) }
                }
            }
            div.dw-update-content.dw-prose data-component-part="update-content" { (content) }
        }
    }
}

/// Title and text that the author wants in the feed: `rss={{title, description}}`.
fn feed_entry(element: &Element<'_>) -> (Option<String>, Option<String>) {
    let Some(Value::Object(entries)) = element.value("rss") else { return (None, None) };
    let text = |key: &str| {
        entries.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.to_text())
    };
    (text("title"), text("description"))
}

/// The Markdown of an update as text: feeds show no code and no components.
fn prose(nodes: &[Node]) -> String {
    let shown = |node: &&Node| !matches!(node.kind, NodeKind::Code { .. } | NodeKind::Jsx { .. });
    let lines = nodes.iter().filter(shown).map(|node| plain_text(std::slice::from_ref(node)));
    lines.filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}
