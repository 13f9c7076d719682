//! `View`: content for readers of one kind, chosen for the page as a whole.

use maud::{Markup, html};

use super::props::required;
use super::root::Root;
use super::{Component, props};
use crate::render::{Element, PageRenderer};

/// Registers with the page, whose head shows the switch. The first view is shown initially.
pub(super) const VIEW: Component = Component {
    names: &["View"],
    about: "Content that shows when readers select its title in the page menu.",
    props: &[required("title", r#"="Python""#, "Title")],
    ignored: &["icon", "iconType"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "dw-view");
    let title = element.value("title").map(props::text).unwrap_or_default();
    let title = if title.trim().is_empty() { "View".to_owned() } else { title };
    let (index, content) = page.view(&title, element.children);
    let class = if index == 0 { format!("{} active", root.class) } else { root.class };
    html! {
        section class=(class) id=[root.id] style=[root.style] data-view=(index) {
            p.dw-view-title { (title) }
            (content)
        }
    }
}
