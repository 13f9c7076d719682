//! The tool `ask`: the answer that needs no model, as text.

use std::{sync::Arc, time::Instant};

use docwright_site::{
    answer::{self, Answer, MAXIMUM_QUESTION, Quote},
    search::{Query, SearchError},
};
use serde_json::Value;

use super::{
    Failure, INTERNAL_ERROR,
    tools::{Outcome, SEARCH_TIME, language},
};
use crate::site::{open_site::OpenSite, searchers};

/// Answers a question with quotes of the pages.
pub(super) fn ask(site: &Arc<OpenSite>, given: &Value) -> Result<Outcome, Failure> {
    let Some(question) = given["question"].as_str().filter(|text| !text.trim().is_empty()) else {
        return Ok(Err("`question` is missing; ask in a sentence".to_owned()));
    };
    if question.chars().count() > MAXIMUM_QUESTION {
        return Ok(Err(format!("`question` exceeds {MAXIMUM_QUESTION} characters; shorten it")));
    }
    let language = match language(site, given) {
        Ok(language) => language,
        Err(text) => return Ok(Err(text)),
    };
    let asked = Query {
        language,
        text: question.to_owned(),
        version: given["version"].as_str().map(str::to_owned),
        ..Query::default()
    };
    let end = Instant::now() + SEARCH_TIME;
    let answer = searchers::of(site).and_then(|searcher| {
        let read = |path: &str| site.bundle.read_text(path);
        answer::extract(&searcher, read, &asked, move || Instant::now() >= end)
    });
    match answer {
        Ok(answer) => Ok(Ok(describe(&answer))),
        Err(error @ SearchError::TooLong) => Ok(Err(format!("{error}; use fewer words"))),
        Err(error) => Err(Failure::new(INTERNAL_ERROR, error.to_string())),
    }
}

fn describe(answer: &Answer) -> String {
    let place = |quote: &Quote| {
        let page = quote.page.trim_end_matches(".html");
        let anchor =
            if quote.anchor.is_empty() { String::new() } else { format!("#{}", quote.anchor) };
        format!("/{page}{anchor}")
    };
    let name = |quote: &Quote| {
        if quote.heading.is_empty() {
            quote.title.clone()
        } else {
            format!("{} — {}", quote.title, quote.heading)
        }
    };
    if answer.refused {
        let nearest =
            answer.sections.iter().map(|quote| format!("- {}: {}", name(quote), place(quote)));
        let nearest: Vec<_> = nearest.collect();
        if nearest.is_empty() {
            return "The pages don't say.".to_owned();
        }
        return format!("The pages don't say. The nearest sections are:\n\n{}", nearest.join("\n"));
    }
    let quotes = answer.sections.iter().map(|quote| {
        format!("## {}\nPath: {}\n\n{}", name(quote), place(quote), quote.text.trim())
    });
    let quotes: Vec<_> = quotes.collect();
    format!("From the pages:\n\n{}", quotes.join("\n\n"))
}
