//! Warns about unknown keys of `docs.json`, to catch typos.

use serde_json::{Map, Value};

use super::keys;
use crate::{
    Diagnostic, Rule,
    content::{closest::closest, document::Document},
};

/// Looks at the top, and at the objects right below it.
pub(super) fn check(document: &Document<'_>, diagnostics: &mut Vec<Diagnostic>) {
    check_object(document, "", &document.root, diagnostics);
    for (key, value) in &document.root {
        if let Value::Object(object) = value {
            check_object(document, key, object, diagnostics);
        }
    }
}

fn check_object(
    document: &Document<'_>,
    path: &str,
    object: &Map<String, Value>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(known) = keys::names(path) else { return };
    for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
        let full = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let help = match closest(key, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it, or correct its name".to_owned(),
        };
        let diagnostic =
            Diagnostic::new(Rule::UnknownKey, "", format!("`{full}` is not a known key"))
                .help(help);
        diagnostics.push(document.at(key, diagnostic));
    }
}
