//! `Tree` (`FileTree`) with `Tree.Folder` and `Tree.File`: the files of a project.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, children, props};
use crate::mdx::{Node, NodeKind};
use crate::render::{Element, PageRenderer, plain_text};

/// Written as a nested Markdown list, or with the components below.
pub(super) const TREE: Component = Component {
    names: &["Tree", "FileTree"],
    about: "Files and folders, from a list or from elements.",
    props: &[],
    ignored: &[],
    render,
};

/// A folder that opens and closes when its name is selected.
pub(super) const FOLDER: Component = Component {
    names: &["Tree.Folder", "FileTree.Folder"],
    about: "A folder.",
    props: &[
        required("name", r#"="src""#, "Name"),
        prop("defaultOpen", "={true}", "Open initially"),
        prop("openable", "={false}", "Readers can open and close it"),
        prop("highlight", "={true}", "Highlighted"),
    ],
    ignored: &[],
    render: render_folder,
};

/// A file.
pub(super) const FILE: Component = Component {
    names: &["Tree.File", "FileTree.File"],
    about: "A file.",
    props: &[
        required("name", r#"="main.rs""#, "Name"),
        prop("highlight", "={true}", "Highlighted"),
    ],
    ignored: &[],
    render: render_file,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let root = Root::new(element, page, "tree dw-tree");
    html! {
        ul class=(root.class) id=[root.id] style=[root.style] {
            @for node in element.children.iter().filter(|node| !children::is_blank(node)) {
                @if is_list(node) { (items(node, page)) }
                @else { (page.nodes(std::slice::from_ref(node))) }
            }
        }
    }
}

/// The entries of a Markdown list. As in the format, formatting of names is dropped.
fn items(list: &Node, page: &PageRenderer<'_>) -> Markup {
    html! {
        @for item in &list.children {
            @let lists = || item.children.iter().filter(|node| is_list(node));
            @let name = name(item);
            @if lists().next().is_some() {
                @let content = html! { @for list in lists() { (items(list, page)) } };
                (folder(&name, &content, State::Open, false, page))
            } @else if name.ends_with('/') {
                (folder(&name, &html! {}, State::Fixed, false, page))
            } @else {
                (file(&name, false, page))
            }
        }
    }
}

fn is_list(node: &Node) -> bool {
    matches!(node.kind, NodeKind::List { .. })
}

/// The text of an item without the lists inside it.
fn name(item: &Node) -> String {
    let own = item.children.iter().filter(|node| !is_list(node));
    let texts = own.map(|node| plain_text(std::slice::from_ref(node)));
    texts.collect::<String>().trim().to_owned()
}

fn render_folder(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let name = name_prop(element);
    let content = page.nodes(element.children);
    let state = if element.flag("openable") == Some(false) {
        State::Fixed
    } else if element.flag("defaultOpen").unwrap_or(false) {
        State::Open
    } else {
        State::Closed
    };
    folder(&name, &content, state, element.flag("highlight").unwrap_or(false), page)
}

fn render_file(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    file(&name_prop(element), element.flag("highlight").unwrap_or(false), page)
}

fn name_prop(element: &Element<'_>) -> String {
    element.value("name").map(props::text).unwrap_or_default()
}

/// Whether a folder shows its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Closed,
    /// Open, and readers can't close it.
    Fixed,
}

fn folder(
    name: &str,
    content: &Markup,
    state: State,
    highlight: bool,
    page: &PageRenderer<'_>,
) -> Markup {
    let name = html! {
        span.dw-tree-name data-highlight[highlight] {
            (page.glyph("folder")) (name.trim_end_matches('/'))
        }
    };
    let content = html! { @if !content.0.trim().is_empty() { ul { (content) } } };
    html! {
        li.tree-folder {
            @if state == State::Fixed { (name) (content) }
            @else { details.dw-tree-branch open[state == State::Open] { summary { (name) } (content) } }
        }
    }
}

fn file(name: &str, highlight: bool, page: &PageRenderer<'_>) -> Markup {
    html! {
        li.tree-file {
            span.dw-tree-name data-highlight[highlight] { (page.glyph("file")) (name) }
        }
    }
}
