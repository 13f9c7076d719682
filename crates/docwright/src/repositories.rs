//! Access to the repositories of projects, configured from the settings.

use std::path::Path;

use anyhow::Context;
use docwright_jobs::{
    clock::Clock,
    repositories::{NoPreviews, Repositories},
    result_caches::ResultCaches,
};
use docwright_repository::{
    checkout::{self, Checkouts},
    clones::{CloneLimits, Clones},
    git::{Environment, Git},
};
use docwright_storage::{Database, Keyring};

use crate::config::{GitHostSettings, StoreSettings};

/// Access to the repositories of projects. `public_url` is the address of the server.
pub(crate) fn repositories(
    (store, git_hosts): (&StoreSettings, &GitHostSettings),
    (database, keyring): (&Database, &Keyring),
    public_url: String,
) -> anyhow::Result<Repositories> {
    let git_folder = store.data.join("git");
    let git_folder = std::path::absolute(&git_folder)
        .with_context(|| format!("cannot find {}", git_folder.display()))?;
    let work = store.work_folder()?;
    Ok(Repositories {
        database: database.clone(),
        keyring: keyring.clone(),
        clock: Clock::default(),
        checkouts: Checkouts {
            clones: Clones::new(work.join("clones"), CloneLimits::default()),
            git: git(&work)?,
            network: git_hosts.network(),
            limits: checkout::Limits::default(),
        },
        hosts: git_hosts.hosts()?,
        git_folder,
        result_caches: ResultCaches::new(work.join("builds")),
        public_url,
        previews: Err(NoPreviews(
            "Only a running service opens previews; name it with --server.".to_owned(),
        )),
    })
}

/// Git with a home folder below another one.
pub(crate) fn git(folder: &Path) -> anyhow::Result<Git> {
    let home = std::path::absolute(folder.join("home"))?;
    std::fs::create_dir_all(&home).with_context(|| format!("cannot create {}", home.display()))?;
    Ok(Git::new(&Environment::new(home, std::env::vars_os())))
}
