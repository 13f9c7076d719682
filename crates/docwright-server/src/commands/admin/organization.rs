//! `docwright admin organization`: those who own projects and keys.

use anyhow::ensure;
use clap::Subcommand;
use docwright_domain::plan::Plan;
use docwright_storage::database::Organization;
use serde_json::{Value, json};

use super::{Install, Report, confirm::Confirm, name};

/// What to do with organisations.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make an organisation
    Create {
        /// Its name, which no other organisation has
        #[arg(value_parser = name::parse)]
        name: String,
        /// Its plan: free, team or enterprise
        #[arg(long, default_value = "enterprise")]
        plan: Plan,
    },
    /// List organisations
    List,
    /// Show an organisation
    Show {
        /// Its id or name
        organization: String,
    },
    /// Change the name or the plan of an organisation
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// Its id or name
        organization: String,
        /// Its new name
        #[arg(long, value_parser = name::parse, group = "change")]
        name: Option<String>,
        /// Its new plan: free, team or enterprise
        #[arg(long, group = "change")]
        plan: Option<Plan>,
    },
    /// Delete an organisation with its projects, domains, releases, exports, jobs and keys
    Delete {
        /// Its id or name
        organization: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    let database = &install.database;
    match action {
        Action::Create { name, plan } => {
            let made = database.create_organization(&name, plan, install.now).await?;
            Ok(Report::of(show(&made))
                .then(format!("docwright admin project create NAME --organization {}", made.id)))
        }
        Action::List => Ok(Report::list(
            database.organizations().await?.iter().map(show),
            &["id", "name", "plan"],
            "There is no organisation yet; make one with `docwright admin organization create NAME`.",
        )),
        Action::Show { organization } => {
            Ok(Report::of(show(&install.organization(&organization).await?)))
        }
        Action::Update { organization, name, plan } => {
            let id = install.organization(&organization).await?.id;
            database.update_organization(&id, name.as_deref(), plan).await?;
            Ok(Report::of(show(&install.organization(&id).await?)))
        }
        Action::Delete { organization, confirm } => {
            let Organization { id, name, .. } = install.organization(&organization).await?;
            confirm.ask(&format!(
                "the organisation {name} ({id}) with its projects, domains, releases, exports, jobs and keys"
            ))?;
            let report = install.deletion().await?.organization(&id).await?;
            ensure!(report.is_some(), "somebody else has deleted {id} meanwhile");
            Ok(Report::of(json!(report)))
        }
    }
}

fn show(organization: &Organization) -> Value {
    let Organization { id, name, plan } = organization;
    json!({ "id": id, "name": name, "plan": plan.to_string() })
}
