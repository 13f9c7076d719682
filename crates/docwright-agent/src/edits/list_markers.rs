//! Changes the marker of list items.

use super::{documents, prose};
use crate::workspace::{Refusal, Workspace};

pub(super) fn list_markers(workspace: &mut Workspace, marker: char) -> Result<String, Refusal> {
    let (mut count, mut files) = (0, 0);
    for path in documents(workspace) {
        let Ok(text) = workspace.read(&path) else { continue };
        let (changed, hits) = replace(&text, marker);
        if hits > 0 {
            workspace.write(&path, changed)?;
            count += hits;
            files += 1;
        }
    }
    if count == 0 {
        return Ok(format!("Every list has the marker {marker} already; nothing to change"));
    }
    Ok(format!("Use {marker} for list markers ({count} items in {files} files)"))
}

fn replace(text: &str, marker: char) -> (String, usize) {
    let ranges = prose::ranges(text);
    let is_prose = |at: usize| ranges.iter().any(|range| range.contains(&at));
    let (mut changed, mut count, mut at) = (String::with_capacity(text.len()), 0, 0);
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let item = &line[indent..];
        let old = item.chars().next().filter(|first| matches!(first, '-' | '*' | '+'));
        let is_item = old.is_some() && item[1..].starts_with([' ', '\t']) && !is_rule(item);
        if is_item && old != Some(marker) && is_prose(at + indent) {
            changed.push_str(&line[..indent]);
            changed.push(marker);
            changed.push_str(&item[1..]);
            count += 1;
        } else {
            changed.push_str(line);
        }
        at += line.len();
    }
    (changed, count)
}

/// `- - -` is a rule across the page.
fn is_rule(item: &str) -> bool {
    let marks: Vec<char> = item.chars().filter(|letter| !letter.is_whitespace()).collect();
    marks.len() >= 3 && marks.iter().all(|mark| *mark == marks[0])
}
