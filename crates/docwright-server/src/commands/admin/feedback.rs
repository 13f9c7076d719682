//! `docwright admin feedback`: what readers say.

use clap::Subcommand;
use docwright_domain::domain_address::DomainAddress;
use serde_json::Value;

use super::{Client, Report, client::encoded, domain};

/// What to do with feedback.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List what readers said of the pages of a domain, those that helped least first
    List {
        /// The domain
        #[arg(long, value_parser = domain::parse)]
        domain: DomainAddress,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    let Action::List { domain } = action;
    let mut found =
        client.get(&format!("/v1/feedback?domain={}", encoded(domain.as_str()))).await?;
    let pages = match found["pages"].take() {
        Value::Array(pages) => pages,
        _ => Vec::new(),
    };
    let columns = &["page", "helpful", "unhelpful"];
    Ok(Report::list(pages, columns, "No reader has said anything yet."))
}
