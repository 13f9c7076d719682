//! The machine-readable description, generated from the operations, and a page for people.

use axum::{Json, Router, response::Html, routing::get};
use maud::{DOCTYPE, html};
use utoipa::openapi::{
    Info, OpenApi, OpenApiBuilder, Paths,
    security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};

use crate::state::AppState;

/// The description before the operations are added.
pub(super) fn document() -> OpenApi {
    let mut info = Info::new("docwright administrative API", "2.0.0");
    info.description =
        Some("Static export jobs: a documentation site as one portable archive.".to_owned());
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An admin API key, `dw_…`"))
        .build();
    let components = utoipa::openapi::ComponentsBuilder::new()
        .security_scheme("key", SecurityScheme::Http(bearer))
        .build();
    OpenApiBuilder::new().info(info).paths(Paths::new()).components(Some(components)).build()
}

/// `/openapi.json`, and a page that lists the operations.
pub(super) fn router(document: OpenApi) -> Router<AppState> {
    let page = page(&document);
    Router::new()
        .route("/openapi.json", get(move || async move { Json(document) }))
        .route("/api", get(move || async move { Html(page) }))
}

fn page(document: &OpenApi) -> String {
    let json = serde_json::to_value(document).unwrap_or_default();
    let paths = json["paths"].as_object().cloned().unwrap_or_default();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8"; meta name="viewport" content="width=device-width, initial-scale=1";
                title { "docwright API" }
                style { "body{font:16px/1.6 system-ui,sans-serif;max-width:48rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}code{font-size:.9em}td{padding:.2rem .8rem .2rem 0;vertical-align:top}" }
            }
            body {
                h1 { "docwright API " (document.info.version) }
                p { "All operations need " code { "Authorization: Bearer dw_…" } ". The whole description is at " a href="/openapi.json" { "/openapi.json" } "." }
                @for (path, operations) in &paths {
                    @for (method, operation) in operations.as_object().into_iter().flatten() {
                        h2 { code { (method.to_uppercase()) " " (path) } }
                        p { (operation["description"].as_str().or(operation["summary"].as_str()).unwrap_or_default()) }
                        table { @for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
                            tr { td { code { (status) } } td { (answer["description"].as_str().unwrap_or_default()) } }
                        } }
                    }
                }
            }
        }
    }
    .into_string()
}
