//! `search`: finds a text or pattern.

use grep_regex::RegexMatcherBuilder;
use grep_searcher::{SearcherBuilder, sinks::UTF8};

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "search",
    description: "Finds lines that contain a text, or match a regular expression. Returns path:line: text.",
    parameters: &[
        ("pattern", "string", true, "What to find"),
        ("regex", "boolean", false, "Read the pattern as a regular expression (Rust's dialect)"),
        ("ignore_case", "boolean", false, "Ignore letter case"),
        ("folder", "string", false, "Search only in this folder"),
    ],
    mutates: false,
    run,
};

/// Lines in one answer.
const MAXIMUM_HITS: usize = 200;
/// Longest displayed part of a line, in characters.
const MAXIMUM_LINE: usize = 300;

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let pattern = arguments.text("pattern")?;
    let folder = arguments.optional("folder")?.unwrap_or_default().trim_matches('/').to_owned();
    let matcher = RegexMatcherBuilder::new()
        .fixed_strings(!arguments.flag("regex")?)
        .case_insensitive(arguments.flag("ignore_case")?)
        .size_limit(1024 * 1024)
        .build(pattern)
        .map_err(|error| Refusal::new(format!("the pattern can't be read: {error}")))?;
    let mut searcher = SearcherBuilder::new().line_number(true).build();
    let mut hits = Vec::new();
    let inside = |path: &String| folder.is_empty() || path.starts_with(&format!("{folder}/"));
    for path in context.workspace.paths().iter().filter(|path| inside(path)) {
        // Binary and oversized files are skipped.
        let Ok(text) = context.workspace.read(path) else { continue };
        let sink = UTF8(|number, line| {
            let line: String = line.trim_end().chars().take(MAXIMUM_LINE).collect();
            hits.push(format!("{path}:{number}: {line}"));
            Ok(hits.len() <= MAXIMUM_HITS)
        });
        searcher
            .search_slice(&matcher, text.as_bytes(), sink)
            .map_err(|error| Refusal::new(format!("`{path}` can't be searched: {error}")))?;
        if hits.len() > MAXIMUM_HITS {
            hits.truncate(MAXIMUM_HITS);
            hits.push("… more; use a rarer text, or set `folder`".to_owned());
            break;
        }
    }
    Ok(if hits.is_empty() { "nothing found".to_owned() } else { hits.join("\n") })
}
