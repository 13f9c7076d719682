//! Lists, a page at a time: how long a page is, where it begins, and what of a list is asked for.

use axum::{
    extract::FromRequestParts,
    http::{Uri, request::Parts},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use docwright_storage::database::{self, PageRequest, Position};
use serde::{Deserialize, Deserializer, de::Error as _};
use sha2::{Digest, Sha256};
use url::form_urlencoded;
use utoipa::{IntoParams, ToSchema};

use docwright_operations::fields::Number;

use crate::{error::ApiError, parameters::Query};

/// Things on one page unless the caller says otherwise.
const USUAL: i64 = 20;
/// Things on one page at most. Descriptions say the same.
const MAXIMUM: i64 = 100;
/// Characters of what is searched for at most. Descriptions say the same.
const LONGEST_SEARCH: usize = 200;

/// Which page of a list to read.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    /// How many things a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before, together with what else that page was asked for; the first page if
    /// left out.
    #[param(value_type = String, required = false, pattern = r"^[A-Za-z0-9_-]*$")]
    cursor: Option<Cursor>,
    /// The list that is asked for.
    #[serde(skip)]
    #[param(ignore)]
    list: String,
}

/// Where a page begins: the list that it is of, and the last thing of the page before. An empty one, which is of
/// no list, is none.
#[derive(Debug)]
struct Cursor {
    list: String,
    after: Position,
}

/// What the texts that a list is searched by begin with.
#[derive(Debug)]
pub(super) struct Search(String);

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sort {
    /// By name.
    Name,
    /// The newest first.
    Newest,
    /// The oldest first.
    #[default]
    Oldest,
}

impl Page {
    /// The things that a list begins with here: one more than the caller wants, which tells whether there is
    /// another page.
    pub(super) fn of_all(&self) -> PageRequest<'_> {
        self.searched(None)
    }

    /// The same of those that are searched for.
    pub(super) fn searched<'a>(&'a self, search: Option<&'a Search>) -> PageRequest<'a> {
        let search = search.map(|search| search.0.as_str()).filter(|text| !text.is_empty());
        let after = self.cursor.as_ref().map(|cursor| &cursor.after);
        PageRequest { search, after, limit: self.length() + 1 }
    }

    /// After which id a list begins here that has no search and no order but that of ids, and how many things
    /// to read.
    pub(super) fn by_id(&self) -> (Option<&str>, i64) {
        let PageRequest { after, limit, .. } = self.of_all();
        (after.map(|after| after.id.as_str()), limit)
    }

    /// The page of what was read, and what to ask for the next one with.
    pub(super) fn cut<T>(
        &self,
        mut read: Vec<T>,
        position: impl Fn(&T) -> Position,
    ) -> (Vec<T>, Option<String>) {
        let length = usize::try_from(self.length()).unwrap_or(0);
        let more = read.len() > length;
        read.truncate(length);
        let next = read.last().filter(|_| more).map(|last| self.cursor(&position(last)));
        (read, next)
    }

    /// What to ask for the page with that begins after something of this list.
    pub(super) fn cursor(&self, Position { text, id }: &Position) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(serde_json::json!([self.list, text, id]).to_string())
    }

    /// After which id a list begins here that has no order but that of ids.
    pub(super) fn after(&self) -> Option<&str> {
        self.cursor.as_ref().map(|cursor| cursor.after.id.as_str())
    }

    /// How many things the caller wants.
    pub(super) fn length(&self) -> i64 {
        self.limit.map_or(USUAL, |limit| limit.0)
    }
}

impl<S: Sync> FromRequestParts<S> for Page {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Query(page) = Query::<Self>::from_request_parts(parts, state).await?;
        let list = list(&parts.uri);
        let cursor = page.cursor.filter(|cursor| !cursor.list.is_empty());
        if cursor.as_ref().is_some_and(|cursor| cursor.list != list) {
            return Err(ApiError::Invalid(
                "`cursor` is of another list, or of another search or order of this one; send what the page before was asked for, or leave it out."
                    .to_owned(),
            ));
        }
        Ok(Self { limit: page.limit, cursor, list })
    }
}

/// What tells lists apart: whose they are, and all that was asked for but the page.
fn list(uri: &Uri) -> String {
    let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let mut asked: Vec<_> = query
        .filter(|(name, value)| !matches!(name.as_ref(), "limit" | "cursor") && !value.is_empty())
        .collect();
    asked.sort();
    let asked = form_urlencoded::Serializer::new(String::new()).extend_pairs(asked).finish();
    let hash = Sha256::digest(format!("{}?{asked}", uri.path()));
    BASE64_URL_SAFE_NO_PAD.encode(&hash[..6])
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(Self { list: String::new(), after: Position::of_id("") });
        }
        let read = BASE64_URL_SAFE_NO_PAD.decode(text).ok();
        let read =
            read.and_then(|json| serde_json::from_slice::<(String, String, String)>(&json).ok());
        // PostgreSQL keeps no NUL characters.
        let read = read.filter(|(_, text, id)| !text.contains('\0') && !id.contains('\0'));
        let wrong = || D::Error::custom("must be the `nextCursor` of the page before");
        let (list, text, id) = read.ok_or_else(wrong)?;
        Ok(Self { list, after: Position { text, id } })
    }
}

impl<'de> Deserialize<'de> for Search {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.chars().count() > LONGEST_SEARCH {
            let wrong = format!("must be {LONGEST_SEARCH} characters at most");
            return Err(D::Error::custom(wrong));
        }
        Ok(Self(text))
    }
}

impl Search {
    /// Without what people write before a text that it does not begin with.
    pub(super) fn without(self, beginning: &str) -> Self {
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
