//! The tables of the page as CSV files, with all rows.

use axum::{
    extract::{Query, State},
    http::header,
    response::{IntoResponse, Response},
};
use docwright_operations::OperationError;
use serde::Deserialize;

use super::{
    AnalyticsPage,
    data::{Row, TABLES, Table, steps},
};
use crate::{Dashboard, csv::field, project_context::ProjectContext, refusal::Refusal};

/// Rows of a request to the operation, and requests of a file: 20,000 rows at most.
const ROWS: i64 = 100;
const PARTS: usize = 200;

#[derive(Debug, Deserialize)]
pub(in crate::pages) struct Download {
    table: Option<String>,
    range: Option<String>,
}

pub(in crate::pages) async fn download(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(Download { table, range }): Query<Download>,
) -> Result<Response, Refusal> {
    let span = AnalyticsPage { range }.span()?;
    let asked = table.as_deref().unwrap_or("pages");
    let now = dashboard.operations.now();
    let text = if asked == "timeline" {
        let steps = steps(&dashboard.operations, &place, (span, now)).await?;
        let lines = steps
            .iter()
            .map(|step| line(&step.label, &[step.human, step.ai, step.human + step.ai]));
        format!("start_utc,people,ai_agents,total\r\n{}", lines.collect::<String>())
    } else {
        let wrong = || OperationError::Invalid("`table` isn't a table of this page.".to_owned());
        let name = TABLES.into_iter().find(|name| *name == asked).ok_or_else(wrong)?;
        let [range, _] = span.queries(now);
        let (mut text, mut cursor) = (String::new(), None::<String>);
        for part in 0..PARTS {
            let read =
                Table::read(&dashboard, &place, (name, range), (ROWS, cursor.as_deref())).await?;
            if part == 0 {
                text += &head(&read);
            }
            text.extend(read.rows.iter().map(|Row { value, counts }| line(value, counts)));
            cursor = read.next;
            if cursor.is_none() {
                break;
            }
        }
        text
    };
    let name = format!("attachment; filename=\"{asked}-{}.csv\"", span.name());
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, name.as_str()),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, text).into_response())
}

fn head(table: &Table) -> String {
    let names = std::iter::once(&table.head).chain(&table.columns);
    let names = names.map(|name| name.to_lowercase().replace(' ', "_"));
    names.collect::<Vec<_>>().join(",") + "\r\n"
}

fn line(value: &str, counts: &[i64]) -> String {
    let fields = std::iter::once(field(value)).chain(counts.iter().map(i64::to_string));
    fields.collect::<Vec<_>>().join(",") + "\r\n"
}
