//! How a commit is doing, as it is reported to its host.

/// Annotations that one report brings at most: what GitHub takes in one request.
pub const MAXIMUM_ANNOTATIONS: usize = 50;

/// How a commit is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitState {
    /// It is not known yet.
    Pending,
    /// All is well.
    Success,
    /// Something failed.
    Failure,
    /// Nobody will look, since a newer commit overtook it. Hosts without such a state take it for a success.
    Skipped,
}

/// What a host shows beside a commit. One of the same context takes the place of the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStatus {
    /// The full name of the commit.
    pub commit: String,
    /// How it is doing.
    pub state: CommitState,
    /// The checker's name, such as `docwright/docs.example.com`.
    pub context: String,
    /// What there is to say, in a sentence. Hosts that take less get its beginning.
    pub description: String,
    /// Where people see more.
    pub target_url: Option<String>,
    /// What to say beside lines of files; of the first [`MAXIMUM_ANNOTATIONS`], where the host can.
    pub annotations: Vec<Annotation>,
}

impl CommitStatus {
    /// The description, cut to a number of characters.
    pub(super) fn short(&self, maximum: usize) -> String {
        shortened(&self.description, maximum)
    }

    /// The annotations that are sent.
    pub(super) fn sent(&self) -> &[Annotation] {
        &self.annotations[..self.annotations.len().min(MAXIMUM_ANNOTATIONS)]
    }
}

/// Something to say about a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The file, below the root of the repository.
    pub path: String,
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// Whether readers miss something; otherwise it is most likely not meant.
    pub is_error: bool,
    /// Name of the rule.
    pub code: String,
    /// What is wrong.
    pub message: String,
}

/// A text cut to a number of characters; one that is cut off ends with `…`.
pub(super) fn shortened(text: &str, maximum: usize) -> String {
    if text.chars().count() <= maximum {
        return text.to_owned();
    }
    let kept: String = text.chars().take(maximum.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_texts_are_cut_off_between_letters() {
        assert_eq!(shortened("schön", 5), "schön");
        assert_eq!(shortened("schöner", 5), "schö…");
        assert_eq!(shortened("as it is", 4), "as…");
    }
}
