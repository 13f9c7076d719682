//! Records events for every interested subscription.

use docwright_types::{
    notification::EventKind,
    site_origin::SiteOrigin,
    timestamp::{Timestamp, iso},
};
use serde_json::{Value, json};
use sqlx::{Any, Row, Transaction, any::AnyRow};

use super::super::new_id;
use crate::StorageError;

/// The subject of an event: the kind of row, and its id.
#[derive(Debug, Clone, Copy)]
pub(in crate::database) enum Subject<'a> {
    /// A release.
    Release(&'a str),
    /// A static export job.
    Export(&'a str),
    /// An agent job.
    AgentJob(&'a str),
    /// Feedback of a reader.
    Feedback(&'a str),
}

/// A subscription gets no more notifications while this many are pending because its target doesn't accept them.
const MAXIMUM_PENDING: i64 = 10_000;
/// Longest text of a field, in characters.
const LONGEST_TEXT: usize = 2_000;

/// Records an event in the transaction of its change.
pub(in crate::database) async fn record(
    transaction: &mut Transaction<'_, Any>,
    subject: Subject<'_>,
    kind: EventKind,
    now: Timestamp,
) -> Result<(), StorageError> {
    let Some(row) = describe(transaction, subject).await? else { return Ok(()) };
    let (organization, project): (String, String) =
        (row.try_get("organization_id")?, row.try_get("project_id")?);
    let wanted = sqlx::query(
        "SELECT id, events FROM subscriptions WHERE organization_id = $1 AND (project_id IS NULL OR project_id = $2) \
         AND (SELECT COUNT(*) FROM (SELECT 1 FROM notifications WHERE subscription_id = subscriptions.id \
         AND status = 'pending' LIMIT $3) AS waiting) < $3",
    );
    let wanted = wanted.bind(&organization).bind(&project).bind(MAXIMUM_PENDING);
    let mut payload = None;
    for subscription in wanted.fetch_all(&mut **transaction).await? {
        let events: String = subscription.try_get("events")?;
        // A JSON list of names without quotes.
        if !events.contains(&format!("\"{}\"", kind.name())) {
            continue;
        }
        if payload.is_none() {
            let data = data(subject, &row)?;
            payload = Some(
                json!({ "type": kind.name(), "timestamp": iso(now), "data": data }).to_string(),
            );
        }
        let id: String = subscription.try_get("id")?;
        let payload = payload.as_deref().unwrap_or_default();
        insert(transaction, &id, (kind, payload), now).await?;
    }
    Ok(())
}

/// Adds a notification of a subscription, to be sent soon.
pub(in crate::database) async fn insert(
    transaction: &mut Transaction<'_, Any>,
    subscription_id: &str,
    (kind, payload): (EventKind, &str),
    now: Timestamp,
) -> Result<(), StorageError> {
    sqlx::query(
        "INSERT INTO notifications (id, subscription_id, event, payload, status, attempts, run_after, lease_number, \
         created_at, updated_at) VALUES ($1, $2, $3, $4, 'pending', 0, 0, 0, $5, $5)",
    )
    .bind(new_id("msg"))
    .bind(subscription_id)
    .bind(kind.name())
    .bind(payload)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// The row of a subject with the data of its payload.
async fn describe(
    transaction: &mut Transaction<'_, Any>,
    subject: Subject<'_>,
) -> Result<Option<AnyRow>, StorageError> {
    let (sql, id) = match subject {
        Subject::Release(id) => (
            "SELECT releases.organization_id, releases.project_id, projects.name AS project, releases.address, sites.domain, trigger_name, \
             releases.status, releases.branch, commit_sha, commit_message, commit_author, page_count, warning_count, held_errors, error \
             FROM releases JOIN projects ON projects.id = releases.project_id JOIN sites ON sites.id = releases.site_id \
             WHERE releases.id = $1 AND servable = 1",
            id,
        ),
        Subject::Export(id) => (
            "SELECT export_jobs.organization_id, project_id, projects.name AS project, domain, version, status, page_count, \
             warning_count, bundle_size, bundle_sha256, error \
             FROM export_jobs JOIN projects ON projects.id = project_id WHERE export_jobs.id = $1",
            id,
        ),
        Subject::AgentJob(id) => (
            "SELECT projects.organization_id, project_id, projects.name AS project, status, pr_link, summary, error \
             FROM agent_jobs JOIN projects ON projects.id = project_id WHERE agent_jobs.id = $1",
            id,
        ),
        Subject::Feedback(id) => (
            "SELECT projects.organization_id, domains.project_id, projects.name AS project, domain, page, helpful, comment \
             FROM feedback JOIN domains ON domains.name = feedback.domain JOIN projects ON projects.id = domains.project_id \
             WHERE feedback.id = $1",
            id,
        ),
    };
    Ok(sqlx::query(sql).bind(id).fetch_optional(&mut **transaction).await?)
}

/// The address of a release at the time of its request.
fn site_address(row: &AnyRow) -> Result<String, sqlx::Error> {
    let known: Option<String> = row.try_get("address")?;
    match known {
        Some(address) => Ok(address),
        None => Ok(SiteOrigin::default().address(row.try_get("domain")?)),
    }
}

fn data(subject: Subject<'_>, row: &AnyRow) -> Result<Value, StorageError> {
    let text = |name: &str| -> Result<Option<String>, sqlx::Error> {
        let found: Option<String> = row.try_get(name)?;
        Ok(found.map(|found| match found.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => format!("{}…", &found[..end]),
            None => found,
        }))
    };
    let number = |name: &str| row.try_get::<Option<i64>, _>(name);
    let mut data = match subject {
        Subject::Release(id) => json!({
            "releaseId": id,
            "site": site_address(row)?,
            "trigger": text("trigger_name")?,
            "status": text("status")?,
            "branch": text("branch")?,
            "commit": text("commit_sha")?,
            "message": text("commit_message")?,
            "author": text("commit_author")?,
            "pageCount": number("page_count")?,
            "warningCount": number("warning_count")?,
            "heldErrors": number("held_errors")?,
            "error": text("error")?,
        }),
        Subject::Export(id) => json!({
            "jobId": id,
            "domain": text("domain")?,
            "version": text("version")?,
            "status": text("status")?,
            "pageCount": number("page_count")?,
            "warningCount": number("warning_count")?,
            "sizeBytes": number("bundle_size")?,
            "sha256": text("bundle_sha256")?,
            "error": text("error")?,
        }),
        Subject::AgentJob(id) => json!({
            "jobId": id,
            "status": text("status")?,
            "prLink": text("pr_link")?,
            "summary": text("summary")?,
            "error": text("error")?,
        }),
        Subject::Feedback(id) => json!({
            "feedbackId": id,
            "domain": text("domain")?,
            "page": text("page")?,
            "helpful": number("helpful")? == Some(1),
            "comment": text("comment")?,
        }),
    };
    data["organizationId"] = json!(text("organization_id")?);
    data["projectId"] = json!(text("project_id")?);
    data["project"] = json!(text("project")?);
    Ok(data)
}
