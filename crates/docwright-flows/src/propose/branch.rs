//! From changes to a branch on the host.

use std::path::Path;

use cap_std::{ambient_authority, fs::Dir};
use docwright_agent::{
    run::Run,
    workspace::{Change, Changes},
};
use docwright_domain::{agent_job::AgentJob, timestamp::iso};

use super::{Install, Progress, ProposeError, Step, check_out::Checkout, describe};
use crate::forge::Forge;

/// Commits the changes and pushes the job's own branch. `false` if they come to nothing. The same
/// job makes the same commit again, so doing it twice is doing it once.
pub(super) async fn push(
    run: &Run,
    job: &AgentJob,
    checkout: &Checkout,
    summary: &str,
    forge: &Forge,
    progress: &Progress<'_>,
    install: &Install,
) -> Result<bool, ProposeError> {
    tokio::task::block_in_place(|| write(run.changes(), &checkout.root))?;
    let (name, email) = &install.author;
    let git = forge
        .git()
        .await?
        .with_environment("GIT_AUTHOR_NAME", name)
        .with_environment("GIT_AUTHOR_EMAIL", email)
        .with_environment("GIT_AUTHOR_DATE", iso(job.created_at))
        .with_environment("GIT_COMMITTER_NAME", name)
        .with_environment("GIT_COMMITTER_EMAIL", email)
        .with_environment("GIT_COMMITTER_DATE", iso(job.created_at));
    let folder = &checkout.folder;
    git.run(folder, &["add", "--all", "--", &checkout.root.display().to_string()]).await?;
    if git.run(folder, &["diff", "--cached", "--quiet"]).await.is_ok() {
        return Ok(false);
    }
    let message = describe::commit_message(summary);
    git.run(folder, &["commit", "--quiet", "--no-verify", "--signoff", "--message", &message])
        .await?;
    progress.note(Step::Committed).await?;
    progress.hold().await?;
    let head = super::check_out::head(job);
    let refspec = format!("+HEAD:refs/heads/{head}");
    git.run(folder, &["push", "--quiet", "--", &forge.address(), &refspec]).await?;
    progress.branch(&head).await?;
    progress.note(Step::Pushed).await?;
    Ok(true)
}

/// Writes changes below the docs root, through a handle that nothing leads out of.
fn write(changes: &Changes, root: &Path) -> std::io::Result<()> {
    let root = Dir::open_ambient_dir(root, ambient_authority())?;
    // Copies first: what they are taken from may be deleted by another change.
    for (path, change) in changes.iter() {
        if let Change::Moved(from) = change {
            make_folder(&root, path)?;
            root.copy(from, &root, path)?;
        }
    }
    for (path, change) in changes.iter() {
        match change {
            Change::Written(text) => {
                make_folder(&root, path)?;
                root.write(path, text)?;
            }
            Change::Deleted if root.exists(path) => root.remove_file(path)?,
            Change::Deleted | Change::Moved(_) => {}
        }
    }
    Ok(())
}

fn make_folder(root: &Dir, path: &str) -> std::io::Result<()> {
    match path.rsplit_once('/') {
        Some((folder, _)) => root.create_dir_all(folder),
        None => Ok(()),
    }
}
