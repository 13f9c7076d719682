//! Imports of a page's modules.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::PageRenderer;
use crate::{
    Rule,
    content::{document, is_markdown},
    render::module::Module,
    script::Script,
};

/// Endings that authors leave out, likeliest first.
const ENDINGS: &[&str] =
    &["", ".jsx", ".tsx", ".js", ".ts", ".mdx", ".md", "/index.jsx", "/index.tsx", "/index.js"];

impl PageRenderer<'_> {
    /// Defines a file and its imports in the engine.
    pub(super) fn define(&mut self, path: &str) -> Result<(), String> {
        if !self.code.defined.insert(path.to_owned()) {
            return Ok(());
        }
        let script = self.script(path);
        let targets = self.targets(path, &script);
        for target in targets.values().filter_map(Json::as_str) {
            if self.context.source.contains(target) {
                self.define(target)?;
            }
        }
        let engine = self.code.engine.as_ref().ok_or("the engine is missing")?;
        engine.define(path, &script, &Json::Object(targets))
    }

    /// The code of a file. An unreadable file is reported and treated as empty.
    fn script(&mut self, path: &str) -> Arc<Script> {
        match self.context.script(path, self.module_at(path)) {
            Ok(script) => script,
            Err(error) => {
                let message = format!("the code of {path} can't be read: {}", error.message);
                let help = "correct the statement at that line";
                self.report(Rule::InvalidCode, message, help, error.line, 0);
                Arc::default()
            }
        }
    }

    /// The page, if it is the file at a path.
    pub(super) fn module_at(&self, path: &str) -> Option<&Arc<Module>> {
        (path == self.page.path).then(|| &self.frames[0].module)
    }

    /// The module of each import of a file.
    pub(super) fn targets(&mut self, path: &str, script: &Script) -> Map<String, Json> {
        let mut targets = Map::new();
        for target in &script.imports {
            targets.insert(target.clone(), Json::from(self.resolve_import(path, target)));
        }
        targets
    }

    fn resolve_import(&mut self, path: &str, target: &str) -> String {
        match target {
            "react" | "preact" | "preact/hooks" | "preact/compat" => return "react".to_owned(),
            "react-dom" => return "react-dom".to_owned(),
            _ => {}
        }
        let local = target.starts_with('/') || target.starts_with('.');
        let joined = if local { document::join(path, target) } else { None };
        let found = joined.and_then(|joined| {
            let mut candidates = ENDINGS.iter().map(|ending| format!("{joined}{ending}"));
            candidates.find(|candidate| self.context.source.contains(candidate))
        });
        match found {
            // A snippet that exports nothing but itself is rendered natively.
            Some(found) if is_markdown(&found) && !self.exports_code(&found) => {
                format!("snippet:{found}")
            }
            Some(found) => found,
            None => {
                let message = format!("can't import `{target}`: no such file");
                let help = "correct the path; packages can't be imported, built-in components need \
                            no import";
                let line = self.line_of_import(path, target);
                self.report(Rule::MissingImport, message, help, line, 0);
                "missing".to_owned()
            }
        }
    }

    fn exports_code(&self, path: &str) -> bool {
        self.context.snippet(path).is_some_and(|module| module.code_text.contains("export"))
    }

    /// The line of an import, if it is in the file being rendered.
    fn line_of_import(&self, path: &str, target: &str) -> u32 {
        let frame = self.frame();
        let mut imports = frame.module.imports.iter();
        let found = imports.find(|import| frame.path == path && import.target == target);
        found.map_or(0, |import| import.line)
    }
}
