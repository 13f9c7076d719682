//! Web analytics of a project: what readers look for.

mod chart;
mod data;
mod download;
mod empty_searches;
mod filter;
mod now;
mod place;
mod redirects;
mod repairs;
mod span;
mod tables;

use axum::{Router, extract::Query, response::Response, routing::get};
use docwright_operations::{
    OperationError,
    analytics::{ReaderCounts, VitalValues},
    lists::Page,
};
use maud::{Markup, html};

use crate::{
    parts::{empty, select},
    refusal::Refusal,
    words,
};
use chart::chart;
use data::{Data, Step};
pub(super) use download::{csv, json};
pub(super) use empty_searches::{answer as answer_search, list as empty_searches};
use filter::{AnalyticsPage, Filter};
pub(super) use now::show as now;
use place::AnalyticsPlace;
pub(crate) use place::SiteAnalytics;
pub(super) use redirects::{add as add_redirect, list as redirects};
use span::Span;
use tables::{Cell, Row, TABLES, Table, UNREAD, has_table};

/// Rows of a table that is shown alone.
const ROWS: i64 = 100;

/// The pages beside a site.
pub(crate) fn beside_site(of: SiteAnalytics) -> Router {
    let path = of.path.to_string();
    Router::new()
        .route(&path, get(show))
        .route(&format!("{path}/live"), get(now))
        .route(&format!("{path}/csv"), get(csv))
        .route(&format!("{path}/json"), get(json))
        .with_state(of)
}

/// The page: all tables with their first rows, or one of them in full.
pub(super) async fn show(
    place: AnalyticsPlace,
    Query(asked): Query<AnalyticsPage>,
) -> Result<Response, Refusal> {
    let filter = asked.filter()?;
    let here = place.path();
    let table = asked.table.as_deref().filter(|name| !name.is_empty());
    let body = match table {
        Some(name) => one_table(&place, (&filter, name), asked.cursor.as_deref()).await?,
        None => overview(&Data::read(&place, &filter).await?, &place, &filter),
    };
    let body = html! {
        h1 { (words::ANALYTICS) }
        (tabs(&place, (&filter, table), Some(filter.span)))
        (form(&filter, &here))
        (body)
    };
    Ok(place.page(&body))
}

/// The ranges. Without a current one, the page is that of the last minutes.
fn tabs(
    place: &AnalyticsPlace,
    (filter, table): (&Filter, Option<&str>),
    current: Option<Span>,
) -> Markup {
    let here = place.path();
    html! {
        nav.tabs.ranges aria-label=(words::ANALYTICS_RANGE) { ul {
            li { a href={ (here) "/live" } aria-current=[current.is_none().then_some("true")] { (words::LAST_MINUTES) } }
            @for span in Span::ALL {
                @let of_span = Filter { span, ..filter.clone() };
                li { a href=(of_span.link(&here, &[("table", table)])) aria-current=[(Some(span) == current).then_some("true")] { (span.title()) } }
            }
        } }
    }
}

fn form(filter: &Filter, here: &str) -> Markup {
    html! {
        form.search method="get" action=(here) role="search" {
            input type="hidden" name="range" value=(filter.span.name());
            div.field {
                label for="path" { (words::PATH_FILTER) }
                input id="path" name="path" type="text" maxlength="200" autocomplete="off" aria-describedby="path-hint" value=(filter.path);
                p.hint #path-hint { (words::PATH_FILTER_HINT) }
            }
            (select(("reader", words::READERS), &words::READER_KINDS, filter.reader_name(), None))
            p.actions {
                button type="submit" { (words::FILTER) }
                @if filter.limits() { a href={ (here) "?range=" (filter.span.name()) } { (words::SHOW_ALL) } }
            }
        }
    }
}

fn overview(data: &Data, place: &AnalyticsPlace, filter: &Filter) -> Markup {
    let here = place.path();
    if data.is_empty() {
        let action = html! {
            @if let Some(deployments) = place.elsewhere("deployments") {
                p.actions { a.button href=(deployments) { (words::VIEW_DEPLOYMENTS) } }
            }
        };
        return if filter.limits() {
            html! { p.soft { (words::NOTHING_COUNTED) } }
        } else {
            empty(words::NO_VIEWS, words::NO_VIEWS_WHY, &action)
        };
    }
    html! {
        (numbers(data, &here, filter))
        (over_time(data, place, filter))
        (vitals(data))
        @let (filled, empty): (Vec<_>, Vec<_>) = data.tables.iter().partition(|table| !table.rows.is_empty());
        div.tables {
            @for table in filled { (list(table, place, filter)) }
        }
        @if !empty.is_empty() { (without_rows(&empty)) }
        @if has_table(UNREAD, place) {
            p.below { a href=(filter.link(&here, &[("table", Some(UNREAD))])) { (words::VIEW_UNREAD_PAGES) } }
        }
    }
}

/// The titles of tables without rows, in one line.
fn without_rows(tables: &[&Table]) -> Markup {
    let titles: Vec<_> = tables.iter().map(|table| table.title).collect();
    html! { p.soft { (words::NOTHING_FOR) ": " (titles.join(", ")) "." } }
}

/// The totals, each beside that of the range before, and with a link to what it consists of.
fn numbers(data: &Data, here: &str, filter: &Filter) -> Markup {
    use docwright_operations::analytics::ReaderKind::{Ai, Human};
    let of = |label: &str, [now, before]: [i64; 2], link: Option<String>| {
        html! {
            div {
                dt { @if let Some(link) = link { a href=(link) { (label) } } @else { (label) } }
                dd {
                    strong { (words::number(now)) }
                    span.soft { (words::compared(now, before)) }
                }
            }
        }
    };
    let only = |reader| {
        let link = Filter { reader: Some(reader), ..filter.clone() }.link(here, &[]);
        filter.reader.is_none().then_some(link)
    };
    let views = |kind: fn(ReaderCounts) -> i64| data.views.map(kind);
    html! {
        dl.totals {
            @if filter.reader != Some(Ai) { (of(words::VIEWS_OF_PEOPLE, views(|counts| counts.human), only(Human))) }
            @if filter.reader != Some(Human) { (of(words::VIEWS_OF_AGENTS, views(|counts| counts.ai), only(Ai))) }
            @if let Some(visitors) = data.visitors.filter(|_| filter.reader != Some(Ai)) {
                (of(words::VISITORS, visitors.map(|counts| counts.human), None))
            }
        }
        p.hint { (words::VISITORS_WHY) }
    }
}

fn over_time(data: &Data, place: &AnalyticsPlace, filter: &Filter) -> Markup {
    html! {
        h2 { (words::VIEWS_OVER_TIME) }
        (chart(&data.steps, &data.marks))
        (line_table(words::VIEWS_OVER_TIME, words::START_UTC, &data.steps))
        (downloads((place, filter), ("timeline", words::VIEWS_OVER_TIME)))
    }
}

/// The numbers of a line, folded.
fn line_table(title: &str, head: &str, steps: &[Step]) -> Markup {
    html! {
        details.folded {
            summary { (words::AS_TABLE) }
            div.scroll tabindex="0" role="region" aria-label=(title) { table {
                thead { tr {
                    th { (head) }
                    @for label in [words::PEOPLE, words::AI_AGENTS, words::TOTAL] { th.number { (label) } }
                } }
                tbody {
                    @for step in steps {
                        tr {
                            th scope="row" { (step.title()) }
                            @for count in [step.human, step.ai, step.human + step.ai] { td.number { (words::number(count)) } }
                        }
                    }
                }
            } }
        }
    }
}

/// The Web Vitals of all pages, if browsers measured some.
fn vitals(data: &Data) -> Markup {
    let Some(measures) = data.vitals else { return Markup::default() };
    let one = |label: &str, values: VitalValues, cell: Cell| {
        html! {
            div {
                dt { (label) }
                dd {
                    strong { (cell.shown()) }
                    span.soft { (words::vital_shares(values.good, values.fair, values.poor)) }
                }
            }
        }
    };
    html! {
        @if measures.lcp.p75.or(measures.inp.p75).or(measures.cls.p75).is_some() {
            h2 { (words::WEB_VITALS) }
            dl.totals {
                (one(words::LCP_NAME, measures.lcp, Cell::Milliseconds(measures.lcp.p75)))
                (one(words::INP_NAME, measures.inp, Cell::Milliseconds(measures.inp.p75)))
                (one(words::CLS_NAME, measures.cls, Cell::Thousandths(measures.cls.p75)))
            }
            p.hint { (words::VITALS_WHY) }
        }
    }
}

/// A table of the most frequent values.
fn list(table: &Table, place: &AnalyticsPlace, filter: &Filter) -> Markup {
    let here = place.path();
    html! {
        section {
            h2 { (table.title) }
            @if let Some(why) = table.why { p.hint { (why) } }
            (rows(table))
            @if table.next.is_some() {
                @let all = filter.link(&here, &[("table", Some(table.name))]);
                p.below { a href=(all) { (words::view_all_of(table.title)) } }
            }
            (suggestions(table.name, place, filter))
            (downloads((place, filter), (table.name, table.title)))
        }
    }
}

/// The link to the page where agent jobs repair what a table shows.
fn suggestions(table: &str, place: &AnalyticsPlace, filter: &Filter) -> Markup {
    let (page, label) = match table {
        "dead-links" => ("redirects", words::VIEW_REDIRECTS),
        "empty-searches" => ("empty-searches", words::ANSWER_SEARCHES),
        _ => return Markup::default(),
    };
    let path = place.elsewhere(&format!("analytics/{page}"));
    html! { @if let Some(path) = path { p.below { a href=(filter.link(&path, &[])) { (label) } } } }
}

fn rows(table: &Table) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.title) { table {
            thead { tr {
                th { (table.head) }
                @for (place, label) in table.columns.iter().enumerate() {
                    th.number[table.rows.first().is_some_and(|row| row.cells[place].is_number())] { (label) }
                }
            } }
            tbody { @for row in &table.rows { (line(row)) } }
        } }
    }
}

fn line(row: &Row) -> Markup {
    let label = if row.value.is_empty() { words::OTHER_VALUES } else { &row.value };
    html! {
        tr {
            th scope="row" { @if let Some(link) = &row.link { a href=(link) { (label) } } @else { (label) } }
            @for cell in &row.cells { td.number[cell.is_number()] { (cell.shown()) } }
        }
    }
}

/// One table, with the pages of its rows.
async fn one_table(
    place: &AnalyticsPlace,
    (filter, name): (&Filter, &str),
    cursor: Option<&str>,
) -> Result<Markup, Refusal> {
    let wrong = || OperationError::Invalid("`table` isn't a table of this page.".to_owned());
    let name = TABLES.into_iter().find(|each| *each == name && has_table(each, place));
    let name = name.ok_or_else(wrong)?;
    let (here, cursor) = (place.path(), cursor.filter(|cursor| !cursor.is_empty()));
    let page = Page::new(Some(ROWS), cursor)?;
    let Some(table) = Table::read(place, (name, filter), page).await? else {
        return Ok(html! { p.soft { (words::NOTHING_COUNTED) } });
    };
    let at = |cursor| filter.link(&here, &[("table", Some(name)), ("cursor", cursor)]);
    Ok(html! {
        p.below { a href=(filter.link(&here, &[])) { (words::ALL_ANALYTICS) } }
        h2 { (table.title) }
        @if let Some(why) = table.why { p.hint { (why) } }
        @if table.rows.is_empty() { p.soft { (words::NONE_IN_RANGE) } } @else {
            (suggestions(table.name, place, filter))
            div.tables { section { (rows(&table)) } }
            @if cursor.is_some() || table.next.is_some() {
                p.pager {
                    @if cursor.is_some() { a href=(at(None)) { (words::FIRST_PAGE) } }
                    @if table.next.is_some() { a rel="next" href=(at(table.next.as_deref())) { (words::NEXT_PAGE) } }
                }
            }
            (downloads((place, filter), (table.name, table.title)))
        }
    })
}

/// Links to the files of a table, whose responses say that they are files. With `download`, browsers request them as a
/// script does, which is refused beside a site.
fn downloads((place, filter): (&AnalyticsPlace, &Filter), (name, title): (&str, &str)) -> Markup {
    let (here, is_file) = (place.path(), place.elsewhere("releases").is_some());
    let path = |ending| filter.link(&format!("{here}/{ending}"), &[("table", Some(name))]);
    html! {
        p.below {
            a href=(path("csv")) download[is_file] aria-label=(words::download_of("CSV", title)) { (words::DOWNLOAD_CSV) }
            " "
            a href=(path("json")) download[is_file] aria-label=(words::download_of("JSON", title)) { (words::DOWNLOAD_JSON) }
        }
    }
}
