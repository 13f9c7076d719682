//! What a request says about its reader, and what of it is counted.

use std::{cell::OnceCell, net::IpAddr};

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, header, request::Parts},
};
use docwright_http::client::ClientAddress;
use docwright_types::{
    analytics::{Dimension, Reader},
    network::network,
};
use percent_encoding::percent_decode_str;
use url::{Url, form_urlencoded};

use super::user_agents::{Program, device};
use crate::site::{MCP_PATH, Shown};

/// Longest value, in characters.
const LONGEST: usize = 200;
/// Name of agents that name themselves otherwise.
const OVER_MCP: &str = "MCP";
const OF_MARKDOWN: &str = "Markdown";
/// Parameters of addresses that name a campaign.
const CAMPAIGN: [(&str, Dimension); 3] = [
    ("utm_source", Dimension::CampaignSource),
    ("utm_medium", Dimension::CampaignMedium),
    ("utm_campaign", Dimension::Campaign),
];

/// A request that counts if its response shows a page, or that there is none. It stays in memory until the response
/// is there.
#[derive(Debug)]
pub(crate) struct Visit {
    user_agent: Option<HeaderValue>,
    /// The program with that user agent, once it was asked for.
    program: OnceCell<Program>,
    referrer: Option<HeaderValue>,
    language: Option<HeaderValue>,
    address: Option<IpAddr>,
    path: String,
    query: Option<String>,
    is_mcp: bool,
}

/// What is counted of a visit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// The kind of reader, if it is a view of the page.
    pub(super) view: Option<Reader>,
    /// The page; `None` if there is none at the path, or if it doesn't matter.
    pub(super) page: Option<String>,
    /// Values of dimensions.
    pub(super) values: Vec<(Dimension, String)>,
}

impl Visit {
    /// The visit of a request to a site, whose path is below that of the site. `None` if it can't count: it isn't a
    /// `GET`, the browser fetches before the reader asks, or a script or an image of a page sends it.
    pub(crate) fn of(request: &Request) -> Option<Self> {
        let headers = request.headers();
        let is_mcp = request.uri().path() == MCP_PATH;
        let method = if is_mcp { Method::POST } else { Method::GET };
        if *request.method() != method || is_prefetch(headers) || (!is_mcp && !is_shown(headers)) {
            return None;
        }
        let client = request.extensions().get::<ClientAddress>();
        Some(Self {
            user_agent: headers.get(header::USER_AGENT).cloned(),
            program: OnceCell::new(),
            referrer: headers.get(header::REFERER).cloned(),
            language: headers.get(header::ACCEPT_LANGUAGE).cloned(),
            address: client.and_then(|client| client.address),
            path: request.uri().path().to_owned(),
            query: request.uri().query().map(str::to_owned),
            is_mcp,
        })
    }

    /// The visit of a reader who sends a report about a page, with the referrer and the query of the page's address.
    pub(super) fn of_report(parts: &Parts, referrer: &str, query: String) -> Self {
        Self {
            user_agent: parts.headers.get(header::USER_AGENT).cloned(),
            program: OnceCell::new(),
            referrer: HeaderValue::from_str(referrer).ok(),
            language: parts.headers.get(header::ACCEPT_LANGUAGE).cloned(),
            address: ClientAddress::of(parts).address,
            path: String::new(),
            query: Some(query),
            is_mcp: false,
        }
    }

    /// Whether a person made it.
    pub(super) fn is_by_person(&self) -> bool {
        self.program().reader(false).0 == Reader::Human
    }

    fn program(&self) -> Program {
        *self.program.get_or_init(|| Program::of(text(self.user_agent.as_ref())))
    }

    /// What counts of the visit to a domain with this response. Views of people don't if scripts report them.
    pub(super) fn counted(
        &self,
        domain: &str,
        shown: &Shown,
        views_by_script: bool,
    ) -> Option<Counted> {
        let user_agent = text(self.user_agent.as_ref());
        let (page, is_markdown) = match shown {
            Shown::Page { page, is_markdown } => (Some(limited(page)), *is_markdown),
            Shown::Missing => (None, false),
        };
        let (reader, agent) = self.program().reader(is_markdown);
        let reader = if self.is_mcp { Reader::Ai } else { reader };
        let mut values = Vec::new();
        match (&page, reader) {
            (_, Reader::Bot) if page.is_none() => return None,
            (Some(_), Reader::Human) if views_by_script => return None,
            (None, _) => {
                let path = percent_decode_str(&self.path).decode_utf8_lossy();
                let dimension = match self.referrer(domain) {
                    Referrer::Own => Dimension::OwnDeadLink,
                    Referrer::Host(_) | Referrer::Unknown => Dimension::OtherDeadLink,
                };
                values.push((dimension, limited(&path)));
            }
            (Some(page), Reader::Human) => {
                match self.referrer(domain) {
                    Referrer::Own => {}
                    Referrer::Host(host) => {
                        values.push((Dimension::Referrer, host));
                        values.push((Dimension::Entry, page.clone()));
                    }
                    Referrer::Unknown => values.push((Dimension::Entry, page.clone())),
                }
                values.extend(self.campaign());
                values.extend(
                    language(text(self.language.as_ref()))
                        .map(|language| (Dimension::Language, language)),
                );
                values.push((Dimension::Device, device(user_agent).to_owned()));
            }
            (Some(_), Reader::Ai) => {
                let unnamed = if self.is_mcp { OVER_MCP } else { OF_MARKDOWN };
                values.push((Dimension::Agent, agent.unwrap_or(unnamed).to_owned()));
            }
            (Some(_), Reader::Bot) => {}
        }
        let view = page.is_some().then_some(reader);
        Some(Counted { view, page, values })
    }

    /// The properties that tell visitors of a domain apart, to hash them. `None` if the address is unknown.
    pub(super) fn properties<'a>(&'a self, domain: &'a str) -> Option<([u8; 16], [&'a [u8]; 2])> {
        let address = match network(self.address?) {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        let user_agent = self.user_agent.as_ref().map_or(&b""[..], HeaderValue::as_bytes);
        Some((address.octets(), [domain.as_bytes(), user_agent]))
    }

    /// The campaign that the address names.
    fn campaign(&self) -> impl Iterator<Item = (Dimension, String)> {
        let query = self.query.as_deref().unwrap_or_default();
        CAMPAIGN.into_iter().filter_map(move |(name, dimension)| {
            let mut parameters = form_urlencoded::parse(query.as_bytes());
            let (_, value) = parameters.find(|(each, value)| each == name && !value.is_empty())?;
            Some((dimension, limited(&value)))
        })
    }

    fn referrer(&self, domain: &str) -> Referrer {
        let url = Url::parse(text(self.referrer.as_ref())).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(host) = url.as_ref().and_then(Url::host_str) else { return Referrer::Unknown };
        let (own, base) = domain.split_at(domain.find('/').unwrap_or(domain.len()));
        let path = url.as_ref().map_or("", Url::path);
        let is_below =
            path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if host == own && is_below { Referrer::Own } else { Referrer::Host(limited(host)) }
    }
}

enum Referrer {
    /// A page of the same site.
    Own,
    /// A page on a host.
    Host(String),
    /// The request doesn't say.
    Unknown,
}

/// Whether a browser fetches a page before the reader asks for it.
fn is_prefetch(headers: &HeaderMap) -> bool {
    let names = ["sec-purpose", "purpose", "x-moz"];
    names.iter().any(|name| text(headers.get(*name)).to_ascii_lowercase().contains("prefetch"))
}

/// Whether a browser shows the response as a page. Other programs don't say.
fn is_shown(headers: &HeaderMap) -> bool {
    matches!(text(headers.get("sec-fetch-dest")), "" | "document" | "iframe" | "frame")
}

fn text(value: Option<&HeaderValue>) -> &str {
    value.and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The first language of a browser, if it is a language tag.
pub(super) fn language(accepted: &str) -> Option<String> {
    let first = accepted.split([',', ';']).next().unwrap_or_default().trim();
    let mut parts = first.split('-');
    let main = parts.next().filter(|part| matches!(part.len(), 2..=3))?;
    let is_tag = first.len() <= 35
        && first.split('-').all(|part| {
            matches!(part.len(), 1..=8) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
    if !is_tag {
        return None;
    }
    let rest = parts.map(|part| match part.len() {
        2 => part.to_ascii_uppercase(),
        _ => part.to_owned(),
    });
    Some(std::iter::once(main.to_ascii_lowercase()).chain(rest).collect::<Vec<_>>().join("-"))
}

/// A text without control characters, of limited length.
pub(super) fn limited(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    text.chars().take(LONGEST).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";

    fn visit(method: &str, path: &str, headers: &[(&str, &str)]) -> Option<Visit> {
        let mut request = axum::http::Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Visit::of(&request.body(Body::empty()).unwrap())
    }

    fn page() -> Shown {
        Shown::Page { page: "guides/start".into(), is_markdown: false }
    }

    #[test]
    fn requests_that_show_nothing_dont_count() {
        assert!(visit("GET", "/", &[]).is_some() && visit("POST", "/mcp", &[]).is_some());
        for (method, headers) in [
            ("HEAD", &[][..]),
            ("POST", &[]),
            ("GET", &[("sec-purpose", "prefetch")]),
            ("GET", &[("sec-purpose", "prefetch;prerender")]),
            ("GET", &[("purpose", "prefetch")]),
            ("GET", &[("sec-fetch-dest", "empty")]),
            ("GET", &[("sec-fetch-dest", "image")]),
        ] {
            assert!(visit(method, "/", headers).is_none(), "{method} {headers:?}");
        }
        assert!(visit("GET", "/", &[("sec-fetch-dest", "document")]).is_some());
    }

    #[test]
    fn people_have_referrer_language_and_device() {
        let headers = [
            ("user-agent", BROWSER),
            ("referer", "https://search.example/find?q=secret"),
            ("accept-language", "pt-br,pt;q=0.9,en;q=0.8"),
        ];
        let counted =
            visit("GET", "/x", &headers).unwrap().counted("docs.example", &page(), false).unwrap();
        assert_eq!(
            (counted.view, counted.page.as_deref()),
            (Some(Reader::Human), Some("guides/start"))
        );
        let values = [
            (Dimension::Referrer, "search.example".to_owned()),
            (Dimension::Entry, "guides/start".to_owned()),
            (Dimension::Language, "pt-BR".to_owned()),
            (Dimension::Device, "desktop".to_owned()),
        ];
        assert_eq!(counted.values, values);
    }

    #[test]
    fn own_site_is_no_referrer() {
        let values = |domain: &str, referrer: &str| {
            let visit =
                visit("GET", "/x", &[("user-agent", BROWSER), ("referer", referrer)]).unwrap();
            let counted = visit.counted(domain, &page(), false).unwrap();
            counted
                .values
                .into_iter()
                .find(|value| value.0 == Dimension::Referrer)
                .map(|value| value.1)
        };
        assert_eq!(values("a.example", "http://a.example:8080/x"), None);
        assert_eq!(values("a.example/docs", "https://a.example/docs"), None);
        assert_eq!(
            values("a.example/docs", "https://a.example/docsx").as_deref(),
            Some("a.example")
        );
        assert_eq!(values("a.example", "android-app://com.example"), None);
        assert_eq!(values("a.example", "nonsense"), None);
    }

    #[test]
    fn dead_link_has_the_path_without_query() {
        let own = [("user-agent", BROWSER), ("referer", "https://a.example/from")];
        let counted = visit("GET", "/g%C3%BCn?x=1", &own).unwrap().counted(
            "a.example",
            &Shown::Missing,
            false,
        );
        let counted = counted.unwrap();
        assert_eq!(
            (counted.page, counted.values),
            (None, vec![(Dimension::OwnDeadLink, "/gün".to_owned())])
        );
        let other = visit("GET", "/a%00b", &[("user-agent", BROWSER)]).unwrap();
        let counted = other.counted("a.example", &Shown::Missing, false).unwrap();
        assert_eq!(counted.values, [(Dimension::OtherDeadLink, "/a\u{fffd}b".to_owned())]);
        let bot = visit("GET", "/a", &[("user-agent", "curl/8.5.0")]).unwrap();
        assert_eq!(bot.counted("a.example", &Shown::Missing, false), None);
    }

    #[test]
    fn agents_are_named() {
        let agent = |method, path, user_agent, is_markdown| {
            let shown = Shown::Page { page: "p".into(), is_markdown };
            let visit = visit(method, path, &[("user-agent", user_agent)]).unwrap();
            let counted = visit.counted("a.example", &shown, false).unwrap();
            (counted.view.unwrap(), counted.values.first().map(|value| value.1.clone()))
        };
        let named = |name: &str| (Reader::Ai, Some(name.to_owned()));
        assert_eq!(agent("POST", "/mcp", "Googlebot/2.1", true), named("MCP"));
        assert_eq!(agent("GET", "/p.md", "curl/8.5.0", true), named("Markdown"));
        assert_eq!(agent("GET", "/p", "Claude-User/1.0", false), named("Claude-User"));
        assert_eq!(agent("GET", "/p", "curl/8.5.0", false), (Reader::Bot, None));
    }

    #[test]
    fn address_names_a_campaign() {
        let headers = [("user-agent", BROWSER), ("referer", "https://a.example/own")];
        let path = "/x?utm_source=news+letter&utm_medium=&utm_campaign=%E2%98%83&utm_id=7";
        let counted = visit("GET", path, &headers).unwrap().counted("a.example", &page(), false);
        let values = counted.unwrap().values;
        let campaign: Vec<_> = values
            .iter()
            .filter(|(dimension, _)| !matches!(dimension, Dimension::Device))
            .map(|(dimension, value)| (*dimension, value.as_str()))
            .collect();
        let source = (Dimension::CampaignSource, "news letter");
        assert_eq!(campaign, [source, (Dimension::Campaign, "\u{2603}")]);
    }

    #[test]
    fn views_of_people_dont_count_where_scripts_report_them() {
        let counted = |user_agent, shown: &Shown| {
            let visit = visit("GET", "/x", &[("user-agent", user_agent)]).unwrap();
            visit.counted("a.example", shown, true)
        };
        assert_eq!(counted(BROWSER, &page()), None);
        assert_eq!(counted("Claude-User/1.0", &page()).unwrap().view, Some(Reader::Ai));
        assert_eq!(counted("curl/8.5.0", &page()).unwrap().view, Some(Reader::Bot));
        assert!(counted(BROWSER, &Shown::Missing).is_some(), "dead links need no script");
    }

    #[test]
    fn invalid_languages_are_left_out() {
        for (accepted, found) in [
            ("de", Some("de")),
            ("EN-us", Some("en-US")),
            ("zh-Hans-CN;q=0.8", Some("zh-Hans-CN")),
            ("*", None),
            ("", None),
            ("<script>", None),
            ("en-verylongsubtag", None),
        ] {
            assert_eq!(language(accepted).as_deref(), found, "{accepted}");
        }
    }
}
