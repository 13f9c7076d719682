//! Places where long words of titles can break: identifiers of many words, paths, and addresses. Without them, browsers
//! break such words anywhere when a line is short. Copied text and search don't contain them.

use maud::{Markup, PreEscaped, html};

use super::tags::tag_end;

/// Words with fewer letters fit into a line of any window.
const LONG_WORD: usize = 12;
/// No line has fewer letters of a broken word.
const SHORTEST_PART: usize = 3;
const BREAK: &str = "<wbr>";
/// Elements whose text isn't words.
const SKIPPED: &[&str] = &["svg", "math", "style", "script", "button"];

/// A title with the places where its words can break.
pub(crate) fn breakable_title(title: &str) -> Markup {
    breakable(&html! { (title) })
}

/// Markup of ours with these places.
pub(super) fn breakable(markup: &Markup) -> Markup {
    PreEscaped(with_word_breaks(&markup.0))
}

fn with_word_breaks(html: &str) -> String {
    let mut marked = String::with_capacity(html.len());
    let mut rest = html;
    let mut skipped: Option<&str> = None;
    while !rest.is_empty() {
        if let Some(tag) = rest.strip_prefix('<') {
            let end = tag_end(tag).map_or(rest.len(), |end| end + 2);
            let (tag, after) = rest.split_at(end);
            match skipped {
                Some(name) if tag.strip_prefix("</").is_some_and(|tag| tag_name(tag) == name) => {
                    skipped = None;
                }
                None => skipped = SKIPPED.iter().copied().find(|name| tag_name(&tag[1..]) == *name),
                Some(_) => {}
            }
            marked.push_str(tag);
            rest = after;
        } else {
            let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            if skipped.is_some() {
                marked.push_str(text);
            } else {
                for word in text.split_inclusive(char::is_whitespace) {
                    push_word(word, &mut marked);
                }
            }
            rest = after;
        }
    }
    marked
}

fn tag_name(tag: &str) -> &str {
    tag.split([' ', '>', '/', '\n']).next().unwrap_or_default()
}

fn push_word(word: &str, marked: &mut String) {
    // Each letter has a byte at least.
    if word.len() < LONG_WORD {
        marked.push_str(word);
        return;
    }
    let letters: Vec<&str> = letters(word.trim_end()).collect();
    let mut start = 0;
    for (index, letter) in letters.iter().enumerate() {
        let is_long = letters.len() >= LONG_WORD
            && index - start >= SHORTEST_PART
            && letters.len() - index >= SHORTEST_PART;
        if is_long && can_break(&letters, index) {
            marked.push_str(BREAK);
            start = index;
        }
        marked.push_str(letter);
    }
    marked.push_str(&word[word.trim_end().len()..]);
}

/// Letters of a text; a character reference is one.
fn letters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let reference = Some(rest).filter(|_| first == '&').and_then(|text| text.find(';'));
        let length = reference.map_or(first.len_utf8(), |end| end + 1);
        let (letter, after) = rest.split_at(length);
        rest = after;
        Some(letter)
    })
}

/// Whether a line can begin with the letter at `index`: after punctuation, and where a word of an identifier begins.
fn can_break(letters: &[&str], index: usize) -> bool {
    let is = |index: usize, test: fn(char) -> bool| {
        letters.get(index).is_some_and(|letter| letter.chars().all(test))
    };
    let is_mark = |letter: char| "/._-:=,;&?#@)]}".contains(letter);
    let after_mark = (is(index - 1, is_mark) || letters[index - 1] == "&amp;")
        && is(index, |letter| letter.is_alphanumeric() || "{([<:".contains(letter));
    let after_small = is(index - 1, |letter| letter.is_lowercase() || letter.is_numeric())
        && is(index, char::is_uppercase);
    let last_capital = is(index - 1, char::is_uppercase)
        && is(index, char::is_uppercase)
        && is(index + 1, char::is_lowercase);
    after_mark || after_small || last_capital
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_break_at_capitals_and_punctuation() {
        for (text, marked) in [
            ("Create IdentityLink", "Create Identity|Link"),
            ("parseXMLHttpRequest", "parse|XML|Http|Request"),
            ("OAuthTokenRequest", "OAuth|Token|Request"),
            ("/v1/users/{userId}/keys", "/v1/|users/|{user|Id}/|keys"),
            ("list_all_organization_invitations", "list_|all_|organization_|invitations"),
            ("https://docs.example.com", "https://|docs.|example.|com"),
            ("one&amp;another&amp;third", "one&amp;|another&amp;|third"),
            ("getUser", "getUser"),
            ("Internationalization", "Internationalization"),
            ("概要概要概要概要概要概要概要", "概要概要概要概要概要概要概要"),
        ] {
            assert_eq!(with_word_breaks(text), marked.replace('|', BREAK), "{text}");
        }
    }

    #[test]
    fn tags_and_pictures_stay() {
        let heading = r#"<code class="oneTwoThreeFour">createIdentityLink</code> <svg><title>oneTwoThreeFour</title></svg> x"#;
        assert_eq!(
            with_word_breaks(heading),
            heading.replace("createIdentityLink", "create<wbr>Identity<wbr>Link")
        );
        assert_eq!(with_word_breaks("a < b and <em"), "a < b and <em");
    }
}
