//! `docwright admin release`: asks for releases, lists them, activates one.

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_domain::{
    release::{Release, Trigger},
    timestamp::{Timestamp, iso},
};
use docwright_storage::{Database, database::Requested};
use serde_json::{Value, json};

use super::{domain, project};

/// Releases that are listed unless the command says how many.
const LISTED: i64 = 20;

/// What to do with releases.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Build the newest commit of a domain's branch; a running server does the work
    Create {
        /// The domain
        #[arg(long)]
        domain: String,
    },
    /// List the releases of a project, newest first
    List {
        /// Id of the project
        #[arg(long)]
        project: String,
        /// List those before this one
        #[arg(long, value_name = "RELEASE")]
        before: Option<String>,
        /// How many to list
        #[arg(long, default_value_t = LISTED, value_parser = clap::value_parser!(i64).range(1..=1000))]
        limit: i64,
    },
    /// Serve a ready release, such as an earlier one; it stays until a newer commit is released
    Activate {
        /// Id of the release
        release: String,
    },
}

pub(super) async fn act(
    database: &Database,
    action: Action,
    now: Timestamp,
) -> anyhow::Result<Value> {
    match action {
        Action::Create { domain } => create(database, &domain, now).await,
        Action::List { project, before, limit } => {
            project::find(database, &project).await?;
            let releases = database.releases(&project, before.as_deref(), limit).await?;
            let mut shown = Vec::new();
            for release in &releases {
                let site = database.site(&release.site_id).await?;
                let active = site.and_then(|site| site.active_release_id);
                shown.push(show(release, active.as_deref() == Some(&release.id)));
            }
            Ok(Value::Array(shown))
        }
        Action::Activate { release } => {
            ensure!(
                database.activate_release(&release, now).await?,
                "there is no ready release {release} of a whole site, or it was removed because of its age; see `docwright admin release list`"
            );
            Ok(json!({ "id": release, "active": true }))
        }
    }
}

async fn create(database: &Database, domain: &str, now: Timestamp) -> anyhow::Result<Value> {
    let name = domain::parse(domain)?;
    let site = database.site_of_domain(&name).await?;
    let site = site.with_context(|| domain::missing(&name))?;
    let (project, trigger) = (&site.project_id, Trigger::Manual);
    let asked = database.request_update(project, Some(&site.id), trigger, None, now).await?;
    let Requested::Update(update) = asked else { anyhow::bail!("the site of {name} is gone") };
    let releases = database.releases_of_update(&update).await?;
    let release = releases.first().context("the release is gone")?;
    Ok(json!({ "id": release.id, "update": update, "status": release.status.name() }))
}

fn show(release: &Release, active: bool) -> Value {
    json!({
        "id": release.id,
        "status": release.status.name(),
        "active": active,
        "commit": release.commit.sha,
        "message": release.commit.message,
        "author": release.commit.author,
        "trigger": release.trigger.name(),
        "pages": release.page_count,
        "warnings": release.warning_count,
        "error": release.error,
        "createdAt": iso(release.created_at),
    })
}
