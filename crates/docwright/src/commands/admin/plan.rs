//! `docwright admin plan`: limits of organizations.

use std::fmt::Display;

use anyhow::Context;
use clap::Subcommand;
use docwright_operations::{
    fields::field,
    plans::{PlanLimits, SetPlan},
};
use docwright_types::plan::Plan;
use serde_json::{Value, json};

use super::{Client, Report, client::command_error};

/// What to do with plans.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List the plans with their limits
    List,
    /// Set the limits of a plan; omitted limits are kept
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Set {
        /// Plan: free, pro, or enterprise
        plan: Plan,
        /// Whether the plan includes static exports
        #[arg(long, group = "change")]
        static_export: Option<bool>,
        /// Maximum projects per organization, such as 10; none for no limit
        #[arg(long, group = "change", value_name = "COUNT|none")]
        projects: Option<Amount>,
        /// Maximum members per organization, such as 25; none for no limit
        #[arg(long, group = "change", value_name = "COUNT|none")]
        members: Option<Amount>,
        /// Maximum prompts per project in any hour, such as 100
        #[arg(long, group = "change", value_name = "COUNT")]
        prompts_an_hour: Option<i64>,
        /// Maximum storage per organization in bytes, such as 20000000000; none for no limit
        #[arg(long, group = "change", value_name = "BYTES|none")]
        storage_bytes: Option<Amount>,
    },
}

/// A limit, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount(Option<i64>);

impl std::str::FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        let number = text.parse().map_err(|_| "must be a whole number, or none".to_owned())?;
        Ok(Self(Some(number)))
    }
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    let plans = client.list_plans().await?.plans;
    match action {
        Action::List => {
            let columns =
                &["name", "staticExport", "projects", "members", "promptsAnHour", "storageBytes"];
            Ok(Report::list(plans.iter().map(shown), columns, ""))
        }
        Action::Set { plan, static_export, projects, members, prompts_an_hour, storage_bytes } => {
            let found = plans.into_iter().find(|each| each.name == plan);
            let found = found.with_context(|| format!("plan {plan} not found"))?;
            let mut limits = found.limits;
            if let Some(static_export) = static_export {
                limits.static_export = static_export;
            }
            if let Some(Amount(projects)) = projects {
                limits.projects = projects.map(|count| amount("projects", count)).transpose()?;
            }
            if let Some(Amount(members)) = members {
                limits.members = members.map(|count| amount("members", count)).transpose()?;
            }
            if let Some(count) = prompts_an_hour {
                limits.prompts_an_hour = amount("promptsAnHour", count)?;
            }
            if let Some(Amount(bytes)) = storage_bytes {
                limits.storage_bytes =
                    bytes.map(|bytes| amount("storageBytes", bytes)).transpose()?;
            }
            // Limits that weren't named are sent as they were read.
            let revision = field("revision", found.revision.to_string()).map_err(command_error)?;
            let input = SetPlan::new(limits, Some(revision));
            Ok(Report::of(shown(&client.set_plan(plan, input).await?)))
        }
    }
}

/// A limit within its bounds.
fn amount<T: TryFrom<String, Error: Display>>(name: &str, number: i64) -> anyhow::Result<T> {
    field(name, number.to_string()).map_err(command_error)
}

/// Returns a plan with its limits beside its name, and its revision.
fn shown(plan: &PlanLimits) -> Value {
    let mut shown = json!({ "name": plan.name });
    for (name, value) in json!(plan.limits).as_object().into_iter().flatten() {
        shown[name] = value.clone();
    }
    shown["revision"] = json!(plan.revision);
    shown
}
