//! Texts about deployments and their features.

use docwright_types::deployment::{Availability, DeploymentType, FeatureName, PlaygroundMode};

pub(crate) const DEPLOYMENTS: &str = "Deployments";
pub(crate) const DEPLOYMENTS_WHY: &str = "A deployment is a place that serves the site. A static export for a deployment has its features; what is off isn't in the files.";
pub(crate) const FEATURES: &str = "Features";
pub(crate) const FEATURES_BY_TYPE: &str = "Features by type";
pub(crate) const DEPLOYMENT: &str = "Deployment";
pub(crate) const DEPLOYMENT_HINT: &str = "The bundle has the features of this deployment.";
pub(crate) const DEFAULT_FEATURES: &str = "Client-hosted, default features";
pub(crate) const TYPE: &str = "Type";
pub(crate) const TYPE_HINT: &str = "The type never changes.";
pub(crate) const CREATE_DEPLOYMENT: &str = "Create deployment";
pub(crate) const NEW_DEPLOYMENT: &str = "New deployment";
pub(crate) const SITE_ADDRESS: &str = "URL of the site";
pub(crate) const SITE_ADDRESS_HINT: &str =
    "For canonical links, the sitemap, and llms.txt. Leave empty to use the URL of the domain.";
pub(crate) const DOMAINS_OF_PROJECT: &str = "The domains of the project";
pub(crate) const SERVED_EXPORT: &str = "Served export";
pub(crate) const NOTHING_REPORTED: &str = "The server of this deployment reported no export. docwright deploy does if it polls this instance.";
pub(crate) const REPORTED_EXPORT: &str = "Export";
pub(crate) const REPORTED_AT: &str = "Reported";
pub(crate) const DELETE_DEPLOYMENT: &str = "Delete deployment";
pub(crate) const DELETE_DEPLOYMENT_QUESTION: &str =
    "Delete this deployment? Its exports stay until they expire.";
pub(crate) const CLOUD_FEATURES_WHY: &str = "Saving starts a release of each domain.";
pub(crate) const EXPORTED_FEATURES_WHY: &str =
    "Bundles that were exported before stay as they are. Start another export to apply changes.";
pub(crate) const ASSISTANT_URL: &str = "URL of the assistant";
pub(crate) const STARTER_QUESTIONS: &str = "Starter questions of the assistant";
pub(crate) const STARTER_QUESTIONS_HINT: &str =
    "Up to three questions, one a line. Readers can select them before they ask.";
pub(crate) const SUPPORT_ADDRESS: &str = "Support address";
pub(crate) const SUPPORT_ADDRESS_HINT: &str =
    "An email address or a URL, such as support@example.com. The assistant shows it to readers.";
pub(crate) const KEEP_DAYS: &str = "Days to keep questions";
pub(crate) const KEEP_DAYS_HINT: &str =
    "0 to 365. Leave empty to keep readers' questions for 30 days. 0 keeps none.";
pub(crate) const ANALYTICS_URL: &str = "URL for analytics reports";
pub(crate) const ANALYTICS_URL_HINT: &str = "Leave empty if docwright deploy serves the site, and counts its readers. To count them here, use a domain of this project, such as https://docs.example.com/_docwright/reading.";
pub(crate) const BEHIND_CDN: &str = "Content delivery network in front";
pub(crate) const BEHIND_CDN_HINT: &str = "Turn on if a network such as a CDN answers requests of pages. Then views of people count when the script of the page reports them.";
pub(crate) const SERVICE_URL_HINT: &str = "Leave empty if the server of the site provides it.";
pub(crate) const PLAYGROUND_URL: &str = "URL for playground requests";
pub(crate) const PLAYGROUND_URL_HINT: &str =
    "Requests go here instead of the servers in the API spec. Leave empty to use those.";

pub(crate) const PLAYGROUND_HOSTS: &str = "More hosts for playground requests";
pub(crate) const PLAYGROUND_HOSTS_HINT: &str = "Comma-separated URLs, such as https://staging.example.com. The server of the site sends requests to these and to the servers in the API spec.";

/// The options of a feature that is on or off.
pub(crate) const SWITCH: [(&str, &str); 2] = [("on", "On"), ("off", "Off")];

/// The name of a type.
pub(crate) const fn deployment_type(kind: DeploymentType) -> &'static str {
    match kind {
        DeploymentType::Cloud => "Cloud",
        DeploymentType::ClientHosted => "Client-hosted",
        DeploymentType::AirGapped => "Air-gapped",
    }
}

/// What a type offers of a feature.
pub(crate) const fn availability(availability: Availability) -> &'static str {
    match availability {
        Availability::Available => "Available",
        Availability::Configurable => "Configurable",
        Availability::Unavailable => "Unavailable",
    }
}

/// The playground's modes.
pub(crate) const fn playground_mode(mode: PlaygroundMode) -> &'static str {
    match mode {
        PlaygroundMode::Proxy => "Send through the server of the site",
        PlaygroundMode::Browser => "Send from the browser",
        PlaygroundMode::Show => "Show and copy requests only",
        PlaygroundMode::Off => "Off",
    }
}

/// Why a type lacks a feature, after the name of the type.
pub(crate) fn unavailable(kind: DeploymentType, reason: &str) -> String {
    format!("Unavailable in {}: {reason}.", kind.with_article())
}

/// What a feature does, in a sentence.
pub(crate) const fn feature_why(feature: FeatureName) -> &'static str {
    match feature {
        FeatureName::Search => "Searches the pages in the browser, without a network.",
        FeatureName::Assistant => {
            "Answers questions from the pages, with a link to each quote. It needs the search."
        }
        FeatureName::Analytics => {
            "Counts readers without cookies, where the site is served or at a URL that you choose."
        }
        FeatureName::Playground => "Sends requests from API pages.",
        FeatureName::Export => "Creates a bundle of plain files.",
        FeatureName::Integrations => "Loads the scripts of other services that docs.json names.",
    }
}
