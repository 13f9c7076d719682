//! From a docs root to a folder of HTML.

use std::path::Path;

use docwright_domain::{
    deployment::{DeploymentType, Features},
    export_job::{ExportWarning, MAXIMUM_WARNINGS},
};
use docwright_site::{
    Options, Severity,
    build::{Progress, Report, build},
    output::Folder,
    source::Source,
};
use url::Url;

use super::{Publication, PublishError, check_out::Checkout};
use crate::{history, origin, remote_specs};

pub(super) fn compile(
    checkout: &Checkout,
    publication: &Publication,
    site: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, PublishError> {
    let (mut source, mut diagnostics) = Source::read(&checkout.root)?;
    if let Some(folder) = &publication.remote_specs {
        diagnostics.extend(remote_specs::bring_in(&mut source, folder)?);
    }
    let last_changes =
        if checkout.is_clone { history::last_changes_in_clone } else { history::last_changes };
    let job = &publication.job;
    let options = Options {
        site_url: Url::parse(&format!("https://{}", job.domain)).ok(),
        commit: checkout.commit.clone(),
        version: job.version.clone(),
        paths: job.paths.clone(),
        // What a bundle may be that is served elsewhere.
        features: Features {
            analytics: publication.analytics,
            ..Features::of(DeploymentType::ClientHosted)
        },
        repository: origin::repository(&checkout.root),
        last_modified: last_changes(&checkout.root, &source),
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
