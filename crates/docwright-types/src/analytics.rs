//! Values of web analytics: kinds of readers, and the properties by which views are counted.

use serde::{Deserialize, Serialize};

/// Kind of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// A person with a browser.
    Human,
    /// A program that reads a page for a person or a model: an AI agent.
    Ai,
    /// A crawler, a monitor, or another program.
    Bot,
}

/// A property by which the views of a day are counted, or something that readers do, with its number in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Host of the page with the link that people followed.
    Referrer = 1,
    /// Preferred language of people's browsers.
    Language = 2,
    /// Class of people's devices: phone, tablet, or desktop.
    Device = 3,
    /// Name of an AI agent.
    Agent = 4,
    /// Page that people opened first: they didn't come from a page of the same site.
    Entry = 5,
    /// `utm_source` of the address that people opened.
    CampaignSource = 6,
    /// `utm_medium` likewise.
    CampaignMedium = 7,
    /// `utm_campaign` likewise.
    Campaign = 8,
    /// Path without a page that was requested from a page of the same site.
    OwnDeadLink = 9,
    /// Path without a page that was requested from elsewhere.
    OtherDeadLink = 10,
    /// Query of a search.
    Search = 11,
    /// Query of a search without a result.
    EmptySearch = 12,
    /// Query of a search whose result was opened. Its page is the opened one.
    OpenedResult = 13,
    /// Seconds that a page was visible, at least.
    ReadingTime = 14,
    /// Part of a page that was visible, at least, in percent.
    ScrollDepth = 15,
    /// Largest Contentful Paint, up to a number of milliseconds.
    LargestPaint = 16,
    /// Interaction to Next Paint, up to a number of milliseconds.
    InteractionDelay = 17,
    /// Cumulative Layout Shift, up to a number of thousandths.
    LayoutShift = 18,
    /// Address on another host that readers opened.
    OutboundLink = 19,
    /// Language of code that readers copied.
    CopiedCode = 20,
    /// Title of a tab that readers chose.
    ChosenTab = 21,
    /// Language of the site that readers chose.
    ChosenLanguage = 22,
    /// The playground of an API page was opened.
    Playground = 23,
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
    /// All dimensions.
    pub const ALL: [Self; 23] = [
        Self::Referrer,
        Self::Language,
        Self::Device,
        Self::Agent,
        Self::Entry,
        Self::CampaignSource,
        Self::CampaignMedium,
        Self::Campaign,
        Self::OwnDeadLink,
        Self::OtherDeadLink,
        Self::Search,
        Self::EmptySearch,
        Self::OpenedResult,
        Self::ReadingTime,
        Self::ScrollDepth,
        Self::LargestPaint,
        Self::InteractionDelay,
        Self::LayoutShift,
        Self::OutboundLink,
        Self::CopiedCode,
        Self::ChosenTab,
        Self::ChosenLanguage,
        Self::Playground,
    ];

    /// The number in the database.
    pub const fn number(self) -> i64 {
        self as i64
    }

    /// The name in the API and in files of events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Referrer => "referrer",
            Self::Language => "language",
            Self::Device => "device",
            Self::Agent => "agent",
            Self::Entry => "entry",
            Self::CampaignSource => "campaign_source",
            Self::CampaignMedium => "campaign_medium",
            Self::Campaign => "campaign",
            Self::OwnDeadLink => "own_dead_link",
            Self::OtherDeadLink => "other_dead_link",
            Self::Search => "search",
            Self::EmptySearch => "empty_search",
            Self::OpenedResult => "opened_result",
            Self::ReadingTime => "reading_time",
            Self::ScrollDepth => "scroll_depth",
            Self::LargestPaint => "largest_paint",
            Self::InteractionDelay => "interaction_delay",
            Self::LayoutShift => "layout_shift",
            Self::OutboundLink => "outbound_link",
            Self::CopiedCode => "copied_code",
            Self::ChosenTab => "chosen_tab",
            Self::ChosenLanguage => "chosen_language",
            Self::Playground => "playground",
        }
    }

    /// Whether the dimension has sums of each page besides those of the site. For the others, the value says it all.
    pub const fn is_by_page(self) -> bool {
        !matches!(
            self,
            Self::Entry
                | Self::OwnDeadLink
                | Self::OtherDeadLink
                | Self::Search
                | Self::EmptySearch
                | Self::ChosenLanguage
        )
    }

    /// Whether the sums of pages have the page as their value, and the value in the place of the page: they are looked
    /// up by value.
    pub const fn is_by_value(self) -> bool {
        matches!(self, Self::OpenedResult)
    }

    /// Whether the dimension has sums of each folder of pages, too.
    pub const fn is_by_folder(self) -> bool {
        self.is_by_page() && !matches!(self, Self::OpenedResult)
    }
}

/// A measure of Web Vitals, which browsers take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vital {
    /// Largest Contentful Paint, in milliseconds.
    LargestPaint,
    /// Interaction to Next Paint, in milliseconds.
    InteractionDelay,
    /// Cumulative Layout Shift, in thousandths.
    LayoutShift,
}

impl Vital {
    /// All measures.
    pub const ALL: [Self; 3] = [Self::LargestPaint, Self::InteractionDelay, Self::LayoutShift];

    /// The dimension of its sums. Their values are [`Vital::sum_of`].
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::LargestPaint => Dimension::LargestPaint,
            Self::InteractionDelay => Dimension::InteractionDelay,
            Self::LayoutShift => Dimension::LayoutShift,
        }
    }

    /// Upper bounds of its sums. Larger values have one sum more, so a page has at most ten.
    pub const fn bounds(self) -> [i64; 9] {
        match self {
            Self::LargestPaint => [500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 6_000, 10_000],
            Self::InteractionDelay => [50, 100, 150, 200, 300, 500, 800, 1_500, 3_000],
            Self::LayoutShift => [10, 25, 50, 100, 150, 250, 400, 700, 1_000],
        }
    }

    /// The largest good value, and the largest one that isn't poor. Both are bounds.
    pub const fn limits(self) -> (i64, i64) {
        match self {
            Self::LargestPaint => (2_500, 4_000),
            Self::InteractionDelay => (200, 500),
            Self::LayoutShift => (100, 250),
        }
    }

    /// The name of the sum that a value belongs to: its bound, or `more`.
    pub fn sum_of(self, value: i64) -> String {
        let bound = self.bounds().into_iter().find(|bound| value <= *bound);
        bound.map_or_else(|| "more".to_owned(), |bound| bound.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_have_numbers_of_their_own() {
        let numbers: Vec<_> = Dimension::ALL.into_iter().map(Dimension::number).collect();
        assert_eq!(numbers, (1..=23).collect::<Vec<_>>());
    }

    #[test]
    fn limits_of_vitals_are_bounds_of_sums() {
        for vital in Vital::ALL {
            let (good, fair) = vital.limits();
            let bounds = vital.bounds();
            assert!(bounds.is_sorted() && bounds.contains(&good) && bounds.contains(&fair));
            assert_eq!(vital.sum_of(good), good.to_string());
            assert_ne!(vital.sum_of(good + 1), good.to_string());
            assert_eq!(
                (vital.sum_of(-1), vital.sum_of(0)),
                (bounds[0].to_string(), bounds[0].to_string())
            );
            assert_eq!(vital.sum_of(i64::MAX), "more");
        }
    }
}
