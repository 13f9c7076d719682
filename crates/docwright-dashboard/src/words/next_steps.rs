//! Texts of the next step of a project.

use docwright_operations::next_step::NextStep;
use docwright_types::problem::ProblemKind;

pub(crate) const NEXT: &str = "Next step";
pub(crate) const DISMISS: &str = "Dismiss";
pub(crate) const VIEW_PROBLEM: &str = "View problem";
pub(crate) const NEXT_PUSH_BUILT_IN: &str = "Push a folder that contains docs.json. When git asks for a username, enter any name. As the password, use a personal access token with the scope write.";
pub(crate) const NEXT_PUSH_WHY: &str = "docwright polls the repository automatically. If the default branch has no docs.json, commit one.";
pub(crate) const EDIT_WITH_GIT: &str = "Edit the pages with git";
pub(crate) const EDIT_WITH_GIT_WHY: &str = "Clone the repository, edit the files, and push. When git asks for a username, enter any name. As the password, use a personal access token with the scope write.";

/// The title of a step, and why to do it.
pub(crate) fn next_step(step: &NextStep) -> (&'static str, &'static str) {
    match step {
        NextStep::Push => ("Push a commit", ""),
        NextStep::Repair(kind) => (
            repair(*kind),
            "This problem keeps the project from working. The overview lists it above.",
        ),
        NextStep::AddDomain => (
            "Add a domain",
            "Readers find the site at its domain, such as docs.example.com. Names that end in .localhost work immediately on this machine.",
        ),
        NextStep::VerifyDomain(_) => (
            "Verify the domain",
            "Add the DNS record that proves that you own it. docwright builds the first release when it finds the record.",
        ),
        NextStep::WaitForRelease => {
            ("Wait for the first release", "docwright builds it now. This page shows the progress.")
        }
        NextStep::Activate(_) => {
            ("Activate the first release", "It is ready. Readers see it when you activate it.")
        }
        NextStep::AddOwnDomain => (
            "Add a domain of your own",
            "Readers find the site at the default domain now. Add the name that they know, such as docs.example.com.",
        ),
        NextStep::AddWebhook => (
            "Add a webhook",
            "Your git host then reports each push and pull request, so releases and previews start immediately instead of at the next poll.",
        ),
        NextStep::InviteTeam => (
            "Invite your team",
            "You are the only member of this organization. Writers can edit pages, and reviewers can see previews.",
        ),
        NextStep::TurnOnAssistant => (
            "Turn on the assistant",
            "It answers readers' questions from your pages, and shows you what the pages don't say.",
        ),
        NextStep::SetModel => (
            "Set a model for agent jobs",
            "Without a language model, agents only do simple edits. Start the service with --agent-model and --agent-keys.",
        ),
    }
}

const fn repair(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Repository | ProblemKind::Credentials => "Connect the repository",
        ProblemKind::Branch => "Correct the branch",
        ProblemKind::Release => "Repair the release",
        ProblemKind::CommitStatus => "Repair the commit status",
        ProblemKind::Dns => "Correct the DNS record",
        ProblemKind::Certificate => "Repair the certificate",
        ProblemKind::Notification => "Repair the subscription",
        ProblemKind::Model => "Repair the model",
        ProblemKind::Storage => "Repair the object storage",
    }
}
