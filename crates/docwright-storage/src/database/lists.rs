//! Lists that are read in pages: searched by prefix or part, sorted, from a position on.
//!
//! A search and an order use the same text, so one index has the rows of a page next to each other. Both databases
//! compare such texts byte by byte, ignoring the case of ASCII letters.

use std::{borrow::Cow, fmt::Write};

use docwright_types::timestamp::Timestamp;
use sqlx::{AnyPool, AssertSqlSafe, any::AnyRow};

use crate::StorageError;

/// The order of a list that has several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// By name; equal names by age.
    Name,
    /// The newest first.
    Newest,
    /// The oldest first.
    #[default]
    Oldest,
}

/// A position in a list, after which a page starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The text or time of the list's order; empty if it is ordered by id.
    pub text: String,
    /// The id of the item, or another unique value.
    pub id: String,
}

/// Selects the items of a page.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'a> {
    /// Prefix or part that the list is searched by, in any case of ASCII letters; `None` for all.
    pub search: Option<&'a str>,
    /// Only items after this position.
    pub after: Option<&'a Position>,
    /// At most this many.
    pub limit: i64,
}

impl Position {
    /// In the order of ids, which sort by time.
    pub fn of_id(id: &str) -> Self {
        Self { text: String::new(), id: id.to_owned() }
    }

    /// In the order of a text.
    pub fn of_text(text: &str, id: &str) -> Self {
        Self { text: text.to_ascii_lowercase(), id: id.to_owned() }
    }
}

impl Sort {
    /// A position in a list that is sorted this way and whose ids sort by time.
    pub fn position(self, name: &str, id: &str) -> Position {
        match self {
            Self::Name => Position::of_text(name, id),
            Self::Newest | Self::Oldest => Position::of_id(id),
        }
    }
}

impl PageRequest<'_> {
    /// The first page of a whole list.
    pub const fn first(limit: i64) -> Self {
        Self { search: None, after: None, limit }
    }

    /// Whether a text matches the search.
    pub fn finds(&self, text: &str) -> bool {
        let search = self.search.unwrap_or_default();
        text.get(..search.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(search))
    }

    /// A position in a list that is sorted by a text while it is searched, and by id otherwise.
    pub fn position(&self, text: Option<&str>, id: &str) -> Position {
        match self.search {
            Some(_) => Position::of_text(text.unwrap_or_default(), id),
            None => Position::of_id(id),
        }
    }
}

/// The order of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order<'a> {
    first: Option<First<'a>>,
    id: &'a str,
    is_descending: bool,
}

/// The key of an order before the id.
#[derive(Debug, Clone, Copy)]
enum First<'a> {
    Text(&'a str),
    Time(&'a str),
}

impl<'a> Order<'a> {
    /// Smaller ids first: the oldest.
    pub(super) const fn by_id(id: &'a str) -> Self {
        Self { first: None, id, is_descending: false }
    }

    /// By a text, as [`text`] writes it.
    pub(super) const fn by_text(text: &'a str, id: &'a str) -> Self {
        Self { first: Some(First::Text(text)), id, is_descending: false }
    }

    /// By a time, if ids don't sort by it.
    pub(super) const fn by_time(time: &'a str, id: &'a str, is_descending: bool) -> Self {
        Self { first: Some(First::Time(time)), id, is_descending }
    }

    /// Larger ids first: the newest.
    pub(super) const fn newest(id: &'a str) -> Self {
        Self { first: None, id, is_descending: true }
    }

    /// The newest first. While a list is searched by a text, equal texts are next to each other.
    pub(super) const fn grouped(text: &'a str, id: &'a str, page: PageRequest<'_>) -> Self {
        let first = if page.search.is_some() { Some(First::Text(text)) } else { None };
        Self { first, id, is_descending: true }
    }

    /// By a requested order, with the name that [`text`] writes.
    pub(super) const fn sorted(sort: Sort, name: &'a str, id: &'a str) -> Self {
        match sort {
            Sort::Name => Self::by_text(name, id),
            Sort::Newest => Self::newest(id),
            Sort::Oldest => Self::by_id(id),
        }
    }
}

/// A column in the form in which lists are searched and sorted by it, as in their indexes. SQLite has the
/// collation `binary`; PostgreSQL gets it before the tables are created.
macro_rules! text {
    ($column:literal) => {
        concat!("lower(", $column, " COLLATE \"binary\")")
    };
}
pub(super) use text;

/// Conditions on rows. The statement contains only the given ones, so that an index finds the rows.
#[derive(Debug, Default)]
pub(super) struct Rows<'a> {
    conditions: String,
    values: Vec<Cow<'a, str>>,
}

impl<'a> Rows<'a> {
    /// All of them.
    pub(super) fn all() -> Self {
        Self::default()
    }

    /// Rows with a value in a column, if one is given.
    pub(super) fn with(mut self, column: &str, value: Option<impl Into<Cow<'a, str>>>) -> Self {
        if let Some(value) = value {
            self.compare(column, "=", value);
        }
        self
    }

    /// Rows with one of some values in a column, if there are any.
    pub(super) fn with_one_of(mut self, column: &str, values: &'a [String]) -> Self {
        let numbers = values.iter().map(|value| self.bind(value.as_str())).collect::<Vec<_>>();
        if !numbers.is_empty() {
            self.condition(&format!("{column} IN ({})", numbers.join(", ")));
        }
        self
    }

    /// Rows with a later time in a column.
    pub(super) fn later(mut self, column: &str, time: Timestamp) -> Self {
        let number = self.bind(time.to_string());
        self.condition(&format!("{column} > CAST({number} AS BIGINT)"));
        self
    }

    /// Rows with an earlier time in a column.
    pub(super) fn earlier(mut self, column: &str, time: Timestamp) -> Self {
        let number = self.bind(time.to_string());
        self.condition(&format!("{column} < CAST({number} AS BIGINT)"));
        self
    }

    /// Rows whose text has the prefix of the page. They can be sorted by something else.
    pub(super) fn searched(mut self, text: &str, page: PageRequest<'a>) -> Self {
        if let Some(search) = page.search {
            let least = search.to_ascii_lowercase();
            if let Some(end) = end(&least) {
                self.compare(text, "<", end);
            }
            self.compare(text, ">=", least);
        }
        self
    }

    /// Rows whose text contains the search of the page. The rows are read in the order of the page until it is full.
    pub(super) fn containing(self, text: &str, page: PageRequest<'a>) -> Self {
        self.containing_one(&[text], page)
    }

    /// Rows of which one of some texts contains the search of the page.
    pub(super) fn containing_one(mut self, texts: &[&str], page: PageRequest<'a>) -> Self {
        if let Some(search) = page.search {
            let number = self.bind(containing(search));
            let each: Vec<_> =
                texts.iter().map(|text| format!("{text} LIKE {number} ESCAPE '\\'")).collect();
            self.condition(&format!("({})", each.join(" OR ")));
        }
        self
    }

    /// Reads the rows of a page in an order. `select` is the statement up to its conditions.
    pub(super) async fn read<T>(
        mut self,
        pool: &AnyPool,
        select: &str,
        order: Order<'a>,
        page: PageRequest<'a>,
        read: impl Fn(&AnyRow) -> Result<T, StorageError>,
    ) -> Result<Vec<T>, StorageError> {
        let (beyond, way) = if order.is_descending { ("<", " DESC") } else { (">", "") };
        if let Some(after) = page.after {
            let id = self.bind(&after.id);
            let (first, value) = match order.first {
                None => (None, String::new()),
                Some(First::Text(text)) => (Some(text), self.bind(&after.text)),
                Some(First::Time(_)) if after.text.parse::<Timestamp>().is_err() => {
                    return Ok(Vec::new());
                }
                Some(First::Time(time)) => {
                    (Some(time), format!("CAST({} AS BIGINT)", self.bind(&after.text)))
                }
            };
            if let Some(first) = first {
                // SQLite uses an index of an expression only if a condition compares that expression alone.
                self.condition(&format!("{first} {beyond}= {value}"));
                self.condition(&format!("({first}, {}) {beyond} ({value}, {id})", order.id));
            } else {
                self.condition(&format!("{} {beyond} {id}", order.id));
            }
        }
        let first = match order.first {
            Some(First::Text(first) | First::Time(first)) => format!("{first}{way}, "),
            None => String::new(),
        };
        let sql = format!(
            "{select}{} ORDER BY {first}{}{way} LIMIT {}",
            self.conditions, order.id, page.limit
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for value in self.values {
            query = query.bind(value.into_owned());
        }
        query.fetch_all(pool).await?.iter().map(read).collect()
    }

    fn compare(&mut self, column: &str, operator: &str, value: impl Into<Cow<'a, str>>) {
        let number = self.bind(value);
        self.condition(&format!("{column} {operator} {number}"));
    }

    fn condition(&mut self, condition: &str) {
        let word = if self.conditions.is_empty() { "WHERE" } else { "AND" };
        let _infallible = write!(self.conditions, " {word} {condition}");
    }

    /// Stores a value, and returns its parameter in the statement.
    fn bind(&mut self, value: impl Into<Cow<'a, str>>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }
}

/// A pattern of `LIKE` for texts that contain a text, in any case of ASCII letters, with the escape `\`.
pub(super) fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter.to_ascii_lowercase());
    }
    pattern + "%"
}

/// The smallest text after all texts with this prefix; `None` if there is none. UTF-8 sorts as its characters do.
fn end(beginning: &str) -> Option<String> {
    let mut characters: Vec<_> = beginning.chars().collect();
    while let Some(last) = characters.pop() {
        // There are no characters between these two.
        let next =
            if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(last as u32 + 1) };
        if let Some(next) = next {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_their_text_literally() {
        assert_eq!(containing("Fix 100%_\\"), "%fix 100\\%\\_\\\\%");
        assert_eq!(containing(""), "%%");
    }

    #[test]
    fn prefix_range_ends_after_last_match() {
        assert_eq!(end("ab").as_deref(), Some("ac"));
        assert_eq!(end("a%").as_deref(), Some("a&"));
        assert_eq!(end("a\u{7f}").as_deref(), Some("a\u{80}"));
        assert_eq!(end("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(end("a\u{10ffff}\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(end("\u{10ffff}"), None);
        assert_eq!(end(""), None);
        for (beginning, inside) in [("a", "a\u{10ffff}z"), ("é", "éa"), ("a\u{d7ff}", "a\u{d7ff}x")]
        {
            let end = end(beginning).unwrap();
            assert!(inside >= beginning && *inside < *end.as_str(), "{beginning}");
        }
    }
}
