//! `Columns`, its older name `CardGroup`, and `Column`: a grid.

use maud::{Markup, html};

use super::props::prop;
use super::root::Root;
use super::{Component, props};
use crate::Rule;
use crate::render::{Element, PageRenderer};

/// The default number of columns.
const COLUMNS_BY_DEFAULT: u16 = 2;

/// More columns would leave no room for text.
const MOST_COLUMNS: u16 = 4;

/// A responsive grid.
pub(super) const COLUMNS: Component = Component {
    names: &["Columns"],
    about: "A responsive grid.",
    props: &[
        prop("cols", "={3}", "Number of columns, 1 to 4"),
        prop("columns", "={3}", "Same as `cols`"),
    ],
    ignored: &[],
    render: |element, page| render(element, page, "columns dw-columns"),
};

/// The same grid under its deprecated name.
pub(super) const CARD_GROUP: Component = Component {
    names: &["CardGroup"],
    about: "Older name of `Columns`.",
    props: &[
        prop("cols", "={3}", "Number of columns, 1 to 4"),
        prop("columns", "={3}", "Same as `cols`"),
    ],
    ignored: &[],
    render: |element, page| render(element, page, "columns dw-columns card-group dw-card-group"),
};

/// A cell with any content.
pub(super) const COLUMN: Component = Component {
    names: &["Column"],
    about: "One column of `Columns`.",
    props: &[],
    ignored: &["span"],
    render: render_column,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>, class: &str) -> Markup {
    let mut root = Root::new(element, page, class);
    root.declare("--columns", &count(element, page).to_string());
    html! {
        div class=(root.class) id=[root.id] style=[root.style] {
            (page.nodes(element.children))
        }
    }
}

fn count(element: &Element<'_>, page: &mut PageRenderer<'_>) -> u16 {
    let prop = if element.value("cols").is_some() { "cols" } else { "columns" };
    let Some(written) = element.text(prop) else { return COLUMNS_BY_DEFAULT };
    let count = props::whole_number(element, prop);
    if !count.is_some_and(|count| (1..=MOST_COLUMNS).contains(&count)) {
        let message = format!("<{}> can't have {written} columns", element.name);
        page.warn(element, Rule::InvalidProp, message, "choose 1, 2, 3 or 4");
    }
    count.filter(|count| *count > 0).unwrap_or(COLUMNS_BY_DEFAULT).min(MOST_COLUMNS)
}

fn render_column(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "dw-column");
    html! {
        div class=(root.class) id=[root.id] style=[root.style] { (page.nodes(element.children)) }
    }
}
