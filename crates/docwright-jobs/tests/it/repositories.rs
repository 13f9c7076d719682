//! Credentials that git sends to a host.

use std::path::PathBuf;

use docwright_jobs::{
    queue::JobError,
    repositories::{Repositories, docs_root},
};
use docwright_repository::{
    checkout::{Origin, Revision},
    git_hosts::HostSettings,
    remote::Access,
};
use docwright_storage::database::{CredentialOwner, Project};

use crate::instance::Instance;

const HOST: &str = "git.example.com";

/// An operator's token for [`HOST`], and a key for SSH.
fn operator() -> HostSettings {
    HostSettings {
        tokens: [(HOST.to_owned(), "operators".to_owned())].into(),
        ssh_key: Some(PathBuf::from("/etc/key")),
        ..HostSettings::default()
    }
}

/// The credentials that git sends to the host of a project: a name and a password, a key, or nothing.
async fn shown(repositories: &Repositories, project: &Project) -> String {
    let repository = repositories.of(project).await.unwrap();
    assert!(!repository.is_built_in());
    let Origin::Remote { owner, address, access } = repository.origin() else {
        panic!("expected a remote repository");
    };
    assert_eq!(owner, project.organization_id, "organizations don't share clones");
    assert_eq!(repository.address(), Some(address));
    match access {
        Access::Anonymous => "nothing".to_owned(),
        Access::Password(shown) => format!("{}:{}", shown.username, shown.password),
        Access::SshKey(key) => key.display().to_string(),
    }
}

async fn set(instance: &Instance, owner: CredentialOwner<'_>, host: &str, secret: &str) {
    let credential = (host, "me", secret);
    instance.database.set_credential(owner, credential, &Instance::keyring(), 1).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nearest_credentials_are_used() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(operator());
    let project = instance.project("near", &format!("https://{HOST}/a/b.git")).await;
    assert_eq!(shown(&repositories, &project).await, "x-access-token:operators");
    let organization = CredentialOwner::Organization(&project.organization_id);
    set(&instance, organization, HOST, "organizations").await;
    assert_eq!(shown(&repositories, &project).await, "me:organizations");
    set(&instance, CredentialOwner::Project(&project.id), HOST, "own").await;
    assert_eq!(shown(&repositories, &project).await, "me:own");
    let other = instance.project("other", &format!("https://{HOST}/a/b.git")).await;
    assert_eq!(shown(&repositories, &other).await, "x-access-token:operators");
}

/// A token without a name gets the name that its host expects.
#[tokio::test(flavor = "multi_thread")]
async fn own_token_without_name_is_sent_as_host_expects() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(operator());
    let keyring = Instance::keyring();
    for (host, expected) in
        [("bitbucket.org", "x-token-auth:own"), ("git.example.org", "x-access-token:own")]
    {
        let project = instance.project(host, &format!("https://{host}/a/b.git")).await;
        let (owner, credential) =
            (CredentialOwner::Project(&project.id), (host, "x-access-token", "own"));
        instance.database.set_credential(owner, credential, &keyring, 1).await.unwrap();
        assert_eq!(shown(&repositories, &project).await, expected);
    }
}

/// A host with a port is another host.
#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_used_for_one_port() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(operator());
    let project = instance.project("port", &format!("https://{HOST}:8443/a/b.git")).await;
    set(&instance, CredentialOwner::Project(&project.id), HOST, "own").await;
    assert_eq!(shown(&repositories, &project).await, "nothing");
    set(&instance, CredentialOwner::Project(&project.id), &format!("{HOST}:8443"), "ports").await;
    assert_eq!(shown(&repositories, &project).await, "me:ports");
}

/// Passwords are sent only over HTTP. SSH uses the operator's key; a folder needs nothing.
#[tokio::test(flavor = "multi_thread")]
async fn other_schemes_get_no_password() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(operator());
    for (name, address, expected) in [
        ("ssh", format!("ssh://git@{HOST}/a/b.git"), "/etc/key"),
        ("short", format!("git@{HOST}:a/b.git"), "/etc/key"),
        ("file", "file:///srv/a.git".to_owned(), "nothing"),
        ("http", format!("http://{HOST}/a/b.git"), "me:own"),
    ] {
        let project = instance.project(name, &address).await;
        set(&instance, CredentialOwner::Project(&project.id), HOST, "own").await;
        assert_eq!(shown(&repositories, &project).await, expected, "{address}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_address_is_permanent_error() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(operator());
    for (name, address) in [("gopher", "gopher://example.com/a"), ("words", "no such folder")] {
        let project = instance.project(name, address).await;
        let error = repositories.of(&project).await.unwrap_err();
        assert!(matches!(error, JobError::Permanent(_)), "{error}");
        assert!(repositories.git_hosts(&project).await.is_err(), "{address}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_and_built_in_repositories_need_no_credentials() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(operator());
    let folder = instance.project("folder", "/srv/docs").await;
    let repository = repositories.of(&folder).await.unwrap();
    assert!(matches!(repository.origin(), Origin::Folder(path) if path.ends_with("srv/docs")));
    assert!(!repository.is_built_in() && repository.address().is_none());
    let Err(error) = repositories.git_hosts(&folder).await else {
        panic!("a folder has no pull requests");
    };
    assert!(matches!(error, JobError::Permanent(_)), "{error}");
    let built_in = instance.project("built-in", "built-in").await;
    let repository = repositories.of(&built_in).await.unwrap();
    let expected = instance.folder().join("git").join(format!("{}.git", built_in.id));
    assert!(matches!(repository.origin(), Origin::Bare(path) if path == expected));
    assert!(repository.is_built_in() && repository.address().is_none());
    assert!(repositories.git_hosts(&built_in).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn docs_root_is_found_below_docs_path() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(HostSettings::default());
    let folder = instance.folder().join("repository");
    let docs = folder.join("site/docs");
    std::fs::create_dir_all(&docs).unwrap();
    let origin = Origin::Folder(&folder);
    let check_out = async |path| {
        repositories.checkouts.check_out(&origin, path, Revision::Default).await.unwrap()
    };
    let error = docs_root(&check_out("").await).unwrap_err();
    assert!(matches!(error, JobError::Permanent(_)), "{error}");
    let private = instance.folder().display().to_string();
    assert!(!error.to_string().contains(&private), "{error}");
    std::fs::write(docs.join("docs.json"), "{}").unwrap();
    let expected = (docs.canonicalize().unwrap(), "site/docs".to_owned());
    for path in ["", "site", "site/docs"] {
        let found = docs_root(&check_out(path).await).unwrap();
        assert_eq!(found, expected, "{path}");
    }
}
