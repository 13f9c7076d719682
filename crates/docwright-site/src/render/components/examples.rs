//! `RequestExample` and `ResponseExample`: code beside the page.

use maud::{Markup, html};

use super::props::prop;
use super::root::Root;
use super::{Component, code_group};
use crate::render::{Element, PageRenderer};

/// Moves to the right column, if the page has one and no surrounding `Panel` already does.
pub(super) const REQUEST: Component = Component {
    names: &["RequestExample"],
    about: "Request samples, next to the text on large screens.",
    props: &[prop("dropdown", "={true}", "Menu instead of tabs")],
    ignored: &["title"],
    render: |element, page| render(element, page, "request-example"),
};

/// Code of an API's response.
pub(super) const RESPONSE: Component = Component {
    names: &["ResponseExample"],
    about: "Response samples, next to the text on large screens.",
    props: &[prop("dropdown", "={true}", "Menu instead of tabs")],
    ignored: &["title"],
    render: |element, page| render(element, page, "response-example"),
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>, id: &str) -> Markup {
    let root = Root::anchored(element, page, "code-group dw-code-group", id);
    let example = code_group::group(element, page, &root);
    if page.nesting.is_inside("Panel") || !page.has_right_column() {
        return example;
    }
    page.add_example(&example);
    html! {}
}
