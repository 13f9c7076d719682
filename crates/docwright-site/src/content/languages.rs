//! Language codes of the format, of HTML, and native names.

use std::collections::BTreeSet;

use super::{
    Content,
    navigation::{DivisionKind, Entry},
};

/// Gives each page the language of the division it is listed in.
pub(super) fn assign(content: &mut Content) {
    let mut found = Vec::new();
    collect(&content.navigation.entries, None, &mut found);
    // A page outside the navigation still belongs to the language of its folder. Other pages get the navigation of
    // the site's first language.
    let languages: BTreeSet<_> = found.iter().map(|(_, language)| language.clone()).collect();
    let usual = usual(&content.navigation.entries);
    for page in content.pages.values_mut() {
        let folder = page.slug.split('/').next().filter(|folder| languages.contains(*folder));
        if let Some(language) = folder.or(usual) {
            code(language).clone_into(&mut page.language);
        }
    }
    // A page has the navigation of the first place that lists it.
    for (slug, language) in found.into_iter().rev() {
        if let Some(page) = content.pages.get_mut(&slug) {
            code(&language).clone_into(&mut page.language);
        }
    }
}

/// The language that the site opens with.
fn usual(entries: &[Entry]) -> Option<&str> {
    let languages = entries.iter().filter_map(|entry| match entry {
        Entry::Division(division) if division.kind == DivisionKind::Language => Some(division),
        _ => None,
    });
    let marked = languages.clone().find(|language| language.default);
    marked.or_else(|| languages.clone().next()).map(|language| language.label.as_str())
}

fn collect(entries: &[Entry], language: Option<&str>, found: &mut Vec<(String, String)>) {
    for entry in entries {
        match (entry, language) {
            (Entry::Page(slug), Some(language)) => found.push((slug.clone(), language.to_owned())),
            (Entry::Page(_), None) => {}
            (Entry::Division(division), _) => {
                let own =
                    (division.kind == DivisionKind::Language).then_some(division.label.as_str());
                let language = own.or(language);
                if let (Some(root), Some(language)) = (&division.root, language) {
                    found.push((root.clone(), language.to_owned()));
                }
                collect(&division.entries, language, found);
            }
        }
    }
}

/// `hreflang` value of a language code of `docs.json`: `cn` and `jp` are aliases there.
pub fn code(language: &str) -> &str {
    match language {
        "cn" | "zh" | "zh-CN" => "zh-Hans",
        "zh-TW" => "zh-Hant",
        "jp" | "ja-JP" => "ja",
        "ua" => "uk",
        other => other,
    }
}

/// The native name of a language, or its code if unknown.
pub fn name(language: &str) -> &str {
    match code(language) {
        "ar" => "العربية",
        "ca" => "Català",
        "cs" => "Čeština",
        "da" => "Dansk",
        "de" => "Deutsch",
        "en" => "English",
        "es" => "Español",
        "fi" => "Suomi",
        "fr" => "Français",
        "fr-CA" => "Français (Canada)",
        "he" => "עברית",
        "hi" => "हिन्दी",
        "hu" => "Magyar",
        "id" => "Bahasa Indonesia",
        "it" => "Italiano",
        "ja" => "日本語",
        "ko" => "한국어",
        "lv" => "Latviešu",
        "nl" => "Nederlands",
        "no" => "Norsk",
        "pl" => "Polski",
        "pt" => "Português",
        "pt-BR" => "Português (Brasil)",
        "ro" => "Română",
        "ru" => "Русский",
        "sv" => "Svenska",
        "tr" => "Türkçe",
        "uk" => "Українська",
        "uz" => "Oʻzbekcha",
        "vi" => "Tiếng Việt",
        "zh-Hans" => "简体中文",
        "zh-Hant" => "繁體中文",
        _ => language,
    }
}

/// Whether it is written from right to left.
pub fn is_right_to_left(language: &str) -> bool {
    matches!(language.split('-').next(), Some("ar" | "he" | "fa" | "ur"))
}
