//! Comments on pull requests about their previews: one comment each, which is updated.
//!
//! Nodes poll for unreported states, so none is lost with a process.

use std::{sync::Arc, time::Duration};

use docwright_repository::git_hosts::Comment;
use docwright_site::comparison::PageChange;
use docwright_storage::database::{PreviewReport, backoff};
use docwright_types::{
    preview::PreviewState,
    release::{Release, ReleaseStatus},
    timestamp::MINUTE,
};
use tokio::{task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

use super::comment::PreviewComment;
use crate::{comparer::Comparer, queue::JobError, repositories::Repositories};

/// How often the database is polled.
const EVERY: Duration = Duration::from_secs(2);
/// Comments that one process writes in parallel, each for another organization.
const AT_ONCE: usize = 8;
/// Time limit of a host.
const PATIENCE: Duration = Duration::from_secs(50);

/// Writes the comments.
#[derive(Debug)]
pub struct PreviewCommenter {
    /// Access to the hosts of pull requests.
    pub repositories: Repositories,
    /// Finds the pages that differ.
    pub comparer: Comparer,
}

impl PreviewCommenter {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let reporter = Arc::new(self);
        let mut under_way = JoinSet::new();
        while !stop.is_cancelled() {
            let next = if under_way.len() < AT_ONCE { reporter.next().await } else { None };
            if let Some(report) = next {
                let reporter = Arc::clone(&reporter);
                under_way.spawn(async move { reporter.say(&report).await });
                continue;
            }
            tokio::select! {
                // A panic ends one report, which is repeated.
                Some(_ended) = under_way.join_next() => {}
                () = sleep(EVERY) => {}
                // An unrecorded report is repeated.
                () = stop.cancelled() => return,
            }
        }
    }

    async fn next(&self) -> Option<PreviewReport> {
        let next = self.repositories.database.take_preview_report().await;
        next.unwrap_or_else(|error| {
            tracing::warn!(%error, "preview reports not read; retrying");
            None
        })
    }

    async fn say(&self, report: &PreviewReport) {
        let preview = &report.preview;
        let said = tokio::time::timeout(PATIENCE, self.try_say(report)).await;
        let said = said.unwrap_or_else(|_| {
            Err(JobError::Transient("the host of pull requests takes too long".to_owned()))
        });
        let recorded = match said {
            Ok(comment) => {
                self.repositories.database.record_preview_report(report, comment.as_deref()).await
            }
            Err(error @ JobError::Permanent(_)) => {
                tracing::warn!(project = preview.project_id, %error, "preview comment not written");
                self.repositories.database.record_preview_report(report, None).await
            }
            Err(error) => {
                tracing::warn!(project = preview.project_id, %error, "preview comment delayed");
                let wait = backoff(report.failures + 1, rand::random()).max(MINUTE);
                self.repositories.database.postpone_preview_report(report, wait).await
            }
        };
        if let Err(error) = recorded {
            tracing::warn!(%error, "preview comment not recorded; writing it again");
        }
    }

    /// Writes the comment of a preview. Returns its id.
    async fn try_say(&self, report: &PreviewReport) -> Result<Option<String>, JobError> {
        let (preview, database) = (&report.preview, &self.repositories.database);
        let Some(number) = preview.pull_request else { return Ok(None) };
        let Some(project) = database.project(&preview.project_id).await? else { return Ok(None) };
        let release = match &report.release_id {
            Some(id) => database.release(id).await?,
            None => None,
        };
        // A release that another one replaces has no pages.
        let release = match release {
            Some(Release { replaced_by: Some(other), .. }) => database.release(&other).await?,
            release => release,
        };
        let base = self.base(report).await?;
        let is_ready = release.as_ref().is_some_and(|each| each.status == ReleaseStatus::Ready);
        let changes = if is_ready && preview.state == PreviewState::Open {
            self.changes(base.as_ref(), release.as_ref()).await
        } else {
            None
        };
        let new = match &release {
            Some(release) => database.new_diagnostics(&release.id).await?,
            None => None,
        };
        let questions = match &release {
            Some(release) => database.question_check(&release.id).await?,
            None => None,
        };
        let Ok(addresses) = &self.repositories.previews else { return Ok(None) };
        let said = PreviewComment {
            preview,
            url: &addresses.url(&preview.host),
            release: release.as_ref(),
            changes: changes.as_deref(),
            new: new.as_ref(),
            questions: questions.as_ref(),
        };
        let comment =
            Comment { marker: format!("docwright-preview:{}", preview.id), body: said.markdown() };
        let git_hosts = self.repositories.git_hosts(&project).await?;
        let id = git_hosts.set_comment(number, preview.comment_id.as_deref(), &comment).await?;
        Ok(Some(id))
    }

    /// The release that a preview is compared with.
    async fn base(&self, report: &PreviewReport) -> Result<Option<Release>, JobError> {
        let database = &self.repositories.database;
        match database.base_of_preview(&report.preview.id).await? {
            Some(id) => Ok(database.release(&id).await?),
            None => Ok(None),
        }
    }

    /// The pages that differ; `None` if the bundles can't be read now.
    async fn changes(
        &self,
        before: Option<&Release>,
        after: Option<&Release>,
    ) -> Option<Vec<PageChange>> {
        let bundle = |release: &'_ Release| release.bundle.clone();
        let (before, after) = (before.and_then(bundle), after.and_then(bundle)?);
        let compared = self.comparer.changed_pages(before.as_ref(), &after).await;
        let compared = compared.inspect_err(|error| {
            tracing::warn!(key = after.key, %error, "bundle not compared");
        });
        compared.ok()
    }
}
