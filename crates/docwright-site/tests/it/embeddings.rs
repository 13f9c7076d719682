//! Sections that are found by meaning: which sites have vectors, what they change, and what they never change.

use std::sync::Arc;

use docwright_site::{
    Options,
    answer::{Meaning, quote, rank, read},
    build::{Embedded, build_with},
    embedding::{Embedder, EmbeddingError, SectionVectors},
    output::Memory,
    search::{Query, Searcher},
};
use docwright_types::deployment::{Assistant, Features, Switch};
use serde_json::json;

use crate::site::Site;

const MODEL: &str = "00000000000000000000000000000000000000000000000000000000000000aa";
const WEIRD: &str = "00000000000000000000000000000000000000000000000000000000000000bb";

/// Knows what some words are about.
#[derive(Debug)]
struct Topics {
    model: &'static str,
    fails: bool,
}

impl Topics {
    const GOOD: Self = Self { model: MODEL, fails: false };
}

impl Embedder for Topics {
    fn model(&self) -> &str {
        self.model
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if self.fails {
            return Err(EmbeddingError("the model is away".to_owned()));
        }
        let topics = [["price", "cost", "toll"], ["delete", "erase", "remove"]];
        let vector = |text: &String| {
            let text = text.to_lowercase();
            let about = |words: &[&str; 3]| words.iter().any(|word| text.contains(word));
            topics.iter().map(|words| if about(words) { 1.0 } else { 0.0 }).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn site() -> Site {
    let pages = [
        ("plans", "Plans", "## Team\n\nThe toll of a team is 20 dollars.\n"),
        (
            "projects",
            "Projects",
            "A workspace has projects.\n\n## Erase\n\nErase one in the settings.\n",
        ),
        ("workspaces", "Workspaces", "A workspace is shared by its members.\n"),
        ("members", "Members", "Members of a workspace have roles.\n"),
    ];
    let paths: Vec<_> = pages.iter().map(|page| page.0).collect();
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "pages": paths },
    });
    let site = Site::new().file("docs.json", config.to_string());
    pages.into_iter().fold(site, |site, (path, title, body)| {
        site.file(&format!("{path}.mdx"), format!("---\ntitle: {title}\n---\n{body}"))
    })
}

/// The files of a site, and what became of its vectors.
fn build(
    embedder: &Topics,
    assistant: Switch,
) -> (std::collections::BTreeMap<String, Vec<u8>>, Option<Embedded>) {
    let assistant = Assistant { mode: assistant, ..Assistant::OFF };
    let features = Features { assistant, ..Features::default() };
    let options = Options { features, ..Options::default() };
    let output = Memory::default();
    let report = build_with(&site().source(), (&options, Some(embedder)), &output, &|_| {});
    (output.into_files(), report.expect("a site").embedded)
}

#[test]
fn only_site_with_assistant_has_vectors() {
    let (files, embedded) = build(&Topics::GOOD, Switch::On);
    let path = SectionVectors::path("en");
    let vectors = SectionVectors::read(&files[&path]).expect("vectors");
    assert_eq!((vectors.model(), vectors.len()), (MODEL, 2));
    assert!(
        matches!(embedded, Some(Embedded::Sections(of)) if of.sections == 2 && of.model == MODEL)
    );
    let (again, _) = build(&Topics::GOOD, Switch::On);
    assert_eq!(again, files, "the same input gives the same bytes");
    let (files, embedded) = build(&Topics::GOOD, Switch::Off);
    assert_eq!(embedded, None);
    assert!(!files.keys().any(|path| path.contains("vectors")));
}

#[test]
fn site_is_built_without_vectors_if_the_model_fails() {
    let (files, embedded) = build(&Topics { fails: true, ..Topics::GOOD }, Switch::On);
    assert_eq!(embedded, Some(Embedded::Failed("the model is away".to_owned())));
    assert!(files.contains_key("plans.html"));
    assert!(!files.keys().any(|path| path.contains("vectors")));
}

/// The pages of an answer's sections, those that a model reads, and whether the answer is a refusal.
fn ask(question: &str, embedder: Option<&Topics>) -> (Vec<String>, Vec<String>, bool) {
    let (files, _) = build(&Topics::GOOD, Switch::On);
    let vectors = Arc::new(SectionVectors::read(&files[&SectionVectors::path("en")]).unwrap());
    let file = move |path: &str| Some(String::from_utf8(files.get(path)?.clone()).expect("text"));
    let searcher = Searcher::new(file.clone()).expect("a thread");
    let (language, text) = ("en".to_owned(), question.to_owned());
    let asked = Query { language, text, ..Query::default() };
    let meaning = embedder.and_then(|embedder| Meaning::of(embedder, &vectors, question).unwrap());
    let ranked = rank(&searcher, &asked, meaning.as_ref(), || false).expect("sections");
    let answer = quote(&ranked, &file, &asked);
    let of = |quotes: Vec<docwright_site::answer::Quote>| {
        quotes.into_iter().map(|quote| format!("{}#{}", quote.page, quote.anchor)).collect()
    };
    (of(answer.sections), of(read(&ranked, &file, &asked)), answer.refused)
}

#[test]
fn section_without_a_word_of_the_question_is_found_by_its_meaning() {
    let question = "What is the price of a workspace?";
    let section = "plans.html#team".to_owned();
    let (_, read, _) = ask(question, None);
    assert!(!read.is_empty() && !read.contains(&section), "{read:?}");
    let (_, read, _) = ask(question, Some(&Topics::GOOD));
    assert!(read.contains(&section), "{read:?}");
}

#[test]
fn refusals_are_those_of_the_words() {
    for question in [
        "What is the price of a workspace?",
        "How do I delete a workspace?",
        "Who are the members of a workspace?",
        "What does Zendesk cost?",
        "How do I erase a project?",
    ] {
        let (_, _, by_words) = ask(question, None);
        let (_, _, refused) = ask(question, Some(&Topics::GOOD));
        assert_eq!(refused, by_words, "{question}");
    }
    assert!(ask("What does Zendesk cost?", Some(&Topics::GOOD)).2);
    assert!(!ask("How do I erase a project?", Some(&Topics::GOOD)).2);
}

#[test]
fn vectors_of_another_model_are_not_compared() {
    let question = "What is the price of a workspace?";
    let other = Topics { model: WEIRD, ..Topics::GOOD };
    assert_eq!(ask(question, Some(&other)), ask(question, None));
}
