//! Ids of headings: the detailed rules of the authoring format, section 6.

/// The id of a heading's text: lower-case, white space and dots as dashes, parentheses left out, a
/// straight apostrophe turned; everything else stays.
pub(super) fn heading_id(text: &str) -> String {
    let mut id = String::with_capacity(text.len());
    for letter in text.trim().chars() {
        match letter {
            '.' => id.push('-'),
            '\'' => id.push('’'),
            '(' | ')' => {}
            letter if letter.is_whitespace() => id.push('-'),
            letter => id.extend(letter.to_lowercase()),
        }
    }
    collapse(&id)
}

/// The id that a code host would give, under which many authors link to a heading.
pub(super) fn plain_id(text: &str) -> String {
    let mut id = String::with_capacity(text.len());
    for letter in text.trim().chars() {
        match letter {
            '-' | '_' => id.push(letter),
            letter if letter.is_whitespace() => id.push('-'),
            letter if letter.is_alphanumeric() => id.extend(letter.to_lowercase()),
            _ => {}
        }
    }
    id
}

fn collapse(id: &str) -> String {
    let mut collapsed = String::with_capacity(id.len());
    for letter in id.chars() {
        if letter != '-' || !collapsed.ends_with('-') {
            collapsed.push(letter);
        }
    }
    collapsed.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_format() {
        for (text, id) in [
            ("Config.json options", "config-json-options"),
            ("Fees & billing", "fees-&-billing"),
            ("What's new (beta)?", "what’s-new-beta?"),
            ("GET /users", "get-/users"),
            ("Überblick 概要", "überblick-概要"),
            ("a: b, c!", "a:-b,-c!"),
        ] {
            assert_eq!(heading_id(text), id);
        }
        assert_eq!(plain_id("What's new in 1.2?"), "whats-new-in-12");
    }
}
