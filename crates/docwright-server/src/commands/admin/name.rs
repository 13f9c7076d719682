//! Names that the operator gives.

/// Longest name, in characters.
const LONGEST: usize = 200;

/// Reads a name: a line that says something.
pub(super) fn parse(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() {
        return Err("a name can't be blank".to_owned());
    }
    if name.chars().any(char::is_control) {
        return Err("a name is one line, without control characters".to_owned());
    }
    if name.chars().count() > LONGEST {
        return Err(format!("a name has {LONGEST} characters at most"));
    }
    Ok(name.to_owned())
}
