//! Interactive components in the browser: the scripts of pages with such components.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
};

use serde_json::{Map, Value as Json, json};

use super::PageRenderer;
use crate::{
    content::links::Resolution, hashed_path::hashed_path, render::components, script::Script,
};

/// Folder of the scripts below the site root.
const FOLDER: &str = "_docwright/code";

/// An interactive component on a page.
#[derive(Debug)]
pub(super) struct Island {
    /// Key of the module that contains it.
    pub(super) module: String,
    /// The expression that renders it, as plain JavaScript.
    pub(super) code: String,
    /// The names in scope.
    pub(super) scope: Map<String, Json>,
}

/// Scripts of a page, in the order of loading: path below the site root, and contents.
pub type PageScripts = Vec<(String, Arc<str>)>;

impl PageRenderer<'_> {
    /// The scripts that bring the page's islands to life; none for a page without any.
    pub(crate) fn page_scripts(&mut self) -> PageScripts {
        let islands = std::mem::take(&mut self.code.islands);
        if islands.is_empty() {
            return Vec::new();
        }
        let mut scripts = runtime();
        let modules = self.modules_of(&islands);
        let mut own = String::new();
        let mut seen_text = String::new();
        for (key, (script, targets)) in &modules {
            let expressions: Vec<_> =
                islands.iter().enumerate().filter(|(_, island)| island.module == *key).collect();
            let definition = definition(key, script, targets, &expressions);
            seen_text.push_str(&definition);
            if expressions.is_empty() {
                scripts.push(named(definition));
            } else {
                own.push_str(&definition);
            }
        }
        self.rendered.classes.extend(
            strings(&seen_text)
                .flat_map(str::split_whitespace)
                .filter(|word| word.len() < 80)
                .map(str::to_owned),
        );
        let scopes: Vec<_> = islands.iter().map(|island| json!(island.scope)).collect();
        let scopes = Json::from(scopes);
        seen_text.push_str(&scopes.to_string());
        let page = json!({
            "islands": islands.iter().map(|island| &island.module).collect::<Vec<_>>(),
            "scopes": scopes,
            "links": self.addresses(&seen_text),
            "icons": self.icon_table(&seen_text),
        });
        let _ = writeln!(own, "docwrightCode.mount({});", for_script(&page.to_string()));
        scripts.push(named(own));
        scripts
    }

    /// The modules that contain islands, and all their imports.
    fn modules_of(
        &mut self,
        islands: &[Island],
    ) -> BTreeMap<String, (Arc<Script>, Map<String, Json>)> {
        let mut modules = BTreeMap::new();
        let mut waiting: Vec<_> = islands.iter().map(|island| island.module.clone()).collect();
        while let Some(key) = waiting.pop() {
            if modules.contains_key(&key) || !self.context.source.contains(&key) {
                continue;
            }
            let script = self.context.script(&key, self.module_at(&key)).unwrap_or_default();
            let reported = self.rendered.diagnostics.len();
            let targets = self.targets(&key, &script);
            // They were reported when the engine got them.
            self.rendered.diagnostics.truncate(reported);
            waiting.extend(targets.values().filter_map(Json::as_str).map(str::to_owned));
            modules.insert(key, (script, targets));
        }
        modules
    }

    /// The addresses that links and images in code have from this page.
    fn addresses(&mut self, code: &str) -> BTreeMap<String, String> {
        let mut addresses = BTreeMap::new();
        for written in strings(code).filter(|text| is_local(text)) {
            let path = self.page.path.clone();
            let found = match self.context.resolve(&path, written) {
                Resolution::Missing { .. } | Resolution::Loop => continue,
                Resolution::Page { .. } => self.link(written, 0, 0),
                _ => Some(self.asset(written, 0, 0)),
            };
            if let Some(found) = found {
                addresses.insert(written.to_owned(), found);
            }
        }
        addresses
    }

    /// Every icon whose name is in the code, since it isn't known which ones will be shown.
    fn icon_table(&self, code: &str) -> BTreeMap<String, String> {
        if !code.contains("Icon") && !code.contains("icon") {
            return BTreeMap::new();
        }
        let names: BTreeSet<_> = strings(code)
            .filter(|text| is_icon_name(text) && !code.contains(&format!("\"{text}\":")))
            .collect();
        let icon = |name: &str| {
            Some((name.to_owned(), self.context.icons.find(name, None)?.into_string()))
        };
        names.into_iter().filter_map(icon).collect()
    }
}

/// Whether a text is an address from the root of the site, and not that of a module.
fn is_local(text: &str) -> bool {
    let is_module = [".jsx", ".tsx", ".mdx"].iter().any(|ending| text.ends_with(ending));
    text.starts_with('/') && !text.starts_with("//") && !is_module
}

fn is_icon_name(text: &str) -> bool {
    (2..40).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The strings in double quotes in minified code.
fn strings(code: &str) -> impl Iterator<Item = &str> {
    code.split(['"', '`']).filter(|text| text.len() < 300 && !text.contains(['\\', '\n']))
}

/// Preact, and the script that mounts islands with it.
fn runtime() -> PageScripts {
    vec![
        (
            format!("{FOLDER}/preact.js"),
            include_str!(concat!(env!("OUT_DIR"), "/preact.js")).into(),
        ),
        (format!("{FOLDER}/islands.js"), include_str!("islands.js").into()),
    ]
}

/// A module as a classic script, with the expressions of the islands in it.
fn definition(
    key: &str,
    script: &Script,
    targets: &Map<String, Json>,
    islands: &[(usize, &Island)],
) -> String {
    let mut body = script.body.clone();
    for (number, island) in islands {
        let names: Vec<_> = island.scope.keys().map(String::as_str).collect();
        let _ = write!(body, "\n;island({number}, ({{{}}}) => {});", names.join(", "), island.code);
    }
    let prelude: BTreeSet<_> = crate::script::PRELUDE
        .iter()
        .copied()
        .chain(components::ALL.iter().flat_map(|component| component.names).copied())
        .map(|name| name.split('.').next().unwrap_or(name))
        .filter(|name| body.contains(name))
        .collect();
    let prelude: Vec<_> = prelude.into_iter().collect();
    format!(
        "docwrightCode.define({}, {}, ({{{}}}) => (require, exports, island) => {{\"use strict\";{body}\n}});\n",
        Json::from(key),
        for_script(&Json::Object(targets.clone()).to_string()),
        prelude.join(", "),
    )
}

/// JSON that is safe in a script.
fn for_script(json: &str) -> String {
    json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A script named by the hash of its contents, so that pages share it.
fn named(contents: String) -> (String, Arc<str>) {
    (hashed_path(FOLDER, contents.as_bytes(), "js"), contents.into())
}
