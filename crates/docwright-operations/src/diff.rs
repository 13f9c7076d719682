//! The changes of files, read from what git prints: all files are counted, and only as many lines are kept as a page can show.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Lines that are kept of one file, and of all files.
const LINES_OF_A_FILE: usize = 2_000;
const LINES: usize = 20_000;
/// Longest line that is kept, in characters.
const LONGEST_LINE: usize = 1_000;

/// The diff of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// Path in the repository. For a removed file, its former path.
    #[schema(example = "docs/quickstart.mdx")]
    pub path: String,
    /// Former path of a moved file.
    #[schema(example = json!(null))]
    pub from: Option<String>,
    /// What happened to the file.
    #[schema(example = "changed")]
    pub fate: FileFate,
    /// Number of added lines.
    #[schema(example = 1)]
    pub added: usize,
    /// Number of removed lines.
    #[schema(example = 1)]
    pub removed: usize,
    /// Whether the file is generated, such as a lockfile.
    #[schema(example = false)]
    pub is_generated: bool,
    /// Changed lines, with three lines of context.
    pub lines: Vec<DiffLine>,
    /// Number of omitted lines. Each file shows at most 2,000.
    #[schema(example = 0)]
    pub left_out: usize,
}

/// Change of a file: `binary` is a changed file that isn't text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFate {
    /// It is new.
    Added,
    /// Lines of it changed.
    #[default]
    Changed,
    /// It has another path.
    Moved,
    /// It was removed.
    Removed,
    /// It isn't text.
    Binary,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffLine {
    /// Kind of the line.
    #[schema(example = "added")]
    pub kind: LineKind,
    /// Text of the line, up to 1,000 characters.
    #[schema(example = "Begin in five minutes.")]
    pub text: String,
}

/// Kind of a line: `hunk` is a header with line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Only after the change.
    Added,
    /// Only before the change.
    Removed,
    /// Around the change.
    Same,
    /// Where the lines after it are.
    Hunk,
}

/// Whether a file is generated.
fn is_generated(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let locks = ["package-lock.json", "pnpm-lock.yaml", "bun.lockb", "go.sum"];
    let ends = [".lock", ".min.js", ".min.css", ".map", ".svg", ".snap"];
    locks.contains(&name) || ends.iter().any(|end| name.ends_with(end))
}

impl FileDiff {
    /// Reads a line of git about the whole file.
    fn about(&mut self, line: &str) {
        let fate = match line {
            _ if line.starts_with("new file") => FileFate::Added,
            _ if line.starts_with("deleted file") => FileFate::Removed,
            _ if line.starts_with("Binary files") => FileFate::Binary,
            _ => {
                if let Some(from) = line.strip_prefix("rename from ") {
                    (self.from, self.fate) = (Some(unquoted(from)), FileFate::Moved);
                } else if let Some(to) = line.strip_prefix("rename to ") {
                    self.path = unquoted(to);
                }
                return;
            }
        };
        if self.fate == FileFate::Changed {
            self.fate = fate;
        }
    }

    /// Keeps a line without its sign, since the kind has the same meaning.
    fn keep(&mut self, kind: LineKind, line: &str) {
        let line = if kind == LineKind::Hunk { line } else { line.get(1..).unwrap_or_default() };
        let mut text: String = line.chars().take(LONGEST_LINE).collect();
        if text.len() < line.len() {
            text.push('…');
        }
        self.lines.push(DiffLine { kind, text });
    }
}

/// Reads the output of `git diff`.
pub fn read(patch: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let (mut in_hunk, mut kept) = (false, 0);
    for line in patch.lines() {
        if let Some(paths) = line.strip_prefix("diff --git ") {
            files.push(FileDiff { path: path_of(paths), ..FileDiff::default() });
            in_hunk = false;
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        let kind = match line.as_bytes().first() {
            Some(b'@') => {
                in_hunk = true;
                LineKind::Hunk
            }
            _ if !in_hunk => {
                file.about(line);
                continue;
            }
            Some(b'+') => LineKind::Added,
            Some(b'-') => LineKind::Removed,
            // `\ No newline at end of file`
            Some(b'\\') => continue,
            _ => LineKind::Same,
        };
        file.added += usize::from(kind == LineKind::Added);
        file.removed += usize::from(kind == LineKind::Removed);
        if file.lines.len() >= LINES_OF_A_FILE || kept >= LINES {
            file.left_out += 1;
            continue;
        }
        kept += 1;
        file.keep(kind, line);
    }
    for file in &mut files {
        file.is_generated = is_generated(&file.path);
    }
    files
}

/// Reads the output of `git diff --numstat --no-renames`: names and counts, no lines.
pub fn read_counts(output: &str) -> Vec<FileDiff> {
    let file = |line: &str| {
        let mut fields = line.splitn(3, '\t');
        let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
        let count = |text: &str| text.parse().unwrap_or(0);
        let (added, removed) = (count(added), count(removed));
        let (path, left_out) = (unquoted(path), added + removed);
        let is_generated = is_generated(&path);
        Some(FileDiff { path, added, removed, is_generated, left_out, ..FileDiff::default() })
    };
    output.lines().filter_map(file).collect()
}

/// The path in `a/PATH b/PATH`, which can have spaces in it. Lines that follow name the paths of a
/// file that was moved.
fn path_of(paths: &str) -> String {
    let half = paths.len() / 2;
    let (Some(first), Some(second)) = (paths.get(..half), paths.get(half + 1..)) else {
        return unquoted(paths);
    };
    let (first, second) = (unquoted(first), unquoted(second));
    match (first.strip_prefix("a/"), second.strip_prefix("b/")) {
        (Some(one), Some(other)) if one == other => other.to_owned(),
        _ => paths.to_owned(),
    }
}

/// A path as git writes it where it has quotes or control characters.
fn unquoted(path: &str) -> String {
    let quoted = path.strip_prefix('"').and_then(|path| path.strip_suffix('"'));
    quoted.map_or_else(|| path.to_owned(), |path| path.replace("\\\"", "\"").replace("\\\\", "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_is_parsed_by_file() {
        let patch = "diff --git a/one.mdx b/two.mdx\nsimilarity index 90%\nrename from one.mdx\nrename to two.mdx\n--- a/one.mdx\n+++ b/two.mdx\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n\\ No newline at end of file\ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\ndiff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n";
        let files = read(patch);
        assert_eq!(files.len(), 3);
        let first = &files[0];
        assert_eq!((first.path.as_str(), first.from.as_deref()), ("two.mdx", Some("one.mdx")));
        assert_eq!((first.added, first.removed, first.fate), (1, 1, FileFate::Moved));
        let kinds: Vec<_> = first.lines.iter().map(|line| line.kind).collect();
        assert_eq!(kinds, [LineKind::Hunk, LineKind::Same, LineKind::Removed, LineKind::Added]);
        let texts: Vec<_> = first.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["@@ -1,2 +1,2 @@", "same", "old", "new"]);
        assert_eq!((files[1].fate, files[1].added), (FileFate::Added, 1));
        assert_eq!((files[2].fate, files[2].lines.len()), (FileFate::Binary, 0));
    }

    #[test]
    fn names_can_hold_anything() {
        for (header, path) in [
            ("a/x b/y.mdx b/x b/y.mdx", "x b/y.mdx"),
            (r#""a/q\"\\.mdx" "b/q\"\\.mdx""#, r#"q"\.mdx"#),
            ("a/é.mdx b/é.mdx", "é.mdx"),
        ] {
            let files = read(&format!("diff --git {header}\nnew file mode 100644\n"));
            assert_eq!(files[0].path, path);
        }
        // An author's text is never mistaken for git's own lines.
        let patch = "diff --git a/a b/a\n@@ -0,0 +1,2 @@\n+diff --git a/x b/x\n+rename to /etc\n";
        let files = read(patch);
        assert_eq!((files.len(), files[0].path.as_str(), files[0].added), (1, "a", 2));
    }

    #[test]
    fn huge_changes_are_counted_and_cut() {
        let hunk = "+x\n".repeat(LINES_OF_A_FILE + 500);
        let files =
            (0..20).map(|file| format!("diff --git a/{file} b/{file}\n@@ -0,0 +1 @@\n{hunk}"));
        let patch = files.collect::<Vec<_>>().concat();
        let files = read(&patch);
        assert!(files.iter().all(|file| file.added == LINES_OF_A_FILE + 500));
        assert_eq!(files.iter().map(|file| file.lines.len()).sum::<usize>(), LINES);
        assert_eq!((files[0].left_out, files[19].lines.len()), (501, 0));
        let long = format!("diff --git a/a b/a\n@@ -0,0 +1 @@\n+{}\n", "é".repeat(1 << 20));
        assert_eq!(read(&long)[0].lines[1].text.chars().count(), LONGEST_LINE + 1);
        let counted = read_counts("3\t1\tdocs/a.mdx\n-\t-\t\"p\\\".png\"\n");
        assert_eq!((counted[0].added, counted[0].left_out), (3, 4));
        assert_eq!(counted[1].path, "p\".png");
    }
}
