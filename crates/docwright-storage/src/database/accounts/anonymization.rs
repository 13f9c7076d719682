//! Removes the name and address of a deleted account from the audit log. There can be many entries, so this
//! happens in batches after the deletion. The next clean-up finishes an interrupted run.
//!
//! Addresses of requests stay in entries: they show where a change came from, also if someone else used the
//! account.

use serde_json::Value;
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use crate::{
    StorageError,
    database::{Database, retention::BATCH},
};

/// Name that replaces a person whose account is deleted.
pub const DELETED_ACCOUNT: &str = "deleted account";

/// Kinds of subjects whose entries can have the address of any person, by which no index finds them.
const KINDS: [&str; 2] = ["invitation", "subscription"];

/// Name of a deleted account in places that don't show its id.
pub(super) fn deleted_actor(id: &str) -> String {
    format!("{DELETED_ACCOUNT} {id}")
}

/// A deleted account.
struct Deleted {
    id: String,
    email: String,
}

/// An entry of the audit log, with the fields that can name a person.
struct Entry {
    id: String,
    actor_id: String,
    actor_name: String,
    subject_kind: String,
    subject_id: String,
    states: [Option<String>; 2],
}

impl Database {
    /// Anonymizes the entries of deleted accounts. Returns the number of accounts.
    pub async fn anonymize_deleted_accounts(&self) -> Result<u64, StorageError> {
        let sql = "SELECT account_id, email FROM account_deletions ORDER BY account_id";
        let rows = sqlx::query(sql).fetch_all(&self.pool).await?;
        let mut finished = 0;
        for row in &rows {
            let deleted = Deleted { id: row.try_get("account_id")?, email: row.try_get("email")? };
            self.anonymize("actor_id", &deleted.id, &deleted).await?;
            self.anonymize("subject_id", &deleted.id, &deleted).await?;
            for kind in KINDS {
                self.anonymize("subject_kind", kind, &deleted).await?;
            }
            let done = sqlx::query("DELETE FROM account_deletions WHERE account_id = $1");
            finished += done.bind(&deleted.id).execute(&self.pool).await?.rows_affected();
        }
        Ok(finished)
    }

    /// Anonymizes the entries found by the value of an indexed column.
    async fn anonymize(
        &self,
        column: &'static str,
        value: &str,
        deleted: &Deleted,
    ) -> Result<(), StorageError> {
        // An entry of an unfinished change waits here, and keeps its result.
        let lock = if self.postgres { " FOR UPDATE" } else { "" };
        let sql = format!(
            "SELECT id, actor_id, actor_name, subject_kind, subject_id, state_before, state_after FROM audit_entries \
             WHERE {column} = $1 AND id > $2 ORDER BY id LIMIT {BATCH}{lock}"
        );
        let mut last = String::new();
        loop {
            let mut transaction = self.begin().await?;
            let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(value).bind(&last);
            let rows = query.fetch_all(&mut *transaction).await?;
            let entries = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
            let Some(end) = entries.last() else { return Ok(()) };
            last.clone_from(&end.id);
            for entry in entries.into_iter().filter_map(|entry| deleted.anonymized(entry)) {
                write(&mut transaction, &entry).await?;
            }
            transaction.commit().await?;
        }
    }
}

async fn write(transaction: &mut Transaction<'_, Any>, entry: &Entry) -> Result<(), StorageError> {
    let Entry { id, actor_name, states: [before, after], .. } = entry;
    let sql = "UPDATE audit_entries SET actor_name = $1, state_before = $2, state_after = $3 WHERE id = $4";
    let query = sqlx::query(sql).bind(actor_name).bind(before).bind(after).bind(id);
    query.execute(&mut **transaction).await?;
    Ok(())
}

fn read(row: &AnyRow) -> Result<Entry, StorageError> {
    Ok(Entry {
        id: row.try_get("id")?,
        actor_id: row.try_get("actor_id")?,
        actor_name: row.try_get("actor_name")?,
        subject_kind: row.try_get("subject_kind")?,
        subject_id: row.try_get("subject_id")?,
        states: [row.try_get("state_before")?, row.try_get("state_after")?],
    })
}

impl Deleted {
    /// An entry without the name and the address; `None` if it has neither.
    fn anonymized(&self, mut entry: Entry) -> Option<Entry> {
        let mut is_changed = false;
        // In entries of earlier versions, the first entry of an account created by a provider has no account id.
        let is_actor = entry.actor_id == self.id || entry.actor_name == self.email;
        if is_actor && entry.actor_name != DELETED_ACCOUNT {
            DELETED_ACCOUNT.clone_into(&mut entry.actor_name);
            is_changed = true;
        }
        let is_own = entry.subject_kind == "account" && entry.subject_id == self.id;
        for state in &mut entry.states {
            // Unreadable text reveals nothing.
            let read = |text: &String| serde_json::from_str::<Value>(text).unwrap_or_default();
            let Some(before) = state.as_ref().map(read) else { continue };
            let mut after = before.clone();
            if is_own {
                forget_texts(&mut after);
            } else {
                self.replace_address(&mut after);
            }
            if after != before {
                *state = Some(after.to_string());
                is_changed = true;
            }
        }
        is_changed.then_some(entry)
    }

    /// Replaces the address in texts.
    fn replace_address(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = without_address(text, &self.email),
            Value::Array(values) => values.iter_mut().for_each(|value| self.replace_address(value)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.replace_address(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// A text with an address replaced, except where the address is part of a longer one.
fn without_address(text: &str, address: &str) -> String {
    // An address is in lower case and has as many bytes as any other spelling of it.
    let (searched, mut result, mut end) = (text.to_ascii_lowercase(), String::new(), 0);
    for (start, _) in searched.match_indices(address) {
        let (before, after) = (&searched[..start], &searched[start + address.len()..]);
        let continues = |letter: char| letter.is_alphanumeric() || "-_+%".contains(letter);
        let is_longer = before.ends_with(|letter| continues(letter) || letter == '.')
            || after.strip_prefix('.').unwrap_or(after).starts_with(continues);
        if !is_longer {
            result += &text[end..start];
            result += DELETED_ACCOUNT;
            end = start + address.len();
        }
    }
    result + &text[end..]
}

/// Removes every text: name, address, subject at a provider, names of passkeys.
fn forget_texts(state: &mut Value) {
    if let Value::Object(fields) = state {
        fields.retain(|_, value| value.is_boolean() || value.is_number() || value.is_null());
    } else {
        *state = Value::Null;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn anonymized(
        kind: &str,
        subject: &str,
        actor: &str,
        state: &Value,
    ) -> Option<(String, Value)> {
        let deleted = Deleted { id: "acc_1".to_owned(), email: "ada@example.com".to_owned() };
        let entry = Entry {
            id: "aud_1".to_owned(),
            actor_id: actor.to_owned(),
            actor_name: "actor".to_owned(),
            subject_kind: kind.to_owned(),
            subject_id: subject.to_owned(),
            states: [None, Some(state.to_string())],
        };
        let Entry { actor_name, states: [before, after], .. } = deleted.anonymized(entry)?;
        assert_eq!(before, None);
        Some((actor_name, serde_json::from_str(&after.unwrap()).unwrap()))
    }

    #[test]
    fn entry_loses_personal_data() {
        let address = json!({ "email": "Ada@Example.com", "role": "editor", "more": [{ "to": "mailto:ada@example.com" }], "note": "ask ada@example.com." });
        let without = json!({ "email": DELETED_ACCOUNT, "role": "editor", "more": [{ "to": "mailto:deleted account" }], "note": "ask deleted account." });
        let found = anonymized("member", "acc_1", "acc_2", &address);
        assert_eq!(found, Some(("actor".to_owned(), without.clone())));
        let found = anonymized("invitation", "inv_1", "acc_1", &address);
        assert_eq!(found, Some((DELETED_ACCOUNT.to_owned(), without)));
        let own = json!({ "name": "Ada", "subject": "123", "operator": true, "passkeys": ["A"], "at": 7 });
        let found = anonymized("account", "acc_1", "acc_1", &own);
        let without = json!({ "operator": true, "at": 7 });
        assert_eq!(found, Some((DELETED_ACCOUNT.to_owned(), without)));
    }

    #[test]
    fn entry_of_others_stays() {
        let others = json!({ "email": "nada@example.com", "name": "Ada", "to": ["ada@example.com.example", "x.ada@example.com"] });
        assert_eq!(anonymized("account", "acc_2", "acc_2", &others), None);
        assert_eq!(anonymized("project", "prj_1", "acc_2", &others), None);
    }
}
