//! Snippets: imported MDX, and the older `<Snippet file="…">`.

use maud::{Markup, html};

use super::{
    Element, PageRenderer,
    module::Import,
    renderer::{Frame, MAXIMUM_FRAMES},
};
use crate::{Severity, content::document};

/// Folders in which the older form looks.
const LEGACY_FOLDERS: &[&str] = &["snippets", "_snippets"];

impl PageRenderer<'_> {
    /// What an imported name stands for; `None` if the name is not imported.
    pub(super) fn imported(&mut self, element: &Element<'_>) -> Option<Markup> {
        let name = element.name.split('.').next().unwrap_or(element.name);
        let import =
            self.frame().module.imports.iter().find(|import| import.local == name)?.clone();
        Some(if import.is_snippet() {
            self.imported_snippet(&import, element)
        } else {
            self.imported_code(&import, element)
        })
    }

    fn imported_snippet(&mut self, import: &Import, element: &Element<'_>) -> Markup {
        let Some(path) = document::join(&self.frame().path, &import.target) else {
            return self.missing_snippet(&import.target, import.line, element);
        };
        match &import.imported {
            None => self.include(&path, import.line, element),
            Some(name) => {
                self.needs_evaluation(&format!("<{name}>"), element.line, element.column);
                self.nodes(element.children)
            }
        }
    }

    fn imported_code(&mut self, import: &Import, element: &Element<'_>) -> Markup {
        let relative = import.target.starts_with('/') || import.target.starts_with('.');
        let found = relative
            && document::join(&self.frame().path, &import.target).is_some_and(|path| {
                ["", ".jsx", ".tsx", ".js", ".mdx"]
                    .iter()
                    .any(|ending| self.context.source.contains(&format!("{path}{ending}")))
            });
        if found {
            self.needs_evaluation(&format!("<{}>", element.name), element.line, element.column);
        } else {
            let message = format!("`{}` can't be imported: there is no such file", import.target);
            let help =
                "correct the path; packages can't be imported, built-in components need no import";
            self.report(Severity::Error, "missing-import", message, help, import.line, 1);
        }
        self.nodes(element.children)
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
            self.report(
                Severity::Error,
                "snippet-cycle",
                message,
                "break the circle of imports",
                line,
                0,
            );
            return html! {};
        }
        let children = self.nodes(element.children).into_string();
        let scope = Self::props_scope(element, &module.constants);
        self.frames.push(Frame {
            path: path.to_owned(),
            module: module.clone(),
            scope,
            children: Some(children),
        });
        for error in &module.errors {
            self.report(
                Severity::Error,
                "invalid-mdx",
                error.message.clone(),
                error.help,
                error.line,
                error.column,
            );
        }
        let markup = self.nodes(&module.nodes);
        self.frames.pop();
        markup
    }

    fn missing_snippet(&mut self, target: &str, line: u32, element: &Element<'_>) -> Markup {
        let message = format!("there is no snippet `{target}`");
        self.report(
            Severity::Error,
            "missing-snippet",
            message,
            "correct the path, or add the file",
            line,
            0,
        );
        self.nodes(element.children)
    }
}
