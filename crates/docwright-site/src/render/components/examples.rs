//! `<RequestExample>` and `<ResponseExample>`: code beside the text on wide screens.

use maud::{Markup, html};

use super::{Component, code_group};
use crate::render::{Element, PageRenderer};

pub(super) const REQUEST: Component =
    Component { names: &["RequestExample"], props: &["dropdown"], render: request };
pub(super) const RESPONSE: Component =
    Component { names: &["ResponseExample"], props: &["dropdown"], render: response };

fn request(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    example(element, "request-example", page)
}

fn response(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    example(element, "response-example", page)
}

/// Pages without a right column show it in its place.
fn example(element: &Element<'_>, id: &str, page: &mut PageRenderer<'_>) -> Markup {
    let id = page.claim_id(id);
    let group = code_group::group(element.children, "code-group", page);
    let example = html! { div.api-example id=(id) { (group) } };
    if !page.has_right_column() {
        return example;
    }
    page.add_example(&example);
    html! {}
}
