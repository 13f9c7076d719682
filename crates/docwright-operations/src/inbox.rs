//! The inbox of an account: what concerns the person. It has the events that notifications are sent for, if they are
//! about something that the person asked for; ends of the person's pull requests and invitations; releases that wait;
//! and problems of projects that the person can edit. Nothing is stored for it but the time until which the person has
//! read: an item is what its record says now, and a problem is gone when its cause is.
//!
//! An inbox isn't limited to an organization, so its functions take the account of a session and its memberships.

use std::collections::HashSet;

use docwright_storage::database::{Account, InboxRow, Membership, OwnChange};
use docwright_types::{
    account::Role,
    notification::EventKind,
    problem::ProblemKind,
    timestamp::{DAY, Timestamp},
};
use futures::future::try_join_all;
use serde_json::Value;

use crate::{OperationError, Operations};

/// Age from which items are left out.
const KEPT: Timestamp = 30 * DAY;
/// Items of an inbox: the newest.
pub const INBOX_ITEMS: usize = 50;
/// Organizations whose waiting releases are found.
const ORGANIZATIONS: usize = 10;
/// Records of a kind that are looked up: those that were asked for last.
const RECORDS: usize = 50;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxKind {
    /// An event of something that the person asked for.
    Event(EventKind),
    /// A release waits until someone activates it.
    ReleaseWaiting,
    /// The last prompt of an agent job with a pull request failed.
    FollowUpFailed,
    /// Someone else merged a pull request of the person.
    PullRequestMerged,
    /// Someone else closed a pull request of the person.
    PullRequestClosed,
    /// Someone accepted an invitation of the person.
    InvitationAccepted,
    /// Something about a project doesn't work.
    Problem(ProblemKind),
}

/// Something that concerns an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// What happened.
    pub kind: InboxKind,
    /// ID of the release, agent job, or export; number of the pull request; or the domain.
    pub subject: String,
    /// Title of the subject, or who did it.
    pub title: Option<String>,
    /// What is wrong.
    pub error: Option<String>,
    /// ID and name of the project.
    pub project: Option<(String, String)>,
    /// ID of the organization.
    pub organization_id: String,
    /// When it happened.
    pub at: Timestamp,
    /// Whether the person hasn't read it.
    pub is_unread: bool,
}

/// What concerns an account, the newest first.
#[derive(Debug, Default)]
pub struct Inbox {
    /// The items.
    pub items: Vec<InboxItem>,
}

impl Inbox {
    /// The number of items that the person hasn't read.
    pub fn unread(&self) -> usize {
        self.items.iter().filter(|item| item.is_unread).count()
    }
}

/// Returns what concerns an account.
pub async fn of_account(
    operations: &Operations,
    account: &Account,
    memberships: &[Membership],
) -> Result<Inbox, OperationError> {
    let database = &operations.database;
    let (read_until, own, waiting, repositories, certificates) = tokio::try_join!(
        async { Ok(database.inbox_read_until(&account.id).await?) },
        own(operations, account),
        waiting(operations, memberships),
        async { Ok(database.failing_repositories(&account.id).await?) },
        async { Ok(database.failing_certificates(&account.id).await?) },
    )?;
    let problems = repositories.into_iter().chain(certificates).map(problem);
    let mut items: Vec<_> = own.into_iter().chain(waiting).chain(problems).collect();
    // A person who left an organization hears nothing of it.
    let own: HashSet<_> = memberships.iter().map(|each| each.organization.id.as_str()).collect();
    let oldest = operations.now() - KEPT;
    items.retain(|item| {
        let is_own = account.is_operator || own.contains(item.organization_id.as_str());
        is_own && item.at >= oldest
    });
    items.sort_by_key(|item| std::cmp::Reverse(item.at));
    items.dedup_by(|one, other| one.kind == other.kind && one.subject == other.subject);
    items.truncate(INBOX_ITEMS);
    for item in &mut items {
        item.is_unread = item.at > read_until;
    }
    Ok(Inbox { items })
}

/// Records that an account has read the items until a time, which isn't later than now.
pub async fn read(
    operations: &Operations,
    account: &Account,
    until: Timestamp,
) -> Result<(), OperationError> {
    Ok(operations.database.read_inbox(&account.id, until.min(operations.now())).await?)
}

/// What the person asked for, by kind.
#[derive(Debug, Default)]
struct Asked {
    updates: Vec<String>,
    commits: Vec<(String, String)>,
    jobs: Vec<String>,
    exports: Vec<String>,
    /// Pull requests, as the audit log names them, and invitations.
    ended_by_others: Vec<String>,
}

impl Asked {
    fn of(changes: &[OwnChange]) -> Self {
        let mut asked = Self::default();
        for change in changes {
            let subject = change.subject.clone();
            match change.action.as_str() {
                "update.create" => asked.updates.push(subject),
                "repository.push" => asked.commits.extend(pushed(change)),
                "agent_job.create" | "agent_job.message" => asked.jobs.push(subject),
                "export_job.create" => asked.exports.push(subject),
                "pull_request.create" | "invitation.create" => asked.ended_by_others.push(subject),
                "page.edit" => asked.ended_by_others.extend(proposed(change)),
                _ => {}
            }
        }
        for list in
            [&mut asked.updates, &mut asked.jobs, &mut asked.exports, &mut asked.ended_by_others]
        {
            keep_first(list);
        }
        asked.commits.truncate(RECORDS);
        asked
    }
}

/// Leaves out what is repeated, and what is beyond the limit.
fn keep_first(list: &mut Vec<String>) {
    let mut seen = HashSet::new();
    list.retain(|each| seen.insert(each.clone()));
    list.truncate(RECORDS);
}

/// The commits of a push, with the project.
fn pushed(change: &OwnChange) -> Vec<(String, String)> {
    let branches = change.after.as_ref().and_then(Value::as_object);
    let commits = branches.into_iter().flat_map(|branches| branches.values());
    let commits = commits.filter_map(Value::as_str);
    commits.map(|commit| (change.subject.clone(), commit.to_owned())).collect()
}

/// The pull request of an edited page, if it is on the built-in git host.
fn proposed(change: &OwnChange) -> Option<String> {
    pull_request_of(change.after.as_ref()?["pullRequest"].as_str()?)
}

/// The name of a pull request in the audit log, by its URL on the built-in git host.
fn pull_request_of(url: &str) -> Option<String> {
    let (project, number) = url.rsplit_once("/projects/")?.1.split_once("/pull-requests/")?;
    Some(format!("{project}/{number}"))
}

/// What became of what the person asked for.
async fn own(operations: &Operations, account: &Account) -> Result<Vec<InboxItem>, OperationError> {
    let database = &operations.database;
    let changes = database.own_changes(&account.id).await?;
    let mut asked = Asked::of(&changes);
    let (updates, commits, jobs, exports) = tokio::try_join!(
        database.failed_releases_of_updates(&asked.updates),
        database.failed_releases_of_commits(&asked.commits),
        database.ended_jobs_among(&asked.jobs),
        database.ended_exports_among(&asked.exports),
    )?;
    let proposed = jobs.iter().filter_map(|job| pull_request_of(job.related.as_deref()?));
    asked.ended_by_others.extend(proposed);
    keep_first(&mut asked.ended_by_others);
    let ended = database.ends_by_others(&account.id, &asked.ended_by_others).await?;
    let failed = |row| item(InboxKind::Event(EventKind::ReleaseFailed), row);
    let mut items: Vec<_> = updates.into_iter().chain(commits).map(failed).collect();
    items.extend(jobs.into_iter().map(|row| item(kind_of_job(&row), row)));
    items.extend(exports.into_iter().map(|row| {
        let is_failed = row.state == "failed";
        let event = if is_failed { EventKind::ExportFailed } else { EventKind::ExportCompleted };
        item(InboxKind::Event(event), row)
    }));
    items.extend(ends(operations, ended).await?);
    Ok(items)
}

fn kind_of_job(row: &InboxRow) -> InboxKind {
    match (row.state.as_str(), &row.related) {
        ("failed", Some(_)) => InboxKind::FollowUpFailed,
        ("failed", None) => InboxKind::Event(EventKind::JobFailed),
        _ => InboxKind::Event(EventKind::JobCompleted),
    }
}

/// Pull requests that others merged or closed, and invitations that they accepted.
async fn ends(
    operations: &Operations,
    ended: Vec<OwnChange>,
) -> Result<Vec<InboxItem>, OperationError> {
    let name = |subject: &str| {
        let (project, number) = subject.split_once('/')?;
        Some((project.to_owned(), number.parse().ok()?))
    };
    let pulls: Vec<_> = ended.iter().filter_map(|change| name(&change.subject)).collect();
    let pulls = operations.database.pull_requests_among(&pulls).await?;
    let item_of = |change: OwnChange| {
        let (action, at) = (change.action.as_str(), change.at);
        if action == "invitation.accept" {
            return Some(InboxItem {
                kind: InboxKind::InvitationAccepted,
                subject: change.subject,
                title: Some(change.actor),
                error: None,
                project: None,
                organization_id: change.organization_id?,
                at,
                is_unread: false,
            });
        }
        let (project, number) = name(&change.subject)?;
        let number: i64 = number;
        let is_it =
            |row: &&InboxRow| row.project_id == project && row.subject == number.to_string();
        let row = pulls.iter().find(is_it)?.clone();
        let is_merged = action == "pull_request.merge";
        let kind =
            if is_merged { InboxKind::PullRequestMerged } else { InboxKind::PullRequestClosed };
        Some(InboxItem { at, ..item(kind, row) })
    };
    Ok(ended.into_iter().filter_map(item_of).collect())
}

/// Releases that wait in organizations where the person can activate them: the newest of each site.
async fn waiting(
    operations: &Operations,
    memberships: &[Membership],
) -> Result<Vec<InboxItem>, OperationError> {
    let own = memberships.iter().filter(|each| each.role >= Role::Editor).take(ORGANIZATIONS);
    let found = own.map(|each| operations.database.waiting_releases_of(&each.organization.id));
    let found = try_join_all(found).await?;
    let mut sites = HashSet::new();
    let newest = found.into_iter().flatten().filter(|row| sites.insert(row.related.clone()));
    let items = newest.map(|row| {
        let is_held = row.state == "held";
        let held = InboxKind::Event(EventKind::ReleaseHeld);
        item(if is_held { held } else { InboxKind::ReleaseWaiting }, row)
    });
    Ok(items.collect())
}

fn problem(row: InboxRow) -> InboxItem {
    let kind = row.state.parse().unwrap_or(ProblemKind::Repository);
    item(InboxKind::Problem(kind), row)
}

fn item(kind: InboxKind, row: InboxRow) -> InboxItem {
    InboxItem {
        kind,
        subject: row.subject,
        title: row.title,
        error: row.error,
        project: Some((row.project_id, row.project)),
        organization_id: row.organization_id,
        at: row.at,
        is_unread: false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(action: &str, subject: &str, after: Value) -> OwnChange {
        OwnChange {
            action: action.to_owned(),
            subject: subject.to_owned(),
            actor: String::new(),
            organization_id: None,
            after: Some(after),
            at: 1,
        }
    }

    #[test]
    fn changes_name_what_the_person_asked_for() {
        let url = "http://localhost/projects/prj_1/pull-requests/7";
        let elsewhere = "https://github.com/acme/docs/pull/12";
        let asked = Asked::of(&[
            change("update.create", "upd_1", Value::Null),
            change("repository.push", "prj_1", json!({ "main": "c0ffee", "gone": null })),
            change("agent_job.message", "agt_1", Value::Null),
            change("agent_job.create", "agt_1", Value::Null),
            change("page.edit", "prj_1/start", json!({ "pullRequest": url })),
            change("page.edit", "prj_1/start", json!({ "pullRequest": elsewhere })),
            change("invitation.create", "inv_1", Value::Null),
            change("key.create", "key", Value::Null),
        ]);
        assert_eq!(asked.updates, ["upd_1"]);
        assert_eq!(asked.commits, [("prj_1".to_owned(), "c0ffee".to_owned())]);
        assert_eq!(asked.jobs, ["agt_1"]);
        assert_eq!(asked.ended_by_others, ["prj_1/7", "inv_1"]);
        let many: Vec<_> = (0..90)
            .map(|number| change("update.create", &number.to_string(), Value::Null))
            .collect();
        assert_eq!(Asked::of(&many).updates.len(), RECORDS);
    }
}
