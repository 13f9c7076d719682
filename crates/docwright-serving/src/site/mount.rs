//! Where a site is served, and what its answers say of that. The site itself knows no base path: its links
//! are relative, and what is not is written here.

use axum::http::HeaderValue;

use super::mcp;

/// What agents find on every page: relation and path.
const LINKS: [(&str, &str); 4] = [
    ("llms-txt", "/llms.txt"),
    ("llms-full-txt", "/llms-full.txt"),
    ("agent-skills", "/.well-known/agent-skills/index.json"),
    ("mcp-server-card", "/.well-known/mcp/server-card.json"),
];

/// Where a site is served.
#[derive(Debug, Clone, Copy)]
pub struct Mount<'a> {
    /// The path that it lies below, such as `/docs`; empty at the root of a host.
    pub base: &'a str,
    /// Whether there is a place for the answers of readers.
    pub takes_feedback: bool,
}

impl Mount<'_> {
    /// At the root of a host, with nobody who takes the answers of readers.
    pub const PLAIN: Mount<'static> = Mount { base: "", takes_feedback: false };

    /// The place of a path of the site on its host. One that leads to another host stays.
    pub(super) fn place(self, path: &HeaderValue) -> HeaderValue {
        let is_own = path.as_bytes().starts_with(b"/") && !path.as_bytes().starts_with(b"//");
        if self.base.is_empty() || !is_own {
            return path.clone();
        }
        let place = [self.base.as_bytes(), path.as_bytes()].concat();
        HeaderValue::from_bytes(&place).unwrap_or_else(|_| path.clone())
    }

    /// The server for agents.
    pub(super) fn mcp(self) -> String {
        format!("{}{}", self.base, mcp::PATH)
    }

    /// The address of `llms.txt`.
    pub(super) fn index(self) -> HeaderValue {
        self.place(&HeaderValue::from_static("/llms.txt"))
    }

    /// What agents find on every page, as addresses of this host (RFC 8288).
    pub(super) fn links(self) -> HeaderValue {
        let base = self.base;
        let links = LINKS.map(|(relation, path)| format!("<{base}{path}>; rel=\"{relation}\""));
        header(&links.join(", "))
    }

    /// What the host does besides giving files, for the header `Server-Timing`: scripts can read that one,
    /// so that nothing is asked for in vain where a site is files only.
    pub(super) fn offers(self) -> HeaderValue {
        let base = self.base;
        let mut offers = format!("mcp;desc=\"{}\"", self.mcp());
        if self.takes_feedback {
            offers += &format!(", feedback;desc=\"{base}/_docwright/feedback\"");
        }
        header(&offers)
    }
}

/// A value of what can stand in one: base paths are plain ASCII.
fn header(text: &str) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}
