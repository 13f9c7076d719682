//! What a form did, in a few words. The next page shows it once.

/// Declares the results with their names in the cookie and their texts.
macro_rules! results {
    ($($(#[$doc:meta])* $result:ident $name:literal $text:literal,)+) => {
        /// The result of a form. The list is fixed, so no text comes from the browser.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Done { $($result,)+ }

        impl Done {
            /// The result with a name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$result),)+ _ => None }
            }

            /// Its name in the cookie.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$result => $name,)+ }
            }

            /// Its text.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$result => $text,)+ }
            }
        }
    };
}

results! {
    Saved "saved" "Saved",
    AccountDeleted "account-deleted" "Account deleted",
    AppTurnedOff "app-off" "Authenticator app turned off",
    BuildStarted "build" "Build started",
    CredentialsRemoved "credentials-removed" "Credentials removed",
    CredentialsSaved "credentials" "Credentials saved",
    DeploymentCreated "deployment" "Deployment created",
    DeploymentDeleted "deployment-deleted" "Deployment deleted",
    DomainAdded "domain" "Domain added",
    DomainChecked "domain-checked" "DNS records checked",
    DomainRemoved "domain-removed" "Domain removed",
    DomainRenamed "domain-renamed" "Domain renamed",
    DomainRenamePending "domain-rename" "Add the DNS record to rename the domain",
    DependenciesTested "dependencies" "Tested",
    ExportStarted "export" "Export started",
    FeedbackSaved "feedback" "Feedback saved",
    IdentityRemoved "identity-removed" "Identity removed",
    InboxRead "inbox" "All items marked as read",
    InvitationWithdrawn "invitation-withdrawn" "Invitation withdrawn",
    JobArchived "job-archived" "Job archived",
    JobCanceled "job-canceled" "Job canceled",
    JobStarted "job" "Job started",
    KeyRevoked "key-revoked" "Key revoked",
    MemberRemoved "member-removed" "Member removed",
    ModelsTested "models" "Models tested",
    NotificationResent "notification" "Notification resent",
    OrganizationCreated "organization" "Organization created",
    OrganizationDeleted "organization-deleted" "Organization deleted",
    PasskeyAdded "passkey" "Passkey added",
    PasskeyRemoved "passkey-removed" "Passkey removed",
    PersonalTokenRevoked "token-revoked" "Token revoked",
    Polled "polled" "Poll requested",
    PreviewClosed "preview-closed" "Preview closed",
    PreviewCreated "preview" "Preview created",
    PreviewPasswordSaved "preview-password" "Preview password saved",
    ProjectCreated "project" "Project created",
    ProjectDeleted "project-deleted" "Project deleted",
    PromptSent "prompt" "Prompt sent",
    PullRequestClosed "pull-request-closed" "Pull request closed",
    PullRequestOpened "pull-request" "Pull request opened",
    PullRequestMerged "pull-request-merged" "Pull request merged",
    RedirectRemoved "redirect-removed" "Redirect removed",
    ReleaseActivated "release-activated" "Release activated",
    ReleaseCanceled "release-canceled" "Release canceled",
    RoleSaved "role" "Role saved",
    SessionEnded "session-ended" "Session ended",
    StepDismissed "step" "Step dismissed",
    SubscriptionAdded "subscription" "Subscription added",
    SubscriptionDeleted "subscription-deleted" "Subscription deleted",
    WebhookRedelivered "webhook" "Webhook redelivered",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_is_found_by_its_name_only() {
        assert_eq!(Done::named(Done::KeyRevoked.name()), Some(Done::KeyRevoked));
        for other in ["", "Saved", "saved ", "<b>saved</b>"] {
            assert_eq!(Done::named(other), None, "{other:?}");
        }
    }
}
