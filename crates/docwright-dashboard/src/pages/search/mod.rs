//! The search for everything that a person can open: objects, pages of the dashboard, and actions.
//!
//! It is a page with a form. With scripts, the same results show in a dialog over any page (`palette.js`).

mod entry;
mod found;
mod places;

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    lists::Search,
    search::{self, Query as SearchQuery},
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    frame::{self, Frame},
    project_context::{OrganizationPlace, ProjectContext},
    refusal::Refusal,
    session::SignedIn,
    words,
};

use entry::Group;

/// Organizations that a search outside of any organization reads.
const ORGANIZATIONS: usize = 5;

/// What the address of the search says.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    search: String,
    /// ID of the organization that the person came from.
    #[serde(default)]
    organization: String,
    /// ID of the project that the person came from.
    #[serde(default)]
    project: String,
}

/// Where a person searches: in a project, in an organization, or outside of both.
enum Place {
    Project(Box<ProjectContext>),
    Organization(Box<OrganizationPlace>),
    Elsewhere(Box<SignedIn>),
}

impl Place {
    /// The place that an address names. Fails if the person can't access it.
    async fn of(dashboard: &Dashboard, person: SignedIn, asked: &Asked) -> Result<Self, Refusal> {
        if !asked.project.is_empty() {
            let project = dashboard.operations.database.project(&asked.project).await?;
            let project = project.ok_or(Refusal::Missing)?;
            let id = project.organization_id.clone();
            let of = OrganizationPlace::enter(dashboard, person, &id).await?;
            return Ok(Self::Project(Box::new(ProjectContext { of, project })));
        }
        if asked.organization.is_empty() {
            return Ok(Self::Elsewhere(Box::new(person)));
        }
        let place = OrganizationPlace::enter(dashboard, person, &asked.organization).await?;
        Ok(Self::Organization(Box::new(place)))
    }

    fn person(&self) -> &SignedIn {
        match self {
            Self::Project(place) => &place.of.person,
            Self::Organization(place) => &place.person,
            Self::Elsewhere(person) => person,
        }
    }

    fn organization(&self) -> Option<&OrganizationPlace> {
        match self {
            Self::Project(place) => Some(&place.of),
            Self::Organization(place) => Some(place),
            Self::Elsewhere(_) => None,
        }
    }

    fn project(&self) -> Option<&ProjectContext> {
        match self {
            Self::Project(place) => Some(place),
            _ => None,
        }
    }
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let place = Place::of(&dashboard, person, &asked).await?;
    let text = asked.search.trim();
    let search = text
        .parse::<Search>()
        .map_err(|what| OperationError::Invalid(format!("`search` {what}.")))?;
    let mut groups = places::matching(&place, text);
    for (organization, project) in searched(&dashboard, &place).await? {
        let query = SearchQuery {
            text: search.clone(),
            organization_id: &organization.organization.id,
            project_id: project.map(|project| project.project.id.as_str()),
        };
        let caller = organization.caller.allowed()?;
        let results = search::search(&dashboard.operations, &caller, &query).await?;
        groups.extend(found::groups(&organization, project, results));
    }
    groups.retain(|group| !group.entries.is_empty());
    let frame = Frame {
        person: place.person(),
        organization: place.organization(),
        project: place.project().map(|place| &place.project),
        section: "search",
    };
    let body = html! {
        h1 { (words::SEARCH) }
        (form(&asked))
        (results(&groups, text))
    };
    Ok(frame::page(StatusCode::OK, &frame, words::SEARCH, &body))
}

/// The organizations to search, and the project among them: the own one, or the first ones of the person.
async fn searched<'a>(
    dashboard: &Dashboard,
    place: &'a Place,
) -> Result<Vec<(OrganizationPlace, Option<&'a ProjectContext>)>, Refusal> {
    if let Some(own) = place.organization() {
        return Ok(vec![(own.clone(), place.project())]);
    }
    let person = place.person();
    let mut all = Vec::new();
    for each in person.memberships.iter().take(ORGANIZATIONS) {
        let id = &each.organization.id;
        all.push((OrganizationPlace::enter(dashboard, person.clone(), id).await?, None));
    }
    Ok(all)
}

fn form(asked: &Asked) -> Markup {
    html! {
        form.find.wide method="get" action=(words::SEARCH_PATH) role="search" {
            label.unseen for="search" { (words::SEARCH_EVERYTHING) }
            input id="search" name="search" type="search" maxlength="200" autocomplete="off"
                placeholder=(words::SEARCH_EVERYTHING) value=(asked.search);
            @for (name, value) in [("organization", &asked.organization), ("project", &asked.project)] {
                @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
            }
            button type="submit" { (words::SEARCH) }
        }
    }
}

/// The part of the page that the dialog shows, too.
fn results(groups: &[Group], text: &str) -> Markup {
    html! {
        div id="results" {
            @if groups.is_empty() { p.soft { (words::nothing_found_for(text)) } }
            @for group in groups {
                section {
                    h2 { (group.label) }
                    ul.rows.found { @for entry in &group.entries { li { (entry.show()) } } }
                }
            }
            @if !text.is_empty() && !groups.is_empty() { p.hint { (words::SEARCH_LIMITS) } }
        }
    }
}
