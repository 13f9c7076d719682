//! The operations of API specs, as needed by navigation: method, path, title, description, tag. Their appearance
//! on pages is decided elsewhere.

mod channels;
mod check;
mod compact;
mod contents;
pub mod lookup;
mod operations;
mod part;
mod reference;
mod references;
mod remote;
mod unusable;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

pub use channels::Channel;
use channels::channels;
pub use contents::SpecContents;
pub use lookup::FoundPart;
pub use operations::{Operation, operations};
pub use part::{Part, PartKind, ReferenceContext};
pub use reference::{Reference, parse as parse_reference, split_schema};
pub(super) use remote::named_elsewhere;
pub use remote::remote_specs;
pub use unusable::{Unusable, unusable};

use super::yaml::{self, YamlError};
use crate::{Diagnostic, source::Source};

/// How to handle a spec on another host.
pub const REMOTE_HELP: &str =
    "allow it to be fetched with --remote-specs DIR, or put a copy into the repository";

/// An API spec of the repository. It can't be compared: its path identifies it, and a comparison of large values for
/// each page would take most of a build.
#[derive(Debug)]
pub struct Spec {
    /// Path below the docs root.
    pub path: String,
    /// Its operations, in the order of the file; none in a description of `AsyncAPI`.
    pub operations: Vec<Operation>,
    /// The channels of a description of `AsyncAPI`, in the order of the file.
    pub channels: Vec<Channel>,
    /// Paths of the files that it refers to.
    pub files: BTreeSet<String>,
    contents: Mutex<Arc<SpecContents>>,
    /// Whether it describes messages rather than requests.
    pub is_async: bool,
    /// The position of each operation, by its method and path; the first of several.
    by_address: HashMap<String, usize>,
}

impl Spec {
    fn new(path: &str, value: Value) -> Self {
        let operations = operations(&value);
        let mut by_address = HashMap::new();
        for (at, each) in operations.iter().enumerate() {
            by_address.entry(address(&each.method, &each.path)).or_insert(at);
        }
        let is_async = value.get("asyncapi").is_some();
        let channels = channels(&value);
        let contents = Mutex::new(Arc::new(SpecContents::new(value)));
        let (path, files) = (path.to_owned(), BTreeSet::new());
        Self { path, operations, channels, files, contents, is_async, by_address }
    }

    /// Its contents; none once they are forgotten.
    pub fn contents(&self) -> Arc<SpecContents> {
        Arc::clone(&self.contents.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Drops the contents, once no page is rendered anymore.
    pub fn forget(&self) {
        *self.contents.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }

    /// The operation of a method and path; a trailing slash does not matter.
    pub fn find(&self, method: &str, path: &str) -> Option<&Operation> {
        self.by_address.get(&address(method, path)).map(|at| &self.operations[*at])
    }
}

/// An operation's method and path in normalized form.
fn address(method: &str, path: &str) -> String {
    format!("{} {}", method.to_ascii_uppercase(), path.trim_end_matches('/'))
}

/// All API specs of a docs root by path, and the available specs on other hosts.
pub fn discover(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Spec> {
    let files = source.paths().filter(|path| can_be_spec(path));
    let files = files.filter_map(|path| Some((path, source.text(path)?)));
    let mut specs = Vec::new();
    for (path, text) in files.chain(source.remote()).filter(|(_, text)| can_describe(text)) {
        match read(path, text) {
            Ok(value) if value.get("openapi").or_else(|| value.get("asyncapi")).is_some() => {
                let mut value = value;
                let files = references::bring_in(&mut value, path, source);
                diagnostics.extend(check::references(path, &value, text));
                specs.push(Spec { files, ..Spec::new(path, value) });
            }
            Ok(value) => diagnostics.extend(check::outdated(path, &value)),
            Err(error) => diagnostics.extend(check::unreadable(path, text, &error)),
        }
    }
    specs
}

fn can_be_spec(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = [".json", ".yaml", ".yml"].iter().any(|ending| name.ends_with(ending));
    ending
        && !matches!(
            name,
            "docs.json" | "mint.json" | "package.json" | "package-lock.json" | "tsconfig.json"
        )
}

/// A cheap check that excludes files that are clearly something else.
fn can_describe(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    let requests = has("openapi") || has("swagger");
    requests && (has("paths") || has("webhooks")) || has("asyncapi") && has("channels")
}

/// A JSON or YAML file: by its extension, otherwise by its first character.
fn read(path: &str, text: &str) -> Result<Value, YamlError> {
    if path.ends_with(".json") || path.contains("://") && text.trim_start().starts_with('{') {
        compact::parse(text).map_err(|error| YamlError {
            line: u32::try_from(error.line()).unwrap_or(0),
            message: error.to_string(),
        })
    } else {
        yaml::parse(text)
    }
}
