//! The generated reference of this crate: commands with their options, and codes of errors.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use docwright_http::error::ErrorCode;
use docwright_operations::deployments::FeatureRow;
use utoipa::PartialSchema;

/// Compares a page of the reference with the code; `UPDATE=1` writes it.
fn is_current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/reference/{name} is not current; run its test with UPDATE=1");
}

/// The dashboard and the API show the same table.
#[test]
fn manual_has_the_table_of_features() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/export/deployments.mdx");
    let page = std::fs::read_to_string(path).expect("the page can be read");
    for row in FeatureRow::all() {
        let cells = row.cells.iter().map(|cell| serde_json::json!(cell.availability));
        let cells: Vec<_> =
            cells.map(|cell| cell.as_str().unwrap_or_default().to_owned()).collect();
        let line = format!("| {} | {} |", row.title, cells.join(" | "));
        assert!(
            page.lines().any(|found| found == line),
            "docs/export/deployments.mdx lacks `{line}`"
        );
    }
}

#[test]
fn command_reference_is_current() {
    let mut page = "---\ntitle: Commands and options\ndescription: All commands with their options, variables, and defaults.\n---\n\nYou can set an option with a variable through the environment instead; the option takes precedence. `--help` shows the same texts. [Commands](/commands) explains how to use them, and [Admin commands](/reference/admin-commands) lists those of `docwright admin`.\n".to_owned();
    // A separate page, so that neither is too long to read.
    let mut admin = "---\ntitle: Admin commands\ndescription: Every command of docwright admin, with its options.\n---\n\n[Administer an instance](/run/admin) explains how to use them.\n".to_owned();
    let mut root = super::Arguments::command();
    root.build();
    for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
        let page = if command.get_name() == "admin" { &mut admin } else { &mut page };
        describe(command, "docwright", &[], page);
    }
    is_current("commands.mdx", &page);
    is_current("admin-commands.mdx", &admin);
}

/// A section for a command, and for each subcommand. Options of the parent command are in the parent's section.
fn describe(command: &Command, parent: &str, around: &[&str], page: &mut String) {
    if command.get_name() == "help" || command.is_hide_set() {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let own: Vec<_> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && !around.contains(&argument.get_id().as_str()))
        .filter(|argument| !matches!(argument.get_id().as_str(), "help" | "version"))
        .collect();
    let _ = write!(page, "\n## `{name}`\n\n{}.\n", about(command));
    let (places, options): (Vec<&Arg>, Vec<&Arg>) =
        own.iter().copied().partition(|argument| argument.is_positional());
    if !places.is_empty() {
        *page += "\n| Argument | Means |\n| --- | --- |\n";
        for argument in places {
            let _ = writeln!(page, "| `{}` | {} |", value(argument), means(argument));
        }
    }
    if !options.is_empty() {
        *page += "\n| Option | Means |\n| --- | --- |\n";
        for argument in options {
            let takes_value = argument.get_action().takes_values();
            let option = argument.get_long().unwrap_or_default();
            let option = if takes_value {
                format!("{option} {}", value(argument))
            } else {
                option.to_owned()
            };
            let mut means = means(argument);
            if let Some(default) = argument.get_default_values().first().filter(|_| takes_value) {
                let _ = write!(means, ". Default: `{}`", default.to_string_lossy());
            }
            if let Some(variable) = argument.get_env() {
                let _ = write!(means, ". Variable: `{}`", variable.to_string_lossy());
            }
            let _ = writeln!(page, "| `--{}` | {means} |", option.replace('|', "\\|"));
        }
    }
    let known: Vec<_> =
        around.iter().copied().chain(own.iter().map(|each| each.get_id().as_str())).collect();
    for below in command.get_subcommands() {
        describe(below, &name, &known, page);
    }
}

fn about(command: &Command) -> String {
    let text = command.get_about().map(ToString::to_string).unwrap_or_default();
    assert!(!text.is_empty(), "`{}` has no description", command.get_name());
    text.trim_end_matches('.').to_owned()
}

/// The placeholder of an argument's value, such as `<DIR>`.
fn value(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(" ")
}

/// The help of an argument, with its possible values.
fn means(argument: &Arg) -> String {
    let text = argument.get_long_help().or(argument.get_help());
    let text = text.map(ToString::to_string).unwrap_or_default();
    assert!(!text.is_empty(), "`{}` has no description", argument.get_id());
    let text = text.trim_end_matches('.').replace("\n\n", ". ");
    let values: Vec<_> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && argument.get_action().takes_values())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
    format!("{}{values}", plain(&text))
}

/// Text for a table cell, in which only text between backticks is code.
fn plain(text: &str) -> String {
    let text = text.replace('|', "\\|");
    let parts = text.split('`').enumerate().map(|(index, part)| {
        if index % 2 == 0 { part.replace('<', "\\<").replace('{', "\\{") } else { part.to_owned() }
    });
    parts.collect::<Vec<_>>().join("`")
}

#[test]
fn error_reference_is_current() {
    let mut page = "---\ntitle: API errors\ndescription: Every code, its status, and what to do.\n---\n\nThe body of an error contains a sentence for people and a stable code for programs:\n\n```json\n{\"error\":\"There is no export job `job_1`.\",\"code\":\"not_found\"}\n```\n\nEvery response has an `X-Request-Id`, which is also in the server log.\n\n| Code | Status | Means |\n| --- | --- | --- |\n".to_owned();
    let schema = serde_json::to_value(ErrorCode::schema()).expect("it is JSON");
    for code in schema["enum"].as_array().expect("it is a list") {
        let code: ErrorCode = serde_json::from_value(code.clone()).expect("it is one of them");
        let name = serde_json::to_value(code).expect("it is JSON");
        let _ = writeln!(
            page,
            "| `{}` | {} | {} |",
            name.as_str().unwrap_or_default(),
            code.status().as_u16(),
            meaning(code)
        );
    }
    is_current("errors.mdx", &page);
}

/// A match, so that no code is forgotten.
fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidRequest => "The request is invalid; the sentence names the field",
        ErrorCode::Unauthorized => {
            "The API key is missing, invalid, revoked, or expired, or its allowlist excludes your IP address"
        }
        ErrorCode::Forbidden => "The key lacks the scope, or the plan lacks the feature",
        ErrorCode::NotFound => "The object doesn't exist, or it belongs to another organization",
        ErrorCode::Gone => "The object no longer exists, such as a closed preview",
        ErrorCode::MethodNotAllowed => {
            "The path doesn't support this method; `Allow` lists the supported ones"
        }
        ErrorCode::Conflict => "The current state doesn't allow this; the sentence names the state",
        ErrorCode::TooLarge => "The body exceeds the [limit](/run/limits)",
        ErrorCode::HeadTooLarge => "The request headers exceed the [limit](/run/limits)",
        ErrorCode::UnsupportedMediaType => {
            "The body isn't JSON, or `Content-Type` isn't `application/json`"
        }
        ErrorCode::Misdirected => "This server doesn't serve the [hostname](/run/service)",
        ErrorCode::TooManyRequests => {
            "A rate limit is reached; retry after the seconds in `Retry-After`"
        }
        ErrorCode::Internal => "The server failed; its log contains the cause with the request ID",
        ErrorCode::Unavailable => {
            "The database, the object storage, or the git host isn't responding; retry after `Retry-After`"
        }
        ErrorCode::NoRoom => {
            "The server's disk is nearly full; the operator must [free disk space](/run/retention)"
        }
    }
}
