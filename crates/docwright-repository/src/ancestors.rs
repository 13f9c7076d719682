//! Commits that a commit is based on.

use std::{collections::BTreeSet, path::Path};

use crate::{
    checkout::{Checkout, Checkouts},
    git::GitError,
};

/// Commits that are read, the newest first.
const MAXIMUM: usize = 1_000;

impl Checkouts {
    /// The newest of some commits that the commit of a checkout is based on; `None` if it is based on none of them,
    /// or its history is longer than is read. The history is fetched only if the newest commits don't suffice.
    pub async fn newest_ancestor(
        &self,
        checkout: &Checkout,
        among: &BTreeSet<String>,
    ) -> Result<Option<String>, GitError> {
        let (Some(commit), Some(clone)) = (checkout.commit(), checkout.repository()) else {
            return Ok(None);
        };
        if let Some(found) = self.first_of(&clone, commit, among).await? {
            return Ok(Some(found));
        }
        match self.history_of(checkout).await? {
            Some(history) if history != clone => self.first_of(&history, commit, among).await,
            _ => Ok(None),
        }
    }

    async fn first_of(
        &self,
        repository: &Path,
        commit: &str,
        among: &BTreeSet<String>,
    ) -> Result<Option<String>, GitError> {
        let most = format!("--max-count={MAXIMUM}");
        let listed = self.git.run(repository, &["rev-list", &most, commit]).await?;
        Ok(listed.lines().find(|line| among.contains(*line)).map(str::to_owned))
    }
}
