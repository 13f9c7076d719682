//! The texts of sections, as an embedder gets them: the title of the page, the heading, and the start of the text.

use std::collections::BTreeMap;

use crate::search::Document;

/// Sections of a site that get vectors. Of more, those at the start of each page.
pub const MAXIMUM_SECTIONS: usize = 50_000;
/// Longest text of a section, in bytes.
pub const MAXIMUM_TEXT: usize = 1_200;

/// The text of a section, and its place in the index of its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionText {
    /// Number of its page in the index.
    pub(super) page: usize,
    /// Number of its heading among those of the page; `None` for the top of the page.
    pub(super) section: Option<usize>,
    pub(super) text: String,
}

/// The texts of the sections of pages, by language, in the order of the index.
pub(super) fn of_pages(documents: &[Document]) -> BTreeMap<String, Vec<SectionText>> {
    let mut languages: BTreeMap<String, Vec<&Document>> = BTreeMap::new();
    for document in documents {
        languages.entry(document.language.clone()).or_default().push(document);
    }
    let mut found: Vec<(&str, SectionText)> = Vec::new();
    for (language, pages) in &mut languages {
        // The order of the index.
        pages.sort_by(|one, other| one.path.cmp(&other.path));
        for (page, document) in pages.iter().enumerate() {
            found.extend(of_page(page, document).into_iter().map(|text| (&**language, text)));
        }
    }
    // A stable sort, so all texts keep their order within a place of their page.
    found.sort_by_key(|(_, text)| text.section.map_or(0, |section| section + 1));
    found.truncate(MAXIMUM_SECTIONS);
    let mut texts: BTreeMap<String, Vec<SectionText>> = BTreeMap::new();
    for (language, text) in found {
        texts.entry(language.to_owned()).or_default().push(text);
    }
    for texts in texts.values_mut() {
        texts.sort_by_key(|text| (text.page, text.section));
    }
    texts
}

fn of_page(page: usize, document: &Document) -> Vec<SectionText> {
    let sections = &document.body.sections;
    let top = sections.first().filter(|section| section.id.is_empty());
    let start = [&document.title, &document.description];
    let own = top.map(|section| [&section.text, &section.code]);
    let parts = start.into_iter().chain(own.into_iter().flatten());
    let mut texts = vec![SectionText { page, section: None, text: joined(parts) }];
    for (number, section) in sections.iter().enumerate().skip(usize::from(top.is_some())) {
        if section.text.is_empty() && section.code.is_empty() {
            continue;
        }
        let parts = [&document.title, &section.heading, &section.text, &section.code];
        texts.push(SectionText { page, section: Some(number), text: joined(parts.into_iter()) });
    }
    texts
}

/// The start of texts, one line each.
fn joined<'a>(parts: impl Iterator<Item = &'a String>) -> String {
    let mut text = String::new();
    for part in parts.filter(|part| !part.is_empty()) {
        let room = MAXIMUM_TEXT.saturating_sub(text.len() + 1);
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&part[..part.floor_char_boundary(room)]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::extract;

    fn document(path: &str, language: &str, html: &str) -> Document {
        Document {
            path: path.to_owned(),
            title: "Keys".to_owned(),
            description: "All about keys.".to_owned(),
            language: language.to_owned(),
            body: extract(html).into(),
            ..Document::default()
        }
    }

    #[test]
    fn sections_have_the_places_of_the_index() {
        let with_top = "<p>First.</p><h2 id=\"a\">Rotate</h2><p>Every month.</p><h2 id=\"b\">Empty</h2>\
            <h2 id=\"c\">Code</h2><pre><code>rotate()</code></pre>";
        let without = "<h2 id=\"a\">Löschen</h2><p>Nie.</p>";
        let documents = [
            document("b.html", "en", with_top),
            document("a.html", "en", without),
            document("de/a.html", "de", without),
        ];
        let texts = of_pages(&documents);
        let places = |language: &str| {
            let texts = texts[language].iter();
            texts.map(|text| (text.page, text.section, text.text.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(
            places("en"),
            [
                (0, None, "Keys\nAll about keys."),
                (0, Some(0), "Keys\nLöschen\nNie."),
                (1, None, "Keys\nAll about keys.\nFirst."),
                (1, Some(1), "Keys\nRotate\nEvery month."),
                (1, Some(3), "Keys\nCode\nrotate()"),
            ]
        );
        assert_eq!(places("de").len(), 2);
    }

    #[test]
    fn long_text_is_cut() {
        let text = format!("<h2 id=\"a\">Ä</h2><p>{}</p>", "ä".repeat(2_000));
        let texts = of_pages(&[document("a.html", "en", &text)]);
        assert!((MAXIMUM_TEXT - 2..=MAXIMUM_TEXT).contains(&texts["en"][1].text.len()));
    }

    #[test]
    fn large_site_has_vectors_for_the_start_of_each_page() {
        let sections: Vec<_> =
            (0..30).map(|each| format!("<h2 id=\"{each}\">H</h2><p>T</p>")).collect();
        let sections = sections.concat();
        let documents: Vec<_> =
            (0..2_000).map(|each| document(&format!("{each:04}.html"), "en", &sections)).collect();
        let texts = &of_pages(&documents)["en"];
        assert_eq!(texts.len(), MAXIMUM_SECTIONS);
        let of_last = texts.iter().filter(|text| text.page == 1_999).count();
        assert_eq!(of_last, 25);
    }
}
