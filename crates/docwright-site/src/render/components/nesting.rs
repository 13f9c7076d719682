//! Context that open built-in components pass to components inside them.
//!
//! Keeps the list of open components. A component sees the innermost open one, even through snippets,
//! conditions, and plain HTML, so a `Tab` in a snippet belongs to the `Tabs` around the snippet.

use maud::Markup;

/// Components that don't affect this context.
const TRANSPARENT: &[&str] = &["CodeBlock", "Visibility"];

/// The open built-in components of a page, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    open: Vec<Open>,
}

/// A component that is being rendered.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// Its main name.
    pub(super) name: &'static str,
    /// The panels that its tabs or code blocks have handed in.
    pub(super) panels: Vec<Panel>,
    /// Of `Steps`: whether each child is a step, so that they form a list.
    pub(super) is_list: bool,
    /// Of `Steps`: the default `titleSize` of its steps.
    pub(super) title_size: Option<&'static str>,
    /// Of fields: their name, for the ids of the fields inside.
    pub(super) field: Option<String>,
    /// Whether titles inside stay out of the contents list.
    pub(super) is_unlisted: bool,
}

/// A rendered tab or code block that its component will show.
#[derive(Debug)]
pub(crate) struct Panel {
    /// The label as HTML.
    pub(crate) label: Markup,
    /// The label as text; equal ones are chosen together all over the page.
    pub(crate) title: String,
    /// The icon before the label, or nothing.
    pub(crate) icon: Markup,
    /// The id, if links can lead to it.
    pub(crate) id: Option<String>,
    /// Its content.
    pub(crate) content: Markup,
}

impl Nesting {
    /// Opens a component, unless it is transparent.
    pub(super) fn enter(&mut self, name: &'static str) -> bool {
        let opens = !TRANSPARENT.contains(&name);
        if opens {
            self.open.push(Open { name, ..Open::default() });
        }
        opens
    }

    /// Closes the innermost one.
    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    /// The component that is being rendered.
    pub(super) fn current(&mut self) -> Option<&mut Open> {
        self.open.last_mut()
    }

    /// The component around the current one.
    pub(super) fn parent(&mut self) -> Option<&mut Open> {
        let parent = self.open.len().checked_sub(2)?;
        self.open.get_mut(parent)
    }

    /// Whether a component with this name is open around the current one.
    pub(super) fn is_inside(&self, name: &str) -> bool {
        self.open.iter().rev().skip(1).any(|open| open.name == name)
    }

    /// The name of the nearest field around the current one, including its parents.
    pub(super) fn field(&self) -> Option<&str> {
        self.open.iter().rev().skip(1).find_map(|open| open.field.as_deref())
    }

    /// The panels handed to the component that is being rendered.
    pub(super) fn take_panels(&mut self) -> Vec<Panel> {
        self.current().map(|open| std::mem::take(&mut open.panels)).unwrap_or_default()
    }

    /// Whether titles here are excluded from the contents list.
    pub(crate) fn is_unlisted(&self) -> bool {
        self.open.iter().any(|open| open.is_unlisted)
    }

    /// Whether code blocks here become panels of a group.
    pub(crate) fn collects_code(&self) -> bool {
        self.open.last().is_some_and(|open| {
            matches!(open.name, "CodeGroup" | "RequestExample" | "ResponseExample")
        })
    }

    /// Whether the innermost open component has this name.
    pub(crate) fn is_directly_in(&self, name: &str) -> bool {
        self.open.last().is_some_and(|open| open.name == name)
    }

    /// Hands a code block to the group around it.
    pub(crate) fn add_code(&mut self, panel: Panel) {
        if let Some(group) = self.current() {
            group.panels.push(panel);
        }
    }
}
