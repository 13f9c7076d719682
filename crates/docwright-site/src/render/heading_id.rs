//! Ids of headings: the detailed rules of the authoring format, section 6.

use icu_properties::{
    CodePointSetData,
    props::{EmojiModifier, EmojiPresentation, ExtendedPictographic},
};

/// The id of a heading's text: lower-case, with a dash for each run of white space, dots, parentheses
/// and the like. Then punctuation and emoji are left out; what stood around them stays, dashes too. A
/// straight apostrophe is turned, and all other letters and signs stay.
pub(super) fn heading_id(text: &str) -> String {
    let mut id = String::with_capacity(text.len());
    for letter in text.trim().chars().flat_map(char::to_lowercase) {
        match letter {
            '\'' => id.push('’'),
            '.' | '!' | '~' | '*' | '(' | ')' => id.push('-'),
            letter if letter.is_whitespace() => id.push('-'),
            letter => id.push(letter),
        }
    }
    collapse(&id).chars().filter(|letter| !is_left_out(*letter)).collect()
}

/// Whether the format leaves a letter out of ids.
fn is_left_out(letter: char) -> bool {
    const JOINER_AND_VARIANTS: [char; 3] = ['\u{200d}', '\u{fe0e}', '\u{fe0f}'];
    match letter {
        '?' | ',' | ';' | ':' | '"' | '[' | ']' | '{' | '}' => true,
        letter if letter.is_ascii() => false,
        letter => {
            CodePointSetData::new::<ExtendedPictographic>().contains(letter)
                || CodePointSetData::new::<EmojiPresentation>().contains(letter)
                || CodePointSetData::new::<EmojiModifier>().contains(letter)
                || JOINER_AND_VARIANTS.contains(&letter)
        }
    }
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
            ("What's new (beta)?", "what’s-new-beta-"),
            ("Rate limits (per minute)", "rate-limits-per-minute"),
            ("connect(url)", "connect-url"),
            ("GET /users", "get-/users"),
            ("Überblick 概要", "überblick-概要"),
            ("a: b, c!", "a-b-c"),
            ("The \"main\" [part]; {x}", "the-main-part-x"),
            ("🚀 Launch 👩🏽‍💻", "-launch-"),
            ("C# and snake_case", "c#-and-snake_case"),
            ("50% © ™", "50%--"),
            ("A   b - c", "a-b-c"),
        ] {
            assert_eq!(heading_id(text), id);
        }
        assert_eq!(plain_id("What's new in 1.2?"), "whats-new-in-12");
    }
}
