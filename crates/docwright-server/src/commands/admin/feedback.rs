//! `docwright admin feedback`: what readers say.

use anyhow::ensure;
use clap::Subcommand;
use docwright_domain::domain_address::DomainAddress;
use serde_json::json;

use super::{Install, Report, domain};

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

pub(super) async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    let Action::List { domain } = action;
    let known = install.database.domain(&domain).await?.is_some();
    ensure!(known, "{}", domain::missing(&domain));
    let pages = install.database.feedback(domain.as_str()).await?;
    let show = |each: &docwright_storage::database::PageFeedback| json!({ "page": each.page, "helpful": each.helpful, "unhelpful": each.unhelpful, "comments": each.comments });
    Ok(Report::list(
        pages.iter().map(show),
        &["page", "helpful", "unhelpful"],
        "No reader has said anything yet.",
    ))
}
