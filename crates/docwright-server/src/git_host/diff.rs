//! A patch, read for showing.

/// A file of a patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileDiff {
    /// Its path, after the change if it has one then.
    pub(super) path: String,
    /// Where it was before, if that differs.
    pub(super) from: Option<String>,
    /// Lines with their kind.
    pub(super) lines: Vec<(Kind, String)>,
}

/// What a line of a patch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Where the lines after it stand.
    Place,
    /// Added.
    Added,
    /// Removed.
    Removed,
    /// Around the change.
    Same,
    /// Something about the whole file.
    Note,
}

impl Kind {
    /// Its class in the page.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Same => "same",
            Self::Note => "note",
        }
    }
}

/// Reads the output of `git diff`.
pub(super) fn read(patch: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        if let Some(paths) = line.strip_prefix("diff --git ") {
            let path = paths.rsplit_once(" b/").map_or(paths, |(_, path)| path);
            files.push(FileDiff { path: path.to_owned(), ..FileDiff::default() });
            in_hunk = false;
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        let kind = match line.as_bytes().first() {
            Some(b'@') => {
                in_hunk = true;
                Kind::Place
            }
            Some(b'+') if in_hunk => Kind::Added,
            Some(b'-') if in_hunk => Kind::Removed,
            _ if in_hunk => Kind::Same,
            _ => {
                if let Some(from) = line.strip_prefix("rename from ") {
                    file.from = Some(from.to_owned());
                }
                let about_file = ["new file", "deleted file", "Binary files"];
                if !about_file.iter().any(|start| line.starts_with(start)) {
                    continue;
                }
                Kind::Note
            }
        };
        file.lines.push((kind, line.to_owned()));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_read_file_by_file() {
        let patch = "diff --git a/one.mdx b/two.mdx\nsimilarity index 90%\nrename from one.mdx\nrename to two.mdx\n--- a/one.mdx\n+++ b/two.mdx\n@@ -1,2 +1,2 @@\n same\n-old\n+new\ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n";
        let files = read(patch);
        assert_eq!(files.len(), 2);
        assert_eq!(
            (files[0].path.as_str(), files[0].from.as_deref()),
            ("two.mdx", Some("one.mdx"))
        );
        let kinds: Vec<_> = files[0].lines.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [Kind::Place, Kind::Same, Kind::Removed, Kind::Added]);
        assert_eq!(files[1].lines[0].0, Kind::Note);
    }
}
