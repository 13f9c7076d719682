//! All organizations of the instance, and the form to create one, for operators.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    fields::field,
    organizations::{self, CreateOrganization, ListOrganizations},
};
use docwright_types::plan::Plan;
use maud::{Markup, html};
use serde::Deserialize;

use super::plan::choice;
use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, FormError, ListQuery, empty, nothing_found, search},
    project_context::InstancePlace,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct NewOrganization {
    name: String,
    plan: String,
}

impl NewOrganization {
    fn input(&self) -> Result<CreateOrganization, OperationError> {
        let plan = self.plan.parse().map_err(OperationError::Invalid)?;
        Ok(CreateOrganization { name: field("name", self.name.trim())?, plan: Some(plan) })
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    answer(&dashboard, &place, asked, (None, None)).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Form(new): Form<NewOrganization>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let created = match new.input() {
        Ok(input) => organizations::create(&dashboard.operations, &caller, input).await,
        Err(error) => Err(error),
    };
    match created.map_err(Refusal::from) {
        Ok(created) => {
            let path = format!("/organizations/{}", created.id);
            Ok(place.person.browser.done(Done::OrganizationCreated, &path))
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let given = (Some(&new), Some(sentence.as_str()));
            answer(&dashboard, &place, ListQuery::default(), given).await
        }
    }
}

async fn answer(
    dashboard: &Dashboard,
    place: &InstancePlace,
    asked: ListQuery,
    (given, sentence): (Option<&NewOrganization>, Option<&str>),
) -> Result<Response, Refusal> {
    const HERE: &str = "/organizations";
    let asked = asked.sorted("name");
    let filter = ListOrganizations { name: None, search: asked.searched()?, sort: asked.order()? };
    let (caller, page) = (place.caller.allowed()?, asked.page(None)?);
    let list = organizations::list(&dashboard.operations, &caller, &filter, &page).await?;
    let next = list.next_cursor.as_deref();
    let error = FormError::of(sentence, &[("name", "name", words::NAME)]);
    let body = html! {
        h1 { (words::ORGANIZATIONS) }
        @if asked.is_long(list.items.len(), next) { (search(HERE, words::FIND_ORGANIZATION, &asked)) }
        @if list.items.is_empty() && asked.is_all() {
            (empty(words::NO_ORGANIZATIONS, words::NO_ORGANIZATIONS_WHY, &Markup::default()))
        } @else if list.items.is_empty() {
            (nothing_found(HERE, &asked))
        } @else {
            div.scroll tabindex="0" { table {
                thead { tr { th { (words::NAME) } th { (words::PLAN) } } }
                tbody {
                    @for each in &list.items {
                        tr {
                            td { a href=(format!("/organizations/{}", each.id)) { (each.name) } }
                            td { a href=(format!("/organizations/{}/plan", each.id)) { (words::plan(each.plan.name())) } }
                        }
                    }
                }
            } }
            (asked.pager(HERE, next))
        }
        h2 { (words::NEW_ORGANIZATION) }
        (error.show())
        form.wide method="post" action="/organizations" {
            (Field::text("name", words::NAME, given.map_or("", |new| &new.name)).checked(&error).show())
            (choice(given.map_or(Plan::Enterprise.name(), |new| &new.plan)))
            button.primary type="submit" { (words::CREATE_ORGANIZATION) }
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "organizations", words::ORGANIZATIONS, &body))
}
