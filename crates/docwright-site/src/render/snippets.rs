//! Snippets: imported MDX, and the older `<Snippet file="…">`.

use maud::{Markup, html};

use super::{
    Element, PageRenderer,
    evaluate::size_of,
    renderer::{Frame, MAXIMUM_FRAMES},
};
use crate::{Rule, content::document};

/// Folders that the older form searches.
const LEGACY_FOLDERS: &[&str] = &["snippets", "_snippets"];

impl PageRenderer<'_> {
    /// The imported snippet with a name.
    pub(super) fn imported(&mut self, element: &Element<'_>) -> Option<Markup> {
        let name = element.name.split('.').next().unwrap_or(element.name);
        let import =
            self.frame().module.imports.iter().find(|import| import.local == name)?.clone();
        Some(match document::join(&self.frame().path, &import.target) {
            Some(path) => self.include(&path, import.line, element),
            None => self.missing_snippet(&import.target, import.line, element),
        })
    }

    /// `<Snippet file="name.mdx" …>`.
    pub(super) fn legacy_snippet(&mut self, element: &Element<'_>) -> Markup {
        let file = element.text("file").or_else(|| element.text("src")).unwrap_or_default();
        let name = file.trim_start_matches('/');
        let candidates = std::iter::once(name.to_owned())
            .chain(LEGACY_FOLDERS.iter().map(|folder| format!("{folder}/{name}")));
        let found = candidates
            .filter_map(|path| document::join("x", &path))
            .find(|path| self.context.source.contains(path));
        match found {
            Some(path) => self.include(&path, element.line, element),
            None => self.missing_snippet(&file, element.line, element),
        }
    }

    /// Renders a snippet file with the attributes of an element as its props.
    fn include(&mut self, path: &str, line: u32, element: &Element<'_>) -> Markup {
        let Some(module) = self.context.snippet(path) else {
            return self.missing_snippet(path, line, element);
        };
        if self.frames.iter().any(|frame| frame.path == path) || self.frames.len() > MAXIMUM_FRAMES
        {
            let message = format!("the snippet {path} includes itself");
            self.report(Rule::SnippetCycle, message, "remove the import cycle", line, 0);
            return html! {};
        }
        let children = self.nodes(element.children).into_string();
        let children_slot = self.keep_children(element.children);
        let constants = self.context.constants(path, &module);
        let props = element.attributes.iter().map(|(_, value)| value.size()).sum::<usize>();
        if !self.spend(2 * props + size_of(&constants)) {
            return html! {};
        }
        let scope = Self::props_scope(element, constants);
        self.frames.push(Frame {
            path: path.to_owned(),
            module: module.clone(),
            scope,
            children: Some(children),
            children_slot,
        });
        for error in &module.errors {
            self.report(error.rule(), error.message.clone(), error.help, error.line, error.column);
        }
        let markup = self.nodes(&module.nodes);
        self.frames.pop();
        markup
    }

    fn missing_snippet(&mut self, target: &str, line: u32, element: &Element<'_>) -> Markup {
        let message = format!("snippet `{target}` not found");
        self.report(Rule::MissingSnippet, message, "correct the path, or add the file", line, 0);
        self.nodes(element.children)
    }
}
