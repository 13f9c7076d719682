//! What docwright adds to a draft: its diagnostics; and the page in its place if there is none.

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use docwright_http::error::ApiError;
use docwright_operations::pages::CompiledPage;
use docwright_types::counted::severities;
use maud::{DOCTYPE, PreEscaped, html};

const STYLE: &str = "#docwright-draft{position:fixed;inset:auto 1rem 1rem auto;z-index:99;max-width:min(40rem,calc(100vw - 2rem));\
    max-height:50vh;overflow:auto;font:14px/1.5 system-ui,sans-serif;background:#1c1917;color:#fafaf9;border-radius:.75rem;\
    padding:.75rem 1rem;box-shadow:0 8px 30px #0006}#docwright-draft summary{cursor:pointer}\
    #docwright-draft ul{margin:.5rem 0 0;padding-inline-start:1.2rem;overflow-wrap:anywhere}#docwright-draft small{opacity:.8}";
const ALONE: &str = "html{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0;padding:1.5rem}p{max-width:36rem}";

/// Tells the page around the frame how far the document is scrolled, which the next preview sends back.
const SCROLLED: &str = "addEventListener('scroll',()=>parent.postMessage({scrolled:scrollY},'*'))";

/// The document with its diagnostics before the end of its body. It opens `scrolled` pixels from its top.
pub(super) fn with_diagnostics(
    CompiledPage { html, diagnostics }: CompiledPage,
    scrolled: u32,
) -> String {
    let errors = diagnostics.iter().filter(|each| each.is_error).count();
    let overlay = html! {
        script { (PreEscaped(SCROLLED)) ";scrollTo({top:" (scrolled) ",behavior:'instant'})" }
        @if !diagnostics.is_empty() {
            style { (PreEscaped(STYLE)) }
            details #docwright-draft open {
                summary { (severities(errors, diagnostics.len() - errors, "")) }
                ul {
                    @for each in &diagnostics {
                        li {
                            @if each.line > 0 { "Line " (each.line) ": " }
                            (each.message)
                            @if let Some(help) = &each.help { br; small { (help) } }
                        }
                    }
                }
            }
        }
    };
    let overlay = overlay.into_string();
    match html.rfind("</body>") {
        Some(end) => format!("{}{overlay}{}", &html[..end], &html[end..]),
        None => html + &overlay,
    }
}

/// The answer to an error as a page.
pub(super) fn refused(error: ApiError) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "No preview" }
                style { (PreEscaped(ALONE)) }
            }
            body { p role="alert" { (error.sentence()) } }
        }
    };
    let mut response = error.into_response();
    *response.body_mut() = Body::from(page.into_string());
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use docwright_operations::pages::DraftDiagnostic;

    use super::*;

    #[test]
    fn diagnostics_are_text_in_the_body() {
        let page = |diagnostics| CompiledPage {
            html: "<body><p>x</p></body></html>".to_owned(),
            diagnostics,
        };
        let found = |line, is_error| DraftDiagnostic {
            line,
            is_error,
            message: "broken link to `<i>`".to_owned(),
            help: Some("Check it".to_owned()),
        };
        let html = with_diagnostics(page(vec![found(0, true), found(7, false)]), 0);
        assert!(html.contains("1 error, 1 warning") && html.contains("Line 7: broken"), "{html}");
        assert!(html.contains("&lt;i&gt;") && !html.contains("<i>"), "{html}");
        assert!(html.ends_with("</details></body></html>"), "{html}");
    }

    #[test]
    fn page_opens_where_the_last_one_was() {
        let page = CompiledPage { html: "<body></body>".to_owned(), diagnostics: Vec::new() };
        let html = with_diagnostics(page, 640);
        assert!(html.contains("scrollTo({top:640,behavior:'instant'})"), "{html}");
        assert!(!html.contains("docwright-draft") && html.ends_with("</script></body>"), "{html}");
    }
}
