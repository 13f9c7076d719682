//! Settings of previews: their domain and lifetime.

use anyhow::bail;
use docwright_jobs::repositories::NoPreviews;
use docwright_types::{
    domain_name::DomainName, preview::PreviewAddresses, site_origin::SiteOrigin, timestamp::DAY,
};
use url::{Host, Url};

use docwright_http::this_machine::is_this_machine;

use super::domains::shared_domain;

/// The reason why the instance has no previews, with the remedy.
const OFF: &str = "Previews are off. Start the server with --preview-domain, a separate domain whose subdomains all point here.";

/// Settings of previews. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Previews")]
pub(crate) struct PreviewSettings {
    /// Domain of previews, such as `previews.example.net`
    ///
    /// Each preview gets a subdomain, so point all subdomains to this service. It must not be the host of
    /// the service, below it, or above it: previews run scripts of pull request authors. The default is
    /// `localhost` if the service runs there; otherwise there are no previews.
    #[arg(long, value_name = "NAME", env = "DOCWRIGHT_PREVIEW_DOMAIN", value_parser = shared_domain, hide_short_help = true)]
    preview_domain: Option<DomainName>,
    /// Days without a push until a preview closes
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_PREVIEW_DAYS", default_value_t = 30,
          value_parser = clap::value_parser!(i64).range(1..=3650), hide_short_help = true)]
    preview_days: i64,
}

impl Default for PreviewSettings {
    fn default() -> Self {
        Self { preview_domain: None, preview_days: 30 }
    }
}

impl PreviewSettings {
    /// The domain of previews, or why there are none. `own` is the address of the service, and `sites` is the
    /// origin of its sites.
    pub(crate) fn addresses(
        &self,
        own: &Url,
        sites: SiteOrigin,
    ) -> anyhow::Result<Result<PreviewAddresses, NoPreviews>> {
        let Some(domain) = &self.preview_domain else {
            if !is_this_machine(own) {
                return Ok(Err(NoPreviews(OFF.to_owned())));
            }
            let domain = DomainName::parse("localhost")?;
            // Names of this machine have no certificates, even if the other sites do.
            let origin = SiteOrigin::new(own.scheme(), own.port());
            return Ok(Ok(PreviewAddresses { domain, origin }));
        };
        if let Some(Host::Domain(host)) = own.host() {
            let host = host.trim_end_matches('.');
            if DomainName::is_at_or_below(host, domain.as_str())
                || DomainName::is_at_or_below(domain.as_str(), host)
            {
                bail!(
                    "--preview-domain {domain} shares a domain with the service's own host {host}, so pages of pull requests could set cookies for it; use a separate domain, such as {}",
                    example(host)
                );
            }
        }
        Ok(Ok(PreviewAddresses { domain: domain.clone(), origin: sites }))
    }

    /// Milliseconds without changes after which previews are closed.
    pub(crate) const fn previews_for(&self) -> i64 {
        self.preview_days * DAY
    }
}

fn example(host: &str) -> String {
    let first = host.split('.').nth_back(1).unwrap_or("docs");
    format!("{first}-previews.net")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        previews: PreviewSettings,
    }

    fn addresses(
        flags: &[&str],
        own: &str,
    ) -> anyhow::Result<Result<PreviewAddresses, NoPreviews>> {
        let flags = Flags::try_parse_from([&["x"], flags].concat())?;
        let own = Url::parse(own).unwrap();
        flags.previews.addresses(&own, SiteOrigin::new(own.scheme(), own.port()))
    }

    #[test]
    fn previews_use_localhost_only_at_local_address() {
        for own in ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"] {
            let found = addresses(&[], own).unwrap().unwrap();
            assert_eq!(found.url("a.localhost"), "http://a.localhost:8080", "{own}");
        }
        for own in ["http://0.0.0.0:8080", "https://docs-admin.example.com", "http://10.0.0.1"] {
            let off = addresses(&[], own).unwrap().unwrap_err().to_string();
            assert!(off.contains("--preview-domain"), "{own}: {off}");
        }
    }

    #[test]
    fn preview_domain_is_separate_from_service() {
        let domain = ["--preview-domain", "previews.example.net"];
        let found = addresses(&domain, "https://docs-admin.example.com").unwrap().unwrap();
        assert_eq!(found.url("a.previews.example.net"), "https://a.previews.example.net");
        for own in [
            "https://previews.example.net",
            "https://example.net",
            "https://admin.previews.example.net",
            "https://Previews.Example.NET:8443",
        ] {
            let refused = addresses(&domain, own).unwrap_err().to_string();
            assert!(refused.contains("a separate domain"), "{own}: {refused}");
        }
        assert!(addresses(&domain, "https://notpreviews.example.net").is_ok(), "not below it");
        assert!(addresses(&domain, "http://10.0.0.1:8080").unwrap().is_ok());
        for wrong in ["net", "https://x.net", "127.0.0.1", "a b"] {
            assert!(Flags::try_parse_from(["x", "--preview-domain", wrong]).is_err(), "{wrong}");
        }
    }
}
