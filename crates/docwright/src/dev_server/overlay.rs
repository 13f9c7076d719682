//! Additions of the dev server to a page: the script that reloads it, and its diagnostics.

use docwright_site::Severity;
use docwright_types::counted::counted;
use maud::{PreEscaped, html};

use super::Built;

/// Replaces the old text with the new one. This is faster than loading the page and keeps the scroll position, and
/// works unless the page runs code of its author.
const SCRIPT: &str = "new EventSource('/_docwright/dev/events').addEventListener('reload',async()=>{\
    if(document.querySelector('docwright-island'))return location.reload();\
    const next=new DOMParser().parseFromString(await(await fetch(location.href)).text(),'text/html');\
    const now=document.querySelector('.dw-main'),then=next.querySelector('.dw-main');\
    if(!now||!then||next.querySelector('docwright-island'))return location.reload();\
    if(now.innerHTML!==then.innerHTML)now.replaceWith(then);\
    document.title=next.title;document.getElementById('docwright-preview')?.remove();\
    const found=next.getElementById('docwright-preview');if(found)document.body.append(found)});";
const STYLE: &str = "#docwright-preview{position:fixed;inset:auto 1rem 1rem auto;z-index:99;max-width:min(40rem,calc(100vw - 2rem));\
    max-height:50vh;overflow:auto;font:14px/1.5 system-ui,sans-serif;background:#1c1917;color:#fafaf9;border-radius:.75rem;\
    padding:.75rem 1rem;box-shadow:0 8px 30px #0006}#docwright-preview summary{cursor:pointer}\
    #docwright-preview ul{margin:.5rem 0 0;padding-inline-start:1.2rem}#docwright-preview small{opacity:.75}";

/// The page with the overlay before the end of its body.
pub(super) fn add(page: &[u8], built: &Built, path: &str) -> Vec<u8> {
    let overlay = overlay(built, path);
    let text = String::from_utf8_lossy(page);
    match text.rfind("</body>") {
        Some(end) => format!("{}{overlay}{}", &text[..end], &text[end..]).into_bytes(),
        None => format!("{text}{overlay}").into_bytes(),
    }
}

fn overlay(built: &Built, path: &str) -> String {
    let slug = path.trim_end_matches(".html");
    let found: Vec<_> = built
        .diagnostics
        .iter()
        .filter(|each| each.severity != Severity::Note)
        .filter(|each| is_source_of(&each.path, slug))
        .collect();
    let failure = built.failure.as_deref();
    html! {
        style { (PreEscaped(STYLE)) }
        @if failure.is_some() || !found.is_empty() {
            details #docwright-preview open {
                summary {
                    @if failure.is_some() { "Build failed" } @else { (counted(found.len(), "diagnostic")) " on this page" }
                }
                @if let Some(failure) = failure { p { (failure) } }
                ul {
                    @for each in found {
                        li { (each.message) @if let Some(help) = &each.help { br; small { (help) } }
                             br; small { (each.path) ":" (each.line) } }
                    }
                }
            }
        }
        script { (PreEscaped(SCRIPT)) }
    }
    .into_string()
}

/// Whether a page was built from a source file.
fn is_source_of(source: &str, slug: &str) -> bool {
    let stem = source.trim_end_matches(".mdx").trim_end_matches(".md");
    stem == slug || stem.strip_suffix("/index").is_some_and(|folder| folder == slug)
}
