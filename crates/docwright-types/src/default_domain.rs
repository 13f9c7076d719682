//! Default domains: the hostname that the service gives each project.

use crate::domain_name::DomainName;

/// Length of a label of a hostname (RFC 1035, section 2.3.4).
const LABEL: usize = 63;
/// The label of a project whose name has no letter or digit of ASCII.
const NAMELESS: &str = "docs";

/// The domain below which each project gets its default domain, such as `docs.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitesDomain(DomainName);

impl SitesDomain {
    /// Default domains are directly below `domain`.
    pub const fn new(domain: DomainName) -> Self {
        Self(domain)
    }

    /// The domain itself.
    pub const fn name(&self) -> &DomainName {
        &self.0
    }

    /// The default domain of a project with this name: the first choice has number 1, the next ones end with
    /// their number.
    pub fn default_domain(&self, project: &str, number: u32) -> DomainName {
        let end = if number > 1 { format!("-{number}") } else { String::new() };
        let label = label(project, LABEL - end.len());
        // A label and a domain always form a hostname, except for a very long domain.
        DomainName::parse(&format!("{label}{end}.{}", self.0)).unwrap_or_else(|_| self.0.clone())
    }
}

/// A label of a hostname similar to a name, of at most `length` characters.
fn label(name: &str, length: usize) -> String {
    let name = name.to_lowercase();
    let parts = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let label: String = parts.join("-").chars().take(length).collect();
    let label = label.trim_end_matches('-');
    if label.is_empty() { NAMELESS.to_owned() } else { label.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_domain_is_derived_from_name() {
        let sites = SitesDomain::new(DomainName::parse("docs.example.com").unwrap());
        let long = "a".repeat(62) + " b";
        for (name, number, domain) in [
            ("Handbook", 1, "handbook.docs.example.com".to_owned()),
            ("Handbook", 2, "handbook-2.docs.example.com".to_owned()),
            ("  The API: v2 / beta!", 1, "the-api-v2-beta.docs.example.com".to_owned()),
            ("文档", 1, "docs.docs.example.com".to_owned()),
            ("xn--test", 1, "xn-test.docs.example.com".to_owned()),
            (&long, 1, format!("{}.docs.example.com", "a".repeat(62))),
            (&long, 10, format!("{}-10.docs.example.com", "a".repeat(60))),
        ] {
            assert_eq!(sites.default_domain(name, number).as_str(), domain);
        }
    }
}
