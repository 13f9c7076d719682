//! Converts YAML to JSON values and limits the expansion of aliases.

use serde_json::Value;
use serde_saphyr::{NonFiniteFloatPolicy, from_str_with_options, options};

/// Longer YAML is refused. Bytes.
const MAXIMUM_LENGTH: usize = 16 * 1024 * 1024;

/// An error in a YAML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// 1-based line; 0 when unknown.
    pub line: u32,
    /// A short message.
    pub message: String,
}

/// Parses YAML. The parser's own budget limits depth, nodes, and alias expansion, so that a short text can't
/// grow into a large value.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    if text.len() > MAXIMUM_LENGTH {
        return Err(YamlError { line: 0, message: "it is too long".to_owned() });
    }
    // YAML reads a hash such as `91e16528` as a number that is too large. JSON has no such numbers, so it
    // becomes null, and the rest of the text still counts.
    let options = options! { non_finite_float_policy: NonFiniteFloatPolicy::PassThrough };
    from_str_with_options(text, options).map_err(|error| {
        let line =
            error.location().map_or(0, |location| u32::try_from(location.line()).unwrap_or(0));
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        YamlError { line, message: first.trim_start_matches("error: ").to_owned() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_number_becomes_null() {
        let value = parse("title: A\nhash: 91e16528\n").expect("it is YAML");
        assert_eq!(value, serde_json::json!({"title": "A", "hash": null}));
    }
}
