//! The tables of the page: what each shows, and where its rows lead.

use docwright_operations::{
    analytics::{
        self, AnalyticsQuery, ListBreakdown, RatingOrder, RatingSort, ReaderCounts, ValueKind,
        VitalMeasures, VitalValues,
    },
    lists::Page,
};

use super::{filter::Filter, place::AnalyticsPlace};
use crate::{paths::with_query, refusal::Refusal, words};

/// The tables, by the names that addresses use.
pub(super) const TABLES: [&str; 16] = [
    PAGES,
    "entries",
    "searches",
    "empty-searches",
    "dead-links",
    RATINGS,
    VITALS,
    "referrers",
    "campaigns",
    "outbound-links",
    "agents",
    "tabs",
    "code",
    "languages",
    "devices",
    UNREAD,
];
/// The most read pages.
pub(super) const PAGES: &str = "pages";
/// The pages with the most ratings that they don't help.
pub(super) const RATINGS: &str = "ratings";
/// The table whose numbers are also those of all pages.
pub(super) const VITALS: &str = "web-vitals";
/// The table that needs the bundles of the sites, so it is shown alone.
pub(super) const UNREAD: &str = "unread-pages";

/// Views by people, AI agents, and both: the cells of a row of [`top_pages`].
pub(super) fn counts(counts: ReaderCounts) -> Vec<Cell> {
    [counts.human, counts.ai, counts.total].map(Cell::Count).into()
}

/// The most read pages.
pub(super) fn top_pages(rows: Vec<Row>, next: Option<String>) -> Table {
    Table {
        name: PAGES,
        title: words::TOP_PAGES,
        why: None,
        head: words::PAGE,
        columns: vec![words::PEOPLE, words::AI_AGENTS, words::TOTAL],
        rows,
        next,
    }
}

/// A table of values with their cells.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) why: Option<&'static str>,
    /// Title of the column of values.
    pub(super) head: &'static str,
    /// Titles of the columns of cells.
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<Row>,
    /// Cursor of its next page.
    pub(super) next: Option<String>,
}

pub(super) struct Row {
    pub(super) value: String,
    /// The page with what its numbers consist of.
    pub(super) link: Option<String>,
    pub(super) cells: Vec<Cell>,
}

/// A cell of a row.
pub(super) enum Cell {
    Count(i64),
    /// A share from 0 to 1.
    Share(f64),
    Milliseconds(Option<i64>),
    /// Thousandths.
    Thousandths(Option<i64>),
    Text(Option<String>),
}

impl Cell {
    /// The cell as users read it.
    pub(super) fn shown(&self) -> String {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| words::NO_VALUE.to_owned());
        match self {
            Self::Count(count) => words::number(*count),
            Self::Share(share) => words::percent(*share),
            Self::Milliseconds(time) => or_none(time.map(words::measured_time)),
            Self::Thousandths(part) => or_none(part.map(words::thousandths)),
            Self::Text(text) => or_none(text.clone()),
        }
    }

    /// The cell for programs.
    pub(super) fn value(&self) -> serde_json::Value {
        match self {
            Self::Count(count) => (*count).into(),
            Self::Share(share) => (*share).into(),
            Self::Milliseconds(number) | Self::Thousandths(number) => (*number).into(),
            Self::Text(text) => text.clone().into(),
        }
    }

    pub(super) const fn is_number(&self) -> bool {
        !matches!(self, Self::Text(_))
    }
}

/// What a table is read from.
struct Reading<'a> {
    place: &'a AnalyticsPlace,
    filter: &'a Filter,
    query: AnalyticsQuery,
    page: Page,
}

impl Table {
    /// Reads a page of the rows of a table. `None` if it doesn't have the filter: some sums are of whole sites, and most
    /// are of people.
    pub(super) async fn read(
        place: &AnalyticsPlace,
        (name, filter): (&'static str, &Filter),
        page: Page,
    ) -> Result<Option<Self>, Refusal> {
        if !is_shown(name, filter) {
            return Ok(None);
        }
        let [query, _] = filter.queries(place.operations.now())?;
        let reading = Reading { place, filter, query, page };
        let values = async |title, why, by| reading.values((name, title, why), by).await;
        let table = match name {
            PAGES => reading.pages().await?,
            "searches" => reading.searches().await?,
            "dead-links" => reading.dead_links().await?,
            RATINGS => reading.ratings().await?,
            UNREAD => reading.unread().await?,
            VITALS => reading.vitals().await?.0,
            "entries" => values(words::ENTRIES, Some(words::ENTRIES_WHY), ValueKind::Entry).await?,
            "empty-searches" => {
                let why = Some(words::EMPTY_SEARCHES_WHY);
                values(words::EMPTY_SEARCHES, why, ValueKind::EmptySearch).await?
            }
            "referrers" => values(words::REFERRERS, None, ValueKind::Referrer).await?,
            "campaigns" => {
                values(words::CAMPAIGNS, Some(words::CAMPAIGNS_WHY), ValueKind::Campaign).await?
            }
            "outbound-links" => {
                values(words::OUTBOUND_LINKS, None, ValueKind::OutboundLink).await?
            }
            "agents" => values(words::AI_AGENTS, None, ValueKind::Agent).await?,
            "tabs" => values(words::CHOSEN_TABS, None, ValueKind::ChosenTab).await?,
            "code" => values(words::COPIED_CODE, None, ValueKind::CopiedCode).await?,
            "languages" => values(words::LANGUAGES, None, ValueKind::Language).await?,
            _ => values(words::DEVICES, None, ValueKind::Device).await?,
        };
        Ok(Some(table))
    }
}

/// The Web Vitals of the first pages, and those of all pages. `None` if the filter has none.
pub(super) async fn vitals(
    place: &AnalyticsPlace,
    filter: &Filter,
    page: Page,
) -> Result<Option<(Table, VitalMeasures)>, Refusal> {
    if !is_shown(VITALS, filter) {
        return Ok(None);
    }
    let [query, _] = filter.queries(place.operations.now())?;
    Reading { place, filter, query, page }.vitals().await.map(Some)
}

/// Whether a place has a table. `deploy` takes no ratings, and has no list of pages.
pub(super) fn has_table(name: &str, place: &AnalyticsPlace) -> bool {
    !matches!(name, UNREAD | RATINGS) || place.elsewhere("releases").is_some()
}

/// Whether a table has a filter.
fn is_shown(name: &str, filter: &Filter) -> bool {
    use docwright_operations::analytics::ReaderKind::{Ai, Human};
    let of_site = matches!(name, "searches" | "empty-searches");
    let is_of = match name {
        PAGES | "dead-links" | UNREAD => true,
        "agents" => filter.reader != Some(Human),
        _ => filter.reader != Some(Ai),
    };
    is_of && (filter.path.is_empty() || !of_site)
}

impl Reading<'_> {
    /// The analytics of one page.
    fn of_page(&self, path: &str) -> Option<String> {
        let here = self.place.path();
        (!path.is_empty() && path != self.filter.path)
            .then(|| self.filter.at(path).link(&here, &[]))
    }

    async fn pages(&self) -> Result<Table, Refusal> {
        let (operations, caller) = (&self.place.operations, self.place.allowed()?);
        let id = &*self.place.project_id;
        let list = analytics::views(operations, &caller, id, &self.query, &self.page).await?;
        let rows = list.views.into_iter().map(|each| Row {
            link: self.of_page(&each.path),
            value: each.path,
            cells: counts(each.counts),
        });
        Ok(top_pages(rows.collect(), list.next_cursor))
    }

    async fn searches(&self) -> Result<Table, Refusal> {
        let (operations, caller) = (&self.place.operations, self.place.allowed()?);
        let id = &*self.place.project_id;
        let list = analytics::searches(operations, &caller, id, &self.query, &self.page).await?;
        let rows = list.searches.into_iter().map(|each| Row {
            link: each.top_clicked_page.as_deref().and_then(|page| self.of_page(page)),
            value: each.search_query,
            cells: vec![
                Cell::Count(each.hits),
                Cell::Share(each.ctr),
                Cell::Text(each.top_clicked_page),
            ],
        });
        Ok(Table {
            name: "searches",
            title: words::SEARCHES,
            why: Some(words::SEARCHES_WHY),
            head: words::QUERY,
            columns: vec![words::SEARCHES, words::OPENED_RESULTS, words::TOP_RESULT],
            rows: rows.collect(),
            next: list.next_cursor,
        })
    }

    async fn dead_links(&self) -> Result<Table, Refusal> {
        let (operations, caller) = (&self.place.operations, self.place.allowed()?);
        let id = &*self.place.project_id;
        let list = analytics::dead_links(operations, &caller, id, &self.query, &self.page).await?;
        let rows = list.dead_links.into_iter().map(|each| Row {
            value: each.path,
            link: None,
            cells: [each.from_own_site, each.from_elsewhere, each.total].map(Cell::Count).into(),
        });
        Ok(Table {
            name: "dead-links",
            title: words::DEAD_LINKS,
            why: Some(words::DEAD_LINKS_WHY),
            head: words::DEAD_PATH,
            columns: vec![words::FROM_OWN_SITE, words::FROM_ELSEWHERE, words::TOTAL],
            rows: rows.collect(),
            next: list.next_cursor,
        })
    }

    async fn ratings(&self) -> Result<Table, Refusal> {
        let (operations, caller) = (&self.place.operations, self.place.allowed()?);
        let id = &*self.place.project_id;
        let asked = (RatingSort { sort: RatingOrder::Unhelpful }, &self.query);
        let list = analytics::feedback_by_page(operations, &caller, id, asked, &self.page).await?;
        let entries = self.place.elsewhere("feedback");
        let rows = list.feedback.into_iter().map(|each| Row {
            link: entries.as_ref().map(|all| with_query(all, &[("search", Some(&each.path))])),
            value: each.path,
            cells: [each.thumbs_down, each.thumbs_up].map(Cell::Count).into(),
        });
        Ok(Table {
            name: RATINGS,
            title: words::BAD_RATINGS,
            why: Some(words::BAD_RATINGS_WHY),
            head: words::PAGE,
            columns: vec![words::UNHELPFUL_RATINGS, words::HELPFUL_RATINGS],
            rows: rows.collect(),
            next: list.next_cursor,
        })
    }

    async fn unread(&self) -> Result<Table, Refusal> {
        let (operations, caller) = (&self.place.operations, self.place.allowed()?);
        let id = &*self.place.project_id;
        let list =
            analytics::unread_pages(operations, &caller, id, &self.query, &self.page).await?;
        let rows = list.pages.into_iter().map(|each| Row {
            value: each.path,
            link: None,
            cells: vec![Cell::Text(Some(each.title))],
        });
        Ok(Table {
            name: UNREAD,
            title: words::UNREAD_PAGES,
            why: Some(words::UNREAD_PAGES_WHY),
            head: words::PAGE,
            columns: vec![words::PAGE_TITLE],
            rows: rows.collect(),
            next: list.next_cursor,
        })
    }

    /// The table, and the measures of all pages.
    async fn vitals(&self) -> Result<(Table, VitalMeasures), Refusal> {
        let (operations, caller) = (&self.place.operations, self.place.allowed()?);
        let id = &*self.place.project_id;
        let list = analytics::web_vitals(operations, &caller, id, &self.query, &self.page).await?;
        let count = |values: VitalValues| values.good + values.fair + values.poor;
        let rows = list.pages.into_iter().map(|each| Row {
            link: self.of_page(&each.path),
            value: each.path,
            cells: vec![
                Cell::Count(count(each.measures.lcp)),
                Cell::Milliseconds(each.measures.lcp.p75),
                Cell::Milliseconds(each.measures.inp.p75),
                Cell::Thousandths(each.measures.cls.p75),
            ],
        });
        let table = Table {
            name: VITALS,
            title: words::VITALS_BY_PAGE,
            why: Some(words::VITALS_WHY),
            head: words::PAGE,
            columns: vec![words::VIEWS, words::LCP, words::INP, words::CLS],
            rows: rows.collect(),
            next: list.next_cursor,
        };
        Ok((table, list.totals))
    }

    async fn values(
        &self,
        (name, title, why): (&'static str, &'static str, Option<&'static str>),
        by: ValueKind,
    ) -> Result<Table, Refusal> {
        let (operations, caller) = (&self.place.operations, self.place.allowed()?);
        let (id, asked) = (&*self.place.project_id, (ListBreakdown { by }, &self.query));
        let list = analytics::breakdown(operations, &caller, id, asked, &self.page).await?;
        let rows = list.values.into_iter().map(|each| Row {
            link: (by == ValueKind::Entry).then(|| self.of_page(&each.value)).flatten(),
            value: each.value,
            cells: vec![Cell::Count(each.views)],
        });
        let (head, count) = words::of_values(by);
        let (rows, next) = (rows.collect(), list.next_cursor);
        Ok(Table { name, title, why, head, columns: vec![count], rows, next })
    }
}
