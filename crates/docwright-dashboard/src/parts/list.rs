//! Lists: what someone asks one for, and the parts of a page that ask for it. All of it is links and a form of
//! the method GET, so that an address says what a page shows.

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

/// The number of rows that one page of a list shows.
const AT_A_GLANCE: usize = 5;

/// What a list is asked for. The fields are those of the address of its page, and of the API.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListQuery {
    /// What is looked for begins so.
    pub(crate) search: Option<String>,
    pub(crate) sort: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) status: Option<String>,
    /// The `nextCursor` of the page before; none on the first one.
    pub(crate) cursor: Option<String>,
}

impl ListQuery {
    /// In an order, unless another one is asked for.
    pub(crate) fn sorted(mut self, sort: &str) -> Self {
        self.sort = self.sort.filter(|sort| !sort.is_empty()).or_else(|| Some(sort.to_owned()));
        self
    }

    /// The page of the list.
    pub(crate) fn page(&self, limit: Option<i64>) -> Result<Page, OperationError> {
        Page::new(limit, self.cursor())
    }

    /// What the list is searched for.
    pub(crate) fn searched(&self) -> Result<Option<Search>, OperationError> {
        read("search", self.search.as_deref())
    }

    /// Its order.
    pub(crate) fn order(&self) -> Result<Option<Sort>, OperationError> {
        read("sort", self.sort.as_deref())
    }

    /// The state that the list is limited to.
    pub(crate) fn in_state<T: DeserializeOwned>(&self) -> Result<Option<T>, OperationError> {
        read("state", self.state.as_deref())
    }

    /// The status that the list is limited to.
    pub(crate) fn in_status<T: DeserializeOwned>(&self) -> Result<Option<T>, OperationError> {
        read("status", self.status.as_deref())
    }

    /// The path of an operation of the API that lists what is asked for. `more` is what else it takes.
    pub(crate) fn operation(&self, path: &str, more: &[(&str, Option<&str>)]) -> String {
        with_query(path, &[more, &self.fields(), &[("cursor", self.cursor())]].concat())
    }

    /// The address of the page, of which `path` is the list.
    pub(crate) fn here(&self, path: &str) -> String {
        self.operation(path, &[])
    }

    /// The address of the list if one thing is asked for otherwise. Its first page, since others are of
    /// another list.
    pub(crate) fn with(&self, path: &str, (name, value): (&str, Option<&str>)) -> String {
        let fields = self.fields().map(|field| if field.0 == name { (name, value) } else { field });
        with_query(path, &fields)
    }

    /// Whether less than all of the list is asked for.
    pub(crate) fn limits(&self) -> bool {
        self.fields().iter().any(|(name, value)| *name != "sort" && value.is_some())
    }

    /// Whether a list that is shown as empty has nothing in it at all.
    pub(crate) fn is_all(&self) -> bool {
        self.cursor().is_none() && !self.limits()
    }

    /// Whether a page with `count` things of a list is worth searching: more than a glance shows, or less than all.
    pub(crate) fn is_long(&self, count: usize, next: Option<&str>) -> bool {
        count > AT_A_GLANCE || next.is_some() || self.cursor().is_some() || self.limits()
    }

    /// Links to the next page of the list at `path`, and back to the first.
    pub(crate) fn pager(&self, path: &str, next: Option<&str>) -> Markup {
        pager(path, &self.fields(), (self.cursor(), next))
    }

    /// What is asked for but for the page.
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

/// What a field of the address is, if it is given.
fn read<T: DeserializeOwned>(name: &str, text: Option<&str>) -> Result<Option<T>, OperationError> {
    let Some(text) = given(text) else { return Ok(None) };
    let read = T::deserialize(text.into_deserializer());
    let wrong = |error: value::Error| OperationError::Invalid(format!("`{name}` {error}."));
    read.map(Some).map_err(wrong)
}

/// What someone typed, if it is anything.
fn given(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty())
}

/// The field that searches a list. `label` says what is looked for; what else the list is asked for stays.
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

/// Links that limit a list by its state, of which `name` is the field, to one of some values with their labels.
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

/// The head of a column that the list can be sorted by. `sorts` are the orders that it gives, with their
/// directions, in the words of the API and of HTML; following the link goes from one to the next.
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

/// What is said where nothing is what someone asked for.
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
    fn links_keep_what_is_asked_for() {
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
    fn a_head_goes_from_one_order_to_the_next() {
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
    fn what_someone_typed_is_text() {
        let shown = search("/l", "Find", &asked()).into_string();
        assert!(!shown.contains("<script"), "{shown}");
        assert!(shown.contains("name=\"sort\" value=\"name\""), "{shown}");
        assert!(!nothing_found("/l", &asked()).into_string().contains("<script"));
        assert!(!ListQuery::default().is_long(5, None) && ListQuery::default().is_long(6, None));
        assert!(asked().is_long(0, None) && ListQuery::default().is_long(1, Some("n")));
    }
}
