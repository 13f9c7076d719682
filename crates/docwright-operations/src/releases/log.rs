//! The log of a release as a text file: its steps with their times, then its diagnostics.

use std::fmt::Write;

use docwright_types::{
    counted::severities,
    timestamp::{Timestamp, iso},
};

use super::find;
use crate::{Allowed, OperationError, Operations, can};

/// Returns the log of a release: a line for each step, with the time since the step before, and one for each stored
/// diagnostic.
pub async fn log(
    operations: &Operations,
    caller: &Allowed<can::GetReleaseLog>,
    id: &str,
) -> Result<String, OperationError> {
    let release = find(operations, caller, id).await?;
    let database = &operations.database;
    let domain = database.site(&release.site_id).await?.map(|site| site.domain);
    let steps = database.release_log(id).await?;
    let found = database.diagnostics(id).await?;
    let mut text = format!("Release {} of {}\n", release.number, domain.unwrap_or_default());
    add(&mut text, format_args!("ID: {id}"));
    if let Some(commit) = &release.commit.sha {
        add(&mut text, format_args!("Commit: {commit}"));
    }
    text.push('\n');
    let mut last = None;
    for (at, step) in steps {
        add(&mut text, format_args!("{} {:>9} {step}", iso(at), since(last, at)));
        last = Some(at);
    }
    let Some(found) = found else { return Ok(text) };
    let errors = usize::try_from(found.errors).unwrap_or_default();
    let all = usize::try_from(found.count).unwrap_or_default();
    let counts = severities(errors, all.saturating_sub(errors), "");
    if counts.is_empty() {
        text.push_str("\nNo diagnostics\n");
        return Ok(text);
    }
    add(&mut text, format_args!("\n{counts}\n"));
    for each in &found.first {
        let severity = if each.is_error { "error" } else { "warning" };
        let (path, line) = (one_line(&each.path), each.line);
        let place = if line == 0 { path } else { format!("{path}:{line}") };
        add(
            &mut text,
            format_args!("{severity} {place} {}: {}", each.code, one_line(&each.message)),
        );
    }
    let listed = found.first.len();
    if all > listed {
        add(&mut text, format_args!("and {} more", all - listed));
    }
    Ok(text)
}

fn add(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _infallible = writeln!(text, "{line}");
}

/// The time since an earlier step, in seconds.
fn since(last: Option<Timestamp>, at: Timestamp) -> String {
    let Some(last) = last else { return String::new() };
    let milliseconds = (at - last).max(0);
    format!("+{}.{:01}s", milliseconds / 1000, milliseconds % 1000 / 100)
}

/// Text by authors, which can't start a line of its own.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_tenths_of_seconds() {
        assert_eq!(since(None, 5), "");
        assert_eq!(since(Some(1_000), 2_345), "+1.3s");
        assert_eq!(since(Some(2_000), 1_000), "+0.0s", "a clock was set back");
    }

    #[test]
    fn text_of_authors_stays_on_its_line() {
        assert_eq!(one_line("a\nerror b\u{1b}[0m"), "a error b [0m");
    }
}
