//! The status of a commit, as it is reported to its host.

use sha2::{Digest, Sha256};

/// Annotations of one report: GitHub's limit for one request.
pub const MAXIMUM_ANNOTATIONS: usize = 50;

/// Longest key: Bitbucket's limit.
const KEY: usize = 40;

/// State of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitState {
    /// It is pending.
    Pending,
    /// Success.
    Success,
    /// Failure.
    Failure,
    /// Superseded by a newer commit. Hosts without such a state show success.
    Skipped,
}

/// A status on a commit. A status with the same context replaces the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStatus {
    /// The full name of the commit.
    pub commit: String,
    /// Its state.
    pub state: CommitState,
    /// The checker's name, such as `docwright/docs.example.com`.
    pub context: String,
    /// A description, in a sentence. It is cut to the limit of the host.
    pub description: String,
    /// Address of the details.
    pub target_url: Option<String>,
    /// Annotations of lines; the first [`MAXIMUM_ANNOTATIONS`], if the host supports them.
    pub annotations: Vec<Annotation>,
}

impl CommitStatus {
    /// The description, cut to a number of characters.
    pub(super) fn short(&self, maximum: usize) -> String {
        shortened(&self.description, maximum)
    }

    /// A key for hosts that limit it: the context, if it is short and plain.
    pub(super) fn key(&self) -> String {
        let context = &self.context;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
        if context.len() <= KEY && context.bytes().all(is_plain) {
            return context.clone();
        }
        hex::encode(Sha256::digest(context))[..KEY].to_owned()
    }

    /// The annotations that are sent.
    pub(super) fn sent(&self) -> &[Annotation] {
        &self.annotations[..self.annotations.len().min(MAXIMUM_ANNOTATIONS)]
    }
}

/// An annotation of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The file, below the root of the repository.
    pub path: String,
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// Whether it is an error, which readers notice, or a warning.
    pub is_error: bool,
    /// Name of the rule.
    pub code: String,
    /// What is wrong.
    pub message: String,
}

/// A text cut to a number of characters, with `…` at the end if it was cut.
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
