//! Where a site is served, and the parts of answers that depend on it. The site itself knows no base path: its
//! links are relative, and the others are written here.

use axum::http::HeaderValue;

use super::{OpenSite, mcp};
use crate::{
    analytics,
    assistant::{self, SiteAssistant},
    feedback::{self, SiteFeedback},
    requests::{self, AskingSite, RequestProxy},
};

/// Links for agents on every page: relation and path.
const LINKS: [(&str, &str); 4] = [
    ("llms-txt", "/llms.txt"),
    ("llms-full-txt", "/llms-full.txt"),
    ("agent-skills", "/.well-known/agent-skills/index.json"),
    ("mcp-server-card", "/.well-known/mcp/server-card.json"),
];

/// Where a site is served.
#[derive(Debug, Clone, Copy)]
pub struct Mount<'a> {
    /// The path that it is below, such as `/docs`; empty at the root of a host.
    pub base: &'a str,
    /// What accepts readers' feedback, and the domain of the site.
    pub feedback: Option<(&'a SiteFeedback, &'a str)>,
    /// Whether reports of scripts are accepted, on sites whose readers are counted.
    pub takes_reports: bool,
    /// What sends requests of API pages, and the name of the site for its limits.
    pub proxy: Option<(&'a RequestProxy, &'a str)>,
    /// What answers questions of readers, and the name of the site for its limits.
    pub assistant: Option<(&'a SiteAssistant, &'a str)>,
    /// The path of pages that show what a pull request changed.
    pub changes: Option<&'a str>,
}

impl<'a> Mount<'a> {
    /// At the root of a host, without features besides files.
    pub const PLAIN: Mount<'static> = Mount {
        base: "",
        feedback: None,
        takes_reports: false,
        proxy: None,
        assistant: None,
        changes: None,
    };

    /// The path on the host for a path of the site. External addresses stay unchanged.
    pub(super) fn place(self, path: &HeaderValue) -> HeaderValue {
        let is_own = path.as_bytes().starts_with(b"/") && !path.as_bytes().starts_with(b"//");
        if self.base.is_empty() || !is_own {
            return path.clone();
        }
        let place = [self.base.as_bytes(), path.as_bytes()].concat();
        HeaderValue::from_bytes(&place).unwrap_or_else(|_| path.clone())
    }

    /// The address of the MCP server.
    pub(super) fn mcp(self) -> String {
        format!("{}{}", self.base, mcp::PATH)
    }

    /// The address of `llms.txt`.
    pub(super) fn index(self) -> HeaderValue {
        self.place(&HeaderValue::from_static("/llms.txt"))
    }

    /// Links for agents on every page, with addresses of this host (RFC 8288).
    pub(super) fn links(self) -> HeaderValue {
        let base = self.base;
        let links = LINKS.map(|(relation, path)| format!("<{base}{path}>; rel=\"{relation}\""));
        header(&links.join(", "))
    }

    /// Features of the host besides files, for the header `Server-Timing`: scripts can read it, so static copies
    /// of a site cause no useless requests.
    pub(super) fn offers(self, site: &'a OpenSite) -> HeaderValue {
        let base = self.base;
        let mut offers = format!("mcp;desc=\"{}\"", self.mcp());
        if self.feedback.is_some() {
            offers += &format!(", feedback;desc=\"{base}{}\"", feedback::PATH);
        }
        if self.takes_reports && site.about().analytics {
            offers += &format!(", reading;desc=\"{base}{}\"", analytics::REPORT_PATH);
        }
        if self.sender(site).is_some() {
            offers += &format!(", requests;desc=\"{base}{}\"", requests::PATH);
        }
        if self.assistant_of(site).is_some() {
            offers += &format!(", assistant;desc=\"{base}{}\"", assistant::PATH);
        }
        if let Some(changes) = self.changes {
            offers += &format!(", changes;desc=\"{base}{changes}\"");
        }
        header(&offers)
    }

    /// What answers questions on a site, if it has the assistant.
    pub(super) fn assistant_of(self, site: &OpenSite) -> Option<(&'a SiteAssistant, &'a str)> {
        self.assistant.filter(|_| site.about().assistant)
    }

    /// What accepts feedback of agents on a site, if its pages ask readers for it.
    pub(super) fn feedback_of(self, site: &OpenSite) -> Option<(&'a SiteFeedback, &'a str)> {
        self.feedback.filter(|_| site.about().feedback)
    }

    /// What sends requests of a site's API pages, if they are sent here.
    pub(super) fn sender(self, site: &'a OpenSite) -> Option<(&'a RequestProxy, AskingSite<'a>)> {
        let (proxy, name) = self.proxy?;
        let origins = site.about().request_origins.as_deref()?;
        Some((proxy, AskingSite { name, origins }))
    }
}

/// The characters are valid in a header: base paths are plain ASCII.
fn header(text: &str) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}
