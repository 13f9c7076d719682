//! A static export: its progress, its bundle, and how to serve the bundle.

use axum::{
    extract::{Path, State},
    response::Response,
};
use docwright_operations::{
    OperationError, can, deployments,
    exports::{self, ExportBundle, StaticExportJob},
};
use docwright_types::{account::Role, export_job::ExportStatus, timestamp::Timestamp};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::ExportView;
use crate::{
    Dashboard,
    parts::{at, copied, copied_lines, live},
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (app, caller) = (&dashboard.operations, &place.of.caller);
    let job = exports::get(app, &caller.allowed()?, &id).await?;
    if job.project_id != place.project.id {
        return Err(Refusal::Missing);
    }
    // A link expires after about an hour; each view of the page creates a new one.
    let can_download = caller.can::<can::CreateExportBundle>();
    let bundle = if job.status == ExportStatus::Completed && can_download {
        match exports::bundle(app, &caller.allowed()?, &id, None).await {
            Ok(bundle) => Some(bundle),
            // The bundle might have been lost since.
            Err(OperationError::Forbidden(_) | OperationError::Conflict(_)) => None,
            Err(other) => return Err(other.into()),
        }
    } else {
        None
    };
    let deployment = deployment(&dashboard, &place, &job).await?;
    let here = place.path(&format!("exports/{}", job.job_id));
    let (now, base) = (dashboard.operations.now(), &dashboard.operations.repositories.public_url);
    let body = html! {
        p.above { a href=(place.path("exports")) { (words::EXPORTS) } }
        h1 { (words::export_of(&job.domain)) }
        (live("export", &here, job.is_running(), &html! {
            (standing(&place, now, &job, deployment.as_deref()))
            @if let Some(bundle) = &bundle { (download(now, &job, bundle)) }
            @else if job.status == ExportStatus::Completed { p.soft { (words::needs(Role::Editor)) } }
            (warnings(&job))
        }))
        h2 { (words::BY_API) }
        p { (words::BY_API_WHY) }
        (copied_lines(&by_api(base, &job, bundle.as_ref())))
    };
    Ok(place.page("exports", &words::export_of(&job.domain), &body))
}

/// The name of the deployment that the bundle is made for. A deleted one has its ID only.
async fn deployment(
    dashboard: &Dashboard,
    place: &ProjectContext,
    job: &StaticExportJob,
) -> Result<Option<String>, Refusal> {
    let Some(id) = &job.deployment_id else { return Ok(None) };
    let (caller, project) = (place.of.caller.allowed()?, &place.project.id);
    match deployments::get(&dashboard.operations, &caller, project, id).await {
        Ok(found) => Ok(Some(found.name)),
        Err(OperationError::NotFound(_)) => Ok(Some(id.clone())),
        Err(other) => Err(other.into()),
    }
}

fn standing(
    place: &ProjectContext,
    now: Timestamp,
    job: &StaticExportJob,
    deployment: Option<&str>,
) -> Markup {
    html! {
        p.standing { (job.standing()) " " span.soft { (words::pages(job.page_count)) } }
        @if job.is_running() {
            progress max="100" value=(job.progress) aria-label=(words::PROGRESS) {}
            p.soft { (job.progress) " %" }
        }
        @if job.status == ExportStatus::Failed {
            div.problem role="alert" {
                p { strong { (words::FAILED_BECAUSE) } " " (job.error.as_deref().unwrap_or(words::NO_REASON)) }
                p { (words::EXPORT_FAILED_NEXT) }
            }
        }
        dl.facts {
            dt { (words::DOMAIN) } dd { (job.domain) }
            dt { (words::DEPLOYMENT) } dd { (deployment.unwrap_or(words::DEFAULT_FEATURES)) }
            @if let Some(version) = &job.version { dt { (words::VERSION) } dd { (version) } }
            @if let Some(paths) = &job.paths { dt { (words::ONLY_PAGES) } dd { (paths.join(", ")) } }
            @if let Some(release) = &job.release_id {
                dt { (words::RELEASE) } dd { a href=(place.path(&format!("releases/{release}"))) { (words::THAT_RELEASE) } }
            }
            dt { (words::CREATED) } dd { (at(now, Some(&job.created_at))) }
            dt { (words::LAST_CHANGE) } dd { (at(now, Some(&job.updated_at))) }
            dt { (words::EXPORT_ID) } dd { (copied(&job.job_id)) }
        }
    }
}

fn download(now: Timestamp, job: &StaticExportJob, bundle: &ExportBundle) -> Markup {
    html! {
        h2 { (words::BUNDLE) }
        div.actions { a.button.primary href=(bundle.bundle_url) download="bundle.tar.gz" { (words::DOWNLOAD) } }
        dl.facts {
            dt { (words::SIZE) } dd { (words::bytes(bundle.size_bytes)) }
            dt { "SHA-256" } dd { (copied(&bundle.sha256)) }
            dt { (words::LINK) } dd { (copied(&bundle.bundle_url)) }
            dt { (words::LINK_ENDS) } dd { (at(now, Some(&bundle.expires_at))) }
        }
        h2 { (words::SERVE_IT) }
        p { (words::SERVE_IT_WHY) }
        (copied_lines(&values(job, bundle)))
    }
}

/// The values for `docwright deploy` and the Helm chart. JSON strings are YAML strings.
fn values(job: &StaticExportJob, bundle: &ExportBundle) -> String {
    let version = job.version.as_ref().map(|version| format!("  version: {}\n", json!(version)));
    format!(
        "staticExport:\n  enabled: true\n  bundleUrl: {}\n{}  sha256: {}\n",
        json!(bundle.bundle_url),
        version.unwrap_or_default(),
        json!(bundle.sha256),
    )
}

/// Shell commands that do the same with the API.
fn by_api(base: &str, job: &StaticExportJob, bundle: Option<&ExportBundle>) -> String {
    let (host, path) = job.domain.split_once('/').unwrap_or((&job.domain, ""));
    let mut body = json!({ "domain": host });
    if !path.is_empty() {
        body["basePath"] = Value::String(format!("/{path}"));
    }
    if let Some(version) = &job.version {
        body["version"] = version.as_str().into();
    }
    if let Some(paths) = &job.paths {
        body["paths"] = json!(paths);
    }
    if let Some(deployment) = &job.deployment_id {
        body["deployment"] = json!(deployment);
    }
    let body = quoted(&body.to_string());
    let key = "-H \"Authorization: Bearer $DOCWRIGHT_KEY\"";
    let id = &job.job_id;
    let mut lines = format!(
        "curl -X POST {base}/v1/static-export/jobs {key} -H 'Content-Type: application/json' -d {body}\n\
         curl {base}/v1/static-export/jobs/{id} {key}\n\
         curl -X POST {base}/v1/static-export/jobs/{id}/bundle {key}\n"
    );
    if let Some(bundle) = bundle {
        lines.push_str(&format!("curl -o bundle.tar.gz {}\n", quoted(&bundle.bundle_url)));
        lines.push_str(&format!("echo '{}  bundle.tar.gz' | sha256sum -c\n", bundle.sha256));
    }
    lines
}

/// Quotes a text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn warnings(job: &StaticExportJob) -> Markup {
    let shown = i64::try_from(job.warnings.len()).unwrap_or(i64::MAX);
    html! {
        @if !job.is_running() && job.status != ExportStatus::Failed {
            h2 { (words::DIAGNOSTICS) }
            @if job.warnings.is_empty() { p.soft { (words::NO_DIAGNOSTICS) } }
            @else {
                div.scroll tabindex="0" { table {
                    thead { tr { th { (words::WHERE) } th { (words::WHAT) } } }
                    tbody {
                        @for each in &job.warnings {
                            tr {
                                td { code { (each.page) @if each.line > 0 { ":" (each.line) } } }
                                td { (each.message) }
                            }
                        }
                    }
                } }
                @if job.warning_count > shown {
                    p.soft { (words::more(usize::try_from(job.warning_count - shown).unwrap_or_default())) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(version: &str) -> StaticExportJob {
        StaticExportJob {
            job_id: "exp_1".to_owned(),
            project_id: "prj_1".to_owned(),
            domain: "docs.example.com/guides".to_owned(),
            deployment_id: None,
            status: ExportStatus::Completed,
            progress: 100,
            page_count: 1,
            created_at: String::new(),
            updated_at: String::new(),
            error: None,
            version: Some(version.to_owned()),
            paths: None,
            release_id: None,
            warnings: Vec::new(),
            warning_count: 0,
        }
    }

    #[test]
    fn copied_commands_quote_any_label() {
        let label = "it's \"2026\"\n  enabled: false $(id)";
        let lines = by_api("https://docs.example.com", &job(label), None);
        let expected = r#""version":"it'\''s \"2026\"\n  enabled: false $(id)"}'"#;
        assert!(lines.contains(expected), "{lines}");
        let bundle = ExportBundle {
            job_id: "exp_1".to_owned(),
            bundle_url: "https://d.example/objects/a?x=1&y=2".to_owned(),
            size_bytes: 1,
            sha256: "00".to_owned(),
            expires_at: String::new(),
        };
        let values = values(&job(label), &bundle);
        assert_eq!(values.lines().count(), 5, "{values}");
        assert!(
            values.contains(r#"  version: "it's \"2026\"\n  enabled: false $(id)""#),
            "{values}"
        );
    }
}
