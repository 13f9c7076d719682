//! The manual's page of limits, with numbers from constants in the code.
//!
//! `limits.mdx` beside this file is the page with a placeholder for each number, such as `{bytes
//! docwright-site/src/source/mod.rs MAXIMUM_ASSET}`: a unit, a file below `crates/`, and a constant or
//! another text before the number. An optional last number selects one of several. `UPDATE=1 cargo test -p
//! xtask limits` writes the page.

use std::fmt::Write as _;

use anyhow::{Context, bail};

use crate::{grouped::grouped, process};

const TEMPLATE: &str = include_str!("limits.mdx");
const PAGE: &str = "docs/run/limits.mdx";

/// Fills in a template. `read` returns the text of a file below `crates/`.
fn fill(template: &str, read: impl Fn(&str) -> anyhow::Result<String>) -> anyhow::Result<String> {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (placeholder, after) = after.split_once('}').context("a placeholder has no end")?;
        page.push_str(before);
        let value = value(placeholder, &read).with_context(|| format!("{{{placeholder}}}"))?;
        page.push_str(&value);
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

fn value(
    placeholder: &str,
    read: &impl Fn(&str) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    let mut words = placeholder.split(' ');
    let (Some(unit), Some(path), Some(key)) = (words.next(), words.next(), words.next()) else {
        bail!("write a unit, a file, and a constant");
    };
    let index: usize = words.next().map_or(Ok(1), str::parse)?;
    let text = read(path)?;
    let mut numbers = numbers(after(&text, key).with_context(|| format!("{path} has no {key}"))?);
    let number = numbers.nth(index.saturating_sub(1)).context("no number follows")?;
    Ok(match unit {
        "count" => grouped(number),
        "bytes" => bytes(number),
        "mebibytes" => bytes(number * 1024 * 1024),
        "seconds" => time(number),
        "minutes" => time(number * 60),
        other => bail!("there is no unit {other}"),
    })
}

/// The text after a constant's name or a field with a number; otherwise, after the first occurrence of the
/// key.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let places = || text.match_indices(key).map(|(at, _)| (&text[..at], &text[at + key.len()..]));
    let is_constant = |(before, after): &(&str, &str)| {
        (before.ends_with("const ") || before.ends_with("static ")) && after.starts_with(':')
    };
    let is_number = |(_, after): &(&str, &str)| {
        key.ends_with(':') && after.trim_start().starts_with(|letter: char| letter.is_ascii_digit())
    };
    let found = places().find(is_constant).or_else(|| places().find(is_number));
    found.or_else(|| places().next()).map(|(_, after)| after)
}

/// The values of expressions: products of numbers and names of time units.
fn numbers(code: &str) -> impl Iterator<Item = u64> {
    code.split([',', ';', '=', '(', ')', '{', '}', '|', '.', ':', '<', '>', '\n']).filter_map(
        |expression| {
            let factors = expression.split('*').map(|factor| match factor.trim() {
                "SECOND" => Some(1),
                "MINUTE" => Some(60),
                "HOUR" => Some(3600),
                digits => digits.replace('_', "").parse().ok(),
            });
            factors.reduce(|one, other| Some(one? * other?)).flatten()
        },
    )
}

fn bytes(number: u64) -> String {
    in_largest(number, &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes")])
}

fn time(seconds: u64) -> String {
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")];
    let mut text = in_largest(seconds, &units);
    if !text.starts_with("1 ") {
        let _infallible = write!(text, "s");
    }
    text
}

/// A number in the largest unit that divides it.
fn in_largest(number: u64, units: &[(u64, &str)]) -> String {
    let unit = units.iter().find(|(size, _)| number >= *size && number.is_multiple_of(*size));
    unit.map_or_else(
        || number.to_string(),
        |(size, name)| format!("{} {name}", grouped(number / size)),
    )
}

fn source(path: &str) -> anyhow::Result<String> {
    let path = process::root().join("crates").join(path);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

#[test]
fn reference_of_limits_is_current() {
    let path = process::root().join(PAGE);
    let page = fill(TEMPLATE, source).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap();
    assert_eq!(written, page, "run `UPDATE=1 cargo test --workspace reference`");
}

#[test]
fn numbers_come_from_the_code() {
    let code = "/// As `LENGTH`.\npub const LENGTH: u64 = 10 * 1_024;\n\
                static SLOTS: LazyLock<Slots<u64>> = LazyLock::new(|| Slots::new(1_200, 20));\n\
                const TIME: Duration = Duration::from_secs(90);\n\
                files: u64, window: u64, Self { files: 7, window: 2 * HOUR }\n\
                env = \"KEEP\", default_value_t = 60, range(1..=604_800)";
    for (placeholder, expected) in [
        ("{bytes a LENGTH}", "10 KiB"),
        ("{count a SLOTS}, {count a SLOTS 2}", "1,200, 20"),
        ("{seconds a TIME}", "90 seconds"),
        ("{count a files:}", "7"),
        ("{seconds a window:}", "2 hours"),
        ("{seconds a KEEP} to {seconds a KEEP 3}", "1 minute to 7 days"),
        ("{mebibytes a KEEP}", "60 MiB"),
    ] {
        assert_eq!(fill(placeholder, |_| Ok(code.to_owned())).unwrap(), expected);
    }
    for wrong in
        ["{bytes a GONE}", "{bytes a}", "{miles a LENGTH}", "{bytes a LENGTH", "{count a KEEP 9}"]
    {
        assert!(fill(wrong, |_| Ok(code.to_owned())).is_err(), "{wrong}");
    }
}
