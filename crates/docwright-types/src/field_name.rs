//! Names of fields as people read them.

/// The words of a name of a field: `lastUsedAt` is `last used at`.
pub fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn capitals_begin_words() {
        assert_eq!(["lastUsedAt", "name", ""].map(super::words), ["last used at", "name", ""]);
    }
}
