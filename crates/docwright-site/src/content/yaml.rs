//! YAML to JSON values, with limits on what aliases may multiply.

use serde_json::Value;

/// Longer YAML is refused. Bytes.
const MAXIMUM_LENGTH: usize = 16 * 1024 * 1024;

/// What is wrong with a YAML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// 1-based line; 0 when unknown.
    pub line: u32,
    /// In a few words.
    pub message: String,
}

/// Parses YAML. The parser's own budget bounds depth, nodes and alias expansion, so that a short
/// text can't grow into a large value.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    if text.len() > MAXIMUM_LENGTH {
        return Err(YamlError { line: 0, message: "it is too long".to_owned() });
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let line =
            error.location().map_or(0, |location| u32::try_from(location.line()).unwrap_or(0));
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        YamlError { line, message: first.trim_start_matches("error: ").to_owned() }
    })
}
