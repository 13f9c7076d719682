//! Accounts of the dashboard, and roles in organizations.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::key::Scope;

/// The shortest password, in characters. NIST SP 800-63B requires 15 without other rules, and 8 with a second
/// factor; there are no other rules here.
pub const SHORTEST_PASSWORD: usize = 12;
/// The longest password: hashing longer ones only costs time.
pub const LONGEST_PASSWORD: usize = 256;
/// Longest name of a person, in characters.
const LONGEST_NAME: usize = 200;
/// Longest email address, in bytes (RFC 5321, section 4.5.3.1.3, without its brackets).
const LONGEST_EMAIL: usize = 254;

/// Role of a member in an organization. Each role includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(example = "editor")]
pub enum Role {
    /// Reading.
    Viewer,
    /// Starting work: prompts, updates, exports, and which release is active.
    Editor,
    /// The organization: members, keys, domains, credentials, settings, and deletions.
    Admin,
}

impl Role {
    /// Every role, the smallest first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Editor, Self::Admin];

    /// Its name in the database, in forms, and in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }

    /// The scope with the same permissions.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Viewer => Scope::Read,
            Self::Editor => Scope::Write,
            Self::Admin => Scope::Admin,
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|role| role.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a role; use viewer, editor, or admin"))
    }
}

/// An email address, in lower case: addresses that differ only in case are equal here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for Email {
    type Err = String;

    /// Only sending mail shows whether it arrives. Refused texts can't be addresses, or have characters with which
    /// one person could impersonate another.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let parts =
            text.rsplit_once('@').filter(|(name, host)| !name.is_empty() && !host.is_empty());
        if parts.is_none()
            || text.len() > LONGEST_EMAIL
            || !text.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err("not an email address; use one such as ada@example.com".to_owned());
        }
        Ok(Self(text.to_ascii_lowercase()))
    }
}

/// Whether a text can be the name of a person.
pub fn is_name(text: &str) -> bool {
    // Characters that change the text direction could make one line of a list look like another.
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (1..=LONGEST_NAME).contains(&text.chars().count())
        && !text.chars().any(|letter| letter.is_control() || turns(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_two_parts_and_no_case() {
        let email = " Ada@Example.COM ".parse::<Email>().unwrap();
        assert_eq!(
            (email.as_str(), email.to_string().as_str()),
            ("ada@example.com", "ada@example.com")
        );
        assert!(format!("{}@example.com", "a".repeat(242)).parse::<Email>().is_ok());
        let long = format!("{}@example.com", "a".repeat(250));
        for wrong in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "a da@example.com",
            "a\n@example.com",
            "аda@example.com",
            &long,
        ] {
            assert!(wrong.parse::<Email>().unwrap_err().contains("email"), "{wrong}");
        }
    }

    #[test]
    fn roles_are_written_and_read_by_name_and_grow() {
        for role in Role::ALL {
            assert_eq!(role.name().parse(), Ok(role));
        }
        assert!("owner".parse::<Role>().is_err());
        assert!(Role::ALL.windows(2).all(|pair| pair[0].scope() < pair[1].scope()));
        assert!(Role::Admin.scope() < Scope::Operator);
    }
}
