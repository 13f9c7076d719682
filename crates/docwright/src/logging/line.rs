//! The format of lines. Any field stays on one line and can't affect a terminal.

use std::{
    fmt::Write,
    time::{SystemTime, UNIX_EPOCH},
};

use docwright_types::{
    printable::is_hidden,
    timestamp::{Timestamp, iso},
};
use serde::Serialize;
use serde_json::Value;
use tracing::Metadata;

use super::fields::Fields;

/// The format of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// For people.
    Plain,
    /// A flat JSON object.
    Json,
}

/// Reserved fields of every line.
const FIXED: [&str; 4] = ["timestamp", "level", "target", "message"];
/// Metadata of the `log` crate's records; the target is read from there.
const OF_LOG: [&str; 4] = ["log.target", "log.module_path", "log.file", "log.line"];

impl Form {
    /// A line, including its end.
    pub(super) fn line(self, metadata: &Metadata<'_>, mut fields: Fields) -> String {
        let message = fields.take("message").unwrap_or_default();
        let logged = fields.take("log.target");
        let target = logged.as_deref().unwrap_or(metadata.target());
        let others = fields
            .iter()
            .filter(|(name, _)| !FIXED.contains(name) && !OF_LOG.contains(name))
            // A field name in code can't be a keyword.
            .map(|(name, value)| (name.trim_start_matches("r#"), value));
        let time = iso(now());
        let level = metadata.level().as_str();
        let mut line = String::with_capacity(256);
        match self {
            Self::Plain => {
                let _ = write!(line, "{time} {level:>5} {}", visible(message));
                for (name, value) in others {
                    let _ = write!(line, " {name}={}", plain(value));
                }
            }
            Self::Json => {
                let fixed = [time.as_str(), level, target, message.as_str()];
                for (name, text) in FIXED.into_iter().zip(fixed) {
                    push_field(&mut line, name, text);
                }
                for (name, value) in others {
                    push_field(&mut line, name, value);
                }
                line.push('}');
                line = visible(line);
            }
        }
        line.push('\n');
        line
    }
}

/// Adds a field to a JSON object.
fn push_field<T: Serialize + ?Sized>(line: &mut String, name: &str, value: &T) {
    line.push(if line.is_empty() { '{' } else { ',' });
    // Texts and values can't fail.
    line.push_str(&serde_json::to_string(name).unwrap_or_default());
    line.push(':');
    line.push_str(&serde_json::to_string(value).unwrap_or_default());
}

/// A value in a line: unquoted if it is plain, else in quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text)
            if !text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() && !b"\"=\\".contains(&byte)) =>
        {
            text.clone()
        }
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

/// Text with hidden characters escaped as in JSON. In JSON they occur only inside strings, so parsers see the same
/// values.
fn visible(text: String) -> String {
    let is_plain = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_plain || !text.chars().any(is_hidden) {
        return text;
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::try_from(now.as_millis()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt, registry::LookupSpan};

    use super::{super::Lines, *};

    /// An event in a format.
    struct Written {
        form: Form,
        lines: Arc<Mutex<Vec<String>>>,
    }

    impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Written {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            let mut fields = Fields::default();
            event.record(&mut fields);
            self.lines.lock().unwrap().push(self.form.line(event.metadata(), fields));
        }
    }

    fn written(form: Form, log: impl FnOnce()) -> String {
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let layer = Written { form, lines: Arc::clone(&lines) };
        let subscriber = tracing_subscriber::registry().with(Lines { form }).with(layer);
        tracing::subscriber::with_default(subscriber, log);
        lines.lock().unwrap().concat()
    }

    const ATTACK: &str = "/a\n2026-01-01 INFO forged\r\u{1b}[2J\u{9b}31m\u{202e}\u{2028}\u{7f}\"}";

    fn attack() {
        tracing::info!(path = ATTACK, shown = %ATTACK, "asked for {ATTACK}");
    }

    #[test]
    fn hidden_characters_never_break_lines_or_reach_terminals() {
        for form in [Form::Plain, Form::Json] {
            let line = written(form, attack);
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            assert!(!line.trim_end().chars().any(is_hidden), "{line:?}");
        }
    }

    #[test]
    fn json_contains_logged_values() {
        let line: Value = serde_json::from_str(&written(Form::Json, attack)).unwrap();
        assert_eq!((&line["path"], &line["shown"]), (&ATTACK.into(), &ATTACK.into()));
        assert_eq!(line["message"], format!("asked for {ATTACK}"));
        assert_eq!((line["level"].as_str(), line["target"].is_string()), (Some("INFO"), true));
    }

    #[test]
    fn fields_keep_their_type_and_reserved_names() {
        let line = written(Form::Json, || {
            tracing::warn!(
                status = 200,
                level = "mine",
                quick = true,
                r#type = "x",
                ratio = 0.5,
                "m"
            );
        });
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            (&line["level"], &line["status"], &line["quick"]),
            (&"WARN".into(), &200.into(), &true.into())
        );
        assert_eq!((&line["type"], &line["ratio"]), (&"x".into(), &0.5.into()));
        let line = written(Form::Plain, || tracing::info!(id = "a-1", text = "two words", "done"));
        assert!(line.ends_with(" INFO done id=a-1 text=\"two words\"\n"), "{line}");
    }
}
