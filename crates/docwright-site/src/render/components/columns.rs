//! `<Columns>` (and its older name `<CardGroup>`), `<Column>`: a grid that folds on small screens.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const COLUMNS: Component = Component {
    names: &["Columns", "CardGroup"],
    props: &["cols", "columns", "col"],
    render: columns,
};
pub(super) const COLUMN: Component =
    Component { names: &["Column"], props: &["span"], render: column };

fn columns(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let count =
        element.number("cols").or_else(|| element.number("columns")).unwrap_or(2.0).clamp(1.0, 4.0);
    html! { div.columns.card-group style={ "--columns:" (count.round()) } { (page.nodes(element.children)) } }
}

fn column(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    html! { div.column { (page.nodes(element.children)) } }
}
