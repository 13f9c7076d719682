//! Static exports of a project: those that there are, and starting another one.

pub(super) mod show;

use axum::{
    extract::{Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use docwright_operations::plans;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{
    Dashboard,
    forms::Form,
    pages::domains,
    parts::{
        Asked, Field, Tone, at, empty, filter, lines, live, nothing_found, problem, search, select,
        state,
    },
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
pub(super) struct NewExport {
    domain: String,
    version: String,
    paths: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    jobs: Vec<Export>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Export {
    job_id: String,
    project_id: String,
    domain: String,
    status: String,
    progress: i64,
    page_count: i64,
    created_at: String,
    updated_at: String,
    error: Option<String>,
    version: Option<String>,
    paths: Option<Vec<String>>,
    release_id: Option<String>,
    warnings: Vec<Warning>,
    warning_count: i64,
}

#[derive(Deserialize)]
struct Warning {
    page: String,
    line: u32,
    message: String,
}

impl Export {
    fn is_running(&self) -> bool {
        matches!(self.status.as_str(), "queued" | "running")
    }

    fn standing(&self) -> Markup {
        let tone = match self.status.as_str() {
            "completed" => Tone::Good,
            "failed" => Tone::Bad,
            "running" => Tone::Running,
            _ => Tone::Waiting,
        };
        state(tone, words::export_status(&self.status))
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Form(new): Form<NewExport>,
) -> Result<Response, Refusal> {
    let (host, base) = match new.domain.split_once('/') {
        Some((host, base)) => (host, Some(format!("/{base}"))),
        None => (new.domain.as_str(), None),
    };
    let mut body = json!({ "domain": host });
    if let Some(base) = base {
        body["basePath"] = base.into();
    }
    let paths: Vec<_> = new.paths.lines().map(str::trim).filter(|path| !path.is_empty()).collect();
    if !paths.is_empty() {
        body["paths"] = paths.into();
    }
    let version = new.version.trim();
    if !version.is_empty() {
        body["version"] = version.into();
    }
    match place.of.operations.send(Method::POST, "/v1/static-export/jobs", Some(body)).await {
        Ok(job) => {
            let id = job["jobId"].as_str().unwrap_or_default();
            Ok(Redirect::to(&place.path(&format!("exports/{id}"))).into_response())
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, &Asked::default(), Some((&sentence, &new))).await
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectPlace,
    asked: &Asked,
    wrong: Option<(&str, &NewExport)>,
) -> Result<Response, Refusal> {
    let query = [("projectId", Some(place.project.id.as_str()))];
    let operation = asked.operation("/v1/static-export/jobs", &query);
    let list: List = place.of.operations.get(&operation).await?;
    let (path, next) = (place.path("exports"), list.next_cursor.as_deref());
    let is_running = list.jobs.iter().any(Export::is_running);
    let body = html! {
        h1 { (words::EXPORTS) }
        (problem(wrong.map(|(sentence, _)| sentence)))
        @if asked.is_long(list.jobs.len(), next) {
            (search(&path, words::FIND_DOMAIN, asked))
            (filter(&path, "status", &words::EXPORT_STATUSES, asked))
        }
        (live("exports", &asked.here(&path), is_running, &html! {
            @if !list.jobs.is_empty() {
                (table(dashboard, place, &list.jobs))
            } @else if asked.is_all() {
                (empty(words::NO_EXPORTS, words::NO_EXPORTS_WHY, &Markup::default()))
            } @else {
                (nothing_found(&path, asked))
            }
            (asked.pager(&path, next))
        }))
        (start(dashboard, place, wrong.map(|(_, given)| given)).await?)
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "exports", words::EXPORTS, &body))
}

fn table(dashboard: &Dashboard, place: &ProjectPlace, jobs: &[Export]) -> Markup {
    let now = dashboard.app.now();
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::DOMAIN) } th { (words::VERSION) }
                th.number { (words::PAGES) } th.number { (words::MISTAKES) } th { (words::CREATED) }
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
                        td { @if let Some(version) = &job.version { (version) } @else { span.soft { "–" } } }
                        td.number { (job.page_count) }
                        td.number { (job.warning_count) }
                        td { (at(now, Some(&job.created_at))) }
                    }
                }
            }
        } }
    }
}

/// The form that starts an export, or why there is none.
async fn start(
    dashboard: &Dashboard,
    place: &ProjectPlace,
    given: Option<&NewExport>,
) -> Result<Markup, Refusal> {
    let organization = &place.of.organization;
    if !place.of.person.account.is_operator && !plan_has_export(dashboard, place).await? {
        return Ok(html! {
            div.notice { p { strong { (words::PLAN_LACKS_EXPORT) } } p { (words::plan_lacks_export(&organization.plan.to_string())) } }
        });
    }
    if !place.of.may(Role::Editor) {
        return Ok(html! { p.soft.below { (words::needs(Role::Editor)) } });
    }
    let domains = domains::of_project(place).await?;
    if domains.is_empty() {
        return Ok(html! {
            div.notice { p { (words::EXPORT_NEEDS_DOMAIN) " " a href=(place.path("domains")) { (words::ADD_DOMAIN) } } }
        });
    }
    let text = |of: fn(&NewExport) -> &str| given.map_or("", of);
    let options: Vec<_> = domains.iter().map(|name| (name, name)).collect();
    Ok(html! {
        h2 { (words::NEW_EXPORT) }
        form.wide method="post" action=(place.path("exports")) {
            (select(("domain", words::DOMAIN), &options, text(|given| &given.domain), None))
            (Field::text("version", words::VERSION, text(|given| &given.version)).hint(words::VERSION_HINT).optional().show())
            (lines(("paths", words::ONLY_PAGES), text(|given| &given.paths), Some(words::ONLY_PAGES_HINT)))
            button.primary type="submit" { (words::START_EXPORT) }
        }
    })
}

/// Whether the plan of the organisation includes static export.
async fn plan_has_export(dashboard: &Dashboard, place: &ProjectPlace) -> Result<bool, Refusal> {
    let list = plans::list(&dashboard.app, &place.of.caller.allowed()?).await?;
    let plan = place.of.organization.plan;
    Ok(list.plans.iter().any(|each| each.name == plan && each.limits.static_export))
}
