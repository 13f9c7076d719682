//! Lists: their parameters, and the parts of a page that set them. These are links and a GET form, so the URL
//! describes what a page shows.

use docwright_operations::{
    OperationError,
    lists::{Page, Search, Sort},
};
use maud::{Markup, html};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IntoDeserializer, value},
};

use super::{empty, pager};
use crate::{paths::with_query, words};

/// Number of rows per page.
const AT_A_GLANCE: usize = 5;

/// Parameters of a list. The fields are those of its URL and of the API.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListQuery {
    /// Prefix to search for.
    pub(crate) search: Option<String>,
    pub(crate) sort: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) status: Option<String>,
    /// The `nextCursor` of the previous page; none on the first page.
    pub(crate) cursor: Option<String>,
}

impl ListQuery {
    /// Sets the order, unless the user chose one.
    pub(crate) fn sorted(mut self, sort: &str) -> Self {
        self.sort = self.sort.filter(|sort| !sort.is_empty()).or_else(|| Some(sort.to_owned()));
        self
    }

    /// The page of the list.
    pub(crate) fn page(&self, limit: Option<i64>) -> Result<Page, OperationError> {
        Page::new(limit, self.cursor())
    }

    /// The search text.
    pub(crate) fn searched(&self) -> Result<Option<Search>, OperationError> {
        read("search", self.search.as_deref())
    }

    /// Its order.
    pub(crate) fn order(&self) -> Result<Option<Sort>, OperationError> {
        read("sort", self.sort.as_deref())
    }

    /// The state filter.
    pub(crate) fn in_state<T: DeserializeOwned>(&self) -> Result<Option<T>, OperationError> {
        read("state", self.state.as_deref())
    }

    /// The status filter.
    pub(crate) fn in_status<T: DeserializeOwned>(&self) -> Result<Option<T>, OperationError> {
        read("status", self.status.as_deref())
    }

    /// The path of the API operation for this list. `more` has additional parameters.
    pub(crate) fn operation(&self, path: &str, more: &[(&str, Option<&str>)]) -> String {
        with_query(path, &[more, &self.fields(), &[("cursor", self.cursor())]].concat())
    }

    /// The URL of the page; `path` is that of the list.
    pub(crate) fn here(&self, path: &str) -> String {
        self.operation(path, &[])
    }

    /// The URL of the list with one parameter changed. It is the first page, since a cursor belongs to one list.
    pub(crate) fn with(&self, path: &str, (name, value): (&str, Option<&str>)) -> String {
        let fields = self.fields().map(|field| if field.0 == name { (name, value) } else { field });
        with_query(path, &fields)
    }

    /// Whether the list is filtered.
    pub(crate) fn limits(&self) -> bool {
        self.fields().iter().any(|(name, value)| *name != "sort" && value.is_some())
    }

    /// Whether the list itself is empty, not only the result of the filter.
    pub(crate) fn is_all(&self) -> bool {
        self.cursor().is_none() && !self.limits()
    }

    /// Whether a page with `count` rows needs a search field: if it has many rows, or is filtered.
    pub(crate) fn is_long(&self, count: usize, next: Option<&str>) -> bool {
        count > AT_A_GLANCE || next.is_some() || self.cursor().is_some() || self.limits()
    }

    /// Links to the next page of the list at `path`, and to the first.
    pub(crate) fn pager(&self, path: &str, next: Option<&str>) -> Markup {
        pager(path, &self.fields(), (self.cursor(), next))
    }

    /// The parameters without the page.
    fn fields(&self) -> [(&'static str, Option<&str>); 4] {
        [
            ("search", given(self.search.as_deref())),
            ("sort", given(self.sort.as_deref())),
            ("state", given(self.state.as_deref())),
            ("status", given(self.status.as_deref())),
        ]
    }

    fn cursor(&self) -> Option<&str> {
        given(self.cursor.as_deref())
    }
}

/// The value of a parameter, if it is set.
fn read<T: DeserializeOwned>(name: &str, text: Option<&str>) -> Result<Option<T>, OperationError> {
    let Some(text) = given(text) else { return Ok(None) };
    let read = T::deserialize(text.into_deserializer());
    let wrong = |error: value::Error| OperationError::Invalid(format!("`{name}` {error}."));
    read.map(Some).map_err(wrong)
}

/// The entered text, if it isn't empty.
fn given(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty())
}

/// The search field of a list. `label` names what it searches; the other parameters stay.
pub(crate) fn search(path: &str, label: &str, asked: &ListQuery) -> Markup {
    html! {
        form.find method="get" action=(path) role="search" {
            label.unseen for="search" { (label) }
            input id="search" name="search" type="search" maxlength="200" autocomplete="off"
                placeholder=(label) value=[given(asked.search.as_deref())];
            @for (name, value) in asked.fields() {
                @if let Some(value) = value.filter(|_| name != "search") {
                    input type="hidden" name=(name) value=(value);
                }
            }
            button type="submit" { (words::SEARCH) }
        }
    }
}

/// Links that filter a list by the parameter `name`, with their labels.
pub(crate) fn filter<V: AsRef<str>, L: AsRef<str>>(
    path: &str,
    name: &str,
    values: &[(V, L)],
    asked: &ListQuery,
) -> Markup {
    let now = asked.fields().iter().find(|field| field.0 == name).and_then(|field| field.1);
    let link = |value: Option<&str>, label: &str| {
        let is_here = (value == now).then_some("true");
        html! { li { a href=(asked.with(path, (name, value))) aria-current=[is_here] { (label) } } }
    };
    html! {
        nav.tabs aria-label=(words::FILTER) { ul {
            (link(None, words::ALL))
            @for (value, label) in values { (link(Some(value.as_ref()), label.as_ref())) }
        } }
    }
}

/// The header of a sortable column. `sorts` are its orders with their directions, in terms of the API and of HTML;
/// each click switches to the next order.
pub(crate) fn sortable(
    path: &str,
    label: &str,
    sorts: &[(&str, &'static str)],
    asked: &ListQuery,
) -> Markup {
    let at = sorts.iter().position(|(sort, _)| given(asked.sort.as_deref()) == Some(*sort));
    let next = at.map_or(0, |at| (at + 1) % sorts.len());
    let next = sorts.get(next).map(|(sort, _)| *sort);
    let direction = at.and_then(|at| sorts.get(at)).map(|(_, direction)| *direction);
    html! {
        th aria-sort=[direction] { a href=(asked.with(path, ("sort", next))) { (label) } }
    }
}

/// Links that sort a list without columns. `sorts` are its orders with their labels.
pub(crate) fn sorts(path: &str, sorts: &[(&str, &str)], asked: &ListQuery) -> Markup {
    html! {
        p.sorts {
            span.soft { (words::SORT) }
            @for (sort, label) in sorts {
                a href=(asked.with(path, ("sort", Some(sort))))
                    aria-current=[(given(asked.sort.as_deref()) == Some(sort)).then_some("true")] { (label) }
            }
        }
    }
}

/// The text for a search without results.
pub(crate) fn nothing_found(path: &str, asked: &ListQuery) -> Markup {
    let all = ListQuery { sort: asked.sort.clone(), ..ListQuery::default() };
    let why = match given(asked.search.as_deref()) {
        Some(search) => {
            let is_in_a_state =
                given(asked.state.as_deref()).or(given(asked.status.as_deref())).is_some();
            words::nothing_begins_with(search, is_in_a_state)
        }
        None => words::NOTHING_SO.to_owned(),
    };
    let all = html! { p.actions { a.button href=(all.here(path)) { (words::SHOW_ALL) } } };
    empty(words::NOTHING_FOUND, &why, &all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> ListQuery {
        ListQuery {
            search: Some(" \"><script>x ".to_owned()),
            sort: Some("name".to_owned()),
            state: Some(String::new()),
            cursor: Some("c".to_owned()),
            ..ListQuery::default()
        }
    }

    #[test]
    fn links_keep_search_and_order() {
        let searched = "/l?search=%22%3E%3Cscript%3Ex&sort=name";
        assert_eq!(asked().here("/l"), format!("{searched}&cursor=c"));
        assert_eq!(asked().with("/l", ("cursor", None)), searched);
        assert_eq!(asked().with("/l", ("search", None)), "/l?sort=name");
        assert_eq!(asked().with("/l", ("status", Some("x&y"))), format!("{searched}&status=x%26y"));
        let pages = asked().pager("/l", Some("n")).into_string();
        assert!(
            pages.contains(&format!("{}&amp;cursor=n", searched.replace('&', "&amp;"))),
            "{pages}"
        );
        assert!(asked().limits() && !asked().is_all());
        assert!(ListQuery::default().sorted("name").is_all());
    }

    #[test]
    fn column_head_links_to_next_order() {
        let head = |sort: Option<&str>| {
            let asked = ListQuery { sort: sort.map(str::to_owned), ..ListQuery::default() };
            let age = [("newest", "descending"), ("oldest", "ascending")];
            sortable("/l", "Created", &age, &asked).into_string()
        };
        assert_eq!(head(Some("name")), "<th><a href=\"/l?sort=newest\">Created</a></th>");
        let newest = head(Some("newest"));
        assert_eq!(
            newest,
            "<th aria-sort=\"descending\"><a href=\"/l?sort=oldest\">Created</a></th>"
        );
        assert!(head(Some("oldest")).contains("aria-sort=\"ascending\""));
    }

    #[test]
    fn search_text_never_becomes_markup() {
        let shown = search("/l", "Find", &asked()).into_string();
        assert!(!shown.contains("<script"), "{shown}");
        assert!(shown.contains("name=\"sort\" value=\"name\""), "{shown}");
        assert!(!nothing_found("/l", &asked()).into_string().contains("<script"));
        assert!(!ListQuery::default().is_long(5, None) && ListQuery::default().is_long(6, None));
        assert!(asked().is_long(0, None) && ListQuery::default().is_long(1, Some("n")));
    }
}
