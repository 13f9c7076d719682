//! The frame of every page: head, navigation, and location.

use std::sync::LazyLock;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use docwright_http::page;
use docwright_operations::built_in::is_built_in;
use docwright_storage::database::Project;
use maud::{DOCTYPE, Markup, html};

use super::{
    assets, compression::Uncompressed, icons, paths::with_query,
    project_context::OrganizationPlace, session::SignedIn, words,
};

/// Restrictions of a page: it can use the files of the dashboard and send requests to the service, and nothing
/// else. No other site can show it in a frame, which prevents clickjacking.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// Restrictions of a page beside a site. It runs no script, so allowing scripts to its own origin, which it shares with
/// no other page, only lets it refresh. Scripts of the site's authors can't read it, although they have the same host.
const SITE_POLICY: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts allow-forms allow-downloads; default-src 'none'; style-src 'self'; font-src 'self'; \
     img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Seconds until a refreshed page without scripts is requested again.
const REFRESH: HeaderValue = HeaderValue::from_static("10");

/// Id of the last element, which browsers wait for before they paint a page.
const END: &str = "end";

/// htmx writes no styles into the page and runs no inline code.
const HTMX: &str = r#"{"includeIndicatorCSS":false,"history":false}"#;

/// Organizations in the menu. The home page has all of them, and a search.
const MENU_ORGANIZATIONS: usize = 10;

/// The location of a page.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) person: &'a SignedIn,
    pub(super) organization: Option<&'a OrganizationPlace>,
    pub(super) project: Option<&'a Project>,
    /// Its part of the navigation.
    pub(super) section: &'static str,
}

static HEAD: LazyLock<Markup> = LazyLock::new(|| {
    html! {
        (plain_head(""))
        meta name="htmx-config" content=(HTMX);
        link rel="preload" href=(assets::font()) as="font" type="font/woff2" crossorigin;
        script src=(assets::script()) defer {}
    }
});

/// The head of a page without scripts, whose files are below a path.
fn plain_head(path: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta name="robots" content="noindex";
        link rel="icon" type="image/svg+xml" href={ (path) (assets::mark()) };
        link rel="stylesheet" href={ (path) (assets::style()) };
    }
}

/// A page with navigation.
pub(super) fn page(status: StatusCode, frame: &Frame<'_>, title: &str, body: &Markup) -> Response {
    let place = frame.project.map(|project| project.name.as_str());
    let place = place.or_else(|| frame.organization.map(|place| place.organization.name.as_str()));
    let full = [Some(title), place, Some(words::PRODUCT)];
    let full: Vec<_> = full.into_iter().flatten().collect();
    let browser = &frame.person.browser;
    let body = html! {
        a.skip href="#content" { (words::SKIP) }
        div.frame {
            header.side {
                a.brand href="/" { (words::PRODUCT) }
                div.tools { (search_button(frame)) (inbox_link(frame)) }
                // Next to the navigation, not around it: a wide window shows it whether or not this is open.
                details.menu { summary { (words::MENU) } }
                (navigation(frame))
            }
            main #content tabindex="-1" {
                @if let Some(done) = browser.done { p.notice.done role="status" { (done.text()) } }
                (body)
            }
        }
        (palette(frame))
    };
    let mut response = answer(status, &full.join(" · "), &body);
    if browser.done.is_some() {
        response.headers_mut().append(header::SET_COOKIE, browser.said());
    }
    response
}

/// The restrictions of a page with a preview: its origin can be in a frame, and receive the form.
pub(super) fn policy_with_preview(origin: &str) -> String {
    format!("{POLICY} {origin}; frame-src {origin}")
}

/// A page with a secret, which isn't compressed.
pub(super) fn with_secret(mut page: Response) -> Response {
    page.extensions_mut().insert(Uncompressed);
    page
}

/// A page without navigation, such as the sign-in page.
pub(super) fn alone(status: StatusCode, title: &str, body: &Markup) -> Response {
    let body = html! {
        main.alone {
            p.brand { (words::PRODUCT) }
            (body)
        }
    };
    with_secret(answer(status, &format!("{title} · {}", words::PRODUCT), &body))
}

/// A page at a path beside a site, without scripts and without other pages of the dashboard.
pub(super) fn beside_site((path, site): (&str, &str), title: &str, body: &Markup) -> Response {
    let body = html! {
        a.skip href="#content" { (words::SKIP) }
        div.frame {
            header.side {
                a.brand href=(path) { (words::PRODUCT) }
                details.menu { summary { (words::MENU) } }
                nav aria-label=(words::MAIN_NAVIGATION) {
                    ul {
                        li { a href=(path) aria-current="page" { (title) } }
                        li { a href=(site) { (words::OPEN_SITE) } }
                    }
                }
            }
            main #content tabindex="-1" { (body) }
        }
    };
    let title = format!("{title} · {}", words::PRODUCT);
    document((StatusCode::OK, SITE_POLICY), &title, &plain_head(path), &body)
}

/// The same page, which browsers request again every few seconds.
pub(super) fn refreshed(mut page: Response) -> Response {
    page.headers_mut().insert(header::REFRESH, REFRESH);
    page
}

fn answer(status: StatusCode, title: &str, body: &Markup) -> Response {
    document((status, HeaderValue::from_static(POLICY)), title, &HEAD, body)
}

fn document(
    (status, policy): (StatusCode, HeaderValue),
    title: &str,
    head: &Markup,
    body: &Markup,
) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                title { (title) }
                // A table that is painted before all of it has arrived moves its columns.
                link rel="expect" href={ "#" (END) } blocking="render";
                (head)
            }
            body {
                (body)
                span id=(END) hidden {}
            }
        }
    };
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    page::secured((status, headers, Html(page.into_string())).into_response())
}

/// A link to the search. With scripts, it opens the palette, and shows its keys.
fn search_button(frame: &Frame<'_>) -> Markup {
    let place = search_place(frame);
    let query = place.each_ref().map(|(name, id)| (*name, id.as_deref()));
    html! {
        a.search-button href=(with_query(words::SEARCH_PATH, &query)) {
            (icons::search())
            span { (words::SEARCH) }
            kbd hidden {}
        }
    }
}

/// A bell that leads to the inbox, with the number of unread items.
fn inbox_link(frame: &Frame<'_>) -> Markup {
    let unread = frame.person.unread;
    html! {
        a.bell href="/inbox" aria-label=(words::inbox_with(unread)) title=(words::INBOX)
            aria-current=[(frame.section == "inbox").then_some("page")] {
            (icons::bell())
            @if unread > 0 { span.count { (unread) } }
        }
    }
}

/// The search as a dialog, which a script opens.
fn palette(frame: &Frame<'_>) -> Markup {
    html! {
        dialog.palette id="palette" aria-label=(words::SEARCH) data-recent=(words::RECENT) data-account=(frame.person.account.id) {
            form method="get" action=(words::SEARCH_PATH) {
                input name="search" type="text" role="combobox" maxlength="200" autocomplete="off" spellcheck="false"
                    aria-label=(words::SEARCH_EVERYTHING) placeholder=(words::SEARCH_EVERYTHING)
                    aria-autocomplete="list" aria-expanded="false" aria-controls="palette-results";
                @for (name, id) in search_place(frame) {
                    @if let Some(id) = id { input type="hidden" name=(name) value=(id); }
                }
            }
            div id="palette-results" role="listbox" aria-label=(words::SEARCH_RESULTS) {}
            p.unseen role="status" {}
        }
    }
}

/// The organization and the project that the search is limited to.
fn search_place(frame: &Frame<'_>) -> [(&'static str, Option<String>); 2] {
    let project = frame.project.map(|project| project.id.clone());
    let organization = frame.organization.map(|place| place.organization.id.clone());
    [("organization", organization.filter(|_| project.is_none())), ("project", project)]
}

fn navigation(frame: &Frame<'_>) -> Markup {
    let link = |base: &str, (section, label): (&'static str, &'static str)| {
        let is_here = section == frame.section;
        let path = if section.is_empty() { base.to_owned() } else { format!("{base}/{section}") };
        html! { li { a href=(path) aria-current=[is_here.then_some("page")] { (label) } } }
    };
    let here = frame.organization.map(|place| place.organization.id.as_str());
    let (mut organization_links, mut project_links) = (Markup::default(), Markup::default());
    if let Some(place) = frame.organization {
        let base = format!("/organizations/{}", place.organization.id);
        let sections = words::ORGANIZATION_SECTIONS.iter().filter(|(role, ..)| place.can(*role));
        // Within a project, the pages of the organization are one step away.
        organization_links = html! {
            p.place { a href=(base) { (place.organization.name) } }
            @if frame.project.is_none() {
                ul { @for (_, section, label) in sections { (link(&base, (section, label))) } }
            }
        };
        if let Some(project) = frame.project {
            let base = format!("/projects/{}", project.id);
            let sections = words::PROJECT_SECTIONS.iter().filter(|(role, section, _)| {
                place.can(*role) && (*section != "pull-requests" || is_built_in(project))
            });
            project_links = html! {
                p.place { a href=(base) { (project.name) } }
                ul { @for (_, section, label) in sections { (link(&base, (section, label))) } }
            };
        }
    }
    html! {
        nav aria-label=(words::MAIN_NAVIGATION) {
            (organizations(frame.person, here))
            (organization_links)
            (project_links)
            @if frame.person.account.is_operator {
                p.place { (words::INSTANCE) }
                ul { @for entry in words::INSTANCE_SECTIONS { (link("", *entry)) } }
            }
            div.person {
                a href="/account" aria-current=[(frame.section == "account").then_some("page")] {
                    (frame.person.account.name)
                }
                form method="post" action="/sign-out" {
                    button.quiet type="submit" { (words::SIGN_OUT) }
                }
            }
        }
    }
}

/// The organizations of the user, except where the only one is named anyway. `here` is the ID of the page's own.
fn organizations(person: &SignedIn, here: Option<&str>) -> Markup {
    let all = &person.memberships;
    if all.is_empty() || (all.len() == 1 && here.is_some_and(|id| id == all[0].organization.id)) {
        return Markup::default();
    }
    html! {
        details.switch {
            summary { (words::SWITCH_ORGANIZATION) }
            ul {
                @for each in all.iter().take(MENU_ORGANIZATIONS) {
                    @let id = each.organization.id.as_str();
                    li {
                        a href=(format!("/organizations/{id}")) aria-current=[(here == Some(id)).then_some("true")] {
                            (each.organization.name)
                        }
                    }
                }
                @if all.len() > MENU_ORGANIZATIONS { li { a href="/" { (words::ALL_ORGANIZATIONS) } } }
            }
        }
    }
}
