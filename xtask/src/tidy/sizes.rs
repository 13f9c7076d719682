//! Limits on file sizes, since a file has one reason to exist.

use super::sources::SourceFile;

/// The longest file that isn't a test, in lines.
const MAXIMUM_LINES: usize = 600;
/// The largest median of file lengths.
const MEDIAN_LINES: usize = 150;

/// Files that are too long.
pub(crate) fn check(sources: &[SourceFile]) -> Vec<String> {
    let mut problems: Vec<_> = sources
        .iter()
        .filter(|file| !file.is_test())
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > MAXIMUM_LINES)
        .map(|(file, lines)| {
            format!("{}: {lines} lines; split it (at most {MAXIMUM_LINES})", file.path)
        })
        .collect();
    let median = median(sources);
    if median > MEDIAN_LINES {
        problems.push(format!("the median file has {median} lines; at most {MEDIAN_LINES}"));
    }
    problems
}

/// A readable summary.
pub(crate) fn summary(sources: &[SourceFile]) -> String {
    format!("{} files, the median file has {} lines", sources.len(), median(sources))
}

fn median(sources: &[SourceFile]) -> usize {
    let mut lines: Vec<_> = sources
        .iter()
        .filter(|file| !file.is_test())
        .map(|file| file.text.lines().count())
        .collect();
    lines.sort_unstable();
    lines.get(lines.len() / 2).copied().unwrap_or(0)
}
