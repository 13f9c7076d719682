//! The tools: each calls one operation. Tools that read come first, then changes that are safe to undo. No tool
//! activates an older release, merges, or deletes.

use docwright_operations::{
    Allowed, Caller, OperationError, Operations, agent_jobs, analytics, callers::DeferredCaller,
    deployments, domains, feedback, gaps, keys, pages, permissions::Permission, previews, problems,
    projects, pull_requests, releases, updates,
};
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use super::arguments::Arguments;

type Outcome = BoxFuture<'static, Result<Value, OperationError>>;

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) operations: Operations,
    pub(super) caller: Caller,
    pub(super) arguments: Arguments,
}

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    /// The name of its operation in the API spec.
    pub(super) operation: &'static str,
    /// Whether it changes nothing.
    pub(super) is_read: bool,
    pub(super) call: fn(Call) -> Outcome,
}

impl Call {
    /// The caller, if their scope suffices.
    fn caller<P: Permission>(&self) -> Result<Allowed<P>, OperationError> {
        self.caller.allowed()
    }

    fn project(&self) -> Result<String, OperationError> {
        self.arguments.text("projectId")
    }

    fn id(&self) -> Result<String, OperationError> {
        self.arguments.text("id")
    }
}

fn result(value: impl Serialize) -> Result<Value, OperationError> {
    serde_json::to_value(value).map_err(|error| OperationError::Internal(error.to_string()))
}

/// Declares tools: the operation, and the call.
macro_rules! tools {
    ($($operation:literal $kind:ident |$operations:ident, $call:ident| $work:expr;)*) => {
        /// All tools, in the order of the list.
        pub(super) const TOOLS: &[Tool] = &[$(Tool {
            operation: $operation,
            is_read: tools!($kind),
            call: |$call| Box::pin(async move {
                let $operations = &$call.operations;
                result($work)
            }),
        },)*];
    };
    (reads) => { true };
    (changes) => { false };
}

tools! {
    "getOwnKey" reads |operations, call| keys::own(operations, &call.caller()?).await?;
    "listProjects" reads |operations, call| {
        let (filter, page) = (call.arguments.query()?, call.arguments.query()?);
        projects::list(operations, &call.caller()?, &filter, &page).await?
    };
    "getProject" reads |operations, call| {
        projects::get(operations, &call.caller()?, &call.project()?).await?
    };
    "listDomains" reads |operations, call| {
        let (filter, page) = (call.arguments.query()?, call.arguments.query()?);
        domains::list(operations, &call.caller()?, &filter, &page).await?
    };
    "getDomain" reads |operations, call| {
        domains::get(operations, &call.caller()?, &call.arguments.value("domain")?).await?
    };
    "listDeployments" reads |operations, call| {
        deployments::list(operations, &call.caller()?, &call.project()?).await?
    };
    "listReleases" reads |operations, call| {
        let (filter, page) = (call.arguments.query()?, call.arguments.query()?);
        releases::list(operations, &call.caller()?, &call.project()?, &filter, &page).await?
    };
    "getRelease" reads |operations, call| {
        releases::get(operations, &call.caller()?, &call.arguments.text("releaseId")?).await?
    };
    "getReleaseChanges" reads |operations, call| {
        let (release, with) = (call.arguments.text("releaseId")?, call.arguments.query()?);
        releases::changes(operations, &call.caller()?, &release, &with).await?
    };
    "getReleaseEffect" reads |operations, call| {
        let (release, query) = (call.arguments.text("releaseId")?, call.arguments.query()?);
        analytics::effect(operations, &call.caller()?, &release, query).await?
    };
    "getUpdate" reads |operations, call| {
        updates::get(operations, &call.caller()?, &call.arguments.text("statusId")?).await?
    };
    "listPreviews" reads |operations, call| {
        let (filter, page) = (call.arguments.query()?, call.arguments.query()?);
        previews::list(operations, &call.caller()?, &call.project()?, &filter, &page).await?
    };
    "getPreview" reads |operations, call| {
        let preview = call.arguments.text("previewId")?;
        previews::get(operations, &call.caller()?, (&call.project()?, &preview)).await?
    };
    "listViews" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::views(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "getTimeline" reads |operations, call| {
        let query = call.arguments.query()?;
        analytics::timeline(operations, &call.caller()?, &call.project()?, &query).await?
    };
    "getLiveAnalytics" reads |operations, call| {
        analytics::live(operations, &call.caller()?, &call.project()?).await?
    };
    "listVisitors" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::visitors(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "getBreakdown" reads |operations, call| {
        let (list, query, page) =
            (call.arguments.query()?, call.arguments.query()?, call.arguments.query()?);
        analytics::breakdown(operations, &call.caller()?, &call.project()?, (list, &query), &page).await?
    };
    "listDeadLinks" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::dead_links(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "listAgents" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::agents(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "listSuggestedRedirects" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::suggested_redirects(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "listSearches" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::searches(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "getWebVitals" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::web_vitals(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "listUnreadPages" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::unread_pages(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "listFeedbackByPage" reads |operations, call| {
        let (sort, query, page) =
            (call.arguments.query()?, call.arguments.query()?, call.arguments.query()?);
        analytics::feedback_by_page(operations, &call.caller()?, &call.project()?, (sort, &query), &page).await?
    };
    "listProjectFeedback" reads |operations, call| {
        let (filter, page) = (call.arguments.query()?, call.arguments.query()?);
        feedback::list(operations, &call.caller()?, &call.project()?, &filter, &page).await?
    };
    "listEmptySearches" reads |operations, call| {
        let (query, page) = (call.arguments.query()?, call.arguments.query()?);
        analytics::empty_searches(operations, &call.caller()?, &call.project()?, &query, &page).await?
    };
    "listGaps" reads |operations, call| {
        gaps::list(operations, &call.caller()?, &call.project()?, &call.arguments.query()?).await?
    };
    "listPages" reads |operations, call| {
        let (asked, page) = (call.arguments.query()?, call.arguments.query()?);
        pages::list(operations, &call.caller()?, &call.project()?, &asked, &page).await?
    };
    "listProblems" reads |operations, call| {
        problems::list(operations, &call.caller()?, &call.project()?).await?
    };
    "getPageSource" reads |operations, call| {
        pages::source(operations, &call.caller()?, &call.project()?, &call.arguments.query()?).await?
    };
    "listPullRequests" reads |operations, call| {
        let page = call.arguments.query()?;
        pull_requests::list(operations, &call.caller()?, &call.project()?, &page).await?
    };
    "listAgentModels" reads |operations, call| {
        agent_jobs::models(operations, &call.caller()?, &call.project()?).await?
    };
    "listAgentJobs" reads |operations, call| {
        let (filter, page) = (call.arguments.query()?, call.arguments.query()?);
        agent_jobs::list(operations, &call.caller()?, &call.project()?, &filter, &page).await?
    };
    "getAgentJob" reads |operations, call| {
        let caller = DeferredCaller::Caller(call.caller.clone());
        agent_jobs::get(operations, caller, (&call.project()?, &call.id()?)).await?
    };
    "getAgentJobHistory" reads |operations, call| {
        agent_jobs::history(operations, &call.caller()?, (&call.project()?, &call.id()?)).await?
    };
    "getAgentJobDiff" reads |operations, call| {
        agent_jobs::diff(operations, &call.caller()?, (&call.project()?, &call.id()?)).await?
    };
    "createAgentJob" changes |operations, call| {
        let (input, key) = (call.arguments.body()?, call.arguments.idempotency()?);
        agent_jobs::create(operations, &call.caller()?, &call.project()?, input, key).await?.0
    };
    "sendAgentMessage" changes |operations, call| {
        let (input, key) = (call.arguments.body()?, call.arguments.idempotency()?);
        let (project, id) = (call.project()?, call.id()?);
        agent_jobs::follow_up(operations, &call.caller()?, (&project, &id), input, &key).await?.0
    };
    "cancelAgentJob" changes |operations, call| {
        agent_jobs::cancel(operations, &call.caller()?, (&call.project()?, &call.id()?)).await?
    };
    "editPage" changes |operations, call| {
        pages::edit(operations, &call.caller()?, &call.project()?, call.arguments.body()?).await?
    };
    "startPreview" changes |operations, call| {
        let (input, key) = (call.arguments.body()?, call.arguments.idempotency()?);
        previews::start(operations, &call.caller()?, &call.project()?, input, &key).await?.0
    };
    "createRelease" changes |operations, call| {
        releases::create(operations, &call.caller()?, call.arguments.body()?).await?
    };
    "cancelRelease" changes |operations, call| {
        releases::cancel(operations, &call.caller()?, &call.arguments.text("releaseId")?).await?
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use docwright_operations::permissions;
    use docwright_types::key::Scope;

    use super::TOOLS;

    #[test]
    fn tools_that_only_read_need_the_scope_read() {
        let mut names = BTreeSet::new();
        for tool in TOOLS {
            let scope = permissions::scope_of(tool.operation).expect("it is an operation");
            let expected = if tool.is_read { Scope::Read } else { Scope::Write };
            assert_eq!(scope, expected, "{}", tool.operation);
            assert!(names.insert(tool.operation), "{} is there twice", tool.operation);
        }
    }
}
