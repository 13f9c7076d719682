//! The decoded length of a body: its bytes, with each JSON escape counted as its character. So a text has the same
//! limit in any notation.

/// Counts the decoded bytes of pieces of a body.
#[derive(Debug, Default)]
pub(super) struct DecodedLength {
    bytes: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, Default)]
enum State {
    #[default]
    Plain,
    /// After a backslash.
    Escaped,
    /// In the digits of a UTF-16 code unit: their number, and their value so far.
    Unit(u8, u32),
}

impl DecodedLength {
    /// Counts the next piece.
    pub(super) fn count(&mut self, piece: &[u8]) {
        for byte in piece {
            self.state = match (self.state, byte) {
                (State::Plain, b'\\') => State::Escaped,
                (State::Escaped, b'u') => State::Unit(0, 0),
                (State::Unit(count, unit), digit) if digit.is_ascii_hexdigit() => {
                    let digit = char::from(*digit).to_digit(16).unwrap_or_default();
                    let unit = unit << 4 | digit;
                    if count < 3 {
                        State::Unit(count + 1, unit)
                    } else {
                        self.bytes += length(unit);
                        State::Plain
                    }
                }
                // An escape of one letter, a plain byte, and invalid JSON.
                _ => {
                    self.bytes += 1;
                    State::Plain
                }
            };
        }
    }

    /// The bytes so far.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The UTF-8 bytes of a UTF-16 code unit. Each half of a pair counts half of four.
const fn length(unit: u32) -> usize {
    match unit {
        0..0x80 => 1,
        0x80..0x800 | 0xd800..0xe000 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> usize {
        let mut said = DecodedLength::default();
        said.count(text.as_bytes());
        // The result is the same for any pieces.
        let mut pieces = DecodedLength::default();
        text.bytes().for_each(|byte| pieces.count(&[byte]));
        assert_eq!(pieces.bytes(), said.bytes(), "{text}");
        said.bytes()
    }

    #[test]
    fn escape_counts_as_its_character() {
        for (text, bytes) in [
            (r#"{"a": "b"}"#, 10),
            ("ä€😀", 2 + 3 + 4),
            (r"\u00e4\u20AC\ud83d\ude00", 2 + 3 + 4),
            (r"\u0041\n\\\u0000\/", 5),
            (r"\\u0041", 6),
        ] {
            assert_eq!(said(text), bytes, "{text}");
        }
        // Invalid JSON counts as something.
        assert_eq!(said(r"\u12 \u12\u0041 \q"), 9);
    }
}
