//! Values of web analytics: kinds of readers, and the properties by which views are counted.

use std::str::FromStr;

/// Kind of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reader {
    /// A person with a browser.
    Human,
    /// A program that reads a page for a person or a model: an AI agent.
    Ai,
    /// A crawler, a monitor, or another program.
    Bot,
}

/// A property by which the views of a day are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dimension {
    /// Host of the page with the link that people followed.
    Referrer,
    /// Preferred language of people's browsers.
    Language,
    /// Class of people's devices: phone, tablet, or desktop.
    Device,
    /// Name of an AI agent.
    Agent,
    /// Path without a page that was requested from a page of the same site.
    OwnDeadLink,
    /// Path without a page that was requested from elsewhere.
    OtherDeadLink,
}

impl Reader {
    /// All kinds, in the order of sums.
    pub const ALL: [Self; 3] = [Self::Human, Self::Ai, Self::Bot];

    /// The place of the kind in [`Reader::ALL`].
    pub const fn index(self) -> usize {
        match self {
            Self::Human => 0,
            Self::Ai => 1,
            Self::Bot => 2,
        }
    }

    /// The name in the database and in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Ai => "ai",
            Self::Bot => "bot",
        }
    }
}

impl Dimension {
    const ALL: [Self; 6] = [
        Self::Referrer,
        Self::Language,
        Self::Device,
        Self::Agent,
        Self::OwnDeadLink,
        Self::OtherDeadLink,
    ];

    /// The name in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Referrer => "referrer",
            Self::Language => "language",
            Self::Device => "device",
            Self::Agent => "agent",
            Self::OwnDeadLink => "own_dead_link",
            Self::OtherDeadLink => "other_dead_link",
        }
    }
}

impl FromStr for Dimension {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|dimension| dimension.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a dimension of views"))
    }
}
