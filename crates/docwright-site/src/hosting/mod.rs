//! The redirects of a site in the formats of programs and services that host files.
//!
//! A redirect of one address comes before the files of the site, one with wildcards after them. A host that
//! doesn't support that gets an equivalent; unsupported redirects are listed with the reason. Targets on the same
//! host start with the base path of the site.

mod caddy;
mod cloudfront;
mod nginx;
mod redirects_file;
mod rule;
mod vercel;

use std::collections::BTreeSet;

use crate::content::redirects::prepared::Prepared;
use rule::Rule;

/// Where a site is hosted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// The web server nginx.
    Nginx,
    /// The web server Caddy.
    Caddy,
    /// Netlify.
    Netlify,
    /// Cloudflare Pages, and Workers with static files.
    Cloudflare,
    /// GitLab Pages.
    Gitlab,
    /// Vercel.
    Vercel,
    /// A function of `CloudFront`, which also finds the file of an address.
    Cloudfront,
}

impl Host {
    /// Whether it answers redirects before it looks for files. Then one with wildcards can hide pages.
    const fn redirects_first(self) -> bool {
        matches!(self, Self::Cloudflare | Self::Vercel | Self::Cloudfront)
    }

    /// Whether a file at an address is always served, so that a redirect page there hides a redirect.
    pub const fn files_first(self) -> bool {
        matches!(self, Self::Gitlab)
    }
}

/// A built site.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// Its redirects.
    pub redirects: &'a Prepared,
    /// The paths of its files.
    pub files: &'a BTreeSet<String>,
    /// The path that it is mounted below, such as `/docs`; empty at the root of a host.
    pub base: &'a str,
    /// The host's URL, such as `https://docs.example.com`; empty if unknown.
    pub origin: &'a str,
}

/// A redirect that a host can't answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its source.
    pub source: String,
    /// The reason, as the end of a sentence that starts with the source.
    pub reason: String,
}

/// The redirects of a site for one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Contents of its file.
    pub text: String,
    /// Addresses of redirects of one address that are in it, without slashes around them.
    pub exact: Vec<String>,
    /// The number of redirects in it.
    pub count: usize,
    /// The unsupported redirects.
    pub left_out: Vec<LeftOut>,
}

/// Writes the redirects of a site in a host's format.
pub fn write(host: Host, site: &Site<'_>) -> Written {
    let (rules, mut left_out) = rule::rules(host, site);
    let mut chosen = Vec::with_capacity(rules.len());
    let mut room = Room::of(host, site);
    for rule in rules {
        let reason = match host {
            Host::Nginx => nginx::refuses(&rule),
            Host::Caddy => caddy::refuses(&rule),
            Host::Netlify | Host::Cloudflare | Host::Gitlab => {
                redirects_file::refuses(host, &rule, site)
            }
            Host::Vercel => vercel::refuses(&rule, site.base),
            Host::Cloudfront => None,
        };
        match reason.or_else(|| room.take(host, &rule, site)) {
            Some(reason) => left_out.push(LeftOut { source: rule.source.clone(), reason }),
            None => chosen.push(rule),
        }
    }
    left_out.dedup_by(|one, other| one.source == other.source);
    let without: BTreeSet<_> = left_out.iter().map(|one| &one.source).collect();
    let sources: BTreeSet<_> =
        chosen.iter().map(|rule| &rule.source).filter(|source| !without.contains(source)).collect();
    let count = sources.len();
    let text = match host {
        Host::Nginx => nginx::text(site, &chosen),
        Host::Caddy => caddy::text(site, &chosen),
        Host::Netlify | Host::Cloudflare | Host::Gitlab => {
            redirects_file::text(host, &chosen, site)
        }
        Host::Vercel => vercel::text(&chosen, site.base),
        Host::Cloudfront => cloudfront::text(site, &chosen),
    };
    let exact = chosen.iter().filter_map(|rule| rule.exact.clone()).collect();
    Written { text, exact, count, left_out }
}

/// The remaining capacity of a host.
#[derive(Debug)]
struct Room {
    fixed: usize,
    wildcards: usize,
    bytes: usize,
}

impl Room {
    /// Limits of hosts, by their documentation.
    fn of(host: Host, site: &Site<'_>) -> Self {
        const ANY: usize = usize::MAX;
        let (fixed, wildcards, bytes) = match host {
            Host::Cloudflare => (2000, 100, ANY),
            // Limits of gitlab.com, which are the defaults of every GitLab.
            Host::Gitlab => (1000, 1000, 64 * 1024 - redirects_file::HEAD.len()),
            Host::Vercel => (2048 - vercel::extra(site.base), ANY, ANY),
            Host::Cloudfront => (ANY, ANY, cloudfront::room(site)),
            Host::Nginx | Host::Caddy | Host::Netlify => (ANY, ANY, ANY),
        };
        Self { fixed, wildcards, bytes }
    }

    /// Reserves space for a rule; returns the exceeded limit if there is none.
    fn take(&mut self, host: Host, rule: &Rule, site: &Site<'_>) -> Option<String> {
        let shared = matches!(host, Host::Gitlab | Host::Vercel);
        let of_kind = if rule.is_fixed() || shared { &mut self.fixed } else { &mut self.wildcards };
        let bytes = match host {
            Host::Gitlab => redirects_file::lines(host, rule, site).len(),
            Host::Cloudfront => cloudfront::entry(rule, site.base).len(),
            _ => 0,
        };
        let lines = match host {
            Host::Cloudflare => redirects_file::lines(host, rule, site).lines().count(),
            _ => 1,
        };
        if *of_kind < lines || self.bytes < bytes {
            return Some("is more than the host takes".to_owned());
        }
        *of_kind -= lines;
        self.bytes -= bytes;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::config::Redirect;

    /// A site with more redirects than hosts support.
    fn many(host: Host) -> Written {
        let fixed = (0..2300).map(|number| (format!("/old/{number}"), "/new".to_owned()));
        let wildcards = (0..150).map(|number| (format!("/w{number}/*"), format!("/x{number}/*")));
        let redirects = fixed.chain(wildcards).map(|(source, destination)| Redirect {
            source,
            destination,
            permanent: true,
        });
        let redirects = Prepared::new(&redirects.collect::<Vec<_>>(), |_| false);
        let files = BTreeSet::from(["index.html".to_owned(), "new.html".to_owned()]);
        write(host, &Site { redirects: &redirects, files: &files, base: "", origin: "" })
    }

    #[test]
    fn redirects_stay_within_limits_of_each_host() {
        for host in [
            Host::Nginx,
            Host::Caddy,
            Host::Netlify,
            Host::Cloudflare,
            Host::Gitlab,
            Host::Vercel,
            Host::Cloudfront,
        ] {
            let Written { text, count, left_out, .. } = many(host);
            assert_eq!(count + left_out.len(), 2450, "{host:?}");
            let lines =
                || text.lines().filter(|line| line.starts_with('/') && !line.starts_with("//"));
            let wildcards = lines().filter(|line| line.contains('*')).count();
            match host {
                Host::Nginx | Host::Caddy | Host::Netlify => assert_eq!(count, 2450, "{host:?}"),
                Host::Cloudflare => {
                    assert_eq!((lines().count() - wildcards, wildcards), (2000, 100));
                    assert!(lines().take(2000).all(|line| !line.contains('*')));
                }
                Host::Gitlab => {
                    assert_eq!(lines().count(), 1000);
                    assert!(text.len() <= 64 * 1024);
                }
                Host::Vercel => assert_eq!(text.matches("\"source\"").count(), 2048),
                Host::Cloudfront => assert!(text.len() <= 10 * 1024 && text.len() > 9 * 1024),
            }
        }
    }

    #[test]
    fn redirects_for_gitlab_stay_below_64_kib() {
        let redirects = (0..900).map(|number| Redirect {
            source: format!("/{}/{number}", "long".repeat(20)),
            destination: "/new".to_owned(),
            permanent: true,
        });
        let redirects = Prepared::new(&redirects.collect::<Vec<_>>(), |_| false);
        let site =
            Site { redirects: &redirects, files: &BTreeSet::new(), base: "/docs", origin: "" };
        let written = write(Host::Gitlab, &site);
        assert!(written.text.len() <= 64 * 1024 && written.text.len() > 63 * 1024);
        assert_eq!(written.count + written.left_out.len(), 900);
    }
}
