//! The form of a deployment's settings.

use docwright_operations::{
    OperationError,
    deployments::{Deployment, FeaturesChange, UpdateDeployment},
    fields::field,
};
use docwright_types::deployment::{
    Analytics, Assistant, DeploymentType, FeatureName, Playground, PlaygroundMode, Switch, Switched,
};
use maud::{Markup, html};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    forms::revision,
    parts::{Field, FormError, NamedField, lines, select},
    words,
};

/// The fields of the form, as errors of the operation name them.
pub(super) const FIELDS: [NamedField; 9] = [
    ("name", "name", words::NAME),
    ("address", "address", words::SITE_ADDRESS),
    ("features.assistant.address", "assistant_address", words::ASSISTANT_URL),
    ("features.assistant.starterQuestions", "starter_questions", words::STARTER_QUESTIONS),
    ("features.assistant.supportAddress", "support_address", words::SUPPORT_ADDRESS),
    ("features.assistant.keepDays", "keep_days", words::KEEP_DAYS),
    ("features.analytics.address", "analytics_address", words::ANALYTICS_URL),
    ("features.playground.baseUrl", "playground_url", words::PLAYGROUND_URL),
    ("features.playground.hosts", "playground_hosts", words::PLAYGROUND_HOSTS),
];

/// The fields of the form. Features that the type lacks have none.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::pages) struct Settings {
    name: String,
    #[serde(default)]
    address: String,
    search: String,
    #[serde(default)]
    assistant: String,
    #[serde(default)]
    assistant_address: String,
    #[serde(default)]
    starter_questions: String,
    #[serde(default)]
    support_address: String,
    #[serde(default)]
    keep_days: String,
    #[serde(default)]
    analytics: String,
    #[serde(default)]
    analytics_address: String,
    #[serde(default)]
    analytics_cdn: String,
    playground: String,
    #[serde(default)]
    playground_url: String,
    #[serde(default)]
    playground_hosts: String,
    #[serde(default)]
    integrations: String,
    pub(super) revision: Option<String>,
}

impl Settings {
    /// The stored values.
    pub(super) fn of(deployment: &Deployment) -> Self {
        let features = &deployment.features;
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        Self {
            name: deployment.name.clone(),
            address: text(&deployment.address),
            search: switch(features.search.mode),
            assistant: switch(features.assistant.mode),
            assistant_address: text(&features.assistant.address),
            starter_questions: features.assistant.starter_questions.join("\n"),
            support_address: text(&features.assistant.support_address),
            keep_days: features.assistant.keep_days.to_string(),
            analytics: switch(features.analytics.mode),
            analytics_address: text(&features.analytics.address),
            analytics_cdn: switch(if features.analytics.behind_cdn {
                Switch::On
            } else {
                Switch::Off
            }),
            playground: features.playground.mode.name().to_owned(),
            playground_url: text(&features.playground.base_url),
            playground_hosts: features.playground.hosts.join(", "),
            integrations: switch(features.integrations.mode),
            revision: Some(deployment.revision.to_string()),
        }
    }

    pub(super) fn input(&self) -> Result<UpdateDeployment, OperationError> {
        let switched = |name, mode: &str| {
            let mode: Option<Switch> = chosen(name, mode)?;
            Ok::<_, OperationError>(mode.map(|mode| Switched { mode }))
        };
        let mode: Option<Switch> = chosen("analytics", &self.analytics)?;
        let analytics = mode.map(|mode| Analytics {
            mode,
            address: filled(&self.analytics_address),
            behind_cdn: self.analytics_cdn == "on",
        });
        let mode: Option<PlaygroundMode> = chosen("playground", &self.playground)?;
        let playground = mode.map(|mode| Playground {
            mode,
            base_url: filled(&self.playground_url),
            hosts: self.playground_hosts.split(',').filter_map(filled).collect(),
        });
        Ok(UpdateDeployment {
            name: Some(field("name", self.name.as_str())?),
            address: Some(self.address.trim().to_owned()),
            features: Some(FeaturesChange {
                search: switched("search", &self.search)?,
                assistant: self.assistant()?,
                analytics,
                playground,
                integrations: switched("integrations", &self.integrations)?,
            }),
            revision: revision(self.revision.as_deref())?,
        })
    }

    fn assistant(&self) -> Result<Option<Assistant>, OperationError> {
        let Some(mode) = chosen("assistant", &self.assistant)? else { return Ok(None) };
        let keep_days = match filled(&self.keep_days).map(|days| days.parse()) {
            None => Assistant::OFF.keep_days,
            Some(Ok(days)) => days,
            Some(Err(_)) => {
                let sentence = "`features.assistant.keepDays` must be 0 to 365.".to_owned();
                return Err(OperationError::Invalid(sentence));
            }
        };
        Ok(Some(Assistant {
            mode,
            address: filled(&self.assistant_address),
            starter_questions: self.starter_questions.lines().filter_map(filled).collect(),
            support_address: filled(&self.support_address),
            keep_days,
        }))
    }

    /// The fields of a type of deployment.
    pub(super) fn show(&self, kind: DeploymentType, error: &FormError) -> Markup {
        let is_cloud = kind == DeploymentType::Cloud;
        html! {
            (Field::text("name", words::NAME, &self.name).checked(error).show())
            @if !is_cloud {
                (url(("address", words::SITE_ADDRESS), &self.address, words::SITE_ADDRESS_HINT, error))
            }
            (feature(FeatureName::Search, kind, ("search", &self.search)))
            (feature(FeatureName::Assistant, kind, ("assistant", &self.assistant)))
            @if kind == DeploymentType::ClientHosted {
                (url(("assistant_address", words::ASSISTANT_URL), &self.assistant_address, words::SERVICE_URL_HINT, error))
            }
            @if FeatureName::Assistant.cell(kind).reason.is_none() {
                (lines(("starter_questions", words::STARTER_QUESTIONS), &self.starter_questions, Some(words::STARTER_QUESTIONS_HINT), error))
                (Field::text("support_address", words::SUPPORT_ADDRESS, &self.support_address).hint(words::SUPPORT_ADDRESS_HINT).optional().checked(error).show())
                (Field::text("keep_days", words::KEEP_DAYS, &self.keep_days).of("number", "off").hint(words::KEEP_DAYS_HINT).optional().checked(error).show())
            }
            (feature(FeatureName::Analytics, kind, ("analytics", &self.analytics)))
            @if kind == DeploymentType::ClientHosted {
                (url(("analytics_address", words::ANALYTICS_URL), &self.analytics_address, words::ANALYTICS_URL_HINT, error))
            }
            @if kind != DeploymentType::AirGapped {
                (select(("analytics_cdn", words::BEHIND_CDN), &words::SWITCH, &self.analytics_cdn, Some(words::BEHIND_CDN_HINT)))
            }
            (select(("playground", FeatureName::Playground.title()), &modes(kind), &self.playground, Some(words::feature_why(FeatureName::Playground))))
            (url(("playground_url", words::PLAYGROUND_URL), &self.playground_url, words::PLAYGROUND_URL_HINT, error))
            @if kind != DeploymentType::AirGapped {
                (Field::text("playground_hosts", words::PLAYGROUND_HOSTS, &self.playground_hosts).hint(words::PLAYGROUND_HOSTS_HINT).optional().checked(error).show())
            }
            (feature(FeatureName::Integrations, kind, ("integrations", &self.integrations)))
        }
    }
}

/// A switch, or the reason why the type lacks the feature.
fn feature(feature: FeatureName, kind: DeploymentType, (name, value): (&str, &str)) -> Markup {
    match feature.cell(kind).reason {
        Some(reason) => html! {
            div.field { p { strong { (feature.title()) } } p.hint { (words::unavailable(kind, reason)) } }
        },
        None => select(
            (name, feature.title()),
            &words::SWITCH,
            value,
            Some(words::feature_why(feature)),
        ),
    }
}

fn url((name, label): (&str, &str), value: &str, hint: &str, error: &FormError) -> Markup {
    Field::text(name, label, value).of("url", "off").hint(hint).optional().checked(error).show()
}

/// The modes of the playground that a type allows.
fn modes(kind: DeploymentType) -> Vec<(&'static str, &'static str)> {
    use PlaygroundMode::{Browser, Off, Proxy, Show};
    let modes: &[_] = match kind {
        DeploymentType::Cloud => &[Proxy, Browser, Show, Off],
        DeploymentType::ClientHosted => &[Browser, Proxy, Show, Off],
        DeploymentType::AirGapped => &[Off, Show, Browser],
    };
    modes.iter().map(|mode| (mode.name(), words::playground_mode(*mode))).collect()
}

fn switch(mode: Switch) -> String {
    if mode.is_on() { "on".to_owned() } else { "off".to_owned() }
}

/// A chosen option; `None` if the form has no such field.
fn chosen<T: DeserializeOwned>(name: &str, option: &str) -> Result<Option<T>, OperationError> {
    if option.is_empty() {
        return Ok(None);
    }
    let read = serde_json::from_value(serde_json::Value::from(option));
    read.map(Some).map_err(|error| OperationError::Invalid(format!("`{name}`: {error}.")))
}

/// A text that isn't blank.
pub(super) fn filled(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
