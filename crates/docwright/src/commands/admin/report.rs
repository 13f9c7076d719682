//! The output of an `admin` command: JSON for programs; a table, or one value per line, for people.

use std::io::{self, ErrorKind, Write};

use docwright_types::{field_name::words, printable::printable_line};
use serde::Serialize;
use serde_json::Value;

/// Longest cell of a table, in characters. `show` and JSON print all of it.
const LONGEST: usize = 60;

/// The result of a command.
#[derive(Debug)]
pub(super) struct Report {
    value: Value,
    /// The columns of the table; empty for a single item.
    columns: &'static [&'static str],
    /// The text for an empty table.
    nothing: &'static str,
    next: Vec<String>,
}

impl Report {
    /// One item, or the result of a change.
    pub(super) fn of(value: Value) -> Self {
        Self { value: renamed(value), columns: &[], nothing: "", next: Vec::new() }
    }

    /// Several items of one kind, as in the API.
    pub(super) fn rows<T: Serialize>(
        rows: &[T],
        columns: &'static [&'static str],
        nothing: &'static str,
    ) -> serde_json::Result<Self> {
        let rows: Vec<_> = rows.iter().map(serde_json::to_value).collect::<Result<_, _>>()?;
        Ok(Self::list(rows, columns, nothing))
    }

    /// Several items of one kind. People see some of their fields.
    pub(super) fn list(
        rows: impl IntoIterator<Item = Value>,
        columns: &'static [&'static str],
        nothing: &'static str,
    ) -> Self {
        let value = rows.into_iter().map(renamed).collect();
        Self { value, columns, nothing, next: Vec::new() }
    }

    /// Adds a next step, which JSON omits.
    pub(super) fn then(mut self, next: impl Into<String>) -> Self {
        self.next.push(next.into());
        self
    }

    /// Names the instance in the next steps, if it isn't the default one: a command for another data folder would set
    /// up another instance there.
    pub(super) fn on(mut self, instance: Option<&str>) -> Self {
        let Some(instance) = instance else { return self };
        for next in self.next.iter_mut().filter(|next| next.starts_with("docwright admin ")) {
            let end = next.find("  #").unwrap_or(next.len());
            next.insert_str(end, &format!(" {instance}"));
        }
        self
    }

    /// Prints it. The reader can close the output early, as `head` does.
    pub(super) fn print(&self, json: bool) -> io::Result<()> {
        let text = if json { format!("{:#}\n", self.value) } else { self.text() };
        match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    fn text(&self) -> String {
        let mut lines = match self.value.as_array() {
            Some(rows) if rows.is_empty() => vec![self.nothing.to_owned()],
            Some(rows) => table(rows, self.columns),
            None => record(&self.value),
        };
        if !self.next.is_empty() {
            lines.push(String::new());
            lines.extend(self.next.iter().map(|next| format!("Next: {next}")));
        }
        lines.join("\n") + "\n"
    }
}

/// The API's `projectId` is `project` here, next to the `projectName` that people read.
fn renamed(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let name = |name: String| name.strip_suffix("Id").map(str::to_owned).unwrap_or(name);
    fields.into_iter().map(|(field, value)| (name(field), value)).collect()
}

fn record(value: &Value) -> Vec<String> {
    let fields = value.as_object().into_iter().flatten();
    let rows: Vec<_> = fields.map(|(name, value)| [words(name), cell(value)]).collect();
    let width = rows.iter().map(|[name, _]| name.chars().count()).max().unwrap_or_default();
    rows.iter().map(|[name, text]| format!("{name:width$}  {text}")).collect()
}

fn table(rows: &[Value], columns: &[&str]) -> Vec<String> {
    // Tables show the names of owners, not their IDs.
    let title = |name: &str| words(name.strip_suffix("Name").unwrap_or(name)).to_uppercase();
    let head = columns.iter().map(|name| title(name)).collect();
    let mut cells: Vec<Vec<String>> = vec![head];
    for row in rows {
        cells.push(columns.iter().map(|name| shortened(&cell(&row[*name]))).collect());
    }
    let width = |column: usize| {
        cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<_> = (0..columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).map(|(text, width)| format!("{text:width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&cells[0])];
    for (row, shown) in rows.iter().zip(&cells[1..]) {
        lines.push(line(shown));
        // Long texts of a row are printed below it.
        let texts = row.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_array());
        lines.extend(texts.flatten().map(|text| format!("    {}", cell(text))));
    }
    lines
}

/// A value for people. Text of others, such as a reader's comment or a commit message, can't move the cursor of a
/// terminal or reverse its text.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return "-".to_owned(),
        Value::Bool(true) => return "yes".to_owned(),
        Value::Bool(false) => return "no".to_owned(),
        Value::String(text) if text.is_empty() => return "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    printable_line(&text.replace(['\n', '\t'], " "))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn people_get_tables_and_records() {
        let rows = [
            json!({ "id": "a", "lastUsedAt": null, "active": true, "secret": 1 }),
            json!({ "id": "long", "lastUsedAt": "now", "active": false }),
        ];
        let table = Report::list(rows, &["id", "lastUsedAt", "active"], "Nothing.");
        assert_eq!(
            table.text(),
            "ID    LAST USED AT  ACTIVE\na     -             yes\nlong  now           no\n"
        );
        assert_eq!(Report::list([], &["id"], "Nothing.").text(), "Nothing.\n");
        let one = Report::of(json!({ "id": "a", "createdAt": 7, "projectId": "p" })).then("go on");
        assert_eq!(one.text(), "id          a\ncreated at  7\nproject     p\n\nNext: go on\n");
    }

    #[test]
    fn next_steps_name_the_instance() {
        let report = || {
            let report = Report::of(json!({ "id": "a" })).then("docwright admin key list  # all");
            report.then("open http://docs.localhost/").then("docwright admin domain list")
        };
        let expected = "id  a\n\nNext: docwright admin key list --data 'a b'  # all\n\
             Next: open http://docs.localhost/\nNext: docwright admin domain list --data 'a b'\n";
        assert_eq!(report().on(Some("--data 'a b'")).text(), expected);
        assert!(!report().on(None).text().contains("--data"));
    }

    #[test]
    fn text_of_others_is_escaped_for_terminals() {
        let row = json!({ "page": "a\u{1b}[2J", "comments": ["one\ntwo\u{202e}", "\u{9b}31m"] });
        let text = Report::list([row], &["page"], "").text();
        assert_eq!(text, "PAGE\na\\u{1b}[2J\n    one two\\u{202e}\n    \\u{9b}31m\n");
        let long = json!({ "page": "x".repeat(100) });
        let text = Report::list([long], &["page"], "").text();
        assert_eq!(text.lines().last().unwrap().chars().count(), LONGEST);
    }
}
