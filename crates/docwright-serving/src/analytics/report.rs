//! What scripts of pages report. A report can come from anyone: it is short, each value is checked or bounded, and
//! its page must be one of the site.

use axum::{
    body::{Body, to_bytes},
    http::request::Parts,
};
use docwright_http::error::ApiError;
use docwright_operations::OperationError;
use docwright_types::analytics::{Dimension, Vital};
use serde::Deserialize;
use url::{Url, form_urlencoded};

use super::{
    senders::Sender,
    visit::{Counted, Visit, language, limited},
};
use crate::{
    media_type::is_json,
    site::{OpenSite, Shown},
};

/// Path of reports.
pub(crate) const PATH: &str = "/_docwright/reading";
/// Longest report, in bytes.
const MAXIMUM_BODY: usize = 16 * 1024;
/// Most events of a report. The script sends 40 at most.
const MAXIMUM_EVENTS: usize = 50;
/// Longest query of a search, in characters.
const LONGEST_QUERY: usize = 100;
/// Longest word of a query that can be a word of a language or of code. Longer ones with digits can be keys.
const LONGEST_WORD: usize = 24;
/// Most digits of a query: a longer number can be that of a phone or a card.
const MOST_DIGITS: usize = 8;
/// Seconds that a page was visible, at least.
const TIMES: [u32; 5] = [0, 10, 30, 60, 180];
/// Parts of a page that were visible, at least, in percent.
const DEPTHS: [u32; 4] = [25, 50, 75, 100];

/// What a script reports about a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    page: String,
    events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Event {
    /// The page is shown, and the server doesn't see that.
    View(ReportedView),
    /// A query, and the number of pages that it found.
    Search(String, u32),
    /// A query, and the page of the opened result.
    Open(String, String),
    Time(u32),
    Scroll(u32),
    Lcp(i64),
    Inp(i64),
    Cls(i64),
    Link(String),
    Copy(String),
    Tab(String),
    Language(String),
    Playground(()),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReportedView {
    referrer: Option<String>,
    utm_source: Option<String>,
    utm_medium: Option<String>,
    utm_campaign: Option<String>,
}

impl Report {
    /// Fails if a site counts no readers.
    pub(super) fn require_counts(site: &OpenSite) -> Result<(), ApiError> {
        if site.about().analytics {
            return Ok(());
        }
        let sentence = "This site counts no readers.".to_owned();
        Err(OperationError::NotFound(sentence).into())
    }

    /// Reads the report of a page of a site. Browsers send JSON to another host only as text.
    pub(super) async fn read(
        (site, sender): (&OpenSite, &Sender),
        parts: &Parts,
        body: Body,
    ) -> Result<Self, ApiError> {
        let invalid = |message: &str| OperationError::Invalid(message.to_owned());
        if *sender == Sender::Own && !is_json(parts) {
            return Err(ApiError::MediaType);
        }
        let body = to_bytes(body, MAXIMUM_BODY).await;
        let body = body.map_err(|_| invalid("The report exceeds 16 KiB."))?;
        let report: Self = serde_json::from_slice(&body)
            .map_err(|error| OperationError::Invalid(format!("Invalid report: {error}.")))?;
        if report.events.len() > MAXIMUM_EVENTS {
            return Err(invalid("`events` has more than 50 entries.").into());
        }
        if !is_page(site, &report.page) {
            return Err(invalid("`page` isn't a page of this site.").into());
        }
        Ok(report)
    }

    /// The visit of the reader who sent the report to a domain, and what counts of it.
    pub(super) fn counted(
        &self,
        domain: &str,
        site: &OpenSite,
        parts: &Parts,
    ) -> (Visit, Vec<Counted>) {
        let view = self.events.iter().find_map(|event| match event {
            Event::View(view) => Some(view),
            _ => None,
        });
        let (referrer, query) = view.map(ReportedView::address).unwrap_or_default();
        let visit = Visit::of_report(parts, &referrer, query);
        if is_refused(parts) || !visit.is_by_person() {
            return (visit, Vec::new());
        }
        let shown = Shown::page(&self.page, false);
        let view = view.and_then(|_| visit.counted(domain, &shown, false));
        let page = || Some(limited(&self.page));
        let mut all = Counted { view: None, page: page(), values: Vec::new() };
        let mut counted: Vec<_> = view.into_iter().collect();
        for event in &self.events {
            if let Event::Open(query, opened) = event {
                let query = searched(query).filter(|_| is_page(site, opened));
                let values = query.map(|query| vec![(Dimension::OpenedResult, query)]);
                let page = Some(limited(opened));
                counted.extend(values.map(|values| Counted { view: None, page, values }));
            } else {
                all.values.extend(event.values());
            }
        }
        counted.push(all);
        (visit, counted)
    }
}

impl ReportedView {
    /// The referrer, and the query of the address.
    fn address(&self) -> (String, String) {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in [
            ("utm_source", &self.utm_source),
            ("utm_medium", &self.utm_medium),
            ("utm_campaign", &self.utm_campaign),
        ] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        (self.referrer.clone().unwrap_or_default(), query.finish())
    }
}

impl Event {
    /// What counts of the event on its page. Values that the script never sends don't count.
    fn values(&self) -> Vec<(Dimension, String)> {
        let one = |dimension, value: Option<String>| {
            value.into_iter().map(|value| (dimension, value)).collect()
        };
        let known = |values: &[u32], value: &u32| values.contains(value).then(|| value.to_string());
        let vital = |vital: Vital, value: i64| vec![(vital.dimension(), vital.sum_of(value))];
        match self {
            Self::View(_) | Self::Open(..) => Vec::new(),
            Self::Search(query, count) => {
                let Some(query) = searched(query) else { return Vec::new() };
                let empty = (*count == 0).then(|| (Dimension::EmptySearch, query.clone()));
                [(Dimension::Search, query)].into_iter().chain(empty).collect()
            }
            Self::Time(seconds) => one(Dimension::ReadingTime, known(&TIMES, seconds)),
            Self::Scroll(percent) => one(Dimension::ScrollDepth, known(&DEPTHS, percent)),
            Self::Lcp(value) => vital(Vital::LargestPaint, *value),
            Self::Inp(value) => vital(Vital::InteractionDelay, *value),
            Self::Cls(value) => vital(Vital::LayoutShift, *value),
            Self::Link(address) => one(Dimension::OutboundLink, outbound(address)),
            Self::Copy(language) => one(Dimension::CopiedCode, text(language)),
            Self::Tab(title) => one(Dimension::ChosenTab, text(title)),
            Self::Language(code) => one(Dimension::ChosenLanguage, language(code)),
            Self::Playground(()) => vec![(Dimension::Playground, "opened".to_owned())],
        }
    }
}

/// Whether the reader objects to being measured.
fn is_refused(parts: &Parts) -> bool {
    let is = |name: &str| parts.headers.get(name).is_some_and(|value| value == "1");
    is("dnt") || is("sec-gpc")
}

fn is_page(site: &OpenSite, page: &str) -> bool {
    site.find(&format!("{page}.html")).is_some() && site.find(&format!("{page}.md")).is_some()
}

/// A query in lower case with single spaces. `None` if it is empty, or if it can contain an address, a number of a
/// person, or a key.
fn searched(query: &str) -> Option<String> {
    let query = limited(query).to_lowercase();
    let query: String = query
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(LONGEST_QUERY)
        .collect();
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let is_private = |word: &str| {
        let is_address =
            word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
        is_address || (word.chars().count() > LONGEST_WORD && has_digit(word))
    };
    let digits = query.chars().filter(char::is_ascii_digit).count();
    let is_private = digits > MOST_DIGITS || query.split(' ').any(is_private);
    Some(query).filter(|query| !query.is_empty() && !is_private)
}

/// The address of another site, without its query.
fn outbound(address: &str) -> Option<String> {
    let mut url = Url::parse(address).ok()?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none();
    url.set_query(None);
    url.set_fragment(None);
    is_plain.then(|| limited(url.as_str()))
}

/// A text that isn't blank.
fn text(text: &str) -> Option<String> {
    Some(limited(text.trim())).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(event: &str) -> Vec<(Dimension, String)> {
        serde_json::from_str::<Event>(event).unwrap().values()
    }

    #[test]
    fn events_count_in_bounds() {
        use Dimension::{ChosenTab, EmptySearch, LargestPaint, OutboundLink, ReadingTime, Search};
        for (event, expected) in [
            (r#"{"search":[" How  TO ",3]}"#, vec![(Search, "how to")]),
            (r#"{"search":["x",0]}"#, vec![(Search, "x"), (EmptySearch, "x")]),
            (r#"{"search":["  ",0]}"#, vec![]),
            (r#"{"time":30}"#, vec![(ReadingTime, "30")]),
            (r#"{"time":31}"#, vec![]),
            (r#"{"scroll":101}"#, vec![]),
            (r#"{"lcp":2400}"#, vec![(LargestPaint, "2500")]),
            (r#"{"lcp":9000000000000}"#, vec![(LargestPaint, "more")]),
            (
                r#"{"link":"https://a.example/b?token=c#d"}"#,
                vec![(OutboundLink, "https://a.example/b")],
            ),
            (r#"{"link":"https://me:secret@a.example/"}"#, vec![]),
            (r#"{"link":"javascript:alert(1)"}"#, vec![]),
            (r#"{"tab":"  Python\u0000 "}"#, vec![(ChosenTab, "Python\u{fffd}")]),
            (r#"{"language":"<b>"}"#, vec![]),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(dimension, value)| (dimension, value.to_owned()))
                .collect();
            assert_eq!(values(event), expected, "{event}");
        }
        let long = format!(r#"{{"tab":"{}"}}"#, "x".repeat(1_000));
        assert_eq!(values(&long)[0].1.len(), 200);
    }

    #[test]
    fn reports_with_unknown_parts_are_refused() {
        for report in [
            r#"{"page":"p","events":[{"search":["x"]}]}"#,
            r#"{"page":"p","events":[{"time":-1}]}"#,
            r#"{"page":"p","events":[{"id":"x"}]}"#,
            r#"{"page":"p","events":[{"view":{"referrer":"","id":"x"}}]}"#,
            r#"{"page":"p","events":[{"time":10,"scroll":25}]}"#,
            r#"{"page":"p","events":[],"id":"x"}"#,
            r#"{"page":"p"}"#,
            "[]",
        ] {
            assert!(serde_json::from_str::<Report>(report).is_err(), "{report}");
        }
    }

    #[test]
    fn queries_that_can_identify_a_person_dont_count() {
        for query in [
            "me@mail.example",
            "reset for me.too@mail.example please",
            "sk-0123456789abcdef0123456789",
            "+49 170 123 45 67",
        ] {
            assert_eq!(searched(query), None, "{query}");
        }
        for query in
            ["@Input decorator", "rfc 9110", "useInternationalizationContextProvider", "2026-11-25"]
        {
            assert!(searched(query).is_some(), "{query}");
        }
        assert_eq!(searched(&"ä ".repeat(300)).unwrap().chars().count(), 100);
    }
}
