//! The words of a page's layout, in the language of the page.

use std::{collections::HashMap, sync::LazyLock};

/// One row for each language, one column for each word, in the order of [`Word`].
const TABLE: &str = include_str!("words.txt");

/// A word or sentence that docwright itself shows to readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "`words.txt` has them in English")]
pub enum Word {
    Search,
    Contents,
    CopyPage,
    ViewMarkdown,
    Next,
    Previous,
    Modified,
    Related,
    Edit,
    Issue,
    Skip,
    Menu,
    Scheme,
    More,
    Required,
    Default,
    Deprecated,
    TryIt,
    Copy,
    Copied,
    Download,
    Nothing,
    Close,
    Helpful,
    Yes,
    No,
    Thanks,
    Comment,
    Send,
    NotFound,
    Missing,
    DidYouMean,
    Recent,
    Suggested,
    Section,
    Kind,
    Version,
    Language,
    Guide,
    Changelog,
    Select,
    Open,
    Field,
    Operation,
    Variable,
    Command,
    Consent,
    Accept,
    Decline,
    CookieSettings,
}

/// The rows by language, without the code at their head.
static ROWS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let rows = TABLE.lines().skip(1).filter_map(|row| row.split_once('|'));
    rows.map(|(code, words)| (code, words.split('|').collect())).collect()
});

/// A word in a language (a `lang` attribute), or in English if the language is unknown.
pub fn word(language: &str, word: Word) -> &'static str {
    let main = language.split('-').next().unwrap_or(language);
    let rows = [language, main, "en"].into_iter().filter_map(|code| ROWS.get(code));
    rows.into_iter().find_map(|row| row.get(word as usize).copied()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_word() {
        let columns = TABLE.lines().next().unwrap().split('|').count();
        assert_eq!(columns, Word::CookieSettings as usize + 2);
        for row in TABLE.lines() {
            assert_eq!(row.split('|').count(), columns, "{row}");
            assert!(row.split('|').all(|word| !word.trim().is_empty()), "{row}");
        }
        assert_eq!(word("de", Word::Thanks), "Danke für Ihre Rückmeldung.");
        assert_eq!(word("fr-CA", Word::Next), "Suivant");
        assert_eq!(word("zh-Hans", Word::Yes), "有");
        assert_eq!(word("zh-Hant", Word::Close), "關閉");
        assert_eq!(word("xx", Word::Close), "Close");
    }
}
