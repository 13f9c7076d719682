//! `<Tree>` (or `<FileTree>`): folders and files, as elements or as a nested list.

use maud::{Markup, html};

use super::Component;
use crate::{
    mdx::{Node, NodeKind},
    render::{Element, PageRenderer, plain_text},
};

pub(super) const TREE: Component =
    Component { names: &["Tree", "FileTree"], props: &["style"], render: tree };
pub(super) const FOLDER: Component = Component {
    names: &["Tree.Folder", "FileTree.Folder"],
    props: &["name", "defaultOpen", "openable", "highlight"],
    render: folder,
};
pub(super) const FILE: Component = Component {
    names: &["Tree.File", "FileTree.File"],
    props: &["name", "highlight"],
    render: file,
};

fn tree(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let lists: Vec<_> =
        element.children.iter().filter(|node| matches!(node.kind, NodeKind::List { .. })).collect();
    html! {
        div.tree role="tree" aria-label="Files" {
            @if lists.is_empty() { (page.nodes(element.children)) }
            @for list in lists { (items(list, page)) }
        }
    }
}

fn folder(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let name = element.text("name").unwrap_or_default();
    let body = page.nodes(element.children);
    let closable = element.flag("openable") != Some(false);
    folder_markup(
        &name,
        element.flag("defaultOpen") == Some(true) || !closable,
        highlighted(element),
        &body,
        page,
    )
}

fn file(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    file_markup(&element.text("name").unwrap_or_default(), highlighted(element), page)
}

fn highlighted(element: &Element<'_>) -> bool {
    element.flag("highlight") == Some(true)
}

/// A list item with items of its own, or whose name ends in a slash, is a folder.
fn items(list: &Node, page: &mut PageRenderer<'_>) -> Markup {
    html! {
        @for item in &list.children {
            @let (name, inner) = name_and_items(item);
            @if !inner.is_empty() || name.ends_with('/') {
                @let body = html! { @for list in inner { (items(list, page)) } };
                (folder_markup(name.trim_end_matches('/'), true, false, &body, page))
            } @else {
                (file_markup(&name, false, page))
            }
        }
    }
}

fn name_and_items(item: &Node) -> (String, Vec<&Node>) {
    let (lists, rest): (Vec<&Node>, Vec<&Node>) =
        item.children.iter().partition(|node| matches!(node.kind, NodeKind::List { .. }));
    let name: String =
        rest.into_iter().map(|node| plain_text(std::slice::from_ref(node))).collect();
    (name.trim().to_owned(), lists)
}

fn folder_markup(
    name: &str,
    open: bool,
    highlighted: bool,
    body: &Markup,
    page: &PageRenderer<'_>,
) -> Markup {
    html! {
        details.tree-folder role="treeitem" open[open] {
            summary data-highlight[highlighted] { (page.glyph("folder")) span { (name) } }
            div role="group" { (body) }
        }
    }
}

fn file_markup(name: &str, highlighted: bool, page: &PageRenderer<'_>) -> Markup {
    html! { div.tree-file role="treeitem" data-highlight[highlighted] { (page.glyph("file")) span { (name) } } }
}
