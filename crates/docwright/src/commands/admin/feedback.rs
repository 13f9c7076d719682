//! `docwright admin feedback`: feedback of readers.

use clap::Subcommand;
use docwright_operations::{feedback::FeedbackFilter, fields::SiteDomain};
use docwright_types::domain_address::DomainAddress;

use super::{Client, Report, domain};

/// What to do with feedback.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Show the ratings and comments of a domain's pages, least helpful pages first
    List {
        /// Domain, such as docs.example.com
        #[arg(long, value_parser = domain::parse)]
        domain: DomainAddress,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    let Action::List { domain } = action;
    let filter = FeedbackFilter { domain: SiteDomain(domain) };
    let feedback = client.feedback_of_domain(&filter).await?;
    let columns = &["page", "helpful", "unhelpful"];
    Ok(Report::rows(&feedback.pages, columns, "No feedback yet.")?)
}
