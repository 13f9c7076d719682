//! Texts about web analytics.

pub(crate) const ANALYTICS: &str = "Analytics";
pub(crate) const ANALYTICS_RANGE: &str = "Range";
pub(crate) const LAST_DAY: &str = "24 hours";
pub(crate) const LAST_WEEK: &str = "7 days";
pub(crate) const LAST_MONTH: &str = "30 days";
pub(crate) const LAST_YEAR: &str = "12 months";
pub(crate) const VIEWS: &str = "Views";
pub(crate) const VIEWS_OF_PEOPLE: &str = "Views by people";
pub(crate) const VIEWS_OF_AGENTS: &str = "Views by AI agents";
pub(crate) const VISITORS: &str = "Visitors";
pub(crate) const VISITORS_WHY: &str = "Visitors are people. They count once for each site and day.";
pub(crate) const PEOPLE: &str = "People";
pub(crate) const AI_AGENTS: &str = "AI agents";
pub(crate) const TOTAL: &str = "Total";
pub(crate) const START_UTC: &str = "Start (UTC)";
pub(crate) const VIEWS_OVER_TIME: &str = "Views over time";
pub(crate) const AS_TABLE: &str = "View as table";
pub(crate) const TOP_PAGES: &str = "Top pages";
pub(crate) const REFERRERS: &str = "Referrers";
pub(crate) const LANGUAGES: &str = "Languages";
pub(crate) const DEVICES: &str = "Devices";
pub(crate) const DEAD_LINKS: &str = "Dead links";
pub(crate) const DEAD_LINKS_WHY: &str =
    "Paths without a page that readers requested. Create a page or a redirect for them.";
pub(crate) const FROM_OWN_SITE: &str = "From this site";
pub(crate) const FROM_ELSEWHERE: &str = "From elsewhere";
pub(crate) const OTHER_VALUES: &str = "Other";
pub(crate) const NONE_IN_RANGE: &str = "None in this range.";
pub(crate) const NO_VIEWS: &str = "No views yet";
pub(crate) const NO_VIEWS_WHY: &str = "Analytics counts the readers of published sites on the server, without scripts or cookies. The cloud deployment turns it on.";
pub(crate) const VIEW_DEPLOYMENTS: &str = "View deployments";

/// The name of a download.
pub(crate) fn download_of(table: &str) -> String {
    format!("Download as CSV: {table}")
}

/// A number compared with that of the range before, such as `+12% from 340`.
pub(crate) fn compared(now: i64, before: i64) -> String {
    if before == 0 {
        return "No data for the range before".to_owned();
    }
    let percent = (now - before).saturating_mul(100) / before;
    if now == before {
        return format!("Same as the range before: {}", number(before));
    }
    format!("{percent:+}% from {} in the range before", number(before))
}

/// A number with a comma every three digits.
pub(crate) fn number(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && digit.is_ascii_digit() {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The chart in a sentence.
pub(crate) fn chart(human: i64, ai: i64, (from, to): (&str, &str)) -> String {
    format!(
        "Line chart of views from {from} to {to}: {} by people, {} by AI agents. The table has each number.",
        number(human),
        number(ai)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_with_the_range_before() {
        assert_eq!(compared(5, 0), "No data for the range before");
        assert_eq!(compared(5, 5), "Same as the range before: 5");
        assert_eq!(compared(1_500, 1_000), "+50% from 1,000 in the range before");
        assert_eq!(compared(0, 1_234_567), "-100% from 1,234,567 in the range before");
        assert_eq!(compared(1_001, 1_000), "+0% from 1,000 in the range before");
    }
}
