//! Tools of agents on a site: search it, list its pages, read one, read its skills. Describes the tools that ask it and
//! that submit feedback, too.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use docwright_site::{
    answer::MAXIMUM_QUESTION,
    search::{self, Query, SearchError},
};
use serde_json::{Value, json};

use super::{Failure, INTERNAL_ERROR, INVALID_PARAMS};
use crate::{
    feedback::MAXIMUM_COMMENT,
    site::{open_site::OpenSite, searchers},
};

/// Results of a search by default, and at most.
const USUAL_RESULTS: usize = 6;
const MAXIMUM_RESULTS: usize = 50;
/// Longest query, in characters.
const MAXIMUM_QUERY: usize = 1_000;
/// Time limit of a search.
const SEARCH_TIME: Duration = Duration::from_secs(5);
/// Pages in one list.
const MAXIMUM_PAGES: usize = 1_000;
/// The tool that submits feedback.
const FEEDBACK: &str = "submit_feedback";
/// Folder of the skills of a site.
const SKILLS: &str = ".well-known/agent-skills/";

/// What a site offers besides its pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offered {
    /// An assistant, which can be asked.
    pub(super) assistant: bool,
    /// Someone who reads feedback.
    pub(super) feedback: bool,
}

/// The tools of a site, as described to clients.
pub(super) fn list(offered: Offered) -> Value {
    let mut tools = all();
    if let Some(tools) = tools.as_array_mut() {
        tools.retain(|tool| match tool["name"].as_str() {
            Some("ask") => offered.assistant,
            Some(FEEDBACK) => offered.feedback,
            _ => true,
        });
    }
    tools
}

fn all() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let reads = json!({ "readOnlyHint": true, "openWorldHint": false });
    json!([
        {
            "name": "search",
            "description": "Search the documentation. Returns titles, addresses, and excerpts of the best pages, and the definition if the query is the name of a field, operation, variable, or command.",
            "annotations": reads,
            "inputSchema": { "type": "object", "required": ["query"], "properties": {
                "query": { "type": "string", "maxLength": MAXIMUM_QUERY, "description": "Search terms, a few words; \"quoted words\" stand together on a page" },
                "language": text("Language code such as fr; defaults to the site's first language"),
                "version": text("Name of a version or product to search in"),
                "limit": { "type": "integer", "minimum": 1, "maximum": MAXIMUM_RESULTS },
            }},
        },
        {
            "name": "ask",
            "description": "Answer a question from the documentation, with the addresses of the sections that it quotes, or say that the pages don't say.",
            "annotations": reads,
            "inputSchema": { "type": "object", "required": ["question"], "properties": {
                "question": { "type": "string", "maxLength": MAXIMUM_QUESTION, "description": "The question in a sentence" },
                "language": text("Language code such as fr; defaults to the site's first language"),
                "version": text("Name of a version or product to search in"),
            }},
        },
        {
            "name": "list_pages",
            "description": "List the paths of all pages, or of the pages below a folder.",
            "annotations": reads,
            "inputSchema": { "type": "object", "properties": {
                "folder": text("Path of a folder, such as guides"),
            }},
        },
        {
            "name": "read_page",
            "description": "Read a page as Markdown.",
            "annotations": reads,
            "inputSchema": { "type": "object", "required": ["path"], "properties": {
                "path": text("Path of the page, from search or list_pages"),
            }},
        },
        {
            "name": FEEDBACK,
            "description": "Tell the authors whether a page helped, and what is wrong or missing. Submit only what you or your user found on the page, without personal data.",
            "annotations": { "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false },
            "inputSchema": { "type": "object", "required": ["page", "helpful"], "properties": {
                "page": text("Path of the page, from search or list_pages"),
                "helpful": { "type": "boolean", "description": "Whether the page helped" },
                "comment": { "type": "string", "maxLength": MAXIMUM_COMMENT, "description": "What is wrong or missing" },
            }},
        },
    ])
}

/// Runs a tool. Errors are results that the model can read and act on.
pub(super) fn call(site: &Arc<OpenSite>, params: &Value) -> Result<Value, Failure> {
    let given = &params["arguments"];
    let outcome = match params["name"].as_str() {
        Some("search") => search_pages(site, given)?,
        Some("list_pages") => list_pages(site, given["folder"].as_str().unwrap_or_default()),
        Some("read_page") => read_page(site, given["path"].as_str().unwrap_or_default()),
        name => {
            let message = format!("unknown tool `{}`", name.unwrap_or_default());
            return Err(Failure::new(INVALID_PARAMS, message));
        }
    };
    Ok(result(outcome))
}

/// The result of a tool, for the client.
pub(super) fn result(outcome: Outcome) -> Value {
    let (text, is_error) = match outcome {
        Ok(text) => (text, false),
        Err(text) => (text, true),
    };
    json!({ "content": [{ "type": "text", "text": text }], "isError": is_error })
}

/// Whether a message asks the assistant.
pub(super) fn is_question(message: &Value) -> bool {
    message["method"] == "tools/call" && message["params"]["name"] == "ask"
}

/// Whether a message submits feedback.
pub(super) fn is_feedback(message: &Value) -> bool {
    message["method"] == "tools/call" && message["params"]["name"] == FEEDBACK
}

/// The text of a result, or of an error.
pub(super) type Outcome = Result<String, String>;

fn search_pages(site: &Arc<OpenSite>, given: &Value) -> Result<Outcome, Failure> {
    let Some(query) = given["query"].as_str().filter(|query| !query.trim().is_empty()) else {
        return Ok(Err("`query` is missing; use a few words".to_owned()));
    };
    if query.chars().count() > MAXIMUM_QUERY {
        return Ok(Err(format!("`query` exceeds {MAXIMUM_QUERY} characters; use a few words")));
    }
    let language = match language(site, given) {
        Ok(language) => language,
        Err(text) => return Ok(Err(text)),
    };
    let limit = given["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(USUAL_RESULTS).clamp(1, MAXIMUM_RESULTS);
    let asked = Query {
        language,
        text: query.to_owned(),
        limit,
        version: given["version"].as_str().map(str::to_owned),
    };
    let end = Instant::now() + SEARCH_TIME;
    let found = searchers::of(site)
        .and_then(|searcher| searcher.query(asked, move || Instant::now() >= end));
    let found = match found {
        Ok(found) => found,
        Err(error @ SearchError::TooLong) => return Ok(Err(format!("{error}; use fewer words"))),
        Err(error) => return Err(Failure::new(INTERNAL_ERROR, error.to_string())),
    };
    if found.hits.is_empty() {
        return Ok(Ok(format!("No results for `{query}`. Try other or fewer words.")));
    }
    Ok(Ok(text_of(&found)))
}

/// What a query finds, in the order of the search dialog: the correction, the definition, and the pages.
fn text_of(found: &search::Found) -> String {
    let correction = Some(&found.correction).filter(|correction| !correction.is_empty());
    let correction = correction.map(|correction| format!("Did you mean `{correction}`?"));
    let definition = found.definition.as_ref().map(define);
    let parts = correction.into_iter().chain(definition).chain(found.hits.iter().map(describe));
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The definition of the name that a query is.
fn define(definition: &search::Definition) -> String {
    let search::Definition { name, kind, path, title, fragment, excerpt } = definition;
    let path = path.trim_end_matches(".html");
    let place = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
    format!("## `{name}` ({kind}) — {title}\nPath: /{path}{place}\n{}", excerpt.trim())
}

fn describe(hit: &search::Hit) -> String {
    let path = hit.path.trim_end_matches(".html");
    let place = if hit.fragment.is_empty() { String::new() } else { format!("#{}", hit.fragment) };
    let heading =
        if hit.heading.is_empty() { String::new() } else { format!(" — {}", hit.heading) };
    format!("## {}{heading}\nPath: /{path}{place}\n{}", hit.title, hit.excerpt.trim())
}

/// The language to search in: the given one, or the site's main one.
pub(super) fn language(site: &OpenSite, given: &Value) -> Result<String, String> {
    let languages: BTreeSet<&str> = search::languages_of(site.paths()).collect();
    if languages.is_empty() {
        return Err("this site has no search; list its pages".to_owned());
    }
    match given["language"].as_str() {
        Some(wanted) if languages.contains(wanted) => Ok(wanted.to_owned()),
        Some(_) => {
            let languages: Vec<_> = languages.into_iter().collect();
            Err(format!("`language` must be one of: {}", languages.join(", ")))
        }
        None => Ok(search::main_language(languages.iter().copied()).to_owned()),
    }
}

fn list_pages(site: &OpenSite, below: &str) -> Outcome {
    let below = below.trim_matches('/');
    let inside = |path: &&str| {
        below.is_empty()
            || path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let pages: Vec<_> = pages(site).filter(inside).collect();
    if pages.is_empty() {
        return Err(format!("no pages below /{below}; leave out `folder` to list all pages"));
    }
    let listed = &pages[..pages.len().min(MAXIMUM_PAGES)];
    let mut text = format!("/{}\n", listed.join("\n/"));
    if pages.len() > MAXIMUM_PAGES {
        text += &format!("and {} more; set `folder` to list them", pages.len() - MAXIMUM_PAGES);
    }
    Ok(text)
}

/// The page that a message asks to read, if it does.
pub(super) fn page_to_read(message: &Value) -> Option<String> {
    let params = &message["params"];
    let is_read = message["method"] == "tools/call" && params["name"] == "read_page";
    let path = params["arguments"]["path"].as_str().filter(|_| is_read).unwrap_or_default();
    is_read.then(|| page_of(path).to_owned())
}

/// The page of a path.
pub(super) fn page_of(path: &str) -> &str {
    let path = path.split(['#', '?']).next().unwrap_or_default().trim_matches('/');
    let path = path.trim_end_matches(".html").trim_end_matches(".md");
    if path.is_empty() { "index" } else { path }
}

fn read_page(site: &OpenSite, path: &str) -> Outcome {
    let path = page_of(path);
    let text = site.bundle.read_text(&format!("{path}.md"));
    text.ok_or_else(|| format!("page /{path} not found; search, or list the pages"))
}

/// The skills of the site.
pub(super) fn resources(site: &OpenSite) -> Vec<Value> {
    let skills = site.paths().filter_map(|path| {
        let name = path.strip_prefix(SKILLS)?.strip_suffix("/SKILL.md")?;
        Some(json!({ "uri": format!("skill://{name}"), "name": name, "mimeType": "text/markdown" }))
    });
    skills.collect()
}

/// Reads a skill.
pub(super) fn read_resource(site: &OpenSite, params: &Value) -> Result<Value, Failure> {
    let uri = params["uri"].as_str().unwrap_or_default();
    let name = uri.strip_prefix("skill://").unwrap_or_default();
    let text = site.bundle.read_text(&format!("{SKILLS}{name}/SKILL.md"));
    let text =
        text.ok_or_else(|| Failure::new(INVALID_PARAMS, format!("resource `{uri}` not found")))?;
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": "text/markdown", "text": text }] }))
}

/// Paths of the pages, without extension: Markdown files with an HTML file beside them.
fn pages(site: &OpenSite) -> impl Iterator<Item = &str> {
    let paths = site.paths().filter_map(|path| path.strip_suffix(".md"));
    paths.filter(|path| site.find(&format!("{path}.html")).is_some())
}

#[cfg(test)]
mod tests {
    use docwright_site::search::{Definition, Found, Hit};

    use super::text_of;

    #[test]
    fn correction_and_definition_come_before_pages() {
        let hit = Hit {
            path: "install.html".to_owned(),
            title: "Installation".to_owned(),
            breadcrumbs: Vec::new(),
            heading: String::new(),
            fragment: String::new(),
            excerpt: "Install it.".to_owned(),
        };
        let definition = Definition {
            name: "PORT_NUMBER".to_owned(),
            kind: "variable".to_owned(),
            path: "install.html".to_owned(),
            title: "Installation".to_owned(),
            fragment: "variables".to_owned(),
            excerpt: " The port.".to_owned(),
        };
        let page = "## Installation\nPath: /install\nInstall it.";
        let mut found = Found { hits: vec![hit], ..Found::default() };
        assert_eq!(text_of(&found), page);
        found.definition = Some(definition);
        found.correction = "port_number".to_owned();
        let before = "Did you mean `port_number`?\n\n## `PORT_NUMBER` (variable) — Installation\n\
            Path: /install#variables\nThe port.";
        assert_eq!(text_of(&found), format!("{before}\n\n{page}"));
    }
}
