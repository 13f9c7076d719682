//! Changes of files, line by line, with marked words.

use docwright_operations::diff::{DiffLine, FileDiff, FileFate, LineKind};
use maud::{Markup, html};

use super::tree::tree;
use crate::words;

/// Lines that are expanded initially: of one file, and of all files.
const OPEN_LINES_OF_A_FILE: usize = 150;
const OPEN_LINES: usize = 600;
/// Files that a page shows.
pub(super) const SHOWN_FILES: usize = 200;
/// Fewer files need no tree.
const TREE: usize = 4;

/// The files of a change. `more` links to the whole change.
pub(crate) fn diff(files: &[FileDiff], more: Option<&str>) -> Markup {
    let sum = |count: fn(&FileDiff) -> usize| files.iter().map(count).sum::<usize>();
    let mut open = 0;
    html! {
        p.counts {
            (words::files_changed(files.len())) " "
            (counts(sum(|file| file.added), sum(|file| file.removed)))
        }
        @if files.len() >= TREE { (tree(files)) }
        @for (number, file) in files.iter().enumerate().take(SHOWN_FILES) {
            @let is_open = is_open(file, &mut open);
            (self::file((number, file), is_open, more))
        }
        @if files.len() > SHOWN_FILES { p.soft { (words::more(files.len() - SHOWN_FILES)) " " (all(more)) } }
    }
}

/// Whether a file is open at first: it is small and not generated, and the open files together are short.
fn is_open(file: &FileDiff, lines: &mut usize) -> bool {
    let count = file.lines.len();
    let is_open = count <= OPEN_LINES_OF_A_FILE
        && *lines + count <= OPEN_LINES
        && !file.is_generated
        && file.fate != FileFate::Removed;
    *lines += if is_open { count } else { 0 };
    is_open
}

/// How many lines were added and removed.
pub(super) fn counts(added: usize, removed: usize) -> Markup {
    html! { span.number { span.plus { "+" (added) } " " span.minus { "−" (removed) } } }
}

fn all(more: Option<&str>) -> Markup {
    html! { @if let Some(more) = more { a href=(more) { (words::SEE_THE_WHOLE_CHANGE) } } }
}

/// A file. Its number is an anchor inside it, so that a link opens it.
fn file((number, file): (usize, &FileDiff), is_open: bool, more: Option<&str>) -> Markup {
    html! {
        details.file open[is_open] {
            summary {
                code { @if let Some(from) = &file.from { (from) " → " } (file.path) }
                @if let Some(fate) = words::file_fate(file.fate) { span.soft { (fate) } }
                (counts(file.added, file.removed))
            }
            div id={ "file-" (number) } {}
            @if !file.lines.is_empty() { pre.diff tabindex="0" aria-label=(file.path) { (lines(&file.lines)) } }
            @if file.left_out > 0 {
                p.soft { (words::lines_left_out(file.left_out)) " " (all(more)) }
            } @else if file.lines.is_empty() {
                p.soft { (words::NO_LINE_CHANGED) }
            }
        }
    }
}

fn lines(lines: &[DiffLine]) -> Markup {
    let mut shown = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let Some(first) = rest.first() {
        let run = |of: &[DiffLine], kind| of.iter().take_while(|line| line.kind == kind).count();
        let removed = run(rest, LineKind::Removed);
        let added = run(rest.get(removed..).unwrap_or_default(), LineKind::Added);
        if removed == 0 || removed != added {
            // Lines without a counterpart are shown completely. At least one line, so that the loop ends.
            let count = (removed + added).max(1);
            let (plain, after) = rest.split_at(count);
            shown.extend(plain.iter().map(|each| line(each, None)));
            rest = after;
            continue;
        }
        debug_assert_eq!(first.kind, LineKind::Removed, "a pair begins with what was there");
        let (old, after) = rest.split_at(removed);
        let (new, after) = after.split_at(added);
        let same: Vec<_> =
            old.iter().zip(new).map(|(old, new)| same_ends(&old.text, &new.text)).collect();
        shown.extend(old.iter().zip(&same).map(|(each, same)| line(each, *same)));
        shown.extend(new.iter().zip(&same).map(|(each, same)| line(each, *same)));
        rest = after;
    }
    html! { @for each in shown { (each) } }
}

/// A line. `same`: the number of bytes at its start and at its end that its counterpart has too.
fn line(line: &DiffLine, same: Option<(usize, usize)>) -> Markup {
    let (kind, sign) = match line.kind {
        LineKind::Added => ("added", "+"),
        LineKind::Removed => ("removed", "−"),
        LineKind::Hunk => ("hunk", ""),
        LineKind::Same => ("same", " "),
    };
    let text = line.text.as_str();
    let parts = same.and_then(|(before, after)| {
        let end = text.len().checked_sub(after)?;
        Some((text.get(..before)?, text.get(before..end)?, text.get(end..)?))
    });
    html! {
        span class=(kind) {
            (sign)
            @match parts {
                Some((before, middle, after)) => { (before) @if !middle.is_empty() { mark { (middle) } } (after) }
                None => (text),
            }
            "\n"
        }
    }
}

/// The number of equal bytes at the beginning and at the end of two lines, in whole words; `None` for lines
/// with little in common, where marks don't help.
fn same_ends(old: &str, new: &str) -> Option<(usize, usize)> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut before = 0;
    let mut boundary = 0;
    let mut was_word = false;
    for (one, other) in old.chars().zip(new.chars()) {
        if one != other {
            break;
        }
        if !(was_word && is_word(one)) {
            boundary = before;
        }
        was_word = is_word(one);
        before += one.len_utf8();
    }
    let goes_on =
        |text: &str| text.get(before..).and_then(|rest| rest.chars().next()).is_some_and(is_word);
    if was_word && (goes_on(old) || goes_on(new)) {
        before = boundary;
    }
    let (old_rest, new_rest) = (old.get(before..)?, new.get(before..)?);
    let (mut after, mut boundary, mut was_word) = (0, 0, false);
    for (one, other) in old_rest.chars().rev().zip(new_rest.chars().rev()) {
        if one != other {
            break;
        }
        if !(was_word && is_word(one)) {
            boundary = after;
        }
        was_word = is_word(one);
        after += one.len_utf8();
    }
    let goes_on = |text: &str| {
        let left = text.len().checked_sub(after).and_then(|end| text.get(..end));
        left.and_then(|left| left.chars().next_back()).is_some_and(is_word)
    };
    if was_word && (goes_on(old_rest) || goes_on(new_rest)) {
        after = boundary;
    }
    let (same, longest) = (before + after, old.len().max(new.len()));
    (same * 3 >= longest && same > 0).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(kind: LineKind, text: &str) -> DiffLine {
        DiffLine { kind, text: text.to_owned() }
    }

    #[test]
    fn different_words_are_marked() {
        let all = [
            line_of(LineKind::Hunk, "@@ -1 +1 @@"),
            line_of(LineKind::Removed, "See the [guide](/guides/strat) first."),
            line_of(LineKind::Added, "See the [guide](/guides/start) first."),
        ];
        let shown = lines(&all).into_string();
        assert!(shown.contains("−See the [guide](/guides/<mark>strat</mark>) first."), "{shown}");
        assert!(shown.contains("+See the [guide](/guides/<mark>start</mark>) first."), "{shown}");
    }

    #[test]
    fn lines_with_little_in_common_are_shown_whole() {
        for (old, new) in [("Begin here.", "Über alles."), ("", "x"), ("a", "")] {
            assert_eq!(same_ends(old, new), None, "{old} {new}");
        }
        assert_eq!(same_ends("one word more", "one word"), Some((8, 0)));
        assert_eq!(same_ends("größer é!", "größer ö!"), Some(("größer ".len(), 1)));
        assert_eq!(same_ends("a a", "a a a"), Some((3, 0)));
        // Lines are pairs only if as many were removed as added.
        let uneven = [
            line_of(LineKind::Removed, "same x"),
            line_of(LineKind::Added, "same y"),
            line_of(LineKind::Added, "z"),
        ];
        assert!(!lines(&uneven).into_string().contains("<mark>"));
    }

    #[test]
    fn nothing_in_a_file_becomes_markup() {
        let evil = "<script>alert(1)</script>\"'&";
        let shown = lines(&[
            line_of(LineKind::Removed, &format!("{evil} one")),
            line_of(LineKind::Added, &format!("{evil} two")),
            line_of(LineKind::Same, evil),
        ]);
        let shown = shown.into_string();
        assert!(!shown.contains("<script"), "{shown}");
        assert_eq!(shown.matches("&lt;script&gt;").count(), 3, "{shown}");
    }

    #[test]
    fn large_and_generated_files_are_folded() {
        let file = |count: usize, is_generated| FileDiff {
            path: "a".to_owned(),
            added: count,
            is_generated,
            lines: (0..count).map(|_| line_of(LineKind::Added, "x")).collect(),
            ..FileDiff::default()
        };
        let mut files = vec![file(1, true), file(OPEN_LINES_OF_A_FILE + 1, false)];
        files.extend((0..6).map(|_| file(OPEN_LINES_OF_A_FILE, false)));
        let shown = diff(&files, None).into_string();
        assert_eq!(shown.matches("<details class=\"file\"").count(), 8);
        assert_eq!(
            shown.matches("<details class=\"file\" open>").count(),
            4,
            "no more than 600 lines"
        );
    }
}
