//! Links to each page from the others: how many pages link to it, and what the links say about it.

use std::collections::HashMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Document;

/// Texts of links to a page that count: those of most pages.
const MOST_TEXTS: usize = 24;

/// What leads to a page.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    /// Number of pages that link to it.
    pub(super) pages: usize,
    /// Different texts of these links, the most common first. Those that only repeat the title are left out.
    pub(super) texts: Vec<String>,
}

/// The links to each page from others, in order.
pub(super) fn incoming(documents: &[Document]) -> Vec<Incoming> {
    let numbers: HashMap<&str, usize> =
        documents.iter().enumerate().map(|(number, document)| (&*document.path, number)).collect();
    let mut pages = vec![0; documents.len()];
    let mut texts: Vec<FxHashMap<&str, usize>> = vec![FxHashMap::default(); documents.len()];
    for (number, document) in documents.iter().enumerate() {
        let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut linked = FxHashSet::default();
        for link in &document.body.links {
            let target = numbers.get(&*resolve(folder, &link.target)).copied();
            let Some(target) = target.filter(|target| *target != number) else { continue };
            pages[target] += usize::from(linked.insert(target));
            if !link.text.is_empty() && !link.text.eq_ignore_ascii_case(&documents[target].title) {
                *texts[target].entry(&link.text).or_default() += 1;
            }
        }
    }
    let texts = texts.into_iter().map(most_common);
    pages.into_iter().zip(texts).map(|(pages, texts)| Incoming { pages, texts }).collect()
}

fn most_common(texts: FxHashMap<&str, usize>) -> Vec<String> {
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    texts.into_iter().take(MOST_TEXTS).map(|(text, _)| text.to_owned()).collect()
}

/// A path relative to a folder, as a path below the root.
fn resolve(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::{super::extract, *};

    #[test]
    fn relative_links_are_resolved() {
        assert_eq!(resolve("a/b", "../c.html"), "a/c.html");
        assert_eq!(resolve("", "./c.html"), "c.html");
        assert_eq!(resolve("a", "../../c.html"), "c.html");
    }

    #[test]
    fn page_has_the_texts_of_links_to_it() {
        let document = |path: &str, title: &str, html: &str| Document {
            path: path.to_owned(),
            title: title.to_owned(),
            body: extract(html).into(),
            ..Document::default()
        };
        let documents = [
            document(
                "a.html",
                "A",
                r#"<a href="b/c.html">Limits</a> <a href="b/c.html">rates</a>"#,
            ),
            document("b/c.html", "Limits", r#"<a href="c.html">itself</a>"#),
            document("b/d.html", "D", r#"<a href="./c.html">rates</a> <a href="../a.html">A</a>"#),
        ];
        let found: Vec<_> =
            incoming(&documents).into_iter().map(|page| (page.pages, page.texts)).collect();
        assert_eq!(found, [(1, vec![]), (2, vec!["rates".to_owned()]), (0, vec![])]);
    }
}
