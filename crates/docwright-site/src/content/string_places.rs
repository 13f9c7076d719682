//! Places of strings in JSON files, so that a diagnostic names a line without a search of the file.

use std::collections::HashMap;

/// The first place of each string in a JSON file.
#[derive(Debug)]
pub(super) struct StringPlaces {
    /// 1-based lines and columns (in characters) of strings by what stands between their quotation marks.
    places: HashMap<String, (u32, u32)>,
}

impl StringPlaces {
    /// The strings of a JSON file, keys included.
    pub(super) fn new(text: &str) -> Self {
        let mut places = HashMap::new();
        let (mut line, mut column, mut rest) = (1, 1, text);
        // A file can be one long line, so the column is counted on, not anew for each string.
        while let Some((before, behind)) = rest.split_once('"') {
            (line, column) = moved((line, column), before);
            let Some(length) = string_length(behind) else { break };
            let (written, next) = behind.split_at(length);
            if !places.contains_key(written) {
                places.insert(written.to_owned(), (line, column));
            }
            (line, column) = moved((line, column + 1), written);
            (column, rest) = (column + 1, &next[1..]);
        }
        Self { places }
    }

    /// Line and column of the first string whose JSON form is `quoted`.
    pub(super) fn find(&self, quoted: &str) -> Option<(u32, u32)> {
        self.places.get(quoted.strip_prefix('"')?.strip_suffix('"')?).copied()
    }
}

/// The place behind a text that starts at a place.
fn moved((mut line, mut column): (u32, u32), text: &str) -> (u32, u32) {
    for letter in text.chars() {
        (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    (line, column)
}

/// The length of a string up to its closing quotation mark, from behind the opening one.
fn string_length(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    loop {
        match bytes.next()? {
            (length, b'"') => return Some(length),
            // What is escaped doesn't end the string.
            (_, b'\\') => drop(bytes.next()?),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StringPlaces;

    #[test]
    fn strings_have_the_place_of_their_first_occurrence() {
        let text = "{\"ä\": \"a\\\"b\",\r\n  \"b\": [\"a\", \"a\", \"\\\\\"],\n\"é\": \"\"}";
        let places = StringPlaces::new(text);
        for (quoted, expected) in [
            (r#""ä""#, Some((1, 2))),
            (r#""a\"b""#, Some((1, 7))),
            (r#""b""#, Some((2, 3))),
            (r#""a""#, Some((2, 9))),
            (r#""\\""#, Some((2, 19))),
            (r#""é""#, Some((3, 1))),
            (r#""""#, Some((3, 6))),
            (r#"": ""#, None),
            ("a", None),
        ] {
            assert_eq!(places.find(quoted), expected, "{quoted}");
        }
        assert_eq!(StringPlaces::new("{\"unclosed").find("\"unclosed\""), None);
    }
}
