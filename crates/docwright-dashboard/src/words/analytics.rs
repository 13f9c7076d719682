//! Texts about web analytics.

use docwright_operations::analytics::ValueKind;

pub(crate) const ANALYTICS: &str = "Analytics";
pub(crate) const ANALYTICS_RANGE: &str = "Range";
pub(crate) const LAST_MINUTES: &str = "30 minutes";
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
pub(crate) const ENTRIES: &str = "Entries";
pub(crate) const ENTRIES_WHY: &str =
    "Pages that people opened first, from another site or directly.";
pub(crate) const SEARCHES: &str = "Searches";
pub(crate) const SEARCHES_WHY: &str = "A query leads to the result that readers opened most.";
pub(crate) const QUERY: &str = "Query";
pub(crate) const OPENED_RESULTS: &str = "Opened";
pub(crate) const TOP_RESULT: &str = "Top result";
pub(crate) const EMPTY_SEARCHES: &str = "Searches without result";
pub(crate) const EMPTY_SEARCHES_WHY: &str =
    "Write a page about these, or add synonyms to the search.";
pub(crate) const VIEW_EMPTY_SEARCHES: &str = "View searches without result";
pub(crate) const ANSWER_SEARCHES: &str = "Answer these searches";
pub(crate) const ANSWER_SEARCHES_WHY: &str = "Readers searched for this and found no page. An agent job writes about it from the files of the repository, and opens a pull request.";
pub(crate) const NEAREST_PAGES: &str = "Nearest pages";
pub(crate) const BAD_RATINGS: &str = "Pages with bad ratings";
pub(crate) const BAD_RATINGS_WHY: &str = "A page leads to its feedback.";
pub(crate) const UNREAD_PAGES: &str = "Unread pages";
pub(crate) const UNREAD_PAGES_WHY: &str = "Pages of the active releases without a view in this range. Improve how readers find them, or remove them.";
pub(crate) const VIEW_UNREAD_PAGES: &str = "View unread pages";
pub(crate) const PAGE_TITLE: &str = "Title";
pub(crate) const UNHELPFUL_RATINGS: &str = "Not helpful";
pub(crate) const HELPFUL_RATINGS: &str = "Helpful";
pub(crate) const WEB_VITALS: &str = "Web Vitals";
pub(crate) const VITALS_BY_PAGE: &str = "Web Vitals by page";
pub(crate) const VITALS_WHY: &str = "Three of four views were at most this slow, or moved by at most this much. The numbers are estimates.";
pub(crate) const LCP: &str = "LCP";
pub(crate) const INP: &str = "INP";
pub(crate) const CLS: &str = "CLS";
pub(crate) const LCP_NAME: &str = "Largest Contentful Paint";
pub(crate) const INP_NAME: &str = "Interaction to Next Paint";
pub(crate) const CLS_NAME: &str = "Cumulative Layout Shift";
pub(crate) const CAMPAIGNS: &str = "Campaigns";
pub(crate) const CAMPAIGNS_WHY: &str =
    "Campaigns that are named in the addresses that people opened.";
pub(crate) const OUTBOUND_LINKS: &str = "Outbound links";
pub(crate) const CHOSEN_TABS: &str = "Chosen tabs";
pub(crate) const COPIED_CODE: &str = "Copied code";
pub(crate) const TIMES: &str = "Times";
pub(crate) const NO_VALUE: &str = "None";
pub(crate) const PATH_FILTER: &str = "Path";
pub(crate) const PATH_FILTER_HINT: &str =
    "A page or a folder, such as guides, or the folder of a language or a version.";
pub(crate) const READERS: &str = "Readers";
pub(crate) const READER_KINDS: [(&str, &str); 3] =
    [("", "All readers"), ("human", "People"), ("ai", "AI agents")];
pub(crate) const NOTHING_COUNTED: &str = "No views match the filter in this range.";
pub(crate) const ALL_ANALYTICS: &str = "View all analytics";
pub(crate) const DOWNLOAD_JSON: &str = "Download as JSON";
pub(crate) const REFERRERS: &str = "Referrers";
pub(crate) const LANGUAGES: &str = "Languages";
pub(crate) const DEVICES: &str = "Devices";
pub(crate) const DEAD_LINKS: &str = "Dead links";
pub(crate) const DEAD_LINKS_WHY: &str =
    "Paths without a page that readers requested. Create a page or a redirect for them.";
pub(crate) const DEAD_LINK: &str = "Dead link";
pub(crate) const VIEW_DEAD_LINKS: &str = "View dead links";
pub(crate) const VIEW_REDIRECTS: &str = "View suggested redirects";
pub(crate) const SUGGESTED_REDIRECTS: &str = "Suggested redirects";
pub(crate) const SUGGESTED_REDIRECTS_WHY: &str = "Pages whose path resembles that of a dead link. An agent job adds the redirect to docs.json and opens a pull request.";
pub(crate) const SUGGESTED_PAGE: &str = "Suggested page";
pub(crate) const NO_REDIRECTS: &str = "No dead link in this range resembles a page.";
pub(crate) const ACTION: &str = "Action";
pub(crate) const ADD_REDIRECT: &str = "Add redirect";
pub(crate) const REQUESTS: &str = "Requests";
pub(crate) const FROM_OWN_SITE: &str = "From this site";
pub(crate) const FROM_ELSEWHERE: &str = "From elsewhere";
pub(crate) const OTHER_VALUES: &str = "Other";
pub(crate) const NONE_IN_RANGE: &str = "None in this range.";
pub(crate) const NOTHING_FOR: &str = "No data in this range for";
pub(crate) const DEAD_PATH: &str = "Path";
pub(crate) const VIEWS_BY_MINUTE: &str = "Views by minute";
pub(crate) const MINUTE_UTC: &str = "Minute (UTC)";
pub(crate) const LIVE_WHY: &str =
    "Views count up to five seconds late. The numbers refresh while this page is open.";
pub(crate) const NO_LIVE_VIEWS: &str = "No views in the last 30 minutes.";
pub(crate) const RELEASE_ACTIVE: &str = "Release became active";
pub(crate) const NOT_OVER: &str = "Not over yet";
pub(crate) const RELEASES_ACTIVE: &str = "Releases that became active";
pub(crate) const VIEW_EFFECT: &str = "View effect";
pub(crate) const EFFECT: &str = "Effect of the release";
pub(crate) const ACTIVE_SINCE: &str = "Active since";
pub(crate) const DAYS_BEFORE_AND_AFTER: &str = "Days before and after";
pub(crate) const NUMBER: &str = "Number";
pub(crate) const BEFORE_RELEASE: &str = "Before";
pub(crate) const AFTER_RELEASE: &str = "After";
pub(crate) const UNANSWERED_QUESTIONS: &str = "Unanswered questions";
pub(crate) const BAD_RATINGS_COUNT: &str = "“Not helpful” ratings";
pub(crate) const NO_EFFECT: &str = "No whole day since the release yet";
pub(crate) const NO_EFFECT_WHY: &str =
    "The comparison starts when the first day (UTC) after the release became active is over.";
pub(crate) const NEVER_ACTIVE: &str = "The release was never active";
pub(crate) const NEVER_ACTIVE_WHY: &str =
    "Readers have not seen it, so there is nothing to compare.";
pub(crate) const PAGES_OF_EFFECT: &str = "Pages";
pub(crate) const PAGES_OF_EFFECT_WHY: &str =
    "Pages that the release changed come first, then the most read other pages.";
pub(crate) const NO_PAGES_OF_EFFECT: &str =
    "No views of pages in these days. Views of single pages by day are kept for 6 months.";
pub(crate) const CHANGES_UNKNOWN: &str = "The pages that the release changed are unknown, because its bundle or the previous one can't be read now.";
pub(crate) const VIEWS_BEFORE: &str = "Views before";
pub(crate) const VIEWS_AFTER: &str = "Views after";
pub(crate) const BAD_BEFORE: &str = "Not helpful before";
pub(crate) const BAD_AFTER: &str = "Not helpful after";
pub(crate) const SAME_PAGE: &str = "Unchanged";
pub(crate) const NO_VIEWS: &str = "No views yet";
pub(crate) const NO_VIEWS_WHY: &str = "Analytics counts the readers of published sites, without cookies. The cloud deployment turns it on.";
pub(crate) const VIEW_DEPLOYMENTS: &str = "View deployments";

/// A release in the list below a chart.
pub(crate) fn activation(day: &str, name: &str) -> String {
    if name.is_empty() { day.to_owned() } else { format!("{day}: {name}") }
}

/// Which days are compared.
pub(crate) fn compared_days(days: i64, active_from: &str) -> String {
    let count = if days == 1 { "The day".to_owned() } else { format!("The {days} days") };
    format!(
        "{count} before the release became active on {active_from}, and as many after. That day is in neither."
    )
}

/// A number of days.
pub(crate) fn days(count: i64) -> String {
    if count == 1 { "1 day".to_owned() } else { format!("{count} days") }
}

/// The difference of two numbers, such as `+12 (+30%)`.
pub(crate) fn difference(before: i64, after: i64) -> String {
    let difference = after - before;
    if difference == 0 {
        return "Same".to_owned();
    }
    let sign = if difference > 0 { "+" } else { "−" };
    let count = number(difference.abs());
    if before == 0 {
        return format!("{sign}{count}");
    }
    let percent = difference.abs().saturating_mul(100) / before;
    format!("{sign}{count} ({sign}{}%)", number(percent))
}

/// The name of a download.
pub(crate) fn download_of(format: &str, table: &str) -> String {
    format!("Download as {format}: {table}")
}

/// The button that adds a redirect.
pub(crate) fn add_redirect_from(path: &str) -> String {
    format!("{ADD_REDIRECT} from {path}")
}

/// The link to a whole table.
pub(crate) fn view_all_of(table: &str) -> String {
    format!("View all: {table}")
}

/// The titles of the columns of a table of values: the value, and its number.
pub(crate) const fn of_values(kind: ValueKind) -> (&'static str, &'static str) {
    match kind {
        ValueKind::Entry => (super::PAGE, VIEWS),
        ValueKind::Referrer => ("Host", VIEWS),
        ValueKind::Campaign | ValueKind::CampaignSource | ValueKind::CampaignMedium => {
            ("Campaign", VIEWS)
        }
        ValueKind::EmptySearch => (QUERY, SEARCHES),
        ValueKind::OutboundLink => ("Address", TIMES),
        ValueKind::CopiedCode | ValueKind::ChosenLanguage => ("Language", TIMES),
        ValueKind::ChosenTab => ("Tab", TIMES),
        ValueKind::Language => ("Language", VIEWS),
        ValueKind::Device => ("Device", VIEWS),
        ValueKind::Agent => ("AI agent", VIEWS),
        ValueKind::ReadingTime | ValueKind::ScrollDepth | ValueKind::Playground => ("Value", VIEWS),
    }
}

/// A share from 0 to 1 in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// A time, such as `840 ms` or `2.5 s`.
pub(crate) fn measured_time(time: i64) -> String {
    if time < 1_000 {
        format!("{time} ms")
    } else {
        format!("{}.{} s", time / 1_000, time % 1_000 / 100)
    }
}

/// Thousandths, such as `0.105`.
pub(crate) fn thousandths(part: i64) -> String {
    format!("{}.{:03}", part / 1_000, part % 1_000)
}

/// How many values are good, fair, and poor.
pub(crate) fn vital_shares(good: i64, fair: i64, poor: i64) -> String {
    let total = (good + fair + poor).max(1);
    let share = |part: i64| (part * 100 + total / 2) / total;
    let most = share(good + fair + poor);
    let (good, poor) = (share(good), share(poor).min(most - share(good)));
    format!("{good}% good, {}% fair, {poor}% poor", most - good - poor)
}

/// A number compared with that of the range before, such as `+12% from 340`.
pub(crate) fn compared(now: i64, before: i64) -> String {
    if before == 0 {
        return "No data for the range before".to_owned();
    }
    if now == before {
        return format!("Same as the range before: {}", number(before));
    }
    if now / 10 >= before {
        return format!(
            "{} times the {} of the range before",
            number(now / before),
            number(before)
        );
    }
    let percent = (now - before).saturating_mul(100) / before;
    format!("{percent:+}% from {} in the range before", number(before))
}

/// The name of a button for screen readers.
pub(crate) fn start_job_for(query: &str) -> String {
    format!("Start job for {query}")
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

/// The name of a day, hour, or month that isn't over.
pub(crate) fn so_far(start: &str) -> String {
    format!("{start} (so far)")
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
    fn measures_have_their_units() {
        assert_eq!([measured_time(7), measured_time(999)], ["7 ms", "999 ms"]);
        assert_eq!([measured_time(2_549), measured_time(10_000)], ["2.5 s", "10.0 s"]);
        assert_eq!([thousandths(7), thousandths(1_050)], ["0.007", "1.050"]);
        assert_eq!([percent(0.0), percent(0.3333), percent(1.0)], ["0%", "33%", "100%"]);
        assert_eq!(vital_shares(3, 1, 0), "75% good, 25% fair, 0% poor");
        assert_eq!(vital_shares(0, 0, 0), "0% good, 0% fair, 0% poor");
        assert_eq!(vital_shares(604, 197, 199), "60% good, 20% fair, 20% poor");
        assert_eq!(vital_shares(1, 0, 1), "50% good, 0% fair, 50% poor");
    }

    #[test]
    fn difference_has_its_share() {
        assert_eq!(difference(40, 52), "+12 (+30%)");
        assert_eq!(difference(1_000, 0), "−1,000 (−100%)");
        assert_eq!((difference(0, 7), difference(3, 3)), ("+7".to_owned(), "Same".to_owned()));
    }

    #[test]
    fn numbers_are_compared_with_the_range_before() {
        assert_eq!(compared(5, 0), "No data for the range before");
        assert_eq!(compared(5, 5), "Same as the range before: 5");
        assert_eq!(compared(1_500, 1_000), "+50% from 1,000 in the range before");
        assert_eq!(compared(95_000, 1_000), "95 times the 1,000 of the range before");
        assert_eq!(compared(0, 1_234_567), "-100% from 1,234,567 in the range before");
        assert_eq!(compared(1_001, 1_000), "+0% from 1,000 in the range before");
    }
}
