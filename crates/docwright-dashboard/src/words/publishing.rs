//! Texts about previews, static exports, and feedback.

use docwright_types::counted::counted;

pub(crate) const PREVIEWS: &str = "Previews";
pub(crate) const PREVIEW: &str = "Preview";
pub(crate) const NO_PREVIEWS: &str = "No previews yet";
pub(crate) const NO_PREVIEWS_WHY: &str = "A preview is a temporary site of a branch or pull request. Pull requests get one automatically.";
pub(crate) const NO_PREVIEWS_HERE: &str = "Previews aren't set up on this instance.";
pub(crate) const FORK: &str = "Fork";
pub(crate) const FIND_BRANCH: &str = "Branch or title";
pub(crate) const FIND_PAGE: &str = "Page";
pub(crate) const CLOSED: &str = "Closed";
pub(crate) const NEW_PREVIEW: &str = "Preview a branch";
pub(crate) const NEW_PREVIEW_HINT: &str = "A branch of the repository. docwright builds its latest commit. The preview URL of a branch stays the same.";
pub(crate) const MAKE_PREVIEW: &str = "Create preview";
pub(crate) const PREVIEW_PASSWORD: &str = "Preview password";
pub(crate) const PASSWORD_IS_SET: &str = "Every preview requires this password.";
pub(crate) const PASSWORD_IS_NOT_SET: &str = "Anyone with the URL of a preview can see it. The URL can't be guessed, but a comment on a public pull request shows it to everyone.";
pub(crate) const PREVIEW_PASSWORD_HINT: &str =
    "Readers with the old password must enter the new one. docwright stores only a hash.";
pub(crate) const SET_PASSWORD: &str = "Set password";
pub(crate) const REMOVE_PASSWORD: &str = "Remove password";
pub(crate) const REMOVE_PASSWORD_QUESTION: &str =
    "Remove the preview password? Anyone with the URL of a preview can then see it.";
pub(crate) const OPEN_PREVIEW: &str = "Open preview";
pub(crate) const SIDE_BY_SIDE: &str = "Compare side by side";
pub(crate) const END_PREVIEW: &str = "Close preview";
pub(crate) const END_PREVIEW_QUESTION: &str = "Close this preview? Its URL stops working.";
pub(crate) const PREVIEW_FAILED_NEXT: &str = "Fix the error and push to the branch again.";
pub(crate) const NEW_DIAGNOSTICS: &str = "New diagnostics";
pub(crate) const NO_NEW_DIAGNOSTICS: &str = "No diagnostics that the published site doesn't have.";
pub(crate) const EXPORTS: &str = "Static exports";
pub(crate) const NO_EXPORTS: &str = "No exports yet";
pub(crate) const NO_EXPORTS_WHY: &str = "A static export creates a bundle of a site. Serve it from your own servers, from file storage, or from a folder without a network.";
pub(crate) const PLAN_LACKS_EXPORT: &str = "Your plan doesn't include static export.";
pub(crate) const NEW_EXPORT: &str = "New export";
pub(crate) const VERSION_HINT: &str = "A label for the bundle, such as 2026.11. An export with a label doesn't change what readers see.";
pub(crate) const SIGNATURES: &str = "Signatures";
pub(crate) const SIGNATURES_WHY: &str = "docwright signs each bundle. A deployment with this public key serves only bundles of this instance.";
pub(crate) const PUBLIC_KEY: &str = "Public key";
pub(crate) const ONLY_PAGES: &str = "Only these pages";
pub(crate) const ONLY_PAGES_HINT: &str =
    "Page paths, one per line, such as guides/start. Leave empty to export the whole site.";
pub(crate) const START_EXPORT: &str = "Start export";
pub(crate) const EXPORT_NEEDS_DOMAIN: &str =
    "An export needs a domain. Add one to this project first.";
pub(crate) const EXPORT_FAILED_NEXT: &str =
    "Fix the error in the repository, then start another export.";
pub(crate) const EXPORT_ID: &str = "Export ID";
pub(crate) const BUNDLE: &str = "Bundle";
pub(crate) const DOWNLOAD: &str = "Download";
pub(crate) const SIZE: &str = "Size";
pub(crate) const LINK: &str = "Link";
pub(crate) const LINK_ENDS: &str = "Expires";
pub(crate) const SERVE_IT: &str = "Serve the bundle";
pub(crate) const SERVE_IT_WHY: &str = "Save this as values.yaml and run docwright deploy --values values.yaml. The Helm chart takes the same values.";
pub(crate) const BY_API: &str = "Use the API";
pub(crate) const BY_API_WHY: &str = "Create an API key with the scope write and set it as DOCWRIGHT_KEY. Then start the export, poll it until it is completed, get a link, download the bundle, and check it.";
pub(crate) const FEEDBACK: &str = "Feedback";
pub(crate) const NO_FEEDBACK: &str = "No feedback yet";
pub(crate) const NO_FEEDBACK_WHY: &str = "At the end of each page, readers can rate it and leave a comment. Their feedback is listed here.";
pub(crate) const GAPS: &str = "Gaps";
pub(crate) const GAPS_WHY: &str = "Questions to the assistant that it refused, or whose answer was rated not helpful. Questions that ask the same are one gap.";
pub(crate) const NO_GAPS: &str = "No gaps yet";
pub(crate) const NO_GAPS_WHY: &str =
    "Gaps are questions that readers ask the assistant and that the pages don't answer.";
pub(crate) const IN_OTHER_WORDS: &str = "In other words";
pub(crate) const NEAREST_SECTIONS: &str = "Nearest sections";
pub(crate) const NO_NEAR_SECTIONS: &str = "No section is near.";
pub(crate) const NOTE: &str = "Note";
pub(crate) const HELPED: &str = "Helpful";
pub(crate) const DID_NOT_HELP: &str = "Not helpful";

/// How often a gap was asked.
pub(crate) fn asked(count: usize) -> String {
    format!("asked {}", counted(count, "time"))
}

/// How many answers were rated not helpful.
pub(crate) fn rated_not_helpful(count: usize) -> String {
    format!("{} rated not helpful", counted(count, "answer"))
}

/// The reason why a preview is closed.
pub(crate) fn closed_because(reason: &str) -> &'static str {
    match reason {
        "pull_request" => "The pull request was merged or closed.",
        "unchanged" => "The branch had no pushes for a long time.",
        "newer" => "Newer previews reached the limit of the project.",
        _ => "Someone closed it.",
    }
}

/// The text for a plan without static export, with who can change it.
pub(crate) fn plan_lacks_export(plan: &str) -> String {
    format!(
        "The organization is on the plan {plan}. Ask the operator of this instance to change it."
    )
}

/// Export statuses for the filter.
pub(crate) const EXPORT_STATUSES: [(&str, &str); 4] = [
    ("queued", "Queued"),
    ("running", "Running"),
    ("completed", "Completed"),
    ("failed", "Failed"),
];

/// Preview states for the filter.
pub(crate) const PREVIEW_STATES: [(&str, &str); 2] = [("open", "Open"), ("closed", CLOSED)];

/// Label of an export status.
pub(crate) fn export_status(status: &str) -> &str {
    EXPORT_STATUSES.iter().find(|(name, _)| *name == status).map_or(status, |(_, label)| label)
}

/// The limit of pages in an export.
pub(crate) fn only_pages(count: usize) -> String {
    format!("{} only", counted(count, "page"))
}

/// The title of an export.
pub(crate) fn export_of(domain: &str) -> String {
    format!("Export of {domain}")
}

pub(crate) use docwright_types::counted::{bytes, grouped};

/// Label of a remove button.
pub(crate) fn remove(what: &str) -> String {
    format!("Remove {what}")
}

/// Label of a feedback state.
pub(crate) fn feedback_state(state: &str) -> &str {
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
    fn lengths_are_written_in_a_fitting_unit() {
        let said: Vec<_> = [12, 1_482_311, 999_999, 2_000_000_000].map(bytes).into();
        assert_eq!(said, ["12 bytes", "1.4 MB", "999.9 kB", "2.0 GB"]);
    }
}
