//! `docwright admin plan`: what organisations may have.

use axum::http::Method;
use clap::Subcommand;
use docwright_domain::plan::Plan;
use serde_json::{Value, json};

use super::{Client, Report};

/// What to do with plans.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List the plans with what each includes
    List,
    /// Change what a plan includes; what is not named stays
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Set {
        /// Its name: free, pro or enterprise
        plan: Plan,
        /// Whether sites can be exported: true or false
        #[arg(long, group = "change")]
        static_export: Option<bool>,
        /// Projects of an organisation, as 10; none for as many as it likes
        #[arg(long, group = "change", value_name = "COUNT|none")]
        projects: Option<Amount>,
        /// Members of an organisation, as 25; none for as many as it likes
        #[arg(long, group = "change", value_name = "COUNT|none")]
        members: Option<Amount>,
        /// Prompts that each project may send in any hour, as 100
        #[arg(long, group = "change", value_name = "COUNT")]
        prompts_an_hour: Option<i64>,
        /// Bytes of storage of an organization, such as 20000000000; none for no limit
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
    let listed = client.send(Method::GET, "/v1/plans", None).await?;
    let plans = listed["plans"].as_array().cloned().unwrap_or_default();
    match action {
        Action::List => {
            let columns =
                &["name", "staticExport", "projects", "members", "promptsAnHour", "storageBytes"];
            Ok(Report::list(plans.into_iter().map(shown).collect::<Vec<_>>(), columns, ""))
        }
        Action::Set { plan, static_export, projects, members, prompts_an_hour, storage_bytes } => {
            let name = plan.to_string();
            let found = plans.into_iter().find(|each| each["name"] == name.as_str());
            let mut limits = found.map(|mut found| found["limits"].take()).unwrap_or_default();
            let changes = [
                ("staticExport", static_export.map(|value| json!(value))),
                ("projects", projects.map(|Amount(amount)| json!(amount))),
                ("members", members.map(|Amount(amount)| json!(amount))),
                ("promptsAnHour", prompts_an_hour.map(|value| json!(value))),
                ("storageBytes", storage_bytes.map(|Amount(amount)| json!(amount))),
            ];
            for (field, value) in changes {
                if let Some(value) = value {
                    limits[field] = value;
                }
            }
            let path = format!("/v1/plans/{name}");
            Ok(Report::of(shown(client.send(Method::PUT, &path, Some(limits)).await?)))
        }
    }
}

/// A plan with its limits beside its name.
fn shown(plan: Value) -> Value {
    let mut shown = json!({ "name": plan["name"] });
    for (name, value) in plan["limits"].as_object().into_iter().flatten() {
        shown[name] = value.clone();
    }
    shown
}
