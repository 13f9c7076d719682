//! Of previews, static exports, domains and feedback.

use docwright_domain::counted::counted;

pub(in crate::dashboard) const PREVIEWS: &str = "Previews";
pub(in crate::dashboard) const PREVIEW: &str = "Preview";
pub(in crate::dashboard) const NO_PREVIEWS: &str = "No preview yet";
pub(in crate::dashboard) const NO_PREVIEWS_WHY: &str = "A preview is a site of its own for a branch or a pull request, to look at before it is merged. Pull requests get theirs by themselves.";
pub(in crate::dashboard) const NO_PREVIEWS_HERE: &str = "This install has no previews.";
pub(in crate::dashboard) const FORK: &str = "Fork";
pub(in crate::dashboard) const FIND_BRANCH: &str = "Branch";
pub(in crate::dashboard) const FIND_DOMAIN: &str = "Domain";
pub(in crate::dashboard) const FIND_PAGE: &str = "Page";
pub(in crate::dashboard) const CLOSED: &str = "Closed";
pub(in crate::dashboard) const NEW_PREVIEW: &str = "Preview a branch";
pub(in crate::dashboard) const NEW_PREVIEW_HINT: &str = "The name of a branch of the repository. Its newest commit is built; the same branch keeps its address.";
pub(in crate::dashboard) const MAKE_PREVIEW: &str = "Make preview";
pub(in crate::dashboard) const PREVIEW_PASSWORD: &str = "Password of previews";
pub(in crate::dashboard) const PASSWORD_IS_SET: &str = "Every preview asks for a password.";
pub(in crate::dashboard) const PASSWORD_IS_NOT_SET: &str = "Whoever has the address of a preview sees it. Nobody can guess it, but a comment on a public pull request shows it to all.";
pub(in crate::dashboard) const PREVIEW_PASSWORD_HINT: &str =
    "Who gave another one before is asked again. It is kept as a hash, and never shown.";
pub(in crate::dashboard) const SET_PASSWORD: &str = "Set password";
pub(in crate::dashboard) const REMOVE_PASSWORD: &str = "Remove password";
pub(in crate::dashboard) const REMOVE_PASSWORD_QUESTION: &str =
    "Let everybody who has its address see a preview?";
pub(in crate::dashboard) const OPEN_PREVIEW: &str = "Open preview";
pub(in crate::dashboard) const SIDE_BY_SIDE: &str = "Changes side by side";
pub(in crate::dashboard) const END_PREVIEW: &str = "End preview";
pub(in crate::dashboard) const END_PREVIEW_QUESTION: &str =
    "Close this preview? Its URL stops working.";
pub(in crate::dashboard) const PREVIEW_FAILED_NEXT: &str =
    "Fix what is wrong and push to the branch again.";
pub(in crate::dashboard) const NEW_MISTAKES: &str = "New diagnostics";
pub(in crate::dashboard) const NO_NEW_MISTAKES: &str =
    "No diagnostics that the published site doesn't have.";
pub(in crate::dashboard) const EXPORTS: &str = "Static exports";
pub(in crate::dashboard) const NO_EXPORTS: &str = "No export yet";
pub(in crate::dashboard) const NO_EXPORTS_WHY: &str = "A static export is a site as one archive. It is served from your own network, from any file storage, or from a folder without a network.";
pub(in crate::dashboard) const PLAN_LACKS_EXPORT: &str = "Static export is not part of your plan.";
pub(in crate::dashboard) const NEW_EXPORT: &str = "New export";
pub(in crate::dashboard) const DOMAIN: &str = "Domain";
pub(in crate::dashboard) const VERSION_HINT: &str = "A label that the archive has, such as 2026.11. An export with a label changes nothing that readers see.";
pub(in crate::dashboard) const ONLY_PAGES: &str = "Only these pages";
pub(in crate::dashboard) const ONLY_PAGES_HINT: &str =
    "Addresses of pages, one a line, such as guides/start. Leave it empty for the whole site.";
pub(in crate::dashboard) const START_EXPORT: &str = "Start export";
pub(in crate::dashboard) const EXPORT_NEEDS_DOMAIN: &str =
    "An export is of the site of a domain, and this project has none yet.";
pub(in crate::dashboard) const EXPORT_FAILED_NEXT: &str =
    "Fix what is wrong in the repository, then start another export.";
pub(in crate::dashboard) const EXPORT_ID: &str = "Export id";
pub(in crate::dashboard) const BUNDLE: &str = "Bundle";
pub(in crate::dashboard) const DOWNLOAD: &str = "Download";
pub(in crate::dashboard) const SIZE: &str = "Size";
pub(in crate::dashboard) const LINK: &str = "Link";
pub(in crate::dashboard) const LINK_ENDS: &str = "Expires";
pub(in crate::dashboard) const SERVE_IT: &str = "Serve it";
pub(in crate::dashboard) const SERVE_IT_WHY: &str = "Save this as values.yaml and run docwright deploy --values values.yaml. The Helm chart takes the same values.";
pub(in crate::dashboard) const BY_API: &str = "The same by the API";
pub(in crate::dashboard) const BY_API_WHY: &str = "Make an API key with the scope write and set it as DOCWRIGHT_KEY. The steps are: start, ask until it is completed, get a link, download and check.";
pub(in crate::dashboard) const DOMAINS: &str = "Domains";
pub(in crate::dashboard) const NO_DOMAINS: &str = "No domain yet";
pub(in crate::dashboard) const NO_DOMAINS_WHY: &str = "A domain is where readers find the site. Verify that you own it with a DNS record. Names that end in .localhost need none.";
pub(in crate::dashboard) const ADD_DOMAIN: &str = "Add domain";
pub(in crate::dashboard) const DOMAIN_HINT: &str =
    "A host, such as docs.example.com, or a host and a path, such as example.com/docs.";
pub(in crate::dashboard) const BRANCH_HINT: &str =
    "The branch that it shows. Leave it empty for the repository's default branch.";
pub(in crate::dashboard) const DEFAULT_BRANCH: &str = "default branch";
pub(in crate::dashboard) const CERTIFICATE: &str = "Certificate";
pub(in crate::dashboard) const WAITS_FOR_DNS: &str = "Waits for DNS";
pub(in crate::dashboard) const WAITS_FOR_RELEASE: &str = "Waits for a release";
pub(in crate::dashboard) const SERVES: &str = "Serves";
pub(in crate::dashboard) const DOMAIN_WITHOUT_RELEASE: &str =
    "Nothing was built for it yet. The next commit brings a release; or build the newest one now.";
pub(in crate::dashboard) const REMOVE_DOMAIN: &str = "Remove domain";
pub(in crate::dashboard) const REMOVE_DOMAIN_WHY: &str = "The site stops working at this address. Its releases, its exports and what readers said there are deleted for good.";
pub(in crate::dashboard) const RECORDS: &str = "DNS records";
pub(in crate::dashboard) const RECORDS_WHY: &str =
    "Add these records at your DNS provider. docwright checks for them for 30 days.";
pub(in crate::dashboard) const RECORDS_LEAD: &str = "The host has to lead here.";
pub(in crate::dashboard) const RECORD_TYPE: &str = "Type";
pub(in crate::dashboard) const RECORD_NAME: &str = "Name";
pub(in crate::dashboard) const RECORD_VALUE: &str = "Value";
pub(in crate::dashboard) const CHECK_NOW: &str = "Check now";
pub(in crate::dashboard) const CERTIFICATE_ENDS: &str = "ends";
pub(in crate::dashboard) const CERTIFICATE_AGAIN: &str = "It is tried again by itself.";
pub(in crate::dashboard) const CERTIFICATE_LATER: &str = "Requested after you verify the domain.";
pub(in crate::dashboard) const CERTIFICATE_ELSEWHERE: &str =
    "This service orders none for the host: a proxy before it has one, or the operator gave it.";
pub(in crate::dashboard) const FEEDBACK: &str = "Feedback";
pub(in crate::dashboard) const NO_FEEDBACK: &str = "No feedback yet";
pub(in crate::dashboard) const NO_FEEDBACK_WHY: &str = "Readers are asked at the end of each page whether it helped, and what is missing. Their answers come here.";
pub(in crate::dashboard) const NOTE: &str = "Note";
pub(in crate::dashboard) const HELPED: &str = "Helped";
pub(in crate::dashboard) const DID_NOT_HELP: &str = "Did not help";

/// Why a preview is closed.
pub(in crate::dashboard) fn closed_because(reason: &str) -> &'static str {
    match reason {
        "pull_request" => "Its pull request was merged or closed.",
        "unchanged" => "Nothing was pushed to it for a long time.",
        "newer" => "The project has as many newer previews as it may have.",
        _ => "Somebody ended it.",
    }
}

/// Who could change the plan.
pub(in crate::dashboard) fn plan_lacks_export(plan: &str) -> String {
    format!(
        "The organisation is on the plan {plan}. The operator of this install changes plans: ask them, or whoever set docwright up."
    )
}

/// The statuses of an export, by which a list can be limited.
pub(in crate::dashboard) const EXPORT_STATUSES: [(&str, &str); 4] = [
    ("queued", "Queued"),
    ("running", "Running"),
    ("completed", "Completed"),
    ("failed", "Failed"),
];

/// The states of a preview, by which a list can be limited.
pub(in crate::dashboard) const PREVIEW_STATES: [(&str, &str); 2] =
    [("open", "Open"), ("closed", CLOSED)];

/// The status of an export.
pub(in crate::dashboard) fn export_status(status: &str) -> &str {
    EXPORT_STATUSES.iter().find(|(name, _)| *name == status).map_or(status, |(_, label)| label)
}

/// An export is of so many pages only.
pub(in crate::dashboard) fn only_pages(count: usize) -> String {
    format!("{} only", counted(count, "page"))
}

/// The title of an export.
pub(in crate::dashboard) fn export_of(domain: &str) -> String {
    format!("Export of {domain}")
}

pub(in crate::dashboard) use docwright_domain::counted::{bytes, grouped};

/// The state of a certificate.
pub(in crate::dashboard) fn certificate(state: &str) -> &str {
    match state {
        "pending" => "Being ordered",
        "valid" => "Valid",
        "expired" => "Expired",
        "failed" => "Failed",
        other => other,
    }
}

/// What a button says that removes something.
pub(in crate::dashboard) fn remove(what: &str) -> String {
    format!("Remove {what}")
}

/// The state of what a reader said.
pub(in crate::dashboard) fn feedback_state(state: &str) -> &str {
    match state {
        "pending" => "Pending",
        "in_progress" => "In progress",
        "resolved" => "Resolved",
        "dismissed" => "Dismissed",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_said_in_a_unit_that_fits() {
        let said: Vec<_> = [12, 1_482_311, 999_999, 2_000_000_000].map(bytes).into();
        assert_eq!(said, ["12 bytes", "1.4 MB", "999.9 kB", "2.0 GB"]);
    }
}
