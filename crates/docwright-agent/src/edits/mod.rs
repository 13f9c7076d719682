//! `builtin:edits`: carries out a small set of mechanical instructions, without a language model.
//!
//! It needs no network and no key: for demonstrations, air-gapped instances, and bulk work. It refuses unknown
//! instructions with a list of the known ones, before it changes anything.

mod add_page;
mod fix_links;
mod links;
mod list_markers;
mod moved_links;
mod parse;
mod prose;
mod rename_page;
mod replace_term;

use crate::{
    checker::Checker,
    workspace::{Refusal, Workspace},
};

pub use parse::{HELP, Instruction};

/// Name of this backend as a model.
pub const NAME: &str = "builtin:edits";

/// Carries out a prompt with one instruction per line. Returns the summary, or a sentence with the reason of a
/// failure.
pub fn work(
    prompt: &str,
    workspace: &mut Workspace,
    checker: &dyn Checker,
) -> Result<String, String> {
    let instructions = parse::parse(prompt)?;
    let mut summary = Vec::new();
    for instruction in &instructions {
        summary.push(carry_out(instruction, workspace, checker).map_err(|refusal| refusal.0)?);
    }
    Ok(summary.join("\n"))
}

fn carry_out(
    instruction: &Instruction,
    workspace: &mut Workspace,
    checker: &dyn Checker,
) -> Result<String, Refusal> {
    match instruction {
        Instruction::ReplaceTerm { old, new } => {
            replace_term::replace_term(workspace, checker, old, new)
        }
        Instruction::RenamePage { from, to } => rename_page::rename_page(workspace, from, to),
        Instruction::AddPage { page, title, group, text } => {
            add_page::add_page(workspace, page, title, group.as_deref(), text.as_deref())
        }
        Instruction::FixLinks => fix_links::fix_links(workspace, checker),
        Instruction::ListMarkers { marker } => list_markers::list_markers(workspace, *marker),
    }
}

/// Pages and snippets that agents can change, in alphabetical order.
fn documents(workspace: &Workspace) -> Vec<String> {
    let is_document = |path: &String| path.ends_with(".mdx") || path.ends_with(".md");
    let paths = workspace.paths().into_iter();
    paths.filter(|path| is_document(path) && workspace.check_writable(path).is_ok()).collect()
}

#[cfg(test)]
mod tests;
