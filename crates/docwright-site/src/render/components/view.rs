//! `<View>`: the page as one kind of reader needs it, such as users of one language.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const VIEW: Component =
    Component { names: &["View"], props: &["title", "icon", "iconType"], render };

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = element.text("title").unwrap_or_default();
    if title.is_empty() {
        page.warn(element, "missing-prop", "<View> has no `title`".to_owned(), "give it a title");
    }
    let (number, body) = page.view(&title, element.children);
    html! {
        div.view.active[number == 0] data-view=(number) {
            p.view-title { (title) }
            (body)
        }
    }
}
