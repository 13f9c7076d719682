//! Checks out the newest files, and records their commit before anything is built.

use docwright_storage::database::{BuildDecision, BuildInput};
use docwright_types::release::ReleaseCommit;

use super::{
    PublishTarget, Publisher,
    check_out::{Files, check_out},
};
use crate::queue::{HeldLease, JobError, Step};

/// How often a branch is polled that changes while its files are fetched.
const POLLS: usize = 5;

/// Checks out the newest files and records their commit and the options of the site. `None` if there is nothing to
/// build, since another release has the same pages.
pub(super) async fn begin(
    publisher: &Publisher,
    held: &HeldLease,
    wanted: &mut PublishTarget,
) -> Result<Option<Files>, JobError> {
    for _ in 0..POLLS {
        let PublishTarget { project, site, preview, .. } = &*wanted;
        let options = wanted.options.text();
        let seen_position = publisher.database.last_head_position(site).await?;
        let mut files =
            check_out(&publisher.repositories, project, (site, preview.as_ref())).await?;
        held.reached(Step::CheckedOut);
        let commit = describe(publisher, &files).await;
        tracing::Span::current().record("commit", commit.sha.as_deref());
        if files.repository.address().is_some() && wanted.release.servable {
            publisher.database.watch_release(held.id(), publisher.clock.now()).await?;
        }
        let input = BuildInput { commit: &commit, options: &options, seen_position };
        // A release with a lost bundle replaces nothing.
        if let Some(bundle) = publisher.database.standing_bundle(held.lease(), input).await? {
            publisher.lost_bundles.is_lost(&bundle.key).await?;
        }
        let now = publisher.clock.now();
        match publisher.database.begin_build(held.lease(), input, now).await? {
            BuildDecision::Build => {
                // A release that began meanwhile with newer options was superseded by this one, so this one needs
                // them. Options that change from here on come with a release that supersedes this one.
                let newest = PublishTarget::of(publisher, held).await?;
                if newest.options.text() != options {
                    tracing::info!("options changed during the checkout");
                    *wanted = newest;
                    continue;
                }
                return match files.no_root.take() {
                    Some(error) => Err(error),
                    None => Ok(Some(files)),
                };
            }
            BuildDecision::Skipped => {
                tracing::info!("release skipped; another has the same pages");
                return Ok(None);
            }
            BuildDecision::Outdated => tracing::info!("branch moved during the build"),
            BuildDecision::Lost => return Err(JobError::Lost),
        }
    }
    let sentence = "the branch or the site's options changed during every checkout; publish again";
    Err(JobError::Transient(sentence.to_owned()))
}

/// Data of the commit, for people to read. Missing values are left out.
async fn describe(publisher: &Publisher, files: &Files) -> ReleaseCommit {
    let checkouts = &publisher.repositories.checkouts;
    let Some(sha) = files.checkout.commit() else { return ReleaseCommit::default() };
    let mut commit = ReleaseCommit {
        branch: files.checkout.branch().map(str::to_owned),
        sha: Some(sha.to_owned()),
        ..ReleaseCommit::default()
    };
    // A folder can be anywhere within its repository, so its path there is unknown.
    let bare = files.checkout.repository();
    let repository = bare.clone().unwrap_or_else(|| files.checkout.folder().to_owned());
    let tree = async {
        match bare {
            Some(_) => checkouts.tree_of(&repository, sha, &files.docs).await.unwrap_or_default(),
            None => None,
        }
    };
    let (tree, facts) = tokio::join!(tree, checkouts.facts(&repository, sha, None));
    commit.docs_tree = tree;
    match facts {
        Ok(facts) => {
            commit.author = Some(facts.author);
            commit.message = Some(facts.message);
            commit.files_changed = facts.files_changed.and_then(|count| i64::try_from(count).ok());
        }
        Err(error) => tracing::warn!(%error, "commit not described"),
    }
    commit
}
