//! Words with the same meaning: those of the site, abbreviations that its pages explain, and a few that most
//! documentation shares.

use serde_json::Value;

use super::{
    stem::Stemmer,
    tokenize::{Token, scan, terms_of},
};
use crate::{Diagnostic, Rule, content::yaml, source::Source};

/// The file with the site's own synonyms.
pub const SYNONYMS_FILE: &str = ".docwright/synonyms.yaml";
/// Maximum number of groups of a site, and of names in a group.
const MAXIMUM_GROUPS: usize = 500;
const MAXIMUM_NAMES: usize = 20;
/// Longest name, in bytes.
const MAXIMUM_NAME: usize = 80;

/// How certainly a synonym stands for a word, in tenths: one of the site, and one of [`COMMON`].
const OWN: u8 = 9;
const USUAL: u8 = 3;

/// Groups of names, each with the same meaning.
pub type Synonyms = Vec<Vec<String>>;

/// Reads [`SYNONYMS_FILE`]. Problems are reported, and what can be read counts.
pub fn read(source: &Source) -> (Synonyms, Vec<Diagnostic>) {
    let Some(text) = source.text(SYNONYMS_FILE) else { return (Vec::new(), Vec::new()) };
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let report = |line: u32, message: String| {
        Diagnostic::new(Rule::InvalidSynonyms, SYNONYMS_FILE, message).at(line, 0)
    };
    match yaml::parse(text) {
        Err(error) => problems.push(report(error.line, error.message)),
        Ok(Value::Null) => {}
        Ok(Value::Array(groups)) => {
            if groups.len() > MAXIMUM_GROUPS {
                let message =
                    format!("there are more than {MAXIMUM_GROUPS} groups; the rest are left out");
                problems.push(report(0, message));
            }
            for (number, group) in groups.iter().take(MAXIMUM_GROUPS).enumerate() {
                let Some(names) = names(group) else {
                    let message = format!(
                        "group {} isn't a list of 2 to {MAXIMUM_NAMES} names with at most {MAXIMUM_NAME} bytes each",
                        number + 1
                    );
                    problems.push(report(0, message));
                    continue;
                };
                found.push(names);
            }
        }
        Ok(_) => problems.push(report(0, "the file isn't a list of groups".to_owned())),
    }
    (found, problems)
}

fn names(group: &Value) -> Option<Vec<String>> {
    let name = |value: &Value| {
        let name = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        (!name.is_empty() && name.len() <= MAXIMUM_NAME).then_some(name)
    };
    let names: Vec<_> = group.as_array()?.iter().map(name).collect::<Option<_>>()?;
    (2..=MAXIMUM_NAMES).contains(&names.len()).then_some(names)
}

/// Names with the same meaning, each as its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// How certainly one stands for another, in tenths.
    pub(super) certainty: u8,
    pub(super) names: Vec<Vec<String>>,
}

/// The groups of an index: those of the site, abbreviations, and [`COMMON`].
pub(super) fn groups(
    own: &Synonyms,
    abbreviations: &[(String, String)],
    language: &str,
    stemmer: Stemmer,
) -> Vec<Group> {
    let group = |certainty: u8, names: &[&str]| {
        let mut names: Vec<_> = names.iter().map(|name| terms(name, stemmer)).collect();
        names.retain(|name| !name.is_empty());
        names.sort_unstable();
        names.dedup();
        (names.len() > 1).then_some(Group { certainty, names })
    };
    let own = own.iter().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    let own = own.filter_map(|names| group(OWN, &names));
    let learned = abbreviations.iter().filter_map(|(short, long)| group(OWN, &[short, long]));
    let is_english = language.split(['-', '_']).next() == Some("en");
    let common = if is_english { COMMON } else { "" };
    let common = common.lines().map(|line| line.split(", ").collect::<Vec<_>>());
    own.chain(learned).chain(common.filter_map(|names| group(USUAL, &names))).collect()
}

/// The terms of a name, without parts of words.
pub(super) fn terms(name: &str, stemmer: Stemmer) -> Vec<String> {
    let mut found = Vec::new();
    scan(name, |token| {
        if let Token::Word(word) = token {
            let terms = terms_of(word, stemmer).into_iter();
            found.extend(terms.filter(|(_, part)| !part).map(|(term, _)| term));
        }
    });
    found
}

/// Words that documentation in English uses for the same thing.
const COMMON: &str = "delete, remove, erase
create, add, make, new
update, edit, change, modify
sign in, log in, login, signin
sign up, register, signup
sign out, log out, logout
password, credential
error, failure, fail, exception
troubleshoot, fix, debug, solve, problem, issue
pricing, price, cost, billing, plan
limit, quota, maximum, restriction
concurrency, parallel, simultaneous, same time, concurrent
setup, set up, install, configure
quickstart, quick start, get started, getting started
authentication, auth, authenticate, login
authorization, permission, access control
environment variable, env var
environment, env
configuration, config, settings
repository, repo
database, db
kubernetes, k8s
javascript, js
typescript, ts
python, py
postgresql, postgres
documentation, docs
application, app
organization, org
upload, attach
download, export
monitor, observe, track
schedule, cron, recurring
retry, try again
cancel, stop, abort
run, execute, invoke
deploy, publish, host, release
self host, on premise, self hosted
send, post, submit
image, picture, photo
website, site, web page
webhook, callback
realtime, real time, live
chat, conversation
employee, staff, user
invite, team member, collaborator
dark mode, theme, appearance
speed, performance, latency, slow, fast
backup, restore, snapshot
migrate, upgrade, move
log, logging, logs
test, testing
directory, folder
internationalization, i18n, translation, localization
shortcut, hotkey, keybinding
filter, narrow
sort, order
big, large, size
encrypt, encryption, security, secure
notification, alert
payment, pay, checkout
connect, integrate, integration
begin, start
cheap, reduce cost
human in the loop, approval";

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Synonyms, Vec<String>) {
        let files = [(SYNONYMS_FILE.to_owned(), text.as_bytes().to_vec())];
        let (found, problems) = read(&Source::from_files(files));
        (found, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn groups_are_read() {
        let (found, problems) = read_text("- [PR, pull request]\n- [k8s, Kubernetes]\n");
        assert_eq!(found, [["PR", "pull request"], ["k8s", "Kubernetes"]]);
        assert!(problems.is_empty());
        let groups = groups(
            &found,
            &[("ci".to_owned(), "continuous integration".to_owned())],
            "de",
            Stemmer::of("en"),
        );
        let names: Vec<_> = groups
            .iter()
            .map(|group| group.names.iter().map(|name| name.join(" ")).collect::<Vec<_>>())
            .collect();
        assert_eq!(
            names,
            [["pr", "pull request"], ["k8s", "kubernet"], ["ci", "continuous integr"]]
        );
    }

    #[test]
    fn unreadable_groups_are_reported() {
        let (found, problems) = read_text("- [one]\n- [a, b]\n- text\n");
        assert_eq!(found, [["a", "b"]]);
        assert_eq!(problems.len(), 2);
        assert!(problems[0].starts_with("group 1"), "{problems:?}");
        assert!(read_text("a: b").1[0].contains("list of groups"));
        assert_eq!(read_text("- [a").1.len(), 1);
    }
}
