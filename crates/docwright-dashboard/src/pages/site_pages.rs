//! The pages of a project's site, as its navigation shows them.

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    fields::field,
    lists::{Page, Search},
    pages::{self, ListPages, ProjectPage, ProjectPageList},
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{domains, page_edit};
use crate::{
    Dashboard,
    parts::{at, empty, pager},
    paths::with_query,
    project_context::ProjectContext,
    refusal::Refusal,
    shown_once, words,
};

/// Pages of the list at a time.
const ROWS: i64 = 100;

/// What the address of the list says.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    domain: String,
    #[serde(default)]
    search: String,
    #[serde(default)]
    cursor: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let (operations, caller) = (&dashboard.operations, place.of.caller.allowed()?);
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let filter = ListPages {
        domain: given(&asked.domain).map(|domain| field("domain", domain)).transpose()?,
        search: given(&asked.search).map(|search| searched(&search)).transpose()?,
    };
    let cursor = Some(asked.cursor.as_str()).filter(|cursor| !cursor.is_empty());
    let page = Page::new(Some(ROWS), cursor)?;
    let list = pages::list(operations, &caller, &place.project.id, &filter, &page).await?;
    let names = domains::of_project(&dashboard, &place).await?;
    let here = place.path("pages");
    let query = [("domain", Some(asked.domain.as_str())), ("search", Some(asked.search.as_str()))];
    let opened = shown_once::take(&dashboard, &place.of.person, &here);
    let body = html! {
        h1 { (words::PAGES) }
        @if let Some(url) = &opened {
            p.notice.done role="status" { (words::EDIT_OPENED) " " a href=(url) { (url) } }
        }
        @if list.domain.is_none() {
            (empty(words::NO_PAGES, words::NO_PAGES_WHY, &Markup::default()))
        } @else {
            (sites(&here, &names, list.domain.as_deref()))
            (search(&here, &asked))
            p.soft { (words::pages_of(list.total, asked.search.trim())) }
            @if !list.pages.is_empty() { (table(&dashboard, &place, &list)) }
            (pager(&here, &query, (cursor, list.next_cursor.as_deref())))
        }
    };
    let page = place.page("pages", words::PAGES, &body);
    Ok(shown_once::page(&place.of.person, opened.as_deref(), page))
}

fn searched(text: &str) -> Result<Search, OperationError> {
    text.parse().map_err(|what| OperationError::Invalid(format!("`search` {what}.")))
}

/// Links to the pages of the project's sites, if it has several.
fn sites(here: &str, names: &[String], current: Option<&str>) -> Markup {
    html! {
        @if names.len() > 1 {
            nav.tabs aria-label=(words::DOMAINS) { ul {
                @for name in names {
                    li { a href=(with_query(here, &[("domain", Some(name))])) aria-current=[(current == Some(name)).then_some("true")] { (name) } }
                }
            } }
        }
    }
}

fn search(here: &str, asked: &Asked) -> Markup {
    html! {
        form.find method="get" action=(here) role="search" {
            label.unseen for="search" { (words::SEARCH_PAGES) }
            input id="search" name="search" type="search" maxlength="200" autocomplete="off"
                placeholder=(words::SEARCH_PAGES) value=(asked.search);
            @if !asked.domain.is_empty() { input type="hidden" name="domain" value=(asked.domain); }
            button type="submit" { (words::SEARCH) }
        }
    }
}

/// The pages, below the names of their divisions.
fn table(dashboard: &Dashboard, place: &ProjectContext, list: &ProjectPageList) -> Markup {
    let has_views = list.pages.iter().any(|page| page.views.is_some());
    let can_edit = place.of.caller.can::<can::EditPage>();
    let columns = 4 + usize::from(has_views) + usize::from(can_edit);
    let group = |page: &ProjectPage| (page.listed, page.sections.clone());
    let groups: Vec<_> = list.pages.chunk_by(|one, other| group(one) == group(other)).collect();
    let edit = |page: &ProjectPage| {
        let is_file = can_edit && page.file.is_some();
        is_file.then(|| page_edit::address(place, &page.path, list.domain.as_deref()))
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words::PAGES) { table {
            thead { tr {
                th { (words::PAGE) }
                th { (words::DIAGNOSTICS) }
                th.minor { (words::LAST_CHANGE) }
                @if has_views { th.number { (words::VIEWS) } }
                th.number.minor { (words::RATINGS) }
                @if can_edit { th { span.unseen { (words::EDIT) } } }
            } }
            @for group in groups {
                tbody {
                    @if let Some(title) = group.first().and_then(group_title) {
                        tr { th scope="rowgroup" colspan=(columns) { (title) } }
                    }
                    @for page in group { (row(dashboard, page, (has_views, can_edit), edit(page).as_deref())) }
                }
            }
        } }
        p.hint { (words::PAGES_COUNTED) }
    }
}

/// What a group of pages is called; nothing for pages outside of any division.
fn group_title(page: &ProjectPage) -> Option<String> {
    if !page.listed {
        return Some(words::UNLISTED_PAGES.to_owned());
    }
    Some(page.sections.join(" › ")).filter(|title| !title.is_empty())
}

fn row(
    dashboard: &Dashboard,
    page: &ProjectPage,
    (has_views, can_edit): (bool, bool),
    edit: Option<&str>,
) -> Markup {
    html! {
        tr {
            th scope="row" {
                @if let Some(url) = &page.url { a href=(url) { (page.title) } } @else { (page.title) }
                br;
                @match (&page.file, &page.file_url) {
                    (Some(file), Some(url)) => { a.soft href=(url) { code { (file) } } }
                    (Some(file), None) => { code.soft { (file) } }
                    (None, _) => { span.soft { (words::FROM_API_SPEC) } }
                }
            }
            td { (words::diagnostics_of_page(page.errors, page.warnings)) }
            td.minor { (last_change(dashboard, page)) }
            @if has_views { td.number { (words::number(page.views.unwrap_or_default())) } }
            td.number.minor { (words::ratings(page.thumbs_up, page.thumbs_down)) }
            @if can_edit {
                td { @if let Some(edit) = edit { a href=(edit) aria-label=(words::edit_of(&page.title)) { (words::EDIT) } } }
            }
        }
    }
}

/// Git knows the time, and authors can write a day.
fn last_change(dashboard: &Dashboard, page: &ProjectPage) -> Markup {
    let written = page.last_modified.as_deref();
    let time = written
        .map(|text| if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") });
    at(dashboard.operations.now(), time.as_deref())
}
