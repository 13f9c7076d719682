//! A filter of diagnostics, by severity, rule, and words. What is left is grouped by rule and file. All of it is in the
//! URL, so it works without scripts.

use std::collections::BTreeMap;

use docwright_operations::diagnostics::Diagnostic;
use maud::{Markup, html};
use serde::Deserialize;

use super::{rows, table};
use crate::{paths::with_query, words};

/// Diagnostics up to which a list needs no filter.
const AT_A_GLANCE: usize = 5;
/// The rule of diagnostics without a name.
const OTHER: &str = "";

/// The parameters of the filter.
#[derive(Debug, Default, Deserialize)]
pub(in crate::pages) struct DiagnosticFilter {
    severity: Option<String>,
    rule: Option<String>,
    /// Words of the path or the message.
    search: Option<String>,
}

impl DiagnosticFilter {
    /// The URL of the page with the filter.
    pub(in crate::pages) fn here(&self, path: &str) -> String {
        with_query(path, &self.fields())
    }

    /// The diagnostics that fit, and the parts of the page that set the filter. `counts` is the number of all
    /// diagnostics, and of the new ones; `edit` is as for [`table`].
    pub(in crate::pages) fn show(
        &self,
        path: &str,
        diagnostics: &[Diagnostic],
        (counts, edit): ((i64, Option<i64>), Option<&str>),
    ) -> Markup {
        if diagnostics.len() <= AT_A_GLANCE {
            return table(diagnostics, counts, edit);
        }
        let found: Vec<_> = diagnostics.iter().filter(|each| self.fits(each)).collect();
        let listed = i64::try_from(diagnostics.len()).unwrap_or(i64::MAX);
        html! {
            p {
                (super::counted(diagnostics, counts.0))
                @if let Some(new) = counts.1 { ", " (words::of_them_new(new)) } "."
                @if counts.0 > listed { " " (words::first_diagnostics(diagnostics.len())) }
            }
            (self.form(path))
            (self.severities(path))
            (self.rules(path, diagnostics))
            @if found.is_empty() { p.soft { (words::NO_SUCH_DIAGNOSTICS) } }
            @else { (groups(&found, edit)) }
        }
    }

    fn fits(&self, diagnostic: &Diagnostic) -> bool {
        let words = given(self.search.as_ref()).unwrap_or_default().to_lowercase();
        let text = format!("{} {}", diagnostic.path, diagnostic.message).to_lowercase();
        let severity = given(self.severity.as_ref());
        let rule = self.rule.as_deref().filter(|rule| !rule.is_empty());
        words.split_whitespace().all(|word| text.contains(word))
            && severity.is_none_or(|wanted| match wanted {
                "new" => diagnostic.is_new,
                wanted => diagnostic.severity.name() == wanted,
            })
            && rule.is_none_or(|wanted| diagnostic.rule.as_deref() == Some(wanted))
    }

    fn fields(&self) -> [(&'static str, Option<&str>); 3] {
        [
            ("severity", given(self.severity.as_ref())),
            ("rule", given(self.rule.as_ref())),
            ("search", given(self.search.as_ref())),
        ]
    }

    /// The URL with one parameter changed.
    fn with(&self, path: &str, name: &str, value: Option<&str>) -> String {
        let fields = self.fields().map(|(own, old)| (own, if own == name { value } else { old }));
        with_query(path, &fields)
    }

    fn form(&self, path: &str) -> Markup {
        html! {
            form.find method="get" action=(path) role="search" {
                label.unseen for="search" { (words::FIND_DIAGNOSTIC) }
                input id="search" name="search" type="search" maxlength="200" autocomplete="off"
                    placeholder=(words::FIND_DIAGNOSTIC) value=[given(self.search.as_ref())];
                @for (name, value) in self.fields() {
                    @if let Some(value) = value.filter(|_| name != "search") {
                        input type="hidden" name=(name) value=(value);
                    }
                }
                button type="submit" { (words::SEARCH) }
            }
        }
    }

    fn severities(&self, path: &str) -> Markup {
        let now = given(self.severity.as_ref());
        html! {
            nav.tabs aria-label=(words::SEVERITY) { ul {
                @for (value, label) in words::DIAGNOSTIC_SEVERITIES {
                    @let value = Some(value).filter(|value| !value.is_empty());
                    li {
                        a href=(self.with(path, "severity", value))
                            aria-current=[(value == now).then_some("true")] { (label) }
                    }
                }
            } }
        }
    }

    /// The rules with the number of their diagnostics, most first.
    fn rules(&self, path: &str, diagnostics: &[Diagnostic]) -> Markup {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for rule in diagnostics.iter().filter_map(|each| each.rule.as_deref()) {
            *counts.entry(rule).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let now = given(self.rule.as_ref());
        html! {
            nav.tabs aria-label=(words::RULE) { ul {
                li { a href=(self.with(path, "rule", None)) aria-current=[now.is_none().then_some("true")] { (words::ALL_RULES) } }
                @for (rule, count) in counts {
                    li {
                        a href=(self.with(path, "rule", Some(rule)))
                            aria-current=[(now == Some(rule)).then_some("true")] { (rule) " " (words::grouped_count(count)) }
                    }
                }
            } }
        }
    }
}

fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// Diagnostics by rule, then by file. The order within a file stays.
fn groups(diagnostics: &[&Diagnostic], edit: Option<&str>) -> Markup {
    let mut rules: Vec<(&str, Vec<Diagnostic>)> = Vec::new();
    for each in diagnostics {
        let rule = each.rule.as_deref().unwrap_or(OTHER);
        match rules.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, all)) => all.push((*each).clone()),
            None => rules.push((rule, vec![(*each).clone()])),
        }
    }
    for (_, all) in &mut rules {
        all.sort_by(|one, other| one.path.cmp(&other.path));
    }
    html! {
        @for (rule, all) in rules {
            details.file open {
                summary { code { (if rule.is_empty() { words::OTHER_RULES } else { rule }) } " " span.soft { (words::grouped_count(all.len())) } }
                (rows(&all, edit))
            }
        }
    }
}
