//! Converts YAML to JSON values and limits the expansion of aliases.

use serde_json::Value;
use serde_saphyr::{Budget, NonFiniteFloatPolicy, budget, from_str_with_options, options};

/// Longer YAML is refused, also in pages and from other hosts. Bytes.
const MAXIMUM_LENGTH: usize = 64 * 1024 * 1024;

/// Parsing events for each node at most: its start, its end, and its place.
const EVENTS: usize = 4;

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
        return Err(YamlError {
            line: 0,
            message: format!("it is longer than {} MiB", MAXIMUM_LENGTH >> 20),
        });
    }
    // YAML reads a hash such as `91e16528` as a number that is too large. JSON has no such numbers, so it
    // becomes null, and the rest of the text still counts.
    // A node without aliases takes two characters at least, so a long text isn't refused because of its length.
    let nodes = Budget::default().max_nodes.max(text.len() / 2);
    let options = options! {
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        budget: budget! { max_nodes: nodes, max_events: EVENTS * nodes },
    };
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
    fn long_text_is_read_and_aliases_stay_limited() {
        let long = "- a\n".repeat(300_000);
        assert_eq!(parse(&long).unwrap().as_array().map(Vec::len), Some(300_000));
        let levels: Vec<_> = (1..9)
            .map(|level| {
                format!("a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(9))
            })
            .collect();
        let bomb = format!("a0: &a0 [x, x, x, x, x, x, x, x, x]\n{}", levels.concat());
        assert!(parse(&bomb).is_err());
    }

    #[test]
    fn oversized_number_becomes_null() {
        let value = parse("title: A\nhash: 91e16528\n").expect("it is YAML");
        assert_eq!(value, serde_json::json!({"title": "A", "hash": null}));
    }
}
