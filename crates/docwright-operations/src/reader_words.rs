//! Words of readers in the prompts of agent jobs. They are data, never instructions.

/// A text of at most this many characters, on one line and in quotation marks, so that it can't add lines to a prompt.
pub(crate) fn quoted(text: &str, maximum: usize) -> String {
    let letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let short: String = letters.take(maximum).collect();
    serde_json::Value::from(short).to_string()
}
