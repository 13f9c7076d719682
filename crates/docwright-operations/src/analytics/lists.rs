//! Views by a property of their readers, what readers do, and paths without a page.

use docwright_storage::database::{self, Position, Project};
use docwright_types::analytics::Dimension;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::AnalyticsQuery;
use crate::{Allowed, OperationError, Operations, can, lists::Page};

/// A property of readers, or something that they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// Host of the page with the link that people followed.
    Referrer,
    /// Preferred language of people's browsers.
    Language,
    /// Class of people's devices: `phone`, `tablet`, or `desktop`.
    Device,
    /// Name of an AI agent; `MCP` and `Markdown` for programs without a known name.
    Agent,
    /// Page that people opened first.
    Entry,
    /// `utm_source` of the address that people opened.
    CampaignSource,
    /// `utm_medium` of the address that people opened.
    CampaignMedium,
    /// `utm_campaign` of the address that people opened.
    Campaign,
    /// Query of a search without a result.
    EmptySearch,
    /// Address on another host that readers opened.
    OutboundLink,
    /// Language of code that readers copied.
    CopiedCode,
    /// Title of a tab that readers chose.
    ChosenTab,
    /// Language of the site that readers chose.
    ChosenLanguage,
    /// Seconds that a page was visible, at least: `0`, `10`, `30`, `60`, or `180`.
    ReadingTime,
    /// Part of a page that was visible, at least, in percent: `25`, `50`, `75`, or `100`.
    ScrollDepth,
    /// `opened` for the playground of API pages.
    Playground,
}

/// Which property to count by.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListBreakdown {
    /// Property of the readers, or what they do.
    #[param(inline)]
    pub by: ValueKind,
}

/// Views with one value of a property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnalyticsValue {
    /// The value; empty for all values beyond the limits of a day.
    #[schema(example = "search.example.com")]
    pub value: String,
    /// Number of views, or how often readers did it.
    #[schema(minimum = 0, example = 120)]
    pub views: i64,
}

/// A page of the values of a property, the most frequent first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    /// The values.
    pub values: Vec<AnalyticsValue>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Views by an AI agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentViews {
    /// Name of the agent; `MCP` and `Markdown` for programs without a known name.
    #[schema(example = "Claude-User")]
    pub agent: String,
    /// Number of views.
    #[schema(minimum = 0, example = 120)]
    pub views: i64,
}

/// A page of the AI agents that read pages, those with the most views first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentList {
    /// The agents.
    pub agents: Vec<AgentViews>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// A path without a page that readers requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadLink {
    /// The path, below the base path of the site; empty for all paths beyond the limits of a day.
    #[schema(example = "/guides/old")]
    pub path: String,
    /// Requests from pages of the same site.
    #[schema(minimum = 0, example = 4)]
    pub from_own_site: i64,
    /// Requests from elsewhere.
    #[schema(minimum = 0, example = 8)]
    pub from_elsewhere: i64,
    /// Both.
    #[schema(minimum = 0, example = 12)]
    pub total: i64,
}

/// A page of the paths without a page that readers requested, the most frequent first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadLinks {
    /// The dead links.
    pub dead_links: Vec<DeadLink>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

impl From<ValueKind> for Dimension {
    fn from(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Referrer => Self::Referrer,
            ValueKind::Language => Self::Language,
            ValueKind::Device => Self::Device,
            ValueKind::Agent => Self::Agent,
            ValueKind::Entry => Self::Entry,
            ValueKind::CampaignSource => Self::CampaignSource,
            ValueKind::CampaignMedium => Self::CampaignMedium,
            ValueKind::Campaign => Self::Campaign,
            ValueKind::EmptySearch => Self::EmptySearch,
            ValueKind::OutboundLink => Self::OutboundLink,
            ValueKind::CopiedCode => Self::CopiedCode,
            ValueKind::ChosenTab => Self::ChosenTab,
            ValueKind::ChosenLanguage => Self::ChosenLanguage,
            ValueKind::ReadingTime => Self::ReadingTime,
            ValueKind::ScrollDepth => Self::ScrollDepth,
            ValueKind::Playground => Self::Playground,
        }
    }
}

/// Counts the views of a project in whole days by a property of their readers, or by what they do.
pub async fn breakdown(
    operations: &Operations,
    caller: &Allowed<can::GetBreakdown>,
    project_id: &str,
    (list, query): (ListBreakdown, &AnalyticsQuery),
    page: &Page,
) -> Result<Breakdown, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("breakdown", &project.id, list, query))?;
    let wanted = page.of_all();
    let values = operations.database.analytics_values(filter, list.by.into(), wanted).await?;
    let listed =
        page.cut(values, position, |each| AnalyticsValue { value: each.value, views: each.views });
    Ok(Breakdown { values: listed.items, next_cursor: listed.next_cursor })
}

/// Lists the AI agents that read pages of a project in whole days.
pub async fn agents(
    operations: &Operations,
    caller: &Allowed<can::ListAgents>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<AgentList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("agents", &project.id, query))?;
    let (database, wanted) = (&operations.database, page.of_all());
    let agents = database.analytics_values(filter, Dimension::Agent, wanted).await?;
    let listed =
        page.cut(agents, position, |each| AgentViews { agent: each.value, views: each.views });
    Ok(AgentList { agents: listed.items, next_cursor: listed.next_cursor })
}

/// Lists the paths without a page that readers of a project requested in whole days.
pub async fn dead_links(
    operations: &Operations,
    caller: &Allowed<can::ListDeadLinks>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<DeadLinks, OperationError> {
    let project = caller.project(operations, project_id).await?;
    read_dead_links(operations, &project, query, page).await
}

/// A page of the dead links of a project.
pub(super) async fn read_dead_links(
    operations: &Operations,
    project: &Project,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<DeadLinks, OperationError> {
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("dead links", &project.id, query))?;
    let links = operations.database.analytics_dead_links(filter, page.of_all()).await?;
    let position = |each: &database::DeadLink| Position {
        text: (each.own + each.other).to_string(),
        id: each.path.clone(),
    };
    let listed = page.cut(links, position, |each| DeadLink {
        path: each.path,
        from_own_site: each.own,
        from_elsewhere: each.other,
        total: each.own + each.other,
    });
    Ok(DeadLinks { dead_links: listed.items, next_cursor: listed.next_cursor })
}

fn position(each: &database::ValueViews) -> Position {
    Position { text: each.views.to_string(), id: each.value.clone() }
}
