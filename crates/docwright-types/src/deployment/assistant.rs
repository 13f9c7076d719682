//! The settings of the assistant for readers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SettingError, Switch};

/// Most of [`Assistant::starter_questions`].
const MOST_QUESTIONS: usize = 3;
/// Longest of them, in characters.
const LONGEST_QUESTION: usize = 200;
/// Longest support address, in bytes.
const LONGEST_SUPPORT: usize = 500;
/// Days that questions are kept by default, and at most.
const KEEP_DAYS: (u16, u16) = (30, 365);

/// The assistant that answers readers' questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assistant {
    /// Whether the feature is part of the site.
    pub mode: Switch,
    /// URL of the service that provides the feature; null for the host that serves the site.
    #[serde(default)]
    #[schema(max_length = 2000, example = "https://assistant.example.com")]
    pub address: Option<String>,
    /// Questions that readers can select before their first one, each of up to 200 characters.
    #[serde(default)]
    #[schema(max_items = 3, example = json!(["How do I install it?"]))]
    pub starter_questions: Vec<String>,
    /// Email address or https URL of the support. The assistant shows it, with the id of the conversation.
    #[serde(default)]
    #[schema(max_length = 500, example = "support@example.com")]
    pub support_address: Option<String>,
    /// Days that the server keeps readers' questions; 0 keeps none.
    #[serde(default = "default_days")]
    #[schema(maximum = 365, default = 30)]
    pub keep_days: u16,
}

const fn default_days() -> u16 {
    KEEP_DAYS.0
}

impl Assistant {
    /// The assistant of a new deployment: off.
    pub const OFF: Self = Self {
        mode: Switch::Off,
        address: None,
        starter_questions: Vec::new(),
        support_address: None,
        keep_days: KEEP_DAYS.0,
    };

    /// Whether the feature is part of the site.
    pub const fn is_on(&self) -> bool {
        self.mode.is_on()
    }

    /// Checks the settings that every type of deployment allows.
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let refuse = |field, reason: &str| Err(SettingError { field, reason: reason.to_owned() });
        let questions = "features.assistant.starterQuestions";
        if self.starter_questions.len() > MOST_QUESTIONS {
            return refuse(questions, "has more than 3 entries; remove some");
        }
        for question in &self.starter_questions {
            if question.trim().is_empty() {
                return refuse(questions, "has a blank entry; remove it");
            }
            if question.chars().count() > LONGEST_QUESTION {
                return refuse(questions, "has an entry of more than 200 characters; shorten it");
            }
            if question.chars().any(char::is_control) {
                return refuse(questions, "has an entry of several lines; use one line each");
            }
        }
        if let Some(address) = &self.support_address {
            check_support(address)?;
        }
        if self.keep_days > KEEP_DAYS.1 {
            return refuse("features.assistant.keepDays", "must be 0 to 365");
        }
        Ok(())
    }
}

fn check_support(address: &str) -> Result<(), SettingError> {
    let reason = match url::Url::parse(address) {
        _ if address.len() > LONGEST_SUPPORT => "is longer than 500 characters; make it shorter",
        _ if is_email(address) => return Ok(()),
        Ok(url) if url.scheme() != "https" => "must be an email address or start with https://",
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            "contains a name or a password, which every reader could see; leave them out"
        }
        Ok(url) if url.fragment().is_some() => "has a fragment; leave it out",
        Ok(_) => return Ok(()),
        Err(_) => {
            "must be an email address or a URL, such as support@example.com or https://example.com/support"
        }
    };
    Err(SettingError { field: "features.assistant.supportAddress", reason: reason.to_owned() })
}

/// Whether a text can be the address in a `mailto:` link: marks that have a meaning there aren't allowed.
fn is_email(text: &str) -> bool {
    let is_plain = |letter: char| {
        !letter.is_whitespace() && !letter.is_control() && !"@:/?#&%\"<>()[]\\,;".contains(letter)
    };
    let Some((name, host)) = text.split_once('@') else { return false };
    let is_host = |part: &str| !part.is_empty() && part.chars().all(is_plain);
    !name.is_empty() && name.chars().all(is_plain) && host.split('.').all(is_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut Assistant)) -> Option<String> {
        let mut assistant = Assistant { mode: Switch::On, ..Assistant::OFF };
        change(&mut assistant);
        assistant.check().err().map(|error| error.to_string())
    }

    #[test]
    fn omitted_settings_get_defaults() {
        let read: Assistant = serde_json::from_str(r#"{"mode":"off"}"#).unwrap();
        assert_eq!(read, Assistant::OFF);
        assert_eq!(read.keep_days, 30);
    }

    #[test]
    fn starter_questions_are_three_short_lines() {
        let with = |questions: &[&str]| {
            let questions = questions.iter().map(|text| (*text).to_owned()).collect();
            refused(|assistant| assistant.starter_questions = questions)
        };
        let (long, longer) = ("é".repeat(200), "é".repeat(201));
        assert_eq!(with(&[]), None);
        assert_eq!(with(&["How do I install it?", "Why?", &long]), None);
        for (questions, reason) in [
            (&["a"; 4][..], "more than 3"),
            (&["a", " \t"], "blank"),
            (&[longer.as_str()], "more than 200"),
            (&["a\nb"], "several lines"),
        ] {
            let error = with(questions).unwrap();
            let starts = error.starts_with("`features.assistant.starterQuestions` has ");
            assert!(starts && error.contains(reason), "{error}");
        }
    }

    #[test]
    fn support_address_is_an_email_address_or_a_secure_url() {
        let with = |address: &str| {
            refused(|assistant| assistant.support_address = Some(address.to_owned()))
        };
        for allowed in [
            "support@example.com",
            "help+docs@localhost",
            "https://example.com/support?product=docs",
        ] {
            assert_eq!(with(allowed), None, "{allowed}");
        }
        let long = format!("https://example.com/{}", "a".repeat(500));
        for (address, reason) in [
            ("", "must be an email address or a URL"),
            ("example.com", "must be an email address or a URL"),
            ("a@b@c.com", "must be an email address or a URL"),
            ("a@b.com?bcc=c@d.com", "must be an email address or a URL"),
            ("a b@c.com", "must be an email address or a URL"),
            ("mailto:a@b.com", "start with https://"),
            ("javascript:alert(1)", "start with https://"),
            ("http://example.com", "start with https://"),
            ("https://me:secret@example.com", "password"),
            ("https://example.com/#top", "fragment"),
            (long.as_str(), "longer than 500"),
        ] {
            let error = with(address).unwrap();
            let starts = error.starts_with("`features.assistant.supportAddress` ");
            assert!(starts && error.contains(reason), "{address}: {error}");
        }
    }

    #[test]
    fn questions_are_kept_for_a_year_at_most() {
        assert_eq!(refused(|assistant| assistant.keep_days = 0), None);
        assert_eq!(refused(|assistant| assistant.keep_days = 365), None);
        let error = refused(|assistant| assistant.keep_days = 366).unwrap();
        assert_eq!(error, "`features.assistant.keepDays` must be 0 to 365");
    }
}
