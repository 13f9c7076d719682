//! Which scope each operation needs. Only this file defines it: operations take an [`Allowed`] caller, the API
//! extracts it from a request, the API spec names the scope of each operation, and pages ask [`Caller::can`] which
//! buttons to show.
//!
//! Roles have scopes: viewers read, editors write, admins administer their organization, and operators the
//! instance.

use std::{marker::PhantomData, ops::Deref};

use docwright_types::key::Scope;

use crate::{callers::Caller, error::OperationError};

/// The permission to call an operation.
pub trait Permission {
    /// The required scope.
    const SCOPE: Scope;
}

/// A caller whose scope allows an operation.
#[derive(Debug)]
pub struct Allowed<P> {
    caller: Caller,
    permission: PhantomData<fn() -> P>,
}

impl<P: Permission> Allowed<P> {
    /// Fails unless the scope of the caller allows the operation.
    pub fn new(caller: Caller) -> Result<Self, OperationError> {
        caller.require(P::SCOPE)?;
        Ok(Self { caller, permission: PhantomData })
    }
}

impl<P> Deref for Allowed<P> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl Caller {
    /// This caller for an operation; fails unless their scope allows it.
    pub fn allowed<P: Permission>(&self) -> Result<Allowed<P>, OperationError> {
        Allowed::new(self.clone())
    }

    /// Whether the scope of the caller allows an operation.
    pub fn can<P: Permission>(&self) -> bool {
        self.scope() >= P::SCOPE
    }
}

/// The scope of an operation by its name in the API spec, such as `createProject`.
pub fn scope_of(operation_id: &str) -> Option<Scope> {
    let is_it = |name: &str| {
        let mut letters = name.chars();
        let first = letters.next().map(|letter| letter.to_ascii_lowercase());
        first.into_iter().chain(letters).eq(operation_id.chars())
    };
    can::ALL.iter().find(|(name, _)| is_it(name)).map(|(_, scope)| *scope)
}

macro_rules! operations {
    ($($name:ident: $scope:ident,)+) => {
        /// The operations, each with its permission.
        #[expect(missing_docs, reason = "the API describes each operation")]
        pub mod can {
            use super::{Permission, Scope};

            $(
                #[derive(Debug)]
                pub enum $name {}

                impl Permission for $name {
                    const SCOPE: Scope = Scope::$scope;
                }
            )+

            /// The names of all operations, and their scopes.
            pub(super) const ALL: &[(&str, Scope)] = &[$((stringify!($name), Scope::$scope),)+];
        }
    };
}

operations! {
    ListAccounts: Operator,
    GetAccount: Operator,
    DeleteAccount: Operator,
    UpdateAccount: Operator,
    DeleteIdentity: Operator,

    ListViews: Read,
    GetTimeline: Read,
    GetLiveAnalytics: Read,
    ListActiveReleases: Read,
    GetReleaseEffect: Read,
    ListVisitors: Read,
    GetBreakdown: Read,
    ListAgents: Read,
    ListDeadLinks: Read,
    ListSuggestedRedirects: Read,
    ListSearches: Read,
    ListEmptySearches: Read,
    GetWebVitals: Read,
    ListUnreadPages: Read,
    ListFeedbackInRange: Read,
    ListFeedbackByPage: Read,

    ListConversations: Read,
    ExportConversations: Read,
    GetCallerStats: Read,
    GetThread: Read,
    ListGaps: Read,
    DeleteThread: Admin,
    DeleteConversations: Admin,

    ListAssistantKeys: Admin,
    CreateAssistantKey: Admin,
    GetAssistantKey: Admin,
    DeleteAssistantKey: Admin,

    ListAuditEntries: Admin,

    ListCredentials: Admin,
    SetCredential: Admin,
    DeleteCredential: Admin,

    ListDeployments: Read,
    CreateDeployment: Admin,
    GetDeployment: Read,
    DeleteDeployment: Admin,
    UpdateDeployment: Admin,
    ReportDeployment: Write,

    ListDomains: Read,
    CreateDomain: Admin,
    GetDomain: Read,
    DeleteDomain: Admin,
    UpdateDomain: Admin,
    VerifyDomain: Admin,
    RenameDomain: Admin,
    DeleteDomainRedirect: Admin,

    ListFeedback: Read,
    ListProjectFeedback: Read,
    UpdateFeedback: Write,

    GetInstance: Operator,
    AskModels: Operator,

    GetOwnKey: Read,
    ListKeys: Admin,
    CreateKey: Admin,
    GetKey: Admin,
    UpdateKey: Admin,
    RevokeKey: Admin,

    ListPersonalTokens: Read,
    CreatePersonalToken: Read,
    RevokePersonalToken: Read,

    ListOrganizations: Read,
    CreateOrganization: Operator,
    GetOrganization: Read,
    DeleteOrganization: Operator,
    UpdateOrganization: Operator,

    ListInvitations: Admin,
    CreateInvitation: Admin,
    DeleteInvitation: Admin,
    ListMembers: Read,
    GetMember: Read,
    DeleteMember: Admin,
    UpdateMember: Admin,

    GetUsage: Read,
    ListPlans: Read,
    SetPlan: Operator,

    StartPreview: Write,
    SetPreviewPassword: Admin,
    RemovePreviewPassword: Admin,
    ListPreviews: Read,
    GetPreview: Read,
    ClosePreview: Write,

    GetUpdate: Read,
    StartUpdate: Write,
    ListReleases: Read,
    ListReleasesOfDomain: Read,
    CreateRelease: Write,
    GetRelease: Read,
    ActivateRelease: Write,
    CancelRelease: Write,
    GetReleaseLog: Read,
    GetReleaseChanges: Read,

    ListProjects: Read,
    GetOverview: Read,
    Search: Read,
    DismissStep: Admin,
    CreateProject: Admin,
    GetProject: Read,
    DeleteProject: Admin,
    PollProject: Write,
    UpdateProject: Admin,
    CheckRepository: Admin,

    ListPages: Read,
    GetPageSource: Read,
    EditPage: Write,

    ListProblems: Read,
    TestDependencies: Write,

    ListPullRequests: Read,
    GetPullRequest: Read,
    CreatePullRequest: Write,
    MergePullRequest: Write,
    ClosePullRequest: Write,

    ListDeliveries: Read,
    Redeliver: Write,
    CreateWebhookSecret: Admin,

    ListStaticExports: Read,
    StartStaticExport: Write,
    GetStaticExport: Read,
    CreateExportBundle: Write,

    ListSubscriptions: Admin,
    CreateSubscription: Admin,
    GetSubscription: Admin,
    DeleteSubscription: Admin,
    ListNotifications: Admin,
    ResendNotification: Admin,

    CreateAgentJob: Write,
    GetAgentJob: Read,
    ArchiveAgentJob: Write,
    CancelAgentJob: Write,
    GetAgentJobDiff: Read,
    WatchAgentJob: Read,
    GetAgentJobHistory: Read,
    SendAgentMessage: Write,
    ListAgentJobs: Read,
    ListAgentSessions: Read,
    ListAgentModels: Read,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_is_found_by_the_name_of_an_operation() {
        assert_eq!(scope_of("createProject"), Some(Scope::Admin));
        assert_eq!(scope_of("CreateProject"), None);
        assert_eq!(scope_of("removeEverything"), None);
    }
}
