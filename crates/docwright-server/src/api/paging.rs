//! Lists, a page at a time: how long a page is, and where the next one begins.

use serde::Deserialize;
use utoipa::IntoParams;

use crate::parameters::Number;

/// Things on one page unless the caller says otherwise.
const USUAL: i64 = 20;
/// Things on one page at most. Descriptions say the same.
pub(super) const MAXIMUM: i64 = 100;

/// Which page of a list to read, where nothing else can be asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    /// How many things a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    pub(super) limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    pub(super) cursor: Option<String>,
}

/// How many things to read for a page: one more than the caller wants, which tells whether there is
/// another page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length(i64);

impl Length {
    /// The length that the caller asks for.
    pub(super) fn of(asked: Option<Number<1, MAXIMUM>>) -> Self {
        Self(asked.map_or(USUAL, |limit| limit.0))
    }

    /// How many the caller wants.
    pub(super) const fn count(self) -> i64 {
        self.0
    }

    /// How many to read.
    pub(super) const fn read(self) -> i64 {
        self.0 + 1
    }

    /// The page, and what to ask for the next one with: the cursor of the last thing on this one.
    pub(super) fn page<T>(
        self,
        mut read: Vec<T>,
        cursor: impl Fn(&T) -> String,
    ) -> (Vec<T>, Option<String>) {
        let length = usize::try_from(self.0).unwrap_or(0);
        let more = read.len() > length;
        read.truncate(length);
        let next = read.last().filter(|_| more).map(cursor);
        (read, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_than_a_page_is_another_page() {
        let two = Length::of(Some(Number(2)));
        assert_eq!(two.read(), 3);
        let page = |count| two.page((0..count).collect(), i32::to_string);
        assert_eq!(page(2), (vec![0, 1], None));
        assert_eq!(page(3), (vec![0, 1], Some("1".to_owned())));
        assert_eq!(page(0), (Vec::new(), None));
    }
}
