//! The tables of the page as CSV and JSON files, with all rows.

use axum::{
    extract::Query,
    http::header,
    response::{IntoResponse, Response},
};
use docwright_operations::{OperationError, lists::Page};
use serde_json::{Map, Value, json};

use super::{
    data::steps,
    filter::{AnalyticsPage, Filter},
    place::AnalyticsPlace,
    tables::{Cell, Row, TABLES, Table, has_table},
};
use crate::{csv::field, refusal::Refusal, words};

/// Rows of a file at most.
const ROWS: i64 = 20_000;

pub(in crate::pages) async fn csv(
    place: AnalyticsPlace,
    Query(asked): Query<AnalyticsPage>,
) -> Result<Response, Refusal> {
    let (table, filter) = read(&place, &asked).await?;
    let mut text = names(&table).join(",") + "\r\n";
    for Row { value, cells, .. } in &table.rows {
        let cells = cells.iter().map(|cell| match cell.value() {
            Value::String(text) => field(&text),
            Value::Null => String::new(),
            number => number.to_string(),
        });
        text += &std::iter::once(field(value)).chain(cells).collect::<Vec<_>>().join(",");
        text += "\r\n";
    }
    Ok(file((&table, &filter), ("csv", "text/csv; charset=utf-8"), text))
}

pub(in crate::pages) async fn json(
    place: AnalyticsPlace,
    Query(asked): Query<AnalyticsPage>,
) -> Result<Response, Refusal> {
    let (table, filter) = read(&place, &asked).await?;
    let names = names(&table);
    let rows = table.rows.iter().map(|Row { value, cells, .. }| {
        let values = std::iter::once(json!(value)).chain(cells.iter().map(Cell::value));
        Value::Object(names.iter().cloned().zip(values).collect::<Map<_, _>>())
    });
    let text = json!(rows.collect::<Vec<_>>()).to_string();
    Ok(file((&table, &filter), ("json", "application/json"), text))
}

/// The requested table with all rows.
async fn read(place: &AnalyticsPlace, asked: &AnalyticsPage) -> Result<(Table, Filter), Refusal> {
    let filter = asked.filter()?;
    let asked = asked.table.as_deref().unwrap_or("pages");
    if asked == "timeline" {
        return Ok((timeline(place, &filter).await?, filter));
    }
    let wrong = || OperationError::Invalid("`table` isn't a table of this page.".to_owned());
    let name = TABLES.into_iter().find(|name| *name == asked && has_table(name, place));
    let name = name.ok_or_else(wrong)?;
    let table = Table::read(place, (name, &filter), Page::whole(ROWS)).await?;
    Ok((table.ok_or_else(wrong)?, filter))
}

async fn timeline(place: &AnalyticsPlace, filter: &Filter) -> Result<Table, Refusal> {
    let now = place.operations.now();
    let [range, _] = filter.queries(now)?;
    let (steps, _) = steps(place, (filter.span, now), &range).await?;
    let rows = steps.into_iter().map(|step| Row {
        value: step.label,
        link: None,
        cells: [step.human, step.ai, step.human + step.ai].map(Cell::Count).into(),
    });
    Ok(Table {
        name: "timeline",
        title: words::VIEWS_OVER_TIME,
        why: None,
        head: words::START_UTC,
        columns: vec![words::PEOPLE, words::AI_AGENTS, words::TOTAL],
        rows: rows.collect(),
        next: None,
    })
}

/// The names of the columns for programs.
fn names(table: &Table) -> Vec<String> {
    let names = std::iter::once(&table.head).chain(&table.columns);
    let plain = |name: &str| name.to_lowercase().replace(['(', ')'], "").replace([' ', '-'], "_");
    names.map(|name| plain(name)).collect()
}

fn file(
    (table, filter): (&Table, &Filter),
    (ending, kind): (&str, &'static str),
    text: String,
) -> Response {
    let (table, range) = (table.name, filter.span.name());
    let name = format!("attachment; filename=\"{table}-{range}.{ending}\"");
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, name.as_str()),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, text).into_response()
}
