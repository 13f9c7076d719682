//! The page of limits says what the code does: every line of its tables names the place in the code that
//! sets its numbers, and each number there stands in the line.

use super::sources::SourceFile;
use crate::process;

const PAGE: &str = "docs/run/limits.mdx";

/// What is limited, as the page calls it; a file; what stands in it.
const LIMITS: &[(&str, &str, &[&str])] = &[
    (
        "A page or snippet",
        "crates/docwright-site/src/source/mod.rs",
        &["MAXIMUM_TEXT: u64 = 10 * 1024 * 1024"],
    ),
    (
        "A static file",
        "crates/docwright-site/src/source/mod.rs",
        &["MAXIMUM_ASSET: u64 = 20 * 1024 * 1024"],
    ),
    ("Files of a docs root", "crates/docwright-site/src/source/limits.rs", &["files: 200_000"]),
    (
        "Text of a docs root",
        "crates/docwright-site/src/source/limits.rs",
        &["text: 1024 * 1024 * 1024"],
    ),
    (
        "Elements inside each other",
        "crates/docwright-site/src/mdx/convert.rs",
        &["MAXIMUM_DEPTH: u32 = 150"],
    ),
    (
        "A list of pages for agents",
        "crates/docwright-site/src/generated/llms.rs",
        &["MAXIMUM_LENGTH: usize = 50_000"],
    ),
    (
        "Steps to read one text as Markdown",
        "crates/docwright-site/src/mdx/budget.rs",
        &["MAXIMUM_STEPS: u64 = 4_000_000_000"],
    ),
    (
        "Text that one page renders, with its snippets",
        "crates/docwright-site/src/render/renderer.rs",
        &["MAXIMUM_TEXT: usize = 64 * 1024 * 1024", "MAXIMUM_NODES: usize = 2_000_000"],
    ),
    (
        "Fields of one body of an API page",
        "crates/docwright-site/src/openapi/budget.rs",
        &["MAXIMUM_FIELDS: usize = 3_000"],
    ),
    (
        "Fields, options, and messages of one API page",
        "crates/docwright-site/src/openapi/budget.rs",
        &["MAXIMUM_ROWS: usize = 30_000"],
    ),
    (
        "Descriptions and samples of one API page",
        "crates/docwright-site/src/openapi/budget.rs",
        &["MAXIMUM_TEXT: usize = 8 * 1024 * 1024"],
    ),
    (
        "Steps to merge the schemas of one API page",
        "crates/docwright-site/src/openapi/budget.rs",
        &["MAXIMUM_STEPS: usize = 250_000"],
    ),
    (
        "What all `$ref`s of `docs.json` bring in",
        "crates/docwright-site/src/content/document.rs",
        &["MAXIMUM_LENGTH: usize = 64 * 1024 * 1024"],
    ),
    (
        "A built site",
        "crates/docwright-site/src/options.rs",
        &["bytes: 4 * 1024 * 1024 * 1024", "files: 1_000_000"],
    ),
    (
        "Markdown of a pull request or comment",
        "crates/docwright-server/src/markdown.rs",
        &[
            "LONGEST: usize = 64 * 1024",
            "LONGEST_OF_A_PAGE: usize = 512 * 1024",
            "wall_time: Duration::from_secs(10)",
        ],
    ),
    (
        "Body of an API request",
        "crates/docwright-server/src/api/mod.rs",
        &["MAXIMUM_BODY: usize = 1024 * 1024"],
    ),
    (
        "Validity of a link to a bundle",
        "crates/docwright-server/src/config/mod.rs",
        &["\"DOCWRIGHT_LINK_SECONDS\", default_value_t = 3600", "range(1..=604_800)"],
    ),
    (
        "Time of a build",
        "crates/docwright-server/src/config/builds.rs",
        &["\"DOCWRIGHT_BUILD_SECONDS\", default_value_t = 600"],
    ),
    (
        "Processor time of a build",
        "crates/docwright-server/src/config/builds.rs",
        &["\"DOCWRIGHT_BUILD_PROCESSOR_SECONDS\", default_value_t = 900"],
    ),
    (
        "Memory of a build",
        "crates/docwright-server/src/config/builds.rs",
        &["\"DOCWRIGHT_BUILD_MEMORY\", default_value_t = 4096"],
    ),
    (
        "Files of a repository's commit",
        "crates/docwright-repository/src/checkout/inventory.rs",
        &["bytes: 2 * 1024 * 1024 * 1024", "files: 200_000"],
    ),
    (
        "Code of a page",
        "crates/docwright-site/src/script/engine.rs",
        &["MEMORY: usize = 96 * 1024 * 1024", "DEADLINE: Duration = Duration::from_secs(30)"],
    ),
    (
        "Copies of bundles that can't be served where they are stored",
        "crates/docwright-server/src/config/sites.rs",
        &["default_value_t = 10_240"],
    ),
    (
        "Room on the disk below which no job is begun",
        "crates/docwright-server/src/config/retention.rs",
        &["\"DOCWRIGHT_LOW_DISK\", default_value_t = 512"],
    ),
    (
        "Attempts after faults that may pass",
        "crates/docwright-storage/src/database/leases.rs",
        &["MAXIMUM_FAILURES: i64 = 12"],
    ),
    (
        "Times that a job is begun whose worker is lost",
        "crates/docwright-storage/src/database/leases.rs",
        &["MAXIMUM_INTERRUPTIONS: i64 = 20"],
    ),
    (
        "API descriptions on other hosts, of one site",
        "crates/docwright-flows/src/remote_specs.rs",
        &["MAXIMUM_COUNT: usize = 100"],
    ),
    (
        "An API description on another host",
        "crates/docwright-flows/src/remote_specs.rs",
        &[
            "MAXIMUM_LENGTH: usize = 16 * 1024 * 1024",
            "TIMEOUT: Duration = Duration::from_secs(20)",
        ],
    ),
    (
        "Answers of readers, a site and hour",
        "crates/docwright-storage/src/database/feedback.rs",
        &["FEEDBACK_AN_HOUR: i64 = 1_000"],
    ),
    (
        "Answers of one reader in an hour",
        "crates/docwright-server/src/sites/readers.rs",
        &["ANSWERS: u32 = 20"],
    ),
    (
        "Updates that an organisation asks for in any 10 seconds",
        "crates/docwright-storage/src/database/request_limits.rs",
        &["name: \"updates\", quota: 10, window: 10 * SECOND"],
    ),
    (
        "Previews that an organisation asks for in any minute",
        "crates/docwright-storage/src/database/request_limits.rs",
        &["name: \"previews\", quota: 5, window: MINUTE"],
    ),
    (
        "Open previews of a project: of pull requests, and of branches",
        "crates/docwright-storage/src/database/previews/bring_up.rs",
        &["MAXIMUM_PREVIEWS: usize = 100"],
    ),
    (
        "Bundles of the previews of a project",
        "crates/docwright-storage/src/database/storage_usage.rs",
        &["PREVIEW_BYTES: i64 = 4 * 1024 * 1024 * 1024"],
    ),
    (
        "HTML of a page that is compared with the one before",
        "crates/docwright-server/src/sites/previews/changes/compare.rs",
        &["LONGEST: usize = 2 * 1024 * 1024"],
    ),
    ("A prompt", "crates/docwright-domain/src/agent_job.rs", &["MAXIMUM_PROMPT: usize = 100_000"]),
    (
        "Files below the docs root of an agent job",
        "crates/docwright-agent/src/workspace/mod.rs",
        &["files: 50_000"],
    ),
    (
        "A file that an agent reads or writes",
        "crates/docwright-agent/src/workspace/mod.rs",
        &["file_bytes: 1024 * 1024"],
    ),
    (
        "Files that an agent job changes",
        "crates/docwright-agent/src/workspace/mod.rs",
        &["changed_files: 2_000", "changed_bytes: 16 * 1024 * 1024"],
    ),
    (
        "Answers of a model in an agent job",
        "crates/docwright-server/src/config/agent.rs",
        &["default_value_t = 80"],
    ),
    (
        "Change of an agent job that is kept line by line",
        "crates/docwright-flows/src/propose/branch.rs",
        &["MAXIMUM_DIFF: usize = 256 * 1024"],
    ),
    (
        "Time of a model to answer the operator who asks whether it does",
        "crates/docwright-server/src/model_answers.rs",
        &["PATIENCE: Duration = Duration::from_secs(20)"],
    ),
    (
        "Keys that an organisation makes in an hour",
        "crates/docwright-storage/src/database/keys.rs",
        &["KEYS_AN_HOUR: i64 = 10"],
    ),
    (
        "Invitations that an organisation makes in any hour",
        "crates/docwright-storage/src/database/request_limits.rs",
        &["name: \"invitations\", quota: 100, window: HOUR"],
    ),
    (
        "Open invitations of an organisation",
        "crates/docwright-storage/src/database/accounts/invitations.rs",
        &["INVITATIONS: i64 = 200"],
    ),
    (
        "Wrong passwords of one network for one account, in ten minutes",
        "crates/docwright-server/src/dashboard/passwords.rs",
        &["OF_BOTH: u32 = 10", "TIME: Timestamp = 10 * MINUTE"],
    ),
    (
        "Passkeys of an account",
        "crates/docwright-storage/src/database/accounts/passkeys.rs",
        &["PASSKEYS: i64 = 10"],
    ),
    (
        "Time to answer with a passkey",
        "crates/docwright-server/src/dashboard/challenge.rs",
        &["LENGTH: i64 = 5 * MINUTE"],
    ),
    (
        "Projects and networks that a key is limited to",
        "crates/docwright-server/src/api/keys/create.rs",
        &["MAXIMUM_PROJECTS: usize = 100", "MAXIMUM_NETWORKS: usize = 100"],
    ),
    (
        "Things on a page of a list of the API",
        "crates/docwright-server/src/api/paging.rs",
        &["USUAL: i64 = 20", "MAXIMUM: i64 = 100"],
    ),
    (
        "What a list is searched for",
        "crates/docwright-server/src/api/paging.rs",
        &["LONGEST_SEARCH: usize = 200"],
    ),
    (
        "Entries of the audit log that a search for several things looks at for a page",
        "crates/docwright-storage/src/database/audit.rs",
        &["SEARCHED: i64 = 2_000"],
    ),
    (
        "Releases, prompts and exports of a month that are counted",
        "crates/docwright-storage/src/database/plans.rs",
        &["USAGE_COUNTED: i64 = 10_000"],
    ),
    (
        "Secret of a credential",
        "crates/docwright-server/src/api/credentials/set.rs",
        &["MAXIMUM_SECRET: usize = 64 * 1024"],
    ),
    (
        "A base path of a domain",
        "crates/docwright-domain/src/domain_address.rs",
        &["MAXIMUM_SEGMENTS: usize = 8", "MAXIMUM_BASE: usize = 200"],
    ),
    (
        "Domains of an organisation that wait to be verified",
        "crates/docwright-storage/src/database/domain_claims.rs",
        &["CLAIMS: i64 = 50"],
    ),
    (
        "Certificates that are ordered in an hour",
        "crates/docwright-storage/src/database/certificates.rs",
        &["ORDERS_AN_HOUR: i64 = 60"],
    ),
    (
        "Subscriptions of an organisation",
        "crates/docwright-storage/src/database/subscriptions.rs",
        &["MAXIMUM_SUBSCRIPTIONS: i64 = 20"],
    ),
    (
        "Notifications that wait for one subscription",
        "crates/docwright-storage/src/database/notifications/record.rs",
        &["MAXIMUM_PENDING: i64 = 10_000"],
    ),
    (
        "E-mails to a mailbox in an hour",
        "crates/docwright-flows/src/notify/mod.rs",
        &["EMAILS_AN_HOUR: i64 = 20"],
    ),
    (
        "Time of a server to take a webhook",
        "crates/docwright-flows/src/notify/mod.rs",
        &["PATIENCE: Duration = Duration::from_secs(15)"],
    ),
    (
        "Connections of a listener",
        "crates/docwright-server/src/listen/mod.rs",
        &["MOST: usize = 16_384"],
    ),
    (
        "Connections of one client: an address, or a `/64` of IPv6",
        "crates/docwright-server/src/listen/room.rs",
        &["let (half, share)"],
    ),
    (
        "The head of a request",
        "crates/docwright-server/src/listen/mod.rs",
        &["MAXIMUM_HEAD: usize = 64 * 1024"],
    ),
    (
        "Requests at once on a connection of HTTP/2",
        "crates/docwright-server/src/listen/http2.rs",
        &["STREAMS: u32 = 100"],
    ),
    (
        "The time for it, and for a handshake of TLS before it",
        "crates/docwright-server/src/listen/room.rs",
        &["HEAD: u64 = 20"],
    ),
    (
        "A connection without a request",
        "crates/docwright-server/src/listen/room.rs",
        &["IDLE: u64 = 75"],
    ),
    (
        "A client that sends a body or takes an answer",
        "crates/docwright-server/src/listen/pace.rs",
        &["LEAST: u64 = 16 * 1024", "PATIENCE: u32 = 60"],
    ),
    (
        "A client that acknowledges nothing (Linux)",
        "crates/docwright-server/src/listen/stream.rs",
        &["GONE: Duration = Duration::from_mins(1)"],
    ),
    (
        "Streams of events at once",
        "crates/docwright-server/src/api/agent/events.rs",
        &["Turns::new(200, 20)"],
    ),
    (
        "A push to docwright's own git host",
        "crates/docwright-server/src/config/mod.rs",
        &["MAXIMUM_PUSH: u64 = 512"],
    ),
    (
        "The time for a push or fetch",
        "crates/docwright-server/src/git_host/backend.rs",
        &["TIMEOUT: Duration = Duration::from_mins(10)"],
    ),
    (
        "Pushes at once",
        "crates/docwright-server/src/git_host/smart_http.rs",
        &["PUSHES: LazyLock<Turns<String>> = LazyLock::new(|| Turns::new(4, 2))"],
    ),
    (
        "Clones, fetches and listings of branches at once",
        "crates/docwright-server/src/git_host/smart_http.rs",
        &["FETCHES: LazyLock<Turns<String>> = LazyLock::new(|| Turns::new(16, 8))"],
    ),
    (
        "A webhook of a git host",
        "crates/docwright-server/src/hooks/mod.rs",
        &["MAXIMUM_BODY: usize = 25 * 1024 * 1024"],
    ),
    (
        "Webhooks that are read at once",
        "crates/docwright-server/src/hooks/mod.rs",
        &["Turns::new(256, 32)"],
    ),
    (
        "Time for the body of a webhook to arrive",
        "crates/docwright-server/src/hooks/mod.rs",
        &["BODY_TIME: Duration = Duration::from_secs(10)"],
    ),
    (
        "Webhooks of one client that are refused for a project in a minute",
        "crates/docwright-server/src/refusals.rs",
        &["OF_A_PROJECT: u32 = 30"],
    ),
    ("And for all projects", "crates/docwright-server/src/refusals.rs", &["IN_ALL: u32 = 600"]),
    (
        "Deliveries of a project that are kept",
        "crates/docwright-storage/src/database/webhooks.rs",
        &["DELIVERIES: i64 = 200"],
    ),
    (
        "Repositories that are looked at at once",
        "crates/docwright-server/src/service.rs",
        &["LOOKS: usize = 8"],
    ),
    (
        "A message to `/mcp`",
        "crates/docwright-server/src/serving/mcp/mod.rs",
        &["MAXIMUM_MESSAGE: usize = 64 * 1024"],
    ),
    (
        "A search for agents",
        "crates/docwright-server/src/serving/mcp/tools.rs",
        &["MAXIMUM_QUERY: usize = 1_000", "SEARCH_TIME: Duration = Duration::from_secs(5)"],
    ),
    (
        "Requests to `/mcp` at once",
        "crates/docwright-server/src/serving/mcp/mod.rs",
        &["Turns::new(4, 3)"],
    ),
];

/// Units in which the page may give a number, and how many of the code's they are.
const UNITS: &[u64] = &[1, 60, 3600, 24 * 3600, 1024, 1024 * 1024, 1024 * 1024 * 1024];

/// Compares the page with the code.
pub(crate) fn check(sources: &[SourceFile]) -> anyhow::Result<Vec<String>> {
    let page = std::fs::read_to_string(process::root().join(PAGE))?;
    Ok(compare(&page, sources))
}

fn compare(page: &str, sources: &[SourceFile]) -> Vec<String> {
    let lines: Vec<_> = lines(page).collect();
    let unknown = lines.iter().filter(|(what, _)| LIMITS.iter().all(|limit| limit.0 != *what));
    let mut problems: Vec<_> = unknown
        .map(|(what, _)| {
            format!(
                "{PAGE}: `{what}` has no place in the code; name it in xtask/src/tidy/limits.rs"
            )
        })
        .collect();
    for (what, path, texts) in LIMITS {
        let Some((_, bound)) = lines.iter().find(|line| line.0 == *what) else {
            problems.push(format!("{PAGE}: there is no line for `{what}`"));
            continue;
        };
        let file = sources.iter().find(|file| file.path == *path);
        for text in *texts {
            if !file.is_some_and(|file| file.text.contains(text)) {
                problems.push(format!(
                    "{PAGE}: `{what}` comes from `{text}`, which {path} does not have any more"
                ));
            } else if let Some(number) = missing_number(text, bound) {
                problems
                    .push(format!("{PAGE}: `{what}` does not say {number}, of `{text}` in {path}"));
            }
        }
    }
    problems
}

/// The first two cells of the lines of all tables.
fn lines(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    rows.filter(|(what, _)| *what != "What" && !what.starts_with("---"))
}

/// A number of the code that the page's cell does not give in any unit.
fn missing_number(code: &str, cell: &str) -> Option<u64> {
    let given = numbers(&cell.replace(',', ""));
    let values = code.rsplit('=').next().unwrap_or(code).split(',').filter_map(product);
    let is_given = |value: &u64| {
        UNITS
            .iter()
            .any(|unit| given.iter().any(|number| number.checked_mul(*unit) == Some(*value)))
    };
    values.into_iter().find(|value| !is_given(value))
}

/// The product of the numbers of an expression; nothing without any.
fn product(expression: &str) -> Option<u64> {
    numbers(&expression.replace('_', "")).into_iter().reduce(|one, other| one * other)
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_and_sources() -> (String, Vec<SourceFile>) {
        let page = std::fs::read_to_string(process::root().join(PAGE)).expect("it is there");
        (page, super::super::sources::read().expect("they can be read"))
    }

    #[test]
    fn what_the_page_and_the_code_say_differently_is_found() {
        let (page, sources) = page_and_sources();
        assert!(compare(&page, &sources).is_empty());
        let other_page = page.replace("| A static file | 20 MiB |", "| A static file | 21 MiB |");
        assert_eq!(compare(&other_page, &sources).len(), 1);
        let more = format!("{page}\n| Something new | 5 |\n");
        assert_eq!(compare(&more, &sources).len(), 1);
        let less = page.replace("| A prompt |", "| Another |");
        assert_eq!(compare(&less, &sources).len(), 2);
        let mut changed = sources;
        for file in &mut changed {
            file.text = file.text.replace("Turns::new(200, 20)", "Turns::new(300, 20)");
        }
        assert_eq!(compare(&page, &changed).len(), 1);
    }

    #[test]
    fn numbers_are_compared_in_any_unit() {
        assert_eq!(missing_number("MOST: u64 = 10 * 1024 * 1024", "10 MiB"), None);
        assert_eq!(missing_number("MOST: u64 = 10 * 1024 * 1024", "1 MiB"), Some(10 * 1024 * 1024));
        assert_eq!(missing_number("range(1..=604_800)", "up to 7 days"), None);
        assert_eq!(missing_number("Turns::new(200, 20)", "200, and 2 of one"), Some(20));
    }
}
