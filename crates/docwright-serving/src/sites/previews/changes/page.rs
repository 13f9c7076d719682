//! The pages that show changes.

use std::sync::LazyLock;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use docwright_http::page::{page, secured, source_hash};
use docwright_site::comparison::{Fate, PageChange};
use docwright_storage::database::ServedPreview;
use docwright_types::counted::{counted, grouped};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::super::pages::name;
use super::{PATH, compare::Compared};

const STYLE: &str = include_str!("changes.css");
/// Listed pages.
const LISTED: usize = 500;
/// Keys to go from change to change, and back to the page.
const SCRIPT: &str = include_str!("changes.js");
/// Contents of authors are shown in their own style, with images. Only the script of this page runs, no form is sent,
/// and nothing is in a frame.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; script-src {}; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; \
         font-src 'self' https: data:; media-src 'self' https:; base-uri 'self'; form-action 'none'; \
         frame-ancestors 'none'",
        source_hash(SCRIPT)
    );
    HeaderValue::try_from(policy).expect("the policy is plain ASCII")
});
/// Characters that a path must encode.
const PATH_SIGNS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'%')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The list of changed pages.
pub(super) fn list(preview: &ServedPreview, changes: &[PageChange], has_base: bool) -> Response {
    let body = html! {
        p.place { (preview.project) }
        h1 { "Changes of " (name(preview)) }
        @if !has_base {
            p { "This project has no active release yet, so every page is new." }
        }
        @if changes.is_empty() {
            p { "No pages changed." }
        } @else {
            p {
                (count(changes.len())) " compared with the published site"
                @if let Some(commit) = base_commit(preview) { " at commit " code { (commit) } }
                "."
            }
        }
        ul.list {
            @for change in changes.iter().take(LISTED) {
                li {
                    span.state data-fate=(word(&change.fate)) { (word(&change.fate)) }
                    a href=(address(&change.path)) { (change.title) }
                    span.meta { @if let Fate::Moved { from } = &change.fate { "/" (from) " → " } "/" (change.path) }
                }
            }
        }
        @if changes.len() > LISTED {
            p.meta { "And " (grouped(changes.len() - LISTED)) " more." }
        }
        p { a href="/" { "Open preview" } }
    };
    page(StatusCode::OK, &format!("Changes of {}", name(preview)), &body)
}

/// A page without changes.
pub(super) fn unchanged(preview: &ServedPreview, path: &str) -> Response {
    let body = html! {
        p.place { (preview.project) }
        h1 { "No changes" }
        p { "The page /" (path) " doesn't exist or didn't change." }
        p { a href=(PATH) { "View all changes" } }
    };
    page(StatusCode::NOT_FOUND, "No changes", &body)
}

/// A page before and after.
pub(super) fn show(
    (preview, changes, place): (&ServedPreview, &[PageChange], usize),
    sheets: &[&str],
    compared: &Compared,
) -> Response {
    let change = &changes[place];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (change.title) " · changes" }
                // Links and images of the page keep their targets.
                base href={ "/" (encoded(&change.path)) };
                @for sheet in sheets { link rel="stylesheet" href=(sheet); }
                style { (PreEscaped(STYLE)) }
            }
            body.dw-changes {
                header.dw-changes-bar {
                    nav {
                        a href=(PATH) { "View all changes" }
                        span { (place + 1) " of " (changes.len()) }
                        @if let Some(before) = place.checked_sub(1).and_then(|place| changes.get(place)) {
                            a href=(address(&before.path)) rel="prev" { "Previous" }
                        }
                        @if let Some(next) = changes.get(place + 1) {
                            a href=(address(&next.path)) rel="next" { "Next" }
                        }
                    }
                    h1 { (change.title) " " span.dw-changes-fate data-fate=(word(&change.fate)) { (word(&change.fate)) } }
                    p { (name(preview)) @if let Fate::Moved { from } = &change.fate { " · /" (from) " → /" (change.path) } }
                    p.dw-changes-keys hidden {
                        kbd { "←" } " " kbd { "→" } " Previous and next change" span aria-hidden="true" { " · " } kbd { "d" } " Open page in preview"
                    }
                }
                @match compared {
                    Compared::TooLong => main.dw-changes-note {
                        p { "This page is too long to compare." }
                        p { a href={ "/" (encoded(&change.path)) } { "Open page in preview" } }
                    },
                    Compared::Sides { before, after } => main.dw-changes-sides {
                        (side("Before", before.as_deref(), "This page didn't exist."))
                        (side("After", after.as_deref(), "This page was removed."))
                    },
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, POLICY.clone()),
    ];
    secured((headers, Html(page.into_string())).into_response())
}

fn side(title: &str, content: Option<&str>, nothing: &str) -> Markup {
    html! {
        section aria-label=(title) {
            h2.dw-changes-side { (title) }
            @match content {
                Some(content) => article.dw-content { (PreEscaped(content)) },
                None => p.dw-changes-nothing { (nothing) },
            }
        }
    }
}

const fn word(fate: &Fate) -> &'static str {
    match fate {
        Fate::Changed => "changed",
        Fate::Added => "new",
        Fate::Moved { .. } => "moved",
        Fate::Removed => "removed",
    }
}

/// The start of the commit of the release that a preview is compared with.
fn base_commit(preview: &ServedPreview) -> Option<&str> {
    preview.base.as_ref()?.commit.as_deref()?.get(..7)
}

fn count(number: usize) -> String {
    format!("{} changed", counted(number, "page"))
}

fn encoded(path: &str) -> String {
    utf8_percent_encode(path, PATH_SIGNS).to_string()
}

/// The address of a page's comparison.
fn address(path: &str) -> String {
    format!("{PATH}/{}", encoded(path))
}
