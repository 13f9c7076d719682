//! Pages of lists: their size, start, and order.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use docwright_storage::database::{self, PageRequest, Position};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;
use sha2::{Digest, Sha256};
use utoipa::{IntoParams, ToSchema};

use crate::{error::OperationError, fields::Number, listed::Listed};

/// Default number of items on a page.
const USUAL: i64 = 20;
/// Largest number of items on a page. The API spec says the same.
const MAXIMUM: i64 = 100;
/// Largest number of characters of a search. The API spec says the same.
const LONGEST_SEARCH: usize = 200;

/// Which page of a list to read.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// Maximum number of items per page; 20 if omitted.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// `nextCursor` of the previous page. Keep the other parameters of that request. If omitted,
    /// the first page is returned.
    #[param(value_type = String, required = false, pattern = r"^[A-Za-z0-9_-]*$")]
    cursor: Option<Cursor>,
}

/// A page of one list.
#[derive(Debug)]
pub(crate) struct PageOf<'a> {
    page: &'a Page,
    /// Identifies the list.
    list: String,
}

/// The start of a page: its list, and the last item of the previous page. An empty cursor, without a list, counts
/// as none.
#[derive(Debug)]
struct Cursor {
    list: String,
    after: Position,
}

/// Text to search for.
#[derive(Debug, Clone, Serialize)]
pub struct Search(String);

/// Sort order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// By name.
    Name,
    /// The newest first.
    Newest,
    /// The oldest first.
    #[default]
    Oldest,
}

impl Page {
    /// A page of a length that starts at a cursor, for links of the dashboard.
    pub fn new(limit: Option<i64>, cursor: Option<&str>) -> Result<Self, OperationError> {
        let cursor = cursor.map(Cursor::parse).transpose();
        let cursor = cursor.map_err(|what| OperationError::Invalid(format!("`cursor` {what}.")))?;
        Ok(Self { limit: limit.map(|limit| Number(limit.clamp(1, MAXIMUM))), cursor })
    }

    /// All items of a list up to a number, for files of the dashboard.
    pub const fn whole(most: i64) -> Self {
        Self { limit: Some(Number(most)), cursor: None }
    }

    /// This page of a list, which `list` identifies by its name, owner, filter, and order. Fails if the cursor
    /// belongs to another list.
    pub(crate) fn of(&self, list: impl Serialize) -> Result<PageOf<'_>, OperationError> {
        let list = serde_json::to_value(&list);
        let mut list = list.map_err(|error| OperationError::Internal(error.to_string()))?;
        remove_unset(&mut list);
        let list = BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(list.to_string())[..6]);
        if self.after().is_some_and(|cursor| cursor.list != list) {
            return Err(OperationError::Invalid(
                "`cursor` belongs to a different list, search, or order. Keep the parameters of the previous page, or omit `cursor`."
                    .to_owned(),
            ));
        }
        Ok(PageOf { page: self, list })
    }

    fn after(&self) -> Option<&Cursor> {
        self.cursor.as_ref().filter(|cursor| !cursor.list.is_empty())
    }

    /// The requested number of items.
    fn length(&self) -> i64 {
        self.limit.map_or(USUAL, |limit| limit.0)
    }
}

/// An empty filter counts as none.
fn remove_unset(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.retain(|_, value| !value.is_null() && value != ""),
        Value::Array(parts) => parts.iter_mut().for_each(remove_unset),
        _ => {}
    }
}

impl PageOf<'_> {
    /// The range of items of this page: one more than the caller wants, which shows whether there is another page.
    pub(crate) fn of_all(&self) -> PageRequest<'_> {
        self.searched(None)
    }

    /// The same for a search.
    pub(crate) fn searched<'a>(&'a self, search: Option<&'a Search>) -> PageRequest<'a> {
        let search = search.map(|search| search.0.as_str()).filter(|text| !text.is_empty());
        let after = self.page.after().map(|cursor| &cursor.after);
        PageRequest { search, after, limit: self.length() + 1 }
    }

    /// The ID after which this page starts, in a list ordered only by ID, and how many items to read.
    pub(crate) fn by_id(&self) -> (Option<&str>, i64) {
        let PageRequest { after, limit, .. } = self.of_all();
        (after.map(|after| after.id.as_str()), limit)
    }

    /// The page from the items that were read, where `position` returns the position of an item, and `item`
    /// converts it.
    pub(crate) fn cut<T, I>(
        &self,
        mut read: Vec<T>,
        position: impl Fn(&T) -> Position,
        item: impl FnMut(T) -> I,
    ) -> Listed<I> {
        let length = usize::try_from(self.length()).unwrap_or(0);
        let more = read.len() > length;
        read.truncate(length);
        let next_cursor = read.last().filter(|_| more).map(|last| self.cursor(&position(last)));
        Listed { items: read.into_iter().map(item).collect(), next_cursor }
    }

    /// The cursor of the page after an item of this list.
    pub(crate) fn cursor(&self, Position { text, id }: &Position) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(serde_json::json!([self.list, text, id]).to_string())
    }

    /// The ID after which this page starts, in a list ordered only by ID.
    pub(crate) fn after(&self) -> Option<&str> {
        self.page.after().map(|cursor| cursor.after.id.as_str())
    }

    /// The requested number of items.
    pub(crate) fn length(&self) -> i64 {
        self.page.length()
    }
}

impl Cursor {
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Ok(Self { list: String::new(), after: Position::of_id("") });
        }
        let read = BASE64_URL_SAFE_NO_PAD.decode(text).ok();
        let read =
            read.and_then(|json| serde_json::from_slice::<(String, String, String)>(&json).ok());
        // PostgreSQL stores no NUL characters.
        let read = read.filter(|(_, text, id)| !text.contains('\0') && !id.contains('\0'));
        let (list, text, id) = read.ok_or("must be the `nextCursor` of the previous page")?;
        Ok(Self { list, after: Position { text, id } })
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Search {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl std::str::FromStr for Search {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.chars().count() > LONGEST_SEARCH {
            return Err(format!("must have at most {LONGEST_SEARCH} characters"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl Search {
    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to search for.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes a prefix that people type, which the text doesn't start with.
    pub(crate) fn without(self, beginning: &str) -> Self {
        Self(self.0.trim_start_matches(beginning).to_owned())
    }
}

impl From<Sort> for database::Sort {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Name => Self::Name,
            Sort::Newest => Self::Newest,
            Sort::Oldest => Self::Oldest,
        }
    }
}
