//! Display of an entry of the audit log.

use docwright_operations::audit_log::{AuditActor, AuditEntry, AuditSubject};
use docwright_storage::database::DELETED_ACCOUNT;
use docwright_types::timestamp::{Timestamp, parse_iso};
use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::{parts::ago, paths::with_query, words};

/// One line for an entry, with expandable details. `path` is that of the log.
pub(super) fn show(entry: &AuditEntry, path: &str, now: Timestamp) -> Markup {
    let changed = changed(entry.before.as_ref(), entry.after.as_ref());
    html! {
        li {
            div.grow {
                p.title {
                    strong { (words::action(&entry.action)) } " "
                    @if let Some(name) = subject_name(&entry.subject) { (name) " " }
                    (who(entry))
                }
                @if !changed.is_empty() {
                    ul.changes {
                        @for (name, before, after) in &changed {
                            li {
                                span.soft { (words::field(name)) } " "
                                @match (before, after) {
                                    (Some(before), Some(after)) => { del { (before) } " → " ins { (after) } }
                                    (None, Some(after)) => ins { (after) },
                                    (Some(before), None) => del { (before) },
                                    (None, None) => {}
                                }
                            }
                        }
                    }
                }
                details {
                    summary { (words::DETAILS) }
                    dl.facts {
                        dt { (words::AUDIT_ACTION) } dd { (search(path, "action", &entry.action)) }
                        dt { (words::AUDIT_SUBJECT) } dd { (search(path, "subject", &entry.subject.id)) }
                        dt { (words::AUDIT_ACTOR) } dd { (search(path, "actor", &entry.actor.id)) }
                        dt { (words::FROM_ADDRESS) }
                        dd { @match &entry.address { Some(address) => code { (address) }, None => (words::ON_THE_MACHINE) } }
                        dt { (words::REQUEST) } dd { code { (entry.request_id) } }
                    }
                }
            }
            (ago(now, parse_iso(&entry.created_at).unwrap_or_default()))
        }
    }
}

fn who(entry: &AuditEntry) -> Markup {
    let AuditActor { kind, id, name } = &entry.actor;
    let name = if name.is_empty() { id } else { name };
    html! {
        span.soft {
            @match kind.as_str() {
                "key" => { (words::BY_KEY) " " }
                "shell" => { (words::BY_SHELL) " " }
                "service" => { (words::BY_SERVICE) " " }
                _ => {}
            }
            (name)
            // All of these have the same name.
            @if name == DELETED_ACCOUNT { " " (id) }
            @if let Some(address) = &entry.address { " · " (address) }
        }
    }
}

/// The name of a subject, such as a domain; `None` if it only has an internal ID.
fn subject_name(subject: &AuditSubject) -> Option<&str> {
    // For example `prj_` and 32 digits, or the 16 digits of a key.
    let digits = subject.id.rsplit('_').next().unwrap_or_default();
    let is_id = digits.len() >= 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(subject.id.as_str()).filter(|id| !is_id && !id.is_empty())
}

/// A link to all entries with the same value.
fn search(path: &str, name: &str, value: &str) -> Markup {
    html! { a href=(with_query(path, &[(name, Some(value))])) { code { (value) } } }
}

/// The changed fields: name, old value, and new value. Unchanged fields are left out.
fn changed(
    before: Option<&Value>,
    after: Option<&Value>,
) -> Vec<(String, Option<String>, Option<String>)> {
    let none = Map::new();
    let fields = |state: Option<&'_ Value>| state.and_then(Value::as_object).cloned();
    let (before, after) = (fields(before), fields(after));
    let (before, after) = (before.as_ref().unwrap_or(&none), after.as_ref().unwrap_or(&none));
    let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let said = |value: Option<&Value>| value.and_then(text);
    let each = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let each = each.map(|name| (name.clone(), said(before.get(name)), said(after.get(name))));
    each.filter(|(_, before, after)| before.is_some() || after.is_some()).collect()
}

/// A value in words; `None` if it is empty.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(all) if all.is_empty() => None,
        Value::Array(all) => Some(all.iter().filter_map(text).collect::<Vec<_>>().join(", ")),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_changed_fields_are_listed() {
        let before = json!({ "name": "Docs", "plan": "free", "model": null, "allow": [] });
        let after = json!({ "name": "Manual", "plan": "free", "model": "m", "allow": ["a", "b"] });
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            changed(Some(&before), Some(&after)),
            [
                ("allow".to_owned(), None, some("a, b")),
                ("model".to_owned(), None, some("m")),
                ("name".to_owned(), some("Docs"), some("Manual")),
            ]
        );
        assert_eq!(changed(None, Some(&json!({ "x": 1 }))), [("x".to_owned(), None, some("1"))]);
        assert_eq!(changed(None, None), []);
        assert_eq!(changed(Some(&json!("text")), None), [], "it is no object");
    }
}
