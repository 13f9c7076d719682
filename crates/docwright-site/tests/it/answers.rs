//! Answers without a model on whole sites: what is quoted, where it leads, and what is refused.

use docwright_site::{
    answer::{
        Answer, extract,
        golden::{self, SearchedSite},
        quote,
    },
    search::{Query, Searcher},
};
use serde_json::json;

use crate::site::{Built, Site};

const LIMITS: &str = "Every plan has limits.\n\n\
    ## Requests\n\n\
    A project can send a number of requests:\n\n\
    | Plan | Requests a minute |\n| --- | --- |\n| Free | 60 |\n| Team | 600 |\n\n\
    ## Uploads\n\n\
    A file has at most 20 MB. Larger files are refused with the status 413.\n\n\
    ```bash\ncurl --data-binary @file.zip https://example.com/upload\n```\n";
const STEPS: &str = "<Steps>\n  <Step title=\"Create a token\">Open the settings.</Step>\n  \
    <Step title=\"Rotate the token\">Select **Rotate**. The old token works for an hour.</Step>\n</Steps>\n";

fn site(pages: &[(&str, &str, &str)]) -> Built {
    let paths: Vec<_> = pages.iter().map(|page| page.0).collect();
    with_navigation(&json!({ "pages": paths }), pages)
}

fn with_navigation(navigation: &serde_json::Value, pages: &[(&str, &str, &str)]) -> Built {
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": navigation,
    });
    let site = Site::new().file("docs.json", config.to_string());
    let add = |site: Site, (path, title, body): &(&str, &str, &str)| {
        site.file(&format!("{path}.mdx"), format!("---\ntitle: {title}\n---\n{body}\n"))
    };
    pages.iter().fold(site, add).build()
}

fn acme() -> Built {
    site(&[
        ("limits", "Limits", LIMITS),
        ("guides/tokens", "Tokens", STEPS),
        ("index", "Welcome", "Acme stores files of a team. Start with a project."),
        ("webhooks", "Webhooks", "## Signatures\n\nEach delivery has a signature in a header."),
    ])
}

fn ask(built: &Built, question: &str) -> Answer {
    ask_with(
        built,
        &Query { language: "en".to_owned(), text: question.to_owned(), ..Query::default() },
    )
}

/// Asks, and checks that every quote is on its page.
fn ask_with(built: &Built, question: &Query) -> Answer {
    let files = built.files.clone();
    let read = move |path: &str| Some(String::from_utf8(files.get(path)?.clone()).expect("text"));
    let searcher = Searcher::new(read.clone()).expect("a thread");
    let answer = extract(&searcher, &read, question, || false).expect("an answer");
    for quote in &answer.sections {
        let page = read(&quote.markdown_path()).expect("a page");
        assert!(page.contains(&quote.text), "{quote:?}");
        let html = read(&quote.page).expect("a page");
        assert!(
            quote.anchor.is_empty() || html.contains(&format!("id=\"{}\"", quote.anchor)),
            "{quote:?}"
        );
    }
    answer
}

#[test]
fn table_is_quoted_whole_with_its_introduction() {
    let answer = ask(&acme(), "How many requests a minute does the team plan have?");
    assert!(!answer.refused);
    let best = &answer.sections[0];
    assert_eq!((&*best.page, &*best.title, &*best.anchor), ("limits.html", "Limits", "requests"));
    assert_eq!(
        best.text.trim(),
        "A project can send a number of requests:\n\n\
         | Plan | Requests a minute |\n| --- | --- |\n| Free | 60 |\n| Team | 600 |"
    );
}

#[test]
fn long_section_is_quoted_in_part() {
    let other =
        "Nothing of interest is said in these words, which only make the section longer.\n\n";
    let body = format!(
        "## Files\n\n{}A quota of 5 GB counts deleted files.\n\n{}",
        other.repeat(20),
        other.repeat(20)
    );
    let built = site(&[("files", "Storage", &body), ("index", "Welcome", "Text.")]);
    let answer = ask(&built, "Do deleted files count in the quota?");
    assert_eq!(answer.sections[0].text.trim(), "A quota of 5 GB counts deleted files.");
}

#[test]
fn long_table_is_quoted_by_its_rows() {
    let rows: Vec<_> =
        (0..200).map(|number| format!("| E{number:04} | A cause of some length |")).collect();
    let body = format!("## Codes\n\n| Code | Cause |\n| --- | --- |\n{}\n", rows.join("\n"));
    let built = site(&[("errors", "Errors", &body), ("index", "Welcome", "Text.")]);
    let answer = ask(&built, "What is the cause of E0150?");
    let text = &answer.sections[0].text;
    assert!(text.contains("| E0150 |") && text.len() < 2_000, "{text}");
}

#[test]
fn step_has_its_own_link() {
    let answer = ask(&acme(), "How long does the old token work after I rotate it?");
    let best = &answer.sections[0];
    assert_eq!((&*best.page, &*best.heading), ("guides/tokens.html", "Rotate the token"));
    assert!(best.text.contains("works for an hour"), "{}", best.text);
}

#[test]
fn question_about_another_product_is_refused() {
    let built = acme();
    for question in [
        "How do I upload files to Dropbox?",
        "Can I send webhooks to Zapier?",
        "Does the team plan include Kubernetes clusters?",
        "What is the weather in Lisbon?",
    ] {
        assert!(ask(&built, question).refused, "{question}");
    }
    for question in [
        "How large can a file be?",
        "Which status do larger files get?",
        "Are deliveries signed with a signature?",
    ] {
        assert!(!ask(&built, question).refused, "{question}");
    }
}

#[test]
fn site_without_index_refuses() {
    let built = Site::page("---\ntitle: Home\n---\nText.\n").build();
    let asked = Query { language: "xx".to_owned(), text: "text".to_owned(), ..Query::default() };
    assert_eq!(ask_with(&built, &asked), Answer { refused: true, sections: Vec::new() });
}

#[test]
fn words_after_the_first_eight_count() {
    let question = "I have a team with a large project and many files in it and we would like to know which header has the signature";
    let answer = ask(&acme(), question);
    assert!(answer.sections.iter().any(|quote| quote.page == "webhooks.html"), "{answer:?}");
}

#[test]
fn section_of_a_large_site_is_found_by_its_text() {
    let built = acme();
    let files = built.files.clone();
    let read = move |path: &str| Some(String::from_utf8(files.get(path)?.clone()).expect("text"));
    let searcher = Searcher::new(read.clone()).expect("a thread");
    let text = "Which status do files over the limits get?".to_owned();
    let asked = Query { language: "en".to_owned(), text, limit: 20, version: None };
    let mut ranked = searcher.sections(asked.clone(), Vec::new(), || false).expect("sections");
    assert!(!ranked.is_coarse);
    // Such an index knows only that the page has the words.
    ranked.is_coarse = true;
    ranked.sections.retain(|section| section.section.is_none());
    let answer = quote(&ranked, read, &asked);
    let best = &answer.sections[0];
    assert_eq!((&*best.page, &*best.anchor), ("limits.html", "uploads"));
}

#[test]
fn version_is_the_open_one_unless_the_question_names_another() {
    let navigation = json!({ "versions": [
        { "version": "v2", "default": true, "pages": ["v2/retries"] },
        { "version": "v1", "pages": ["v1/retries"] },
    ] });
    let built = with_navigation(
        &navigation,
        &[
            ("v2/retries", "Retries", "A request is retried three times."),
            ("v1/retries", "Retries", "A request is retried twice."),
        ],
    );
    let pages = |question: &Query| {
        let answer = ask_with(&built, question);
        answer.sections.into_iter().map(|quote| quote.page).collect::<Vec<_>>()
    };
    let query = |text: &str, version: Option<&str>| Query {
        language: "en".to_owned(),
        text: text.to_owned(),
        version: version.map(str::to_owned),
        ..Query::default()
    };
    assert_eq!(pages(&query("How often are requests retried?", None)), ["v2/retries.html"]);
    assert_eq!(pages(&query("How often are requests retried in v1?", None)), ["v1/retries.html"]);
    assert_eq!(pages(&query("How often are requests retried?", Some("v1"))), ["v1/retries.html"]);
}

#[test]
fn operation_is_quoted_with_its_fields() {
    let spec = json!({
        "openapi": "3.1.0", "info": { "title": "Acme", "version": "1" },
        "paths": { "/v1/files/{id}": { "delete": {
            "summary": "Delete a file", "description": "Moves a file to the trash.",
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
                { "name": "purge", "in": "query", "description": "Skips the trash.", "schema": { "type": "boolean" } },
            ],
            "responses": { "204": { "description": "Deleted" } },
        } } },
    });
    let navigation = json!({ "groups": [
        { "group": "API", "openapi": "openapi.json" }, { "group": "Guides", "pages": ["index"] },
    ] });
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": navigation,
    });
    let built = Site::page("---\ntitle: Welcome\n---\nAcme stores files.\n")
        .file("docs.json", config.to_string())
        .file("openapi.json", spec.to_string())
        .build();
    for question in [
        "Which parameter of DELETE /v1/files/{id} skips the trash?",
        "What does purge do when I delete a file?",
    ] {
        let answer = ask(&built, question);
        assert!(!answer.refused, "{question}");
        assert!(
            answer.sections.iter().any(|quote| quote.text.contains("Skips the trash.")),
            "{question} {answer:?}"
        );
    }
}

/// A site whose page about uploads has some text, as golden questions ask it.
fn searched(title: &str, text: &str) -> SearchedSite {
    let pages = [
        ("limits", title, text),
        ("index", "Welcome", "Acme stores files of a team. Start with a project."),
    ];
    let files = site(&pages).files;
    let paths: Vec<String> = files.keys().cloned().collect();
    let read = move |path: &str| String::from_utf8(files.get(path)?.clone()).ok();
    SearchedSite::new(paths.iter().map(String::as_str), read).unwrap().expect("it has a search")
}

#[test]
fn questions_of_a_change_lose_and_gain_pages_and_answers() {
    let questions = "\
        - question: When does an upload fail?\n  pages: [limits]\n  contains: [20 MB]\n\
        - question: How do I rotate a token?\n  pages: [limits]\n\
        - question: How do I connect Zapier?\n  unanswered: true\n";
    let questions = golden::read(questions).unwrap();
    let both = |before: &SearchedSite, after: &SearchedSite| {
        let check = golden::check_change(&questions, after, Some(before), || false).unwrap();
        (check.summary(), check.passed)
    };
    let uploads = searched("Limits", "An upload fails above 20 MB.");
    let other_words = searched("Limits", "An upload can fail.");
    let tokens = searched("Tokens", "Rotate a token in the settings.");
    let zapier = searched("Limits", "An upload fails above 20 MB. Connect Zapier in the settings.");
    assert_eq!(both(&uploads, &uploads), (String::new(), 2));
    assert_eq!(both(&uploads, &other_words), ("1 question lost its answer".to_owned(), 1));
    assert_eq!(both(&other_words, &uploads), ("1 question gained its answer".to_owned(), 2));
    let summary = "1 question lost its page, 1 question found its page";
    assert_eq!(both(&uploads, &tokens), (summary.to_owned(), 2));
    assert_eq!(both(&uploads, &zapier), ("1 question lost its answer".to_owned(), 1));

    let alone = golden::check_change(&questions, &uploads, None, || false).unwrap();
    assert_eq!((alone.changed(), alone.passed, alone.is_compared), (0, 2, false));
    // Without time, nothing is asked, and that is no loss.
    let late = golden::check_change(&questions, &tokens, Some(&uploads), || true).unwrap();
    assert_eq!((late.total, late.asked, late.changed()), (3, 0, 0));
}

#[test]
fn invalid_golden_questions_are_reported_by_builds_and_checks() {
    let text = "- question: How?\n  pages: [index]\n- question: Why?\n";
    let built = Site::page("Text.").file(golden::QUESTIONS_FILE, text).build();
    assert_eq!(built.codes(), ["invalid-questions"]);
    let found = &built.report.diagnostics[0];
    assert_eq!((&*found.path, found.line), (".docwright/questions.yaml", 3));
    assert_eq!(found.message, "`Why?` names no page");
    let good =
        Site::page("Text.").file(golden::QUESTIONS_FILE, "- question: Why?\n  unanswered: true\n");
    assert_eq!(good.build().codes(), [""; 0]);
}
