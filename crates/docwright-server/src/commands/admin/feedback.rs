//! `docwright admin feedback`: what readers say.

use anyhow::ensure;
use clap::Subcommand;
use docwright_storage::Database;
use serde_json::{Value, json};

use super::domain;

/// What to do with feedback.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Show what readers said of the pages of a domain
    List {
        /// The domain
        domain: String,
    },
}

pub(super) async fn act(database: &Database, action: Action) -> anyhow::Result<Value> {
    let Action::List { domain } = action;
    let name = domain::parse(&domain)?;
    ensure!(database.project_of_domain(&name).await?.is_some(), "{}", domain::missing(&name));
    let pages = database.feedback(name.as_str()).await?;
    Ok(pages
        .iter()
        .map(|each| json!({ "page": each.page, "helpful": each.helpful, "unhelpful": each.unhelpful, "comments": each.comments }))
        .collect())
}
