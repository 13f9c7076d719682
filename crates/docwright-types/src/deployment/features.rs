//! The reader features of a deployment, and which settings its type allows.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Assistant, DeploymentType, FeatureName};

/// Whether a feature is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// The feature is part of the site.
    On,
    /// The site has no trace of it.
    Off,
}

/// How the playground of API pages sends requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaygroundMode {
    /// Through the server of the site, which sends them to the hosts of the API only.
    Proxy,
    /// From the reader's browser.
    Browser,
    /// Not at all: a reader composes a request and copies it.
    Show,
    /// There is no playground.
    Off,
}

/// A feature that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Switched {
    /// Whether the feature is part of the site.
    pub mode: Switch,
}

/// The web analytics of docwright.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Analytics {
    /// Whether readers are counted.
    pub mode: Switch,
    /// URL that pages send reports to, such as that of a domain of the project; null if the host that serves the site
    /// counts readers.
    #[serde(default)]
    #[schema(max_length = 2000, example = "https://docs.example.com/_docwright/reading")]
    pub address: Option<String>,
    /// Whether a content delivery network in front of the host answers requests of pages. Then views of people count
    /// when the script of the page reports them, because the host doesn't see all requests.
    #[serde(default)]
    pub behind_cdn: bool,
}

/// The playground of API pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Playground {
    /// How requests are sent.
    pub mode: PlaygroundMode,
    /// URL to send requests to instead of the servers in the API spec; null for those.
    #[serde(default)]
    #[schema(max_length = 2000, example = "https://api.internal.example")]
    pub base_url: Option<String>,
    /// Origins that `proxy` can send requests to, besides those of the servers in the API spec: scheme, host, and
    /// port.
    #[serde(default)]
    #[schema(max_items = 20, example = json!(["https://staging.example.com:8443"]))]
    pub hosts: Vec<String>,
}

/// The reader features of a site. What is off leaves neither code nor addresses in its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Features {
    /// Search that needs no network.
    pub search: Switched,
    /// The AI assistant.
    pub assistant: Assistant,
    /// The web analytics of docwright.
    pub analytics: Analytics,
    /// Sending requests from API pages.
    pub playground: Playground,
    /// Scripts of other services that the authors name in `integrations`.
    pub integrations: Switched,
}

/// A setting that the type of a deployment forbids.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct SettingError {
    /// The field, such as `features.assistant.mode`.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl Switch {
    /// Whether the feature is part of the site.
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

impl PlaygroundMode {
    const ALL: [Self; 4] = [Self::Proxy, Self::Browser, Self::Show, Self::Off];

    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proxy => "proxy",
            Self::Browser => "browser",
            Self::Show => "show",
            Self::Off => "off",
        }
    }
}

impl FromStr for PlaygroundMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|mode| mode.name() == text);
        found.ok_or_else(|| {
            format!("`{text}` isn't a mode of the playground; use browser, proxy, show, or off")
        })
    }
}

impl Switched {
    /// Whether the feature is part of the site.
    pub const fn is_on(self) -> bool {
        self.mode.is_on()
    }

    const ON: Self = Self { mode: Switch::On };
    const OFF: Self = Self { mode: Switch::Off };
}

impl Analytics {
    /// Whether the feature is part of the site.
    pub const fn is_on(&self) -> bool {
        self.mode.is_on()
    }

    const OFF: Self = Self { mode: Switch::Off, address: None, behind_cdn: false };
}

impl Playground {
    /// Whether API pages have a playground.
    pub const fn is_on(&self) -> bool {
        !matches!(self.mode, PlaygroundMode::Off)
    }
}

impl Default for Features {
    fn default() -> Self {
        Self::of(DeploymentType::ClientHosted)
    }
}

impl Features {
    /// The features of a new deployment of a type.
    pub fn of(deployment: DeploymentType) -> Self {
        let is_cloud = deployment == DeploymentType::Cloud;
        let mode = match deployment {
            DeploymentType::Cloud => PlaygroundMode::Proxy,
            DeploymentType::ClientHosted => PlaygroundMode::Browser,
            DeploymentType::AirGapped => PlaygroundMode::Off,
        };
        let analytics = if is_cloud { Switch::On } else { Switch::Off };
        Self {
            search: Switched::ON,
            assistant: Assistant::OFF,
            analytics: Analytics { mode: analytics, ..Analytics::OFF },
            playground: Playground { mode, base_url: None, hosts: Vec::new() },
            integrations: Switched::OFF,
        }
    }

    /// Whether the server of the site answers readers' questions. It needs the index of the search, and an assistant
    /// with an address is another service.
    pub fn has_own_assistant(&self) -> bool {
        self.assistant.is_on() && self.assistant.address.is_none() && self.search.is_on()
    }

    /// Whether the server of the site counts its readers. With an address, another one does.
    pub const fn has_own_analytics(&self) -> bool {
        self.analytics.is_on() && self.analytics.address.is_none()
    }

    /// The features of a preview of a site with these: its readers aren't readers of the site.
    #[must_use]
    pub fn of_preview(self) -> Self {
        Self {
            assistant: Assistant::OFF,
            analytics: Analytics::OFF,
            integrations: Switched::OFF,
            ..self
        }
    }

    /// Checks that a type allows these settings.
    ///
    /// # Errors
    ///
    /// Fails with the first setting that it forbids.
    pub fn check(&self, deployment: DeploymentType) -> Result<(), SettingError> {
        let assistant = ["features.assistant.mode", "features.assistant.address"];
        let analytics = ["features.analytics.mode", "features.analytics.address"];
        let Assistant { mode, address: own, .. } = &self.assistant;
        check_connected(deployment, FeatureName::Assistant, assistant, (*mode, own.as_deref()))?;
        self.assistant.check()?;
        let Analytics { mode, address: own, .. } = &self.analytics;
        check_connected(deployment, FeatureName::Analytics, analytics, (*mode, own.as_deref()))?;
        self.check_cdn()?;
        let integrations = ("features.integrations.mode", self.integrations.mode);
        check_mode(deployment, FeatureName::Integrations, integrations)?;
        self.check_playground(deployment)
    }

    fn check_cdn(&self) -> Result<(), SettingError> {
        if !self.analytics.behind_cdn || self.has_own_analytics() {
            return Ok(());
        }
        let reason = "has no effect unless the host of the site counts its readers; remove it, or turn analytics on without an address";
        Err(SettingError { field: "features.analytics.behindCdn", reason: reason.to_owned() })
    }

    fn check_playground(&self, deployment: DeploymentType) -> Result<(), SettingError> {
        let Playground { mode, base_url, hosts } = &self.playground;
        let refuse = |field, reason: &str| Err(SettingError { field, reason: reason.to_owned() });
        if let Some(address) = base_url {
            check_address("features.playground.baseUrl", address)?;
        }
        check_hosts(*mode, hosts)?;
        match (deployment, mode, base_url) {
            (DeploymentType::AirGapped, PlaygroundMode::Proxy, _) => refuse(
                "features.playground.mode",
                "can't be `proxy` in an air-gapped deployment: no server sends its requests; use `browser` with a URL inside the network",
            ),
            (DeploymentType::AirGapped, PlaygroundMode::Browser, None) => refuse(
                "features.playground.baseUrl",
                "is missing: an air-gapped deployment can't reach the servers in the API spec; set a URL inside the network",
            ),
            (_, PlaygroundMode::Off, Some(_)) => refuse(
                "features.playground.baseUrl",
                "has no effect while `playground.mode` is `off`; remove it, or change the mode",
            ),
            _ => Ok(()),
        }
    }
}

/// Most of [`Playground::hosts`].
const MOST_HOSTS: usize = 20;

fn check_hosts(mode: PlaygroundMode, hosts: &[String]) -> Result<(), SettingError> {
    let field = "features.playground.hosts";
    let refuse = |reason: &str| Err(SettingError { field, reason: reason.to_owned() });
    if hosts.len() > MOST_HOSTS {
        return refuse("has more than 20 entries; remove some");
    }
    if !hosts.is_empty() && mode != PlaygroundMode::Proxy {
        return refuse(
            "has no effect unless `playground.mode` is `proxy`; remove it, or change the mode",
        );
    }
    for host in hosts {
        check_address(field, host)?;
        if url::Url::parse(host).is_ok_and(|url| url.path() != "/") {
            return refuse(
                "contains a path; enter only scheme, host, and port, such as https://api.example.com",
            );
        }
    }
    Ok(())
}

fn check_mode(
    deployment: DeploymentType,
    feature: FeatureName,
    (field, mode): (&'static str, Switch),
) -> Result<(), SettingError> {
    match feature.cell(deployment).reason {
        Some(reason) if mode.is_on() => Err(SettingError {
            field,
            reason: format!("can't be `on` in {}: {reason}", deployment.with_article()),
        }),
        _ => Ok(()),
    }
}

fn check_connected(
    deployment: DeploymentType,
    feature: FeatureName,
    [mode_field, field]: [&'static str; 2],
    (mode, address): (Switch, Option<&str>),
) -> Result<(), SettingError> {
    check_mode(deployment, feature, (mode_field, mode))?;
    let Some(address) = address else { return Ok(()) };
    let refuse = |reason: &str| Err(SettingError { field, reason: reason.to_owned() });
    match (deployment, mode) {
        (DeploymentType::Cloud, _) => refuse(
            "can't be set in a cloud deployment, whose features docwright provides; remove it",
        ),
        (_, Switch::Off) => {
            refuse("has no effect while the feature is `off`; remove it, or turn the feature on")
        }
        (_, Switch::On) => check_address(field, address),
    }
}

/// Longest address, in bytes.
const LONGEST_ADDRESS: usize = 2000;

/// Checks that a field is the URL of a site or service.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn check_address(field: &'static str, text: &str) -> Result<(), SettingError> {
    let reason = match url::Url::parse(text) {
        _ if text.len() > LONGEST_ADDRESS => "is longer than 2000 characters; make it shorter",
        Ok(url) if !matches!(url.scheme(), "https" | "http") => {
            "must start with https:// or http://"
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            "contains a name or a password, which every reader could see; leave them out"
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            "has a query or a fragment; leave it out"
        }
        Ok(_) => return Ok(()),
        Err(_) => "must be a URL, such as https://api.example.com",
    };
    Err(SettingError { field, reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(deployment: DeploymentType, change: impl FnOnce(&mut Features)) -> Option<String> {
        let mut features = Features::of(deployment);
        change(&mut features);
        features.check(deployment).err().map(|error| error.to_string())
    }

    #[test]
    fn defaults_are_allowed() {
        for deployment in DeploymentType::ALL {
            assert_eq!(changed(deployment, |_| {}), None, "{deployment:?}");
        }
    }

    #[test]
    fn forbidden_mode_is_named_with_reason() {
        use DeploymentType::{AirGapped, ClientHosted, Cloud};
        let assistant = |features: &mut Features| features.assistant.mode = Switch::On;
        let analytics = |features: &mut Features| features.analytics.mode = Switch::On;
        let integrations = |features: &mut Features| features.integrations.mode = Switch::On;
        for change in [assistant, analytics, integrations] {
            assert_eq!(changed(Cloud, change), None);
            assert_eq!(changed(ClientHosted, change), None);
        }
        for (change, field) in [
            (assistant as fn(&mut _), "assistant"),
            (analytics, "analytics"),
            (integrations, "integrations"),
        ] {
            let error = changed(AirGapped, change).unwrap();
            assert!(
                error.starts_with(&format!(
                    "`features.{field}.mode` can't be `on` in an air-gapped deployment: "
                )),
                "{error}"
            );
        }
    }

    #[test]
    fn air_gapped_playground_needs_address_inside_network() {
        let with = |mode, base_url: Option<&str>| {
            let base_url = base_url.map(str::to_owned);
            changed(DeploymentType::AirGapped, |features| {
                features.playground = Playground { mode, base_url, hosts: Vec::new() };
            })
        };
        assert_eq!(with(PlaygroundMode::Show, None), None);
        assert_eq!(with(PlaygroundMode::Browser, Some("http://api.internal:8080/v1")), None);
        assert!(with(PlaygroundMode::Browser, None).unwrap().contains("baseUrl` is missing"));
        assert!(
            with(PlaygroundMode::Off, Some("http://api.internal")).unwrap().contains("no effect")
        );
    }

    #[test]
    fn requests_go_through_the_server_unless_there_is_none() {
        use DeploymentType::{AirGapped, ClientHosted, Cloud};
        let modes = DeploymentType::ALL.map(|kind| Features::of(kind).playground.mode);
        assert_eq!(modes, [PlaygroundMode::Proxy, PlaygroundMode::Browser, PlaygroundMode::Off]);
        let proxy = |features: &mut Features| features.playground.mode = PlaygroundMode::Proxy;
        assert_eq!((changed(Cloud, proxy), changed(ClientHosted, proxy)), (None, None));
        let inside = |features: &mut Features| {
            proxy(features);
            features.playground.base_url = Some("http://api.internal".to_owned());
        };
        for refused in [changed(AirGapped, proxy), changed(AirGapped, inside)] {
            assert!(refused.unwrap().starts_with(
                "`features.playground.mode` can't be `proxy` in an air-gapped deployment: "
            ));
        }
    }

    #[test]
    fn network_in_front_of_a_host_needs_analytics_of_the_host() {
        let with = |mode, address: Option<&str>| {
            let address = address.map(str::to_owned);
            changed(DeploymentType::ClientHosted, |features| {
                features.analytics = Analytics { mode, address, behind_cdn: true };
            })
        };
        assert_eq!(with(Switch::On, None), None);
        for refused in [with(Switch::Off, None), with(Switch::On, Some("https://a.example"))] {
            assert!(refused.unwrap().contains("`features.analytics.behindCdn` has no effect"));
        }
    }

    #[test]
    fn hosts_of_the_proxy_are_origins() {
        let with = |mode, hosts: &[&str]| {
            let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
            changed(DeploymentType::ClientHosted, |features| {
                features.playground = Playground { mode, base_url: None, hosts };
            })
        };
        let proxy = PlaygroundMode::Proxy;
        assert_eq!(with(proxy, &["https://api.example.com", "http://10.0.0.1:8080/"]), None);
        for (hosts, reason) in [
            (&["api.example.com"][..], "must be a URL"),
            (&["ftp://api.example.com"], "https:// or http://"),
            (&["https://me@api.example.com"], "name or a password"),
            (&["https://api.example.com/v1"], "contains a path"),
            (&["https://a.example"; 21], "more than 20"),
        ] {
            let error = with(proxy, hosts).unwrap();
            assert!(
                error.starts_with("`features.playground.hosts` ") && error.contains(reason),
                "{error}"
            );
        }
        let unused = with(PlaygroundMode::Browser, &["https://api.example.com"]);
        assert!(unused.unwrap().contains("unless `playground.mode` is `proxy`"));
    }

    #[test]
    fn addresses_are_public_urls() {
        let with = |address: &str| {
            changed(DeploymentType::ClientHosted, |features| {
                let address = Some(address.to_owned());
                features.assistant = Assistant { mode: Switch::On, address, ..Assistant::OFF };
            })
        };
        assert_eq!(with("https://assistant.example.com/docs"), None);
        for (address, reason) in [
            ("assistant.example.com", "must be a URL"),
            ("javascript:alert(1)", "https:// or http://"),
            ("https://me:secret@example.com", "password"),
            ("https://example.com/?key=1", "query"),
        ] {
            let error = with(address).unwrap();
            assert!(
                error.starts_with("`features.assistant.address` ") && error.contains(reason),
                "{error}"
            );
        }
        let cloud = changed(DeploymentType::Cloud, |features| {
            features.analytics.address = Some("https://a.example".to_owned());
        });
        assert!(cloud.unwrap().contains("can't be set in a cloud deployment"));
    }

    #[test]
    fn server_of_the_site_answers_if_nothing_else_does() {
        let mut features = Features::of(DeploymentType::Cloud);
        assert!(!features.has_own_assistant());
        features.assistant.mode = Switch::On;
        assert!(features.has_own_assistant());
        assert!(!features.clone().of_preview().has_own_assistant());
        let address = Some("https://assistant.example.com".to_owned());
        let elsewhere = Assistant { mode: Switch::On, address, ..Assistant::OFF };
        assert!(!Features { assistant: elsewhere, ..features.clone() }.has_own_assistant());
        assert!(!Features { search: Switched::OFF, ..features }.has_own_assistant());
    }

    #[test]
    fn preview_has_neither_assistant_nor_analytics() {
        let mut site = Features::of(DeploymentType::Cloud);
        site.assistant.mode = Switch::On;
        site.integrations.mode = Switch::On;
        let preview = site.clone().of_preview();
        assert!(!preview.assistant.mode.is_on() && !preview.analytics.mode.is_on());
        assert!(!preview.integrations.mode.is_on());
        assert_eq!((preview.search, preview.playground), (site.search, site.playground));
    }
}
