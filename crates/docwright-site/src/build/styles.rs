//! Styles that follow from what pages have.

use std::collections::BTreeSet;

use super::Site;
use crate::{
    result_cache::{Key, Kind, ResultCache},
    theme,
};

impl Site<'_> {
    /// The rules for the icons around pages, and for the classes that authors gave to elements.
    pub(super) fn styles_of_pages(
        &self,
        classes: &BTreeSet<String>,
        cache: Option<&ResultCache>,
    ) -> String {
        self.icons.stylesheet().to_owned() + &self.utilities(classes, cache).unwrap_or_default()
    }

    /// The rules for the classes, as an earlier build made them if it can. Making them takes as long as ten pages.
    fn utilities(
        &self,
        classes: &BTreeSet<String>,
        cache: Option<&ResultCache>,
    ) -> Result<String, String> {
        let config = &self.content.config;
        let Some(cache) = cache else { return theme::utilities(config, classes) };
        let inputs = format!("{:?}", (&config.colors, classes));
        let key = Key::of(Kind::Utilities, [inputs.as_bytes()]);
        let kept = cache.get(&key).and_then(|(_, rules)| String::from_utf8(rules).ok());
        if let Some(rules) = kept {
            return Ok(rules);
        }
        let rules = theme::utilities(config, classes)?;
        cache.add(key, rules.as_bytes());
        Ok(rules)
    }
}
