//! Recording which commit a release is of, before anything is built.

use docwright_domain::release::ReleaseCommit;
use docwright_storage::database::{Begun, BuildInput};
use serde_json::json;

use super::{Publisher, Wanted, check_out::Files};
use crate::queue::{HeldLease, JobError};

/// Records the commit. `false` if there is nothing to build, since another release holds the same.
pub(super) async fn begin(
    publisher: &Publisher,
    held: &HeldLease,
    wanted: &Wanted,
    files: &Files,
) -> Result<bool, JobError> {
    let commit = describe(publisher, files).await;
    let options = options(publisher, wanted);
    let input = BuildInput { commit: &commit, options: &options };
    let begun = publisher.database.begin_build(held.lease(), input, publisher.clock.now()).await?;
    match begun {
        Begun::Build => Ok(true),
        Begun::Skipped => {
            tracing::info!(release = held.id(), "another release holds the same pages");
            Ok(false)
        }
        Begun::Lost => Err(JobError::Lost),
    }
}

/// What is known of the commit. What git does not tell is left out: it is for people to read.
async fn describe(publisher: &Publisher, files: &Files) -> ReleaseCommit {
    let checkouts = &publisher.repositories.checkouts;
    let Some(sha) = files.checkout.commit() else { return ReleaseCommit::default() };
    let mut commit = ReleaseCommit {
        branch: files.checkout.branch().map(str::to_owned),
        sha: Some(sha.to_owned()),
        ..ReleaseCommit::default()
    };
    // A folder may lie anywhere within its repository, so that its path there is not known.
    let bare = files.checkout.repository();
    let repository = bare.clone().unwrap_or_else(|| files.checkout.folder().to_owned());
    if bare.is_some() {
        commit.docs_tree =
            checkouts.tree_of(&repository, sha, &files.docs).await.unwrap_or_default();
    }
    match checkouts.facts(&repository, sha, None).await {
        Ok(facts) => {
            commit.author = Some(facts.author);
            commit.message = Some(facts.message);
            commit.files_changed = facts.files_changed.and_then(|count| i64::try_from(count).ok());
        }
        Err(error) => tracing::warn!(%error, "the commit can't be described"),
    }
    commit
}

/// Everything besides the commit that decides on the bytes of a bundle.
fn options(publisher: &Publisher, wanted: &Wanted) -> String {
    json!({
        "docwright": env!("CARGO_PKG_VERSION"),
        "address": wanted.site.address,
        "docsPath": wanted.project.docs_path,
        "analytics": publisher.analytics,
        "remoteSpecs": publisher.remote_specs.is_some(),
        "version": wanted.release.version,
        "paths": wanted.release.paths,
    })
    .to_string()
}
