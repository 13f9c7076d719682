//! The static exports of a project, and the form to start one.

pub(super) mod show;

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can, deployments,
    exports::{self, ListStaticExports, Paths, StartExport, StaticExportJob},
    fields::field,
    idempotency::Idempotency,
    instance, plans,
};
use docwright_types::{account::Role, export_job::ExportStatus};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    pages::domains,
    parts::{
        Field, FormError, ListQuery, NamedField, Tone, at, copied, empty, filter, lines, live,
        nothing_found, search, select, state,
    },
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The fields of the form, as errors of the operation name them.
const FIELDS: [NamedField; 4] = [
    ("domain", "domain", words::DOMAIN),
    ("deployment", "deployment", words::DEPLOYMENT),
    ("version", "version", words::VERSION),
    ("paths", "paths", words::ONLY_PAGES),
];

#[derive(Deserialize)]
pub(super) struct NewExport {
    domain: String,
    version: String,
    paths: String,
    /// ID of a deployment; empty for the default features.
    #[serde(default)]
    deployment: String,
}

/// An export, prepared for display.
pub(super) trait ExportView {
    /// Its status.
    fn standing(&self) -> Markup;
}

impl ExportView for StaticExportJob {
    fn standing(&self) -> Markup {
        let tone = match self.status {
            ExportStatus::Completed => Tone::Good,
            ExportStatus::Failed => Tone::Bad,
            ExportStatus::Running => Tone::Running,
            ExportStatus::Queued => Tone::Waiting,
        };
        state(tone, words::export_status(self.status.name()))
    }
}

impl NewExport {
    fn input(&self) -> Result<StartExport, OperationError> {
        let (host, base) = match self.domain.split_once('/') {
            Some((host, base)) => (host, Some(format!("/{base}"))),
            None => (self.domain.as_str(), None),
        };
        let paths = self.paths.lines().map(str::trim).filter(|path| !path.is_empty());
        let paths: Vec<_> = paths.map(str::to_owned).collect();
        let version = Some(self.version.trim()).filter(|version| !version.is_empty());
        let deployment = Some(self.deployment.as_str()).filter(|id| !id.is_empty());
        Ok(StartExport {
            domain: StartExport::host(host)?,
            base_path: base.map(|base| field("basePath", base)).transpose()?,
            version: version.map(|version| field("version", version)).transpose()?,
            paths: if paths.is_empty() { None } else { Some(Paths::parse(paths)?) },
            deployment: deployment.map(|id| field("deployment", id)).transpose()?,
        })
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(new): Form<NewExport>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let started = match new.input() {
        Ok(input) => {
            exports::start(&dashboard.operations, &caller, input, Idempotency::default()).await
        }
        Err(error) => Err(error),
    };
    match started.map_err(Refusal::from) {
        Ok(job) => {
            let path = place.path(&format!("exports/{}", job.job_id));
            Ok(place.of.person.browser.done(Done::ExportStarted, &path))
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, &ListQuery::default(), Some((&sentence, &new))).await
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    asked: &ListQuery,
    wrong: Option<(&str, &NewExport)>,
) -> Result<Response, Refusal> {
    let query = ListStaticExports {
        project_id: place.project.id.clone(),
        status: asked.in_status()?,
        search: asked.searched()?,
    };
    let (caller, page) = (place.of.caller.allowed()?, asked.page(None)?);
    let list = exports::list(&dashboard.operations, &caller, &query, &page).await?;
    let (path, next) = (place.path("exports"), list.next_cursor.as_deref());
    let is_running = list.items.iter().any(StaticExportJob::is_running);
    let error = FormError::of(wrong.map(|(sentence, _)| sentence), &FIELDS);
    let body = html! {
        h1 { (words::EXPORTS) }
        (error.show())
        @if asked.is_long(list.items.len(), next) {
            (search(&path, words::FIND_DOMAIN, asked))
            (filter(&path, "status", &words::EXPORT_STATUSES, asked))
        }
        (live("exports", &asked.here(&path), is_running, &html! {
            @if !list.items.is_empty() {
                (table(dashboard, place, &list.items))
            } @else if asked.is_all() {
                (empty(words::NO_EXPORTS, words::NO_EXPORTS_WHY, &Markup::default()))
            } @else {
                (nothing_found(&path, asked))
            }
            (asked.pager(&path, next))
        }))
        (start(dashboard, place, wrong.map(|(_, given)| given), &error).await?)
        @if let Some(key) = instance::bundle_public_key(&dashboard.operations) {
            h2 { (words::SIGNATURES) }
            p { (words::SIGNATURES_WHY) }
            dl.facts { dt { (words::PUBLIC_KEY) } dd { (copied(&key)) } }
        }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "exports", words::EXPORTS, &body))
}

fn table(dashboard: &Dashboard, place: &ProjectContext, jobs: &[StaticExportJob]) -> Markup {
    let now = dashboard.operations.now();
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::DOMAIN) } th.minor { (words::VERSION) }
                th.number.minor { (words::PAGES) } th.number { (words::DIAGNOSTICS) } th { (words::CREATED) }
            } }
            tbody {
                @for job in jobs {
                    tr {
                        td { (job.standing()) }
                        td.grow {
                            a href=(place.path(&format!("exports/{}", job.job_id))) { (job.domain) }
                            @if let Some(paths) = &job.paths { span.soft { " · " (words::only_pages(paths.len())) } }
                            @if job.is_running() {
                                progress max="100" value=(job.progress) aria-label=(words::PROGRESS) {}
                            }
                        }
                        td.minor { @if let Some(version) = &job.version { (version) } @else { span.soft { "–" } } }
                        td.number.minor { (job.page_count) }
                        td.number { (job.warning_count) }
                        td { (at(now, Some(&job.created_at))) }
                    }
                }
            }
        } }
    }
}

/// The form that starts an export, or the reason why there is none.
async fn start(
    dashboard: &Dashboard,
    place: &ProjectContext,
    given: Option<&NewExport>,
    error: &FormError,
) -> Result<Markup, Refusal> {
    let organization = &place.of.organization;
    if !place.of.person.account.is_operator && !plan_has_export(dashboard, place).await? {
        return Ok(html! {
            div.notice { p { strong { (words::PLAN_LACKS_EXPORT) } } p { (words::plan_lacks_export(&organization.plan.to_string())) } }
        });
    }
    if !place.of.caller.can::<can::StartStaticExport>() {
        return Ok(html! { p.soft.below { (words::needs(Role::Editor)) } });
    }
    let domains = domains::of_project(dashboard, place).await?;
    if domains.is_empty() {
        return Ok(html! {
            div.notice { p { (words::EXPORT_NEEDS_DOMAIN) " " a href=(place.path("domains")) { (words::ADD_DOMAIN) } } }
        });
    }
    let text = |of: fn(&NewExport) -> &str| given.map_or("", of);
    let options: Vec<_> = domains.iter().map(|name| (name, name)).collect();
    let caller = place.of.caller.allowed()?;
    let list = deployments::list(&dashboard.operations, &caller, &place.project.id).await?;
    let mut offered = vec![("", words::DEFAULT_FEATURES)];
    offered.extend(list.deployments.iter().map(|each| (each.id.as_str(), each.name.as_str())));
    Ok(html! {
        h2 { (words::NEW_EXPORT) }
        form.wide method="post" action=(place.path("exports")) {
            (select(("domain", words::DOMAIN), &options, text(|given| &given.domain), None))
            (select(("deployment", words::DEPLOYMENT), &offered, text(|given| &given.deployment), Some(words::DEPLOYMENT_HINT)))
            (Field::text("version", words::VERSION, text(|given| &given.version)).hint(words::VERSION_HINT).optional().checked(error).show())
            (lines(("paths", words::ONLY_PAGES), text(|given| &given.paths), Some(words::ONLY_PAGES_HINT), error))
            button.primary type="submit" { (words::START_EXPORT) }
        }
    })
}

/// Whether the plan of the organization includes static export.
async fn plan_has_export(dashboard: &Dashboard, place: &ProjectContext) -> Result<bool, Refusal> {
    let list = plans::list(&dashboard.operations, &place.of.caller.allowed()?).await?;
    let plan = place.of.organization.plan;
    Ok(list.plans.iter().any(|each| each.name == plan && each.limits.static_export))
}
