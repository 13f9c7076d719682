//! Why a file that is named as an API spec isn't used as one.

use super::{check, lookup, read};
use crate::source::Source;

/// A file that is named as an API spec but isn't used as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// Its path below the docs root.
    pub path: String,
    /// Why, as the end of a sentence about it.
    pub reason: String,
    /// The remedy.
    pub help: &'static str,
}

/// The file that `name` means in the file at `from`, if it exists but isn't among the usable specs.
pub fn unusable(source: &Source, name: &str, from: &str) -> Option<Unusable> {
    let paths: Vec<_> = source.paths().chain(source.too_large_paths()).collect();
    let path = lookup::exact_paths(&paths, name, from).into_iter().next()?;
    let (reason, help) = why(source, path);
    Some(Unusable { path: path.to_owned(), reason, help })
}

fn why(source: &Source, path: &str) -> (String, &'static str) {
    if let Some(too_large) = source.too_large(path) {
        return (
            format!("is too large: it has {too_large}"),
            "split it: move parts into other files, and refer to them with `$ref`",
        );
    }
    let Some(text) = source.text(path) else {
        return ("isn't a text file".to_owned(), "name a JSON or YAML file");
    };
    match read(path, text) {
        Err(error) => {
            let line = if error.line > 0 { format!(", line {}", error.line) } else { String::new() };
            (format!("can't be read: {}{line}", error.message), "correct the file")
        }
        Ok(value) if check::outdated(path, &value).is_some() => (
            "has an old version of Swagger".to_owned(),
            "convert it to OpenAPI 3, for which there are tools, and name the new file",
        ),
        Ok(_) => (
            "isn't an API spec: it has no `openapi` with `paths` or `webhooks`, and no `asyncapi` with `channels`"
                .to_owned(),
            "add the missing keys, or name another file",
        ),
    }
}
