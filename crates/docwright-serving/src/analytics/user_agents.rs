//! User agents of programs. Programs of the first list read a page because a person asked an assistant; those of the
//! second collect pages for an index, a model, or a preview. The names are facts from the pages where the vendors
//! describe their programs:
//!
//! - <https://platform.openai.com/docs/bots>
//! - <https://support.anthropic.com/en/articles/8896518>
//! - <https://docs.perplexity.ai/guides/bots>
//! - <https://developers.google.com/search/docs/crawling-indexing/overview-google-crawlers>
//! - <https://docs.mistral.ai/robots>
//! - <https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot>
//! - <https://developers.facebook.com/docs/sharing/webmasters/web-crawlers>
//! - <https://developer.amazon.com/amazonbot>
//! - <https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0>
//! - <https://support.apple.com/119829>
//! - <https://commoncrawl.org/ccbot>
//!
//! Other programs are recognized by patterns. A program that claims to be a browser counts as a person.

use docwright_types::analytics::Reader;

/// AI agents: the part of the user agent in lower case, and the name to show.
const AGENTS: &[(&str, &str)] = &[
    ("chatgpt-user", "ChatGPT-User"),
    ("claude-code", "Claude Code"),
    ("claude-user", "Claude-User"),
    ("perplexity-user", "Perplexity-User"),
    ("mistralai-user", "MistralAI-User"),
    ("google-notebooklm", "Google-NotebookLM"),
    ("duckassistbot", "DuckAssistBot"),
    ("meta-externalfetcher", "Meta-ExternalFetcher"),
    ("amzn-user", "Amzn-User"),
];

/// Crawlers whose user agent matches no pattern below, or one of AI agents.
const CRAWLERS: &[&str] = &[
    "gptbot",
    "oai-searchbot",
    "oai-adsbot",
    "claudebot",
    "claude-searchbot",
    "anthropic-ai",
    "perplexitybot",
    "googlebot",
    "googleother",
    "google-extended",
    "google-inspectiontool",
    "google-cloudvertexbot",
    "mediapartners-google",
    "feedfetcher-google",
    "facebookexternalhit",
    "meta-externalagent",
    "meta-webindexer",
    "amazonbot",
    "bingbot",
    "bingpreview",
    "applebot",
    "duckduckbot",
    "ccbot",
];

/// Parts of user agents of programs in general.
const PATTERNS: &[&str] = &[
    "bot",
    "crawl",
    "spider",
    "slurp",
    "scrap",
    "archiver",
    "monitor",
    "preview",
    "headless",
    "phantomjs",
    "lighthouse",
    "python",
    "curl",
    "wget",
    "okhttp",
    "http-client",
    "httpclient",
    "axios",
    "node-fetch",
    "undici",
    "java/",
    "libwww",
    "scrapy",
    "http://",
    "https://",
    "feed",
    "validator",
    "checker",
    "uptime",
    "pingdom",
    "statuscake",
];

/// Class of a device.
const TABLETS: &[&str] = &["ipad", "tablet", "kindle", "silk/", "playbook"];

/// A program that a user agent names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// An AI agent with its name.
    Agent(&'static str),
    /// A crawler that vendors describe.
    Crawler,
    /// Another program.
    Other,
    /// None: a browser.
    Browser,
}

impl Program {
    /// The program of a user agent. A request without one comes from a program.
    pub(super) fn of(user_agent: &str) -> Self {
        let text = user_agent.to_ascii_lowercase();
        if let Some((_, name)) = AGENTS.iter().find(|(part, _)| text.contains(part)) {
            return Self::Agent(name);
        }
        if CRAWLERS.iter().any(|part| text.contains(part)) {
            return Self::Crawler;
        }
        // Some phones are called so.
        let text = text.replace("cubot", "");
        let is_browser = text.starts_with("mozilla/") || text.starts_with("opera/");
        if !is_browser || PATTERNS.iter().any(|part| text.contains(part)) {
            return Self::Other;
        }
        Self::Browser
    }

    /// The kind of reader that the program is, and the name of an agent. Readers of Markdown are agents unless
    /// vendors describe them as crawlers.
    pub(super) const fn reader(self, is_markdown: bool) -> (Reader, Option<&'static str>) {
        match self {
            Self::Agent(name) => (Reader::Ai, Some(name)),
            Self::Crawler => (Reader::Bot, None),
            Self::Other | Self::Browser if is_markdown => (Reader::Ai, None),
            Self::Other => (Reader::Bot, None),
            Self::Browser => (Reader::Human, None),
        }
    }
}

/// The class of the device of a browser.
pub(super) fn device(user_agent: &str) -> &'static str {
    let text = user_agent.to_ascii_lowercase();
    let is_mobile = text.contains("mobi");
    if TABLETS.iter().any(|part| text.contains(part)) || (text.contains("android") && !is_mobile) {
        return "tablet";
    }
    if is_mobile || text.contains("iphone") { "phone" } else { "desktop" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawlers_and_agents_are_distinguished_from_browsers() {
        let mut counts = [0; 3];
        for line in include_str!("user_agents.txt").lines() {
            let (expected, user_agent) = line.split_once('\t').unwrap();
            let (reader, _) = Program::of(user_agent).reader(false);
            assert_eq!(reader.name(), expected, "{user_agent}");
            counts[reader.index()] += 1;
        }
        assert_eq!(counts, [12, 9, 41], "50 programs and 12 browsers");
    }

    #[test]
    fn readers_of_markdown_are_agents() {
        assert_eq!(Program::of("curl/8.5.0").reader(true).0, Reader::Ai);
        assert_eq!(Program::of("").reader(true).0, Reader::Ai);
        assert_eq!(Program::of("").reader(false).0, Reader::Bot);
        assert_eq!(
            Program::of("Mozilla/5.0 (compatible; Googlebot/2.1)").reader(true).0,
            Reader::Bot
        );
    }

    #[test]
    fn devices_have_three_classes() {
        for (user_agent, expected) in [
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Mobile/15E148 Safari/604.1",
                "phone",
            ),
            (
                "Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/131.0.0.0 Mobile Safari/537.36",
                "phone",
            ),
            ("Mozilla/5.0 (Linux; Android 14; SM-X710) Chrome/131.0.0.0 Safari/537.36", "tablet"),
            ("Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) Version/17.7 Mobile/15E148", "tablet"),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "desktop"),
        ] {
            assert_eq!(device(user_agent), expected, "{user_agent}");
        }
    }
}
