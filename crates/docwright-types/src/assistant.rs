//! Answers of the assistant for readers, and their ratings.

mod event;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use event::{Event, Source};

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerKind {
    /// A model wrote the paragraphs.
    Answer,
    /// The paragraphs are passages of the pages.
    Extract,
    /// The pages don't say. Sources are the nearest sections.
    Refused,
    /// The assistant asks back.
    Choices,
}

/// Where a question came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AskedFrom {
    /// A page of the site.
    Site,
    /// The widget on a page of another site.
    Widget,
    /// A program, with the API.
    Api,
    /// An agent, with the MCP server of the site.
    Mcp,
}

/// Why an answer didn't help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RatingReason {
    /// It isn't true.
    Wrong,
    /// Something is missing.
    Incomplete,
    /// It was true once.
    Outdated,
    /// It is hard to understand.
    Unclear,
    /// Something else.
    Other,
}

macro_rules! names {
    ($type:ident, $what:literal, $($variant:ident: $name:literal,)+) => {
        impl $type {
            /// Every value.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name in the database and the API.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| format!("`{text}` isn't {}; check the spelling", $what))
            }
        }
    };
}

names!(AnswerKind, "a kind of answer",
    Answer: "answer", Extract: "extract", Refused: "refused", Choices: "choices",);
names!(AskedFrom, "a place of questions",
    Site: "site", Widget: "widget", Api: "api", Mcp: "mcp",);
names!(RatingReason, "a reason of a rating",
    Wrong: "wrong", Incomplete: "incomplete", Outdated: "outdated", Unclear: "unclear", Other: "other",);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_those_of_json() {
        for kind in AnswerKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(serde_json::json!(kind), kind.name());
        }
        for from in AskedFrom::ALL {
            assert_eq!(from.to_string().parse(), Ok(from));
            assert_eq!(serde_json::json!(from), from.name());
        }
        for reason in RatingReason::ALL {
            assert_eq!(reason.to_string().parse(), Ok(reason));
            assert_eq!(serde_json::json!(reason), reason.name());
        }
        assert!("maybe".parse::<AnswerKind>().is_err());
    }
}
