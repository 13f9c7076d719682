//! Words that the project does not use any more: each has a standard term in its place. Looks at
//! names, comments and messages of product code alike.

use super::sources::SourceFile;

/// Forms of a word, the first of which names it, and what to write instead. A form is a whole word
/// in prose or in a name (`can_mend`, `MendLinks`); one that ends with `(` is a call or definition.
const RETIRED: &[(&[&str], &str)] = &[
    (&["twin", "twins"], "version or copy"),
    (&["mend", "mends", "mended", "mending"], "repair, fix or resolve"),
    (&["nudge", "nudges", "nudged", "nudging"], "wake"),
    (&["told"], "reported or described"),
    (&["noted"], "recorded"),
    (&[".hold("], "a verb that says what happens, such as confirm_lease"),
    (&[".note("], "record"),
    (&["located("], "a noun for what is returned"),
];

/// This file has to name the words.
const OWN_PATH: &str = "xtask/src/tidy/words.rs";

/// Looks for retired words in product code.
pub(crate) fn check(sources: &[SourceFile]) -> Vec<String> {
    let found = sources.iter().filter(|file| is_product(file)).flat_map(find);
    found
        .map(|(word, instead, place)| format!("{place}: `{word}` is retired; write {instead}"))
        .collect()
}

fn is_product(file: &SourceFile) -> bool {
    file.path.contains("/src/") && file.path != OWN_PATH
}

/// Word, replacement and place of each use in a file.
fn find(file: &SourceFile) -> Vec<(&'static str, &'static str, String)> {
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let words = words(line);
        for (forms, instead) in RETIRED {
            let uses = |form: &&str| {
                if form.ends_with('(') {
                    calls(line, form)
                } else {
                    words.iter().any(|word| word == form)
                }
            };
            if forms.iter().any(uses) {
                found.push((forms[0], *instead, format!("{}:{}", file.path, index + 1)));
            }
        }
    }
    found
}

/// The words of a line in lower case, those within names included.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in line.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

/// Whether a line has a call or definition; a longer name that ends alike is another one.
fn calls(line: &str, form: &str) -> bool {
    let continues = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(form)
        .any(|(at, _)| form.starts_with('.') || !line[..at].ends_with(continues))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> [SourceFile; 1] {
        [SourceFile { path: "crates/docwright-site/src/a.rs".to_owned(), text: text.to_owned() }]
    }

    fn problems(text: &str) -> Vec<String> {
        check(&source(text))
    }

    #[test]
    fn retired_words_are_found_in_prose_and_in_names() {
        let uses = [
            "/// The Markdown twin of a page.",
            "fn can_mend() {}",
            "struct MendLinks;",
            "const NUDGES: u8 = 1;",
            "let told = 1;",
            "panic!(\"it was noted\")",
            "lease.hold().await",
            "done.note(step)",
            "pub fn located(project: Project) {}",
        ];
        for text in uses {
            assert_eq!(problems(&format!("\n{text}")).len(), 1, "{text}");
        }
        let expected = "crates/docwright-site/src/a.rs:2: `nudge` is retired; write wake";
        assert_eq!(problems("\n// nudged"), [expected]);
    }

    #[test]
    fn other_words_are_left_alone() {
        let fine = "// recommended, twine, hold on, denoted\nDiagnostic::note(a); relocated(b); threshold(c)";
        assert!(problems(fine).is_empty(), "{:?}", problems(fine));
        let [mut file] = source("// told");
        file.path = "crates/docwright-site/tests/it/a.rs".to_owned();
        assert!(check(&[file]).is_empty());
    }
}
