//! The tools of an agent: all that it can do. No shell, no network; one file each.
//!
//! A tool returns text for the model. Refusals are sentences that the model can act on; they never end a run.

mod arguments;
pub(crate) mod check;
mod delete;
mod edit;
mod finish;
mod json_text;
mod list;
mod move_file;
pub(crate) mod navigation;
mod preview;
mod read;
mod search;
mod write;

use serde_json::{Value, json};

use crate::{
    checker::Checker,
    workspace::{Refusal, Workspace},
};
use arguments::Arguments;

/// Longest result of a tool, in bytes: models charge for each.
const MAXIMUM_ANSWER: usize = 40_000;

/// Resources of tools.
pub struct Context<'a> {
    /// The files.
    pub workspace: &'a mut Workspace,
    /// The compiler.
    pub checker: &'a dyn Checker,
    /// The summary, once the agent has finished.
    pub finished: Option<String>,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Context").field("finished", &self.finished).finish_non_exhaustive()
    }
}

/// A tool, as described to a model.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub description: &'static str,
    /// Parameters: name, JSON type, whether it is required, description.
    parameters: &'static [(&'static str, &'static str, bool, &'static str)],
    /// Whether it changes files.
    pub mutates: bool,
    run: fn(&Arguments<'_>, &mut Context<'_>) -> Result<String, Refusal>,
}

/// Every tool.
pub const TOOLS: &[&Tool] = &[
    &list::TOOL,
    &read::TOOL,
    &search::TOOL,
    &edit::TOOL,
    &write::TOOL,
    &move_file::TOOL,
    &delete::TOOL,
    &navigation::TOOL,
    &check::TOOL,
    &preview::TOOL,
    &finish::TOOL,
];

impl Tool {
    /// JSON Schema of its arguments.
    pub fn schema(&self) -> Value {
        let properties = self.parameters.iter().map(|(name, kind, _, description)| {
            ((*name).to_owned(), json!({ "type": kind, "description": description }))
        });
        let required = self.parameters.iter().filter(|each| each.2).map(|each| each.0);
        json!({
            "type": "object",
            "properties": properties.collect::<serde_json::Map<_, _>>(),
            "required": required.collect::<Vec<_>>(),
            "additionalProperties": false,
        })
    }
}

/// Runs a tool by name.
pub fn run(name: &str, arguments: &Value, context: &mut Context<'_>) -> Result<String, Refusal> {
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        return Err(Refusal::new(format!(
            "unknown tool `{name}`; use one of {}",
            names.join(", ")
        )));
    };
    let Value::Object(map) = arguments else {
        return Err(Refusal::new("the arguments must be a JSON object".to_owned()));
    };
    let known = |name: &String| tool.parameters.iter().any(|each| each.0 == name);
    if let Some(unknown) = map.keys().find(|name| !known(name)) {
        return Err(Refusal::new(format!("`{name}` has no argument `{unknown}`")));
    }
    let answer = (tool.run)(&Arguments(map), context)?;
    Ok(shorten(answer))
}

fn shorten(mut answer: String) -> String {
    if answer.len() > MAXIMUM_ANSWER {
        let end = (0..=MAXIMUM_ANSWER).rev().find(|end| answer.is_char_boundary(*end));
        answer.truncate(end.unwrap_or(0));
        answer.push_str("\n… (truncated; request less)");
    }
    answer
}

#[cfg(test)]
mod tests;
