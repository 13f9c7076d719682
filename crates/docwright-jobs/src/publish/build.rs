//! Builds a bundle in a child process. The bundle is stored while it is written. This side fetches data from the
//! network and git.

use std::{
    collections::BTreeSet,
    iter,
    path::{Path, PathBuf},
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use docwright_repository::web;
use docwright_site::embedding::EmbeddingError;
use docwright_types::{
    counted::{counted, grouped},
    export_job::{ExportDiagnostic, MAXIMUM_WARNINGS},
    git_host::{GitHostKind, RepositoryFolder},
    question_check::QuestionCheck,
    release::SiteConfiguration,
    stored_diagnostic::{StoredDiagnostic, StoredDiagnostics},
};

use super::{
    PublishTarget, Publisher, check_out::Files, growing::Growing, log, questions::questions,
};
use crate::{
    child::{
        BrokerRequest, BrokerResponse, Caller, ChildFailure, Folders, Progress,
        work::{Build, BuildDiagnostic, BuildOptions, Built},
    },
    queue::{HeldLease, JobError, Step},
    remote_specs::RemoteAddresses,
    result_caches::ResultCaches,
};

/// Percent at the end of rendering; packing and storing take the rest.
const RENDERED_PERCENT: i64 = 90;
/// Time between two records of progress.
const RECORDED_EVERY: Duration = Duration::from_millis(500);

/// A site that was just built.
pub(super) struct Site {
    /// Pages rendered.
    pub(super) page_count: i64,
    /// Its configuration, with the path of its file below the root of the repository.
    pub(super) configuration: Option<SiteConfiguration>,
    /// The first diagnostics.
    pub(super) warnings: Vec<ExportDiagnostic>,
    /// Number of diagnostics.
    pub(super) warning_count: i64,
    /// More of them, with their paths below the root of the repository.
    pub(super) diagnostics: StoredDiagnostics,
    /// What its golden questions showed, if they were asked.
    pub(super) questions: Option<QuestionCheck>,
}

/// Builds the site into a bundle.
pub(super) async fn build(
    publisher: &Publisher,
    held: &HeldLease,
    wanted: &PublishTarget,
    files: &Files,
    bundle: &Growing,
) -> Result<Site, JobError> {
    let scratch = bundle.folder().join("scratch");
    std::fs::create_dir(&scratch)?;
    let questions = questions(publisher, wanted, files, bundle).await;
    let before = questions.as_ref().and_then(|asked| asked.before.clone());
    let results = prepare_results(publisher, wanted);
    let work = Build {
        root: files.root.clone(),
        scratch,
        bundle: bundle.path().to_owned(),
        options: options(publisher, wanted, files).await,
        questions,
        results: results.clone(),
    };
    let results_folder = results.as_deref().and_then(Path::parent);
    let folders = Folders {
        read: iter::once(files.checkout.folder().to_owned()).chain(before).collect(),
        write: iter::once(bundle.folder()).chain(results_folder).map(Path::to_owned).collect(),
    };
    let supplier = SandboxBroker { publisher, wanted, files, counter: Counter::default() };
    let built = publisher.launcher.run(work, &folders, &supplier, held.interrupted());
    let built = tokio::select! {
        built = built => built,
        error = record(publisher, held, &supplier.counter) => return Err(error),
    };
    if let Some(results) = &results {
        tidy_results(results, wanted, built.as_ref().ok());
    }
    let built = built.map_err(|error| match error.failure {
        ChildFailure::Stopped => held.interruption(),
        _ => JobError::of(&error, error.is_transient()),
    })?;
    bundle.end();
    held.reached(Step::Built);
    log(publisher, held, &summary(&built)).await?;
    Ok(Site::new(built, &files.docs))
}

/// The file with results of earlier builds of the site; `None` if there can't be one.
fn prepare_results(publisher: &Publisher, wanted: &PublishTarget) -> Option<PathBuf> {
    let caches = &publisher.repositories.result_caches;
    let (project, site) = (&wanted.project.id, &wanted.site.id);
    let discarded =
        if wanted.release.without_cache { caches.discard(project, site) } else { Ok(()) };
    let prepared = discarded.and_then(|()| caches.prepare(project, site));
    if let Err(error) = &prepared {
        tracing::warn!(%error, site = %wanted.site.id, "results of builds not kept");
    }
    prepared.ok()
}

/// The step of a log for a build.
fn summary(built: &Built) -> String {
    let reused = match built.reused_pages {
        0 => String::new(),
        count => format!(", {} of them from earlier builds", grouped(count)),
    };
    format!("built: {}{reused}", counted(built.page_count, "page"))
}

/// Removes what the child left besides its results.
fn tidy_results(results: &Path, wanted: &PublishTarget, built: Option<&Built>) {
    let site = &wanted.site.id;
    if let Err(error) = ResultCaches::tidy(results) {
        tracing::warn!(%error, %site, "folder with results of builds not cleaned");
    }
    let Some(Built { page_count, reused_pages, results_error, .. }) = built else { return };
    if let Some(error) = results_error {
        tracing::warn!(error, %site, "results of a build not kept");
    }
    tracing::debug!(pages = page_count, reused = reused_pages, %site, "site built");
}

impl Site {
    fn new(built: Built, docs: &str) -> Self {
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let warning = |diagnostic: BuildDiagnostic| ExportDiagnostic {
            page: diagnostic.path,
            line: diagnostic.line,
            message: diagnostic.message,
        };
        let docs = if docs.is_empty() { String::new() } else { format!("{docs}/") };
        let stored = |diagnostic: &BuildDiagnostic| StoredDiagnostic {
            path: format!("{docs}{}", diagnostic.path),
            line: diagnostic.line,
            is_error: diagnostic.is_error,
            code: diagnostic.code.clone(),
            message: diagnostic.message.clone(),
        };
        let warning_count = count(built.errors.saturating_add(built.warnings));
        Self {
            page_count: count(built.page_count),
            configuration: built
                .configuration
                .map(|found| SiteConfiguration { path: format!("{docs}{}", found.path), ..found }),
            warning_count,
            diagnostics: StoredDiagnostics::new(
                (warning_count, count(built.errors)),
                built.diagnostics.iter().map(stored).collect(),
            ),
            questions: built.questions,
            warnings: built.diagnostics.into_iter().take(MAXIMUM_WARNINGS).map(warning).collect(),
        }
    }
}

async fn options(publisher: &Publisher, wanted: &PublishTarget, files: &Files) -> BuildOptions {
    BuildOptions {
        site_url: Some(wanted.options.address.clone()),
        commit: files.checkout.commit().map(str::to_owned),
        version: wanted.options.version.clone(),
        paths: wanted.options.paths.clone(),
        features: wanted.options.features.clone(),
        repository: repository_folder(publisher, files).await,
        remote_specs: wanted.remote_specs(publisher).is_some(),
        embedder: publisher.embedder.as_ref().map(|embedder| embedder.model().to_owned()),
    }
}

/// Where readers view and edit the files.
async fn repository_folder(publisher: &Publisher, files: &Files) -> Option<RepositoryFolder> {
    let repositories = &publisher.repositories;
    if let Some(address) = files.repository.address() {
        let kind = repositories.hosts.kind(address);
        return Some(RepositoryFolder {
            kind: kind.or_else(|| GitHostKind::suggested_by(address.host())),
            address: web::web_address(address)?,
            branch: files.branch.clone()?,
            folder: files.docs.clone(),
        });
    }
    if files.repository.is_built_in() {
        return None;
    }
    web::of_folder(&repositories.checkouts.git, &files.root).await
}

/// Gets data that the child can't get itself.
struct SandboxBroker<'a> {
    publisher: &'a Publisher,
    wanted: &'a PublishTarget,
    files: &'a Files,
    counter: Counter,
}

impl Caller for SandboxBroker<'_> {
    async fn supply(&self, needs: BrokerRequest) -> BrokerResponse {
        let mut given = BrokerResponse::default();
        if !needs.dates.is_empty() {
            let wanted: BTreeSet<String> = needs.dates.into_iter().collect();
            let checkouts = &self.publisher.repositories.checkouts;
            let (checkout, root) = (&self.files.checkout, &self.files.root);
            given.dates = checkouts.last_changes(checkout, root, Some(&wanted)).await;
        }
        // A child can ask even if its options forbid it.
        if let Some(specs) = self.wanted.remote_specs(self.publisher) {
            let owner = &self.wanted.project.organization_id;
            let addresses =
                RemoteAddresses { specs: needs.remote_specs, fonts: needs.remote_fonts };
            let (fetched, diagnostics) = specs.fetch(addresses, owner).await;
            (given.remote_specs, given.remote_fonts) = (fetched.specs, fetched.fonts);
            given.diagnostics = diagnostics;
        }
        given
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        // A child can ask even if its site has no assistant.
        let embedder = self.publisher.embedder.clone();
        let embedder = embedder.filter(|_| self.wanted.options.features.has_own_assistant());
        let Some(embedder) = embedder else { return Err("there is no model".to_owned()) };
        let model = embedder.model().to_owned();
        let embedded = tokio::task::spawn_blocking(move || embedder.embed(&texts)).await;
        let embedded = embedded.unwrap_or_else(|error| Err(EmbeddingError(error.to_string())));
        embedded.map_err(|error| {
            let project = &self.wanted.project.id;
            tracing::warn!(%error, %model, %project, "sections not embedded; the site is searched by words");
            error.to_string()
        })
    }

    fn progress(&self, progress: Progress) {
        self.counter.set(progress);
    }
}

/// Records progress until the lease is lost.
async fn record(publisher: &Publisher, held: &HeldLease, counter: &Counter) -> JobError {
    let mut recorded = (0, 0);
    loop {
        tokio::time::sleep(RECORDED_EVERY).await;
        let progress = counter.percent_and_pages();
        if progress == recorded {
            continue;
        }
        let now = publisher.clock.now();
        match publisher.database.record_progress(held.lease(), progress, now).await {
            Ok(true) => recorded = progress,
            Ok(false) => return JobError::Lost,
            Err(error) => tracing::warn!(%error, "progress not recorded; retrying"),
        }
    }
}

/// Progress of a build.
#[derive(Debug, Default)]
struct Counter {
    rendered: AtomicI64,
    total: AtomicI64,
}

impl Counter {
    fn set(&self, progress: Progress) {
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.total.store(count(progress.total), Ordering::Relaxed);
        self.rendered.store(count(progress.rendered), Ordering::Relaxed);
    }

    fn percent_and_pages(&self) -> (i64, i64) {
        let rendered = self.rendered.load(Ordering::Relaxed);
        let total = self.total.load(Ordering::Relaxed).max(1);
        let percent = rendered.saturating_mul(RENDERED_PERCENT) / total;
        (percent.clamp(0, RENDERED_PERCENT), rendered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rendering_is_most_of_progress() {
        let counter = Counter::default();
        assert_eq!(counter.percent_and_pages(), (0, 0));
        counter.set(Progress { rendered: 5, total: 10 });
        assert_eq!(counter.percent_and_pages(), (45, 5));
        counter.set(Progress { rendered: usize::MAX, total: 1 });
        assert_eq!(counter.percent_and_pages().0, RENDERED_PERCENT);
    }
}
