//! Dates of the last change of each file, from git.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    path::Path,
    time::Duration,
};

use crate::{
    checkout::{Checkout, Checkouts, Source},
    git::{Git, GitError},
};

/// Starts the line of a commit in git's output; no path does.
const MARK: u8 = 1;
/// How long reading a history can take.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Longest history that is read, in bytes of git's output.
const MAXIMUM_OUTPUT: usize = 512 * 1024 * 1024;

impl Checkouts {
    /// The date of the last commit of each file below a folder of a checkout, as ISO 8601, by path below that
    /// folder. If `wanted` names some files, only theirs, which can save most of the work. Empty if the history is
    /// not available and can't be fetched.
    pub async fn last_changes(
        &self,
        checkout: &Checkout,
        root: &Path,
        wanted: Option<&BTreeSet<String>>,
    ) -> BTreeMap<String, String> {
        let dates = match self.history_of(checkout).await {
            Ok(None) => return last_changes(&self.git, root, wanted).await,
            Ok(Some(repository)) => {
                let docs = checkout.path_of(root).unwrap_or_default();
                let commit = checkout.commit().unwrap_or("HEAD");
                read(&self.git, &repository, commit, &docs, wanted).await
            }
            Err(error) => Err(error),
        };
        dates.unwrap_or_else(|error| {
            tracing::warn!(%error, "history not read; pages show no last change");
            BTreeMap::new()
        })
    }

    /// A bare repository with the whole history of a checkout; `None` for a folder.
    pub(crate) async fn history_of(
        &self,
        checkout: &Checkout,
    ) -> Result<Option<std::path::PathBuf>, GitError> {
        match checkout.source() {
            Source::Folder => Ok(None),
            Source::Bare(repository) => Ok(Some(repository.clone())),
            Source::Clone(clone, remote) => {
                let commit = checkout.commit().unwrap_or_default();
                let name = format!("+{commit}:refs/docwright/history");
                clone.fetch_history(remote, &[&name]).await.map(Some)
            }
        }
    }
}

/// The same for a folder of the operator. Empty if git has only its newest commits, since all dates would be
/// wrong, and for a folder outside a repository.
pub async fn last_changes(
    git: &Git,
    folder: &Path,
    wanted: Option<&BTreeSet<String>>,
) -> BTreeMap<String, String> {
    let shallow = git.run(folder, &["rev-parse", "--is-shallow-repository"]).await;
    if !shallow.is_ok_and(|shallow| shallow == "false") {
        return BTreeMap::new();
    }
    let docs = git.run(folder, &["rev-parse", "--show-prefix"]).await.unwrap_or_default();
    read(git, folder, "HEAD", docs.trim_end_matches('/'), wanted).await.unwrap_or_default()
}

async fn read(
    git: &Git,
    repository: &Path,
    commit: &str,
    docs: &str,
    wanted: Option<&BTreeSet<String>>,
) -> Result<BTreeMap<String, String>, GitError> {
    let relative = if docs.is_empty() { String::new() } else { format!("{docs}/") };
    let path = format!(":(top,literal){docs}");
    let relative_to = format!("--relative={relative}");
    let mut arguments =
        vec!["log", "--format=%x01%cI", "--name-only", "--no-renames", "-z", commit];
    if !docs.is_empty() {
        arguments.extend([relative_to.as_str(), "--", &path]);
    }
    let mut dates = Dates { wanted: wanted.cloned(), ..Dates::default() };
    let (mut rest, mut total) = (Vec::new(), 0);
    let git = git.clone().with_timeout(TIMEOUT);
    git.stream(repository, &arguments, |part| {
        total += part.len();
        if total > MAXIMUM_OUTPUT {
            return Err(GitError::Output { command: "log".to_owned(), limit: MAXIMUM_OUTPUT });
        }
        rest.extend_from_slice(part);
        let mut start = 0;
        while let Some(length) = rest[start..].iter().position(|byte| *byte == 0) {
            if dates.take(&rest[start..start + length]).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            start += length + 1;
        }
        rest.drain(..start);
        Ok(ControlFlow::Continue(()))
    })
    .await?;
    Ok(dates.known)
}

#[derive(Default)]
struct Dates {
    /// The remaining files; `None` for all.
    wanted: Option<BTreeSet<String>>,
    known: BTreeMap<String, String>,
    date: String,
}

impl Dates {
    /// Takes a date or a path, newest commits first, until all wanted files are known.
    fn take(&mut self, entry: &[u8]) -> ControlFlow<()> {
        // The first path of a commit is on a separate line.
        let entry = entry.strip_prefix(b"\n").unwrap_or(entry);
        if let [MARK, date @ ..] = entry {
            // Some versions of git write UTC as `Z`, others as `+00:00`.
            let date = String::from_utf8_lossy(date);
            self.date = date
                .strip_suffix("+00:00")
                .map_or_else(|| date.to_string(), |time| format!("{time}Z"));
            return ControlFlow::Continue(());
        }
        let path = String::from_utf8_lossy(entry).into_owned();
        if path.is_empty() {
            return ControlFlow::Continue(());
        }
        if self.wanted.as_mut().is_none_or(|wanted| wanted.remove(&path)) {
            self.known.entry(path).or_insert_with(|| self.date.clone());
        }
        match &self.wanted {
            Some(wanted) if wanted.is_empty() => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utc_is_written_alike_by_all_versions_of_git() {
        for (written, expected) in [
            ("2024-03-02T03:04:05+00:00", "2024-03-02T03:04:05Z"),
            ("2024-03-02T03:04:05Z", "2024-03-02T03:04:05Z"),
            ("2024-03-02T03:04:05+02:00", "2024-03-02T03:04:05+02:00"),
        ] {
            let mut dates = Dates::default();
            assert!(dates.take(&[&[MARK], written.as_bytes()].concat()).is_continue());
            assert!(dates.take(b"\na.mdx").is_continue());
            assert_eq!(dates.known["a.mdx"], expected);
        }
    }
}
