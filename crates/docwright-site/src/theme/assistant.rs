//! The assistant for readers: where they open it on a page, and the files of its panel. Pages load a small script, which
//! loads the rest when a reader opens the panel. The server answers; it announces that in a header, and without it a page
//! shows nothing of the assistant.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value, json};

use super::{PageView, head::version, themes::Search, widget};
use crate::{
    content::{
        config::Config,
        words::{Word, word},
    },
    options::Options,
};

/// The script of every page, below the site root.
const OPENER: &str = "_docwright/assistant.js";
/// Folder of what is loaded when the panel is opened.
pub(super) const FOLDER: &str = "_docwright/assistant";

/// The panel. The parts are functions that share one scope.
const PANEL: &str = concat!(
    "var docwrightAssistant = (function () {\n\"use strict\";\n",
    include_str!("scripts/elements.js"),
    include_str!("scripts/assistant/addresses.js"),
    include_str!("scripts/assistant/inline_markdown.js"),
    include_str!("scripts/assistant/markdown.js"),
    include_str!("scripts/assistant/stream.js"),
    include_str!("scripts/assistant/thread.js"),
    include_str!("scripts/assistant/sources.js"),
    include_str!("scripts/assistant/support.js"),
    include_str!("scripts/assistant/rating.js"),
    include_str!("scripts/assistant/turn.js"),
    include_str!("scripts/assistant/composer.js"),
    include_str!("scripts/assistant/conversation.js"),
    include_str!("scripts/assistant/panel.js"),
    "return { Panel: Panel };\n})();\n",
);

/// One row for each language, one column for each word. The first row has the names that the scripts use.
const WORDS: &str = include_str!("assistant_words.txt");
/// Words that the panel shares with other parts of a page, by the names that its scripts use.
const SHARED_WORDS: [(&str, Word); 6] = [
    ("copy", Word::Copy),
    ("copied", Word::Copied),
    ("close", Word::Close),
    ("send", Word::Send),
    ("comment", Word::Comment),
    ("thanks", Word::Thanks),
];

/// The styles of the button, and of the room beside an open panel: they are part of the style sheet of every page.
pub(super) const PAGE_STYLES: &str = include_str!("styles/assistant/page.css");
/// The style sheet of the panel.
pub(super) const PANEL_STYLES: &str = include_str!("styles/assistant/panel.css");
/// Shows the button where the server announces the assistant, before anything is drawn.
const ANNOUNCED: &str = include_str!("scripts/assistant/announced.js");

/// Whether pages have the assistant of the server that serves them. The one at another address has no panel.
pub(super) fn has_assistant(options: &Options) -> bool {
    let assistant = &options.features.assistant;
    assistant.is_on() && assistant.address.is_none()
}

/// The styles of the assistant for the style sheet of every page; empty without it.
pub(super) fn page_styles(options: &Options) -> &'static str {
    if has_assistant(options) { PAGE_STYLES } else { "" }
}

/// The files of the assistant below the site root, with its words in the languages of pages, the main one first: path
/// and contents. None without it.
pub fn assistant_files(
    config: &Config,
    options: &Options,
    main: &str,
    languages: &BTreeSet<&str>,
) -> Vec<(String, String)> {
    if !has_assistant(options) {
        return Vec::new();
    }
    let mut files = vec![
        (OPENER.to_owned(), include_str!("scripts/assistant/opener.js").to_owned()),
        (format!("{FOLDER}/panel.js"), PANEL.to_owned()),
        (format!("{FOLDER}/panel.css"), PANEL_STYLES.to_owned()),
    ];
    let settings =
        |language: &&str| (format!("{FOLDER}/{language}.js"), settings_script(options, language));
    files.extend(languages.iter().map(settings));
    files.extend(widget::files(config, main, languages));
    files
}

/// What the panel shows: its words, and what the deployment sets. A script, since pages of other sites can load that.
fn settings_script(options: &Options, language: &str) -> String {
    let assistant = &options.features.assistant;
    let settings = json!({
        "words": words_in(language),
        "starters": assistant.starter_questions,
        "support": assistant.support_address,
    });
    format!("var docwrightAssistantSettings = {settings};\n")
}

/// The words of the panel in a language.
fn words_in(language: &str) -> Value {
    let own = names().map(|name| (name, own_word(language, name)));
    let shared = SHARED_WORDS.map(|(name, each)| (name, word(language, each)));
    let words = own.chain(shared).chain([("language", language)]);
    Value::Object(words.map(|(name, word)| (name.to_owned(), word.into())).collect::<Map<_, _>>())
}

/// The names of the words.
fn names() -> impl Iterator<Item = &'static str> {
    WORDS.lines().next().unwrap_or_default().split('|').skip(1)
}

/// A word of the assistant by its name, in English if the language is unknown.
pub(super) fn own_word(language: &str, name: &str) -> &'static str {
    let column = names().position(|each| each == name).unwrap_or_default();
    let main = language.split('-').next().unwrap_or(language);
    let row = |code: &str| WORDS.lines().skip(1).find(|row| row.split('|').next() == Some(code));
    let row = [language, main, "en"].into_iter().find_map(row);
    row.and_then(|row| row.split('|').nth(column + 1)).unwrap_or_default()
}

/// What the button and the entry of the page's menu say.
pub(super) fn label(view: &PageView<'_>) -> &'static str {
    own_word(&view.page.language, "ask")
}

/// The button beside the search. The one for phones has an id of its own.
pub(super) fn button(view: &PageView<'_>, place: Search, phone: bool) -> Markup {
    let id = if phone { "assistant-entry-mobile" } else { "assistant-entry" };
    html! {
        @if has_assistant(view.options) {
            button.dw-assistant-button id=(id) type="button" data-assistant-open data-place=(place.name()) data-phone[phone]
                aria-haspopup="dialog" aria-keyshortcuts="Control+I Meta+I" title="Ctrl I" {
                (view.glyph("sparkles")) span { (label(view)) }
            }
        }
    }
}

/// The script that checks the announcement.
pub(super) fn announcement(view: &PageView<'_>) -> Markup {
    html! { @if has_assistant(view.options) { script { (PreEscaped(ANNOUNCED)) } } }
}

/// The script that opens the panel. The page of a missing address has no path.
pub(super) fn opener(view: &PageView<'_>) -> Markup {
    let language = &view.page.language;
    let page = (!view.anywhere).then_some(&view.page.slug);
    html! {
        @if has_assistant(view.options) {
            script defer src=(view.address(OPENER)) data-language=(language) data-version=[version(view)] data-page=[page]
                data-ask=(label(view)) data-about=(own_word(language, "about"))
                data-code=(own_word(language, "code")) {}
        }
    }
}

/// The place of the panel on pages of the mode `assistant`.
pub(super) fn place(view: &PageView<'_>) -> Markup {
    html! {
        @if has_assistant(view.options) && view.page.frontmatter.mode == "assistant" { div data-assistant-page {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_pages_has_every_word() {
        let columns = names().count() + 1;
        for row in WORDS.lines() {
            assert_eq!(row.split('|').count(), columns, "{row}");
            assert!(row.split('|').all(|word| !word.trim().is_empty()), "{row}");
        }
        let codes = |table: &'static str| {
            table.lines().filter_map(|row| row.split('|').next()).collect::<Vec<_>>()
        };
        assert_eq!(codes(WORDS), codes(include_str!("../content/words.txt")));
        assert_eq!(own_word("de-AT", "stop"), "Anhalten");
        assert_eq!(own_word("xx", "stop"), "Stop");
    }

    #[test]
    fn places_in_words_survive_translation() {
        for row in WORDS.lines().skip(1) {
            let language = row.split('|').next().unwrap_or_default();
            assert!(own_word(language, "search").contains("{question}"), "{language}");
            assert!(own_word(language, "busy").contains("{when}"), "{language}");
        }
    }

    #[test]
    fn scripts_use_every_word() {
        let of_pages = ["ask", "about", "code"];
        // The reasons of a rating are also what the server gets.
        let is_used = |name: &str| {
            PANEL.contains(&format!("words.{name}")) || PANEL.contains(&format!("\"{name}\""))
        };
        for name in names().filter(|name| !of_pages.contains(name)) {
            assert!(is_used(name), "{name}");
        }
    }
}
