//! Texts about domains.

pub(crate) const FIND_DOMAIN: &str = "Domain";
pub(crate) const DOMAIN: &str = "Domain";
pub(crate) const DOMAINS: &str = "Domains";
pub(crate) const NO_DOMAINS: &str = "No domains yet";
pub(crate) const NO_DOMAINS_WHY: &str = "A domain is where readers find the site. Verify that you own it with a DNS record. Names that end in .localhost need none.";
pub(crate) const ADD_DOMAIN: &str = "Add domain";
pub(crate) const DOMAIN_HINT: &str = "A hostname, such as docs.example.com, or a hostname with a base path, such as example.com/docs.";
pub(crate) const BRANCH_HINT: &str =
    "The branch to serve. Leave empty for the default branch of the repository.";
pub(crate) const DEFAULT_BRANCH: &str = "default branch";
pub(crate) const CERTIFICATE: &str = "Certificate";
pub(crate) const PENDING_DOMAIN: &str = "Pending";
pub(crate) const WAITS_FOR_RELEASE: &str = "Waiting for a release";
pub(crate) const SERVES: &str = "Active";
pub(crate) const REDIRECTS: &str = "Redirects";
pub(crate) const DEFAULT_DOMAIN_WHY: &str = "This is the default domain of the project. When the site is published at a domain of your own, the default domain redirects there.";
pub(crate) fn default_domain_redirects(target: &str) -> String {
    format!("This is the default domain of the project. It redirects to {target}.")
}
pub(crate) const DOMAIN_WITHOUT_RELEASE: &str =
    "No release yet. The next commit creates one, or build the latest commit now.";
pub(crate) const REMOVE_DOMAIN: &str = "Remove domain";
pub(crate) const REMOVE_DOMAIN_WHY: &str = "The site stops working at this domain. Everything that belongs to it is permanently deleted. The next page lists that.";
pub(crate) const REMOVE_DOMAIN_DELETES: &str = "Permanently deleted";
pub(crate) const REMOVE_DOMAIN_KEEPS: &str = "Kept";
pub(crate) const REMOVE_DOMAIN_KEPT: [&str; 3] = [
    "The project with its other domains, settings, agent jobs, and pull requests",
    "The repository with all commits",
    "Bundles that you downloaded, and sites that you host elsewhere",
];
pub(crate) const REMOVE_DOMAIN_INSTEAD: &str =
    "To keep everything under another name, rename the domain instead.";
pub(crate) const NOTHING_TO_DELETE: &str = "Nothing but the name and its settings";
pub(crate) fn its_analytics(days: &str) -> String {
    format!("Analytics of {days}")
}
pub(crate) fn its_redirect(name: &str) -> String {
    format!("The redirect from {name}")
}
pub(crate) const REMOVE_DOMAIN_READERS: &str = "Readers use it now:";
pub(crate) const OTHER_DOMAIN: &str =
    "This isn't the name of the domain. Nothing was removed. Type the name as it is shown.";
pub(crate) const RECORDS_WHY: &str =
    "Add these records at your DNS provider. docwright checks for them for 30 days.";
pub(crate) const RECORDS_LEAD: &str =
    "Point the hostname to this service with exactly this record. docwright checks automatically.";
pub(crate) fn base_path_leads(host: &str, base: &str) -> String {
    format!(
        "{host} can belong to another web server. Configure it to pass {base} to this service, with the full path and the Host header."
    )
}
pub(crate) const RECORD_TYPE: &str = "Type";
pub(crate) const RECORD_NAME: &str = "Name";
pub(crate) const RECORD_VALUE: &str = "Value";
pub(crate) const CHECK_NOW: &str = "Check now";
pub(crate) const CERTIFICATE_ENDS: &str = "expires";
pub(crate) const CERTIFICATE_AGAIN: &str = "docwright retries automatically.";
pub(crate) const CERTIFICATE_LATER: &str = "Checked after you verify the domain.";
pub(crate) const CERTIFICATE_ELSEWHERE: &str = "docwright doesn't request a certificate for this hostname, and found none yet. A proxy or the operator provides it.";
pub(crate) const DNS: &str = "DNS";
pub(crate) const DNS_LEADS_HERE: &str = "Leads to this service";
pub(crate) const DNS_MISSING: &str = "DNS not found";
pub(crate) const DNS_ELSEWHERE: &str = "Leads elsewhere";
pub(crate) const DNS_UNKNOWN: &str = "DNS not checked";
pub(crate) const NO_DNS: &str = "Doesn't lead here yet";
pub(crate) const DNS_WAITS: &str = "Checking DNS";
pub(crate) const DNS_CHECKED_AT: &str = "checked";
pub(crate) const DNS_ADDRESSES: &str = "Addresses";
pub(crate) const SEE_SITE_NOW: &str = "View site now";
pub(crate) const SEE_SITE_NOW_WHY: &str = "The name doesn't lead here yet. Until then, this URL shows the same pages. Search engines don't list it, and features that need the domain are off.";
pub(crate) const SEE_SITE_NOW_OFF: &str = "The name doesn't lead here yet. This instance has no other URL for the site, because previews are off. The operator can turn them on with --preview-domain.";
pub(crate) const RENAME_DOMAIN: &str = "Rename domain";
pub(crate) const RENAME_DOMAIN_WHY: &str =
    "The site moves to another name. Releases, exports, feedback, and analytics stay.";
pub(crate) const RENAME_DOMAIN_EFFECT: &str = "The site is served at the new name immediately, and a release with the new address is built. Releases, exports, feedback, analytics, questions, and assistant keys stay. If the new hostname isn't verified yet, the domain keeps its name until you add a DNS record.";
pub(crate) const NEW_NAME: &str = "New name";
pub(crate) const KEEP_REDIRECT: &str = "Redirect the former name";
pub(crate) const KEEP_REDIRECT_HINT: &str = "Readers and search engines find each page at its new URL (308). Sites that you host elsewhere can still report to the former name. Without it, the former name becomes free.";
pub(crate) const REDIRECTS_FROM: &str = "Redirects from";
pub(crate) const REMOVE_REDIRECT: &str = "Remove redirect";
pub(crate) fn remove_redirect_question(name: &str) -> String {
    format!("Remove the redirect from {name}? Links to it stop working.")
}
pub(crate) fn renames(domain: &str) -> String {
    format!("{domain} gets this name when the DNS record is found.")
}

/// Label of a certificate state.
pub(crate) fn certificate(state: &str) -> &str {
    match state {
        "pending" => "Requested",
        "valid" => "Valid",
        "expired" => "Expired",
        "failed" => "Failed",
        "missing" => "Missing",
        other => other,
    }
}
