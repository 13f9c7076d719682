//! Every organisation of the install, for operators.

use axum::{extract::Query, response::Response};
use maud::html;
use serde::Deserialize;

use crate::dashboard::{
    operations::with_query, parts::pager, place::InstallPlace, refusal::Refusal, words,
};

#[derive(Deserialize)]
pub(super) struct Wanted {
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    organizations: Vec<Organization>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Organization {
    id: String,
    name: String,
    plan: String,
}

pub(super) async fn list(
    place: InstallPlace,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    let cursor = wanted.cursor.as_deref();
    let path = with_query("/v1/organizations", &[("cursor", cursor)]);
    let list: List = place.operations.get(&path).await?;
    let body = html! {
        h1 { (words::ORGANIZATIONS) }
        table {
            thead { tr { th { (words::NAME) } th { (words::PLAN) } } }
            tbody {
                @for each in &list.organizations {
                    tr {
                        td { a href=(format!("/organizations/{}", each.id)) { (each.name) } }
                        td { (each.plan) }
                    }
                }
            }
        }
        (pager("/organizations", &[], (cursor, list.next_cursor.as_deref())))
    };
    Ok(place.page("organizations", words::ORGANIZATIONS, &body))
}
