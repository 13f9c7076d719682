//! From a docs root to a folder of HTML.

use std::{collections::BTreeMap, path::Path};

use docwright_domain::{
    deployment::{DeploymentType, Features},
    export_job::{ExportWarning, MAXIMUM_WARNINGS},
};
use docwright_site::{
    Diagnostic, Options, Severity,
    build::{Progress, Report, build},
    content::shows_dates,
    options::Repository,
    output::Folder,
    source::Source,
};
use url::Url;

use super::{Publication, PublishError, blocking, check_out::DocsRoot, hide};
use crate::remote_specs::{self, Copies};

/// What a site shows besides its files: it comes from git and from other hosts.
#[derive(Debug)]
pub(super) struct Extras {
    source: Source,
    diagnostics: Vec<Diagnostic>,
    repository: Option<Repository>,
    last_modified: BTreeMap<String, String>,
}

/// Reads the files of a docs root; blocks.
pub(super) fn read(docs: &DocsRoot) -> Result<(Source, Vec<Diagnostic>), PublishError> {
    let read = Source::read(&docs.root);
    read.map_err(|error| PublishError::Source(hide(&error.to_string(), docs.checkout.folder())))
}

/// Reads the files, and asks git and other hosts for what they need.
pub(super) async fn gather(
    docs: &DocsRoot,
    publication: &Publication,
) -> Result<Extras, PublishError> {
    let root = docs.root.clone();
    let folder = docs.checkout.folder().to_owned();
    let (mut source, mut diagnostics) = blocking(move || {
        Source::read(&root).map_err(|error| PublishError::Source(hide(&error.to_string(), &folder)))
    })
    .await?;
    let repositories = &publication.repositories;
    if let Some(folder) = &publication.remote_specs {
        let copies = Copies { folder, owner: &publication.project.organization_id };
        let network = &repositories.checkouts.network;
        diagnostics.extend(remote_specs::bring_in(&mut source, &copies, network).await?);
    }
    let last_modified = if shows_dates(&source) {
        let wanted = source.paths().map(str::to_owned).collect();
        repositories.checkouts.last_changes(&docs.checkout, &docs.root, Some(&wanted)).await
    } else {
        BTreeMap::new()
    };
    let project = &publication.project;
    let repository = repositories.web_folder(project, &docs.checkout, &docs.root).await;
    Ok(Extras { source, diagnostics, repository, last_modified })
}

pub(super) fn compile(
    docs: &DocsRoot,
    extras: Extras,
    publication: &Publication,
    site: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, PublishError> {
    let Extras { source, mut diagnostics, repository, last_modified } = extras;
    let job = &publication.job;
    let options = Options {
        site_url: Url::parse(&format!("https://{}", job.domain)).ok(),
        commit: docs.checkout.commit().map(str::to_owned),
        version: job.version.clone(),
        paths: job.paths.clone(),
        // What a bundle may be that is served elsewhere.
        features: Features {
            analytics: publication.analytics,
            ..Features::of(DeploymentType::ClientHosted)
        },
        repository,
        last_modified,
    };
    let mut report = build(&source, &options, &Folder::new(site), progress)?;
    report.diagnostics.append(&mut diagnostics);
    report.diagnostics.sort();
    Ok(report)
}

/// The first mistakes of a report, and how many there are. Limits of docwright are none.
pub(super) fn warnings(report: &Report) -> (Vec<ExportWarning>, usize) {
    let mistakes = || report.diagnostics.iter().filter(|each| each.severity != Severity::Note);
    let first = mistakes().take(MAXIMUM_WARNINGS).map(|each| ExportWarning {
        page: each.path.clone(),
        line: each.line,
        message: each.message.clone(),
    });
    (first.collect(), mistakes().count())
}
