//! `docwright admin organization`: those who own projects and keys.

use anyhow::ensure;
use clap::Subcommand;
use docwright_domain::{plan::Plan, timestamp::Timestamp};
use docwright_storage::{Database, database::Organization};
use serde_json::{Value, json};

use super::{confirm::Confirm, deletion};
use crate::config::Settings;

/// What to do with organisations.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make an organisation
    Create {
        /// Its name
        name: String,
        /// Its plan: free, team or enterprise
        #[arg(long, default_value = "enterprise")]
        plan: Plan,
    },
    /// List organisations
    List,
    /// Change the name or the plan of an organisation
    Update {
        /// Its id
        id: String,
        /// Its new name
        #[arg(long, required_unless_present = "plan")]
        name: Option<String>,
        /// Its new plan: free, team or enterprise
        #[arg(long)]
        plan: Option<Plan>,
    },
    /// Delete an organisation with its projects, domains, releases, exports, jobs and keys
    Delete {
        /// Its id
        id: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(
    database: &Database,
    settings: &Settings,
    action: Action,
    now: Timestamp,
) -> anyhow::Result<Value> {
    match action {
        Action::Create { name, plan } => {
            Ok(show(&database.create_organization(&name, plan, now).await?))
        }
        Action::List => Ok(database.organizations().await?.iter().map(show).collect()),
        Action::Update { id, name, plan } => {
            find(database, &id).await?;
            database.update_organization(&id, name.as_deref(), plan).await?;
            Ok(show(&find(database, &id).await?))
        }
        Action::Delete { id, confirm } => {
            let organization = find(database, &id).await?;
            confirm.ask(&format!(
                "the organisation {} ({id}) with its projects, domains, releases, exports, jobs and keys",
                organization.name
            ))?;
            let deletion = deletion(database, settings).await?;
            let report = deletion.organization(&id).await?;
            ensure!(report.is_some(), "somebody else has deleted {id} meanwhile");
            Ok(json!(report))
        }
    }
}

/// The organisation of an id.
pub(super) async fn find(database: &Database, id: &str) -> anyhow::Result<Organization> {
    let found = database.organization(id).await?;
    found.ok_or_else(|| {
        anyhow::anyhow!("there is no organisation {id}; see `docwright admin organization list`")
    })
}

fn show(organization: &Organization) -> Value {
    let Organization { id, name, plan } = organization;
    json!({ "id": id, "name": name, "plan": plan.to_string() })
}
