//! Every statement of the suite must use an index in large tables. Full scans are fast in tests but block an
//! instance that has run for a year.

use std::{
    collections::BTreeSet,
    fmt::Debug,
    sync::{Mutex, Once},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use docwright_testing::database::TestDatabase;

/// Tables that grow over time, and tables with a row for each project or site.
const LARGE: &[&str] = &[
    "accounts",
    "agent_events",
    "agent_jobs",
    "agent_messages",
    "analytics_month_values",
    "analytics_month_views",
    "analytics_texts",
    "analytics_totals",
    "analytics_values",
    "analytics_views",
    "analytics_visitors",
    "assistant_keys",
    "assistant_questions",
    "assistant_tokens",
    "audit_entries",
    "branch_heads",
    "clones",
    "deployments",
    "domains",
    "export_jobs",
    "feedback",
    "former_domains",
    "idempotency_keys",
    "identities",
    "invitations",
    "members",
    "notifications",
    "passkey_challenges",
    "passkeys",
    "projects",
    "pull_requests",
    "releases",
    "sessions",
    "sites",
];

/// Statements that can scan a table, by their beginning, and the reason.
const ALLOWED: &[(&str, &str)] = &[
    (
        "SELECT id, organization_id, actor_kind",
        "reads the newest entries of the whole instance by id, up to the limit",
    ),
    (
        "SELECT domains.name, releases.id, bundle_key",
        "loads the active releases of all domains into memory",
    ),
    (
        "SELECT domains.name, domains.project_id, projects.organization_id",
        "loads the organizations of all domains into memory",
    ),
    (
        "SELECT projects.default_domain AS name",
        "loads the redirects of all default domains into memory",
    ),
    (
        "SELECT name, domain FROM former_domains WHERE redirects = 1",
        "loads the former names that redirect into memory",
    ),
    (
        "SELECT id FROM projects WHERE default_domain IS NULL",
        "the index contains only such projects",
    ),
    (
        "SELECT id, project_id, domain, name, secret_hash, origins, created_at FROM assistant_keys ORDER BY id",
        "loads the keys of the assistant into memory, too",
    ),
    (
        "SELECT id, secret, key_id FROM assistant_keys",
        "a new root secret encrypts every key again, once",
    ),
    ("SELECT host, previews.id, state", "loads the open previews into memory, too"),
    ("SELECT id FROM accounts WHERE is_operator = 1", "the index contains only operators"),
    (
        "SELECT projects.id, projects.organization_id, projects.name",
        "an operator's search of the whole instance reads the names of its projects, in the order of the page",
    ),
    ("DELETE FROM api_keys", "an organization can create ten keys an hour, and keys expire"),
];

/// Statements that must use a certain index, by their beginning. Another index would do for few rows, but
/// reads the whole history of a site, subscription, or instance.
const GO_BY: &[(&str, &str)] = &[
    ("SELECT id, events FROM subscriptions", "notifications_of_subscription_by_status"),
    ("SELECT id, project_id FROM releases WHERE status IN ('ready'", "releases_by_end"),
    ("SELECT id FROM agent_jobs WHERE forgotten = 0", "agent_jobs_by_archive"),
    ("UPDATE releases SET held_errors = NULL WHERE site_id = $1", "releases_by_hold"),
    ("SELECT host, previews.id, state", "sites_that_serve"),
    ("SELECT id FROM releases WHERE site_id = $1 AND trigger_name", "releases_of_site_by_status"),
    (
        "SELECT id FROM releases WHERE site_id = $1 AND servable = 1 AND status IN",
        "releases_of_site_by_status",
    ),
    ("SELECT 1 FROM releases WHERE site_id = $1 AND commit_sha", "releases_of_site_by_commit"),
    ("SELECT id FROM releases WHERE site_id = $1 AND id <> $2", "releases_of_site_by_commit"),
    (
        "SELECT releases.id AS subject, commit_message AS title, CASE WHEN held_errors",
        "sqlite_autoindex_releases_1",
    ),
    ("SELECT polls.id AS subject", "polls_by_failure"),
    ("UPDATE notifications SET lease_number", "notifications_by_status"),
    ("UPDATE releases SET status = 'building'", "releases_by_status"),
    ("UPDATE agent_jobs SET lease_number", "agent_jobs_by_status"),
    ("SELECT plan, storage_bytes", "projects_of_organization_by_id"),
    ("SELECT plan, storage_bytes", "clones_by_project"),
    ("SELECT CAST(COALESCE(SUM(bundle_size), 0) AS BIGINT) AS used", "releases_of_previews"),
    ("DELETE FROM clones", "clones_by_use"),
    (
        "DELETE FROM assistant_questions WHERE (id) IN (SELECT id FROM assistant_questions WHERE expires_at",
        "assistant_questions_by_expiry",
    ),
];

/// Steps that certain statements must not have, by their beginning: the index is used, but for the whole instance.
const NOT_BY: &[(&str, &str)] = &[(
    "DELETE FROM releases WHERE id IN",
    "SEARCH releases USING INDEX releases_of_site_by_status (status=?)",
)];

/// Tables of events. A page is read in id order, no matter how long the list is.
const HISTORIES: &[&str] = &[
    "agent_jobs",
    "audit_entries",
    "deliveries",
    "export_jobs",
    "feedback",
    "notifications",
    "previews",
    "releases",
];

static STATEMENTS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Records every statement from now on.
pub(crate) fn collect() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Statements).expect("no other subscriber is set");
    });
}

/// Fails if a recorded statement scans a large table.
pub(crate) async fn check(place: &TestDatabase) {
    let statements = STATEMENTS.lock().unwrap().clone();
    assert!(statements.len() > 50, "the suite runs more than {} statements", statements.len());
    let mut found = Vec::new();
    for statement in &statements {
        // Statements of another database, or not queries.
        let Some(plan) = place.plan(statement).await else { continue };
        found.extend(scans(statement, &plan).map(|table| format!("{table}: {statement}")));
    }
    assert!(found.is_empty(), "an index is missing:\n{}", found.join("\n"));
    let mut sorted = Vec::new();
    for statement in statements.iter().filter(|statement| is_page(statement)) {
        let Some(plan) = place.plan(statement).await else { continue };
        sorted.extend(sorts(&plan).then_some(statement.as_str()));
    }
    assert!(sorted.is_empty(), "a page is sorted, not read in order:\n{}", sorted.join("\n"));
    let rules = GO_BY.iter().map(|rule| (rule, true));
    for ((start, step), is_needed) in rules.chain(NOT_BY.iter().map(|rule| (rule, false))) {
        let mut found =
            statements.iter().filter(|statement| statement.starts_with(start)).peekable();
        assert!(found.peek().is_some(), "the suite runs no statement that begins with `{start}`");
        for statement in found {
            let Some(plan) = place.plan(statement).await else { continue };
            let plan = plan.join("; ");
            let problem = if is_needed { "is not used" } else { "reads the whole instance" };
            assert_eq!(plan.contains(step), is_needed, "{step} {problem}: {statement}: {plan}");
        }
    }
}

/// Whether a statement reads a page of a history, newest first.
fn is_page(statement: &str) -> bool {
    let of = |table: &&str| statement.contains(&format!(" FROM {table} WHERE "));
    statement.contains(" ORDER BY id DESC LIMIT ") && HISTORIES.iter().any(of)
}

/// Whether a SQLite plan sorts rows before it returns a page.
fn sorts(plan: &[String]) -> bool {
    plan.iter().any(|step| step.contains("USE TEMP B-TREE FOR ORDER BY"))
}

/// The same check on PostgreSQL for some tables. Its planner depends on row counts, so the tables must be
/// filled.
pub(crate) async fn check_postgres(place: &TestDatabase, filled: &[&str]) {
    let statements = STATEMENTS.lock().unwrap().clone();
    let mut found = Vec::new();
    for statement in &statements {
        let Some(plan) = place.generic_plan(statement).await else { continue };
        let scanned = plan.iter().filter_map(|step| step.split_once("Seq Scan on "));
        let tables = scanned.filter_map(|(_, rest)| rest.split(' ').next());
        let allowed = ALLOWED.iter().any(|(start, _)| statement.starts_with(start));
        let large = tables.filter(|table| !allowed && filled.contains(table));
        found.extend(large.map(|table| format!("{table}: {statement}")));
    }
    assert!(found.is_empty(), "an index is not used:\n{}", found.join("\n"));
}

/// Searches that no index can return in order, by a part of the statement, and the reason.
const GATHERED: &[(&str, &str)] = &[
    ("ORDER BY id", "the order differs from the search, and an owner has few of these records"),
    ("ORDER BY projects.id", "as above"),
];

/// Fails if a search of a list doesn't read an index in the order of the list.
pub(crate) async fn check_searches(place: &TestDatabase) {
    let statements = STATEMENTS.lock().unwrap().clone();
    let searches = statements.iter().filter(|statement| {
        statement.contains("COLLATE \"binary\") >= $")
            && !GATHERED.iter().any(|(part, _)| statement.contains(part))
    });
    let (mut count, mut found) = (0, Vec::new());
    for statement in searches {
        let plan = place.ordered_plan(statement).await;
        let is_by_index = plan.iter().any(|step| {
            step.contains("<expr>>") || (step.contains("Index Cond") && step.contains("lower("))
        });
        let is_sorted =
            plan.iter().any(|step| step.contains("TEMP B-TREE") || step.contains("Sort"));
        if !is_by_index || is_sorted {
            found.push(format!("{statement}\n  {}", plan.join("\n  ")));
        }
        count += 1;
    }
    assert!(count >= 16, "expected more searches than {count}");
    assert!(found.is_empty(), "an index is missing:\n{}", found.join("\n"));
}

/// Large tables that a SQLite plan scans.
fn scans(statement: &str, plan: &[String]) -> impl Iterator<Item = String> {
    let allowed = ALLOWED.iter().any(|(start, _)| statement.starts_with(start));
    // A page of the whole table in index order stops at the page's end.
    let is_page_of_all = statement.contains(" LIMIT ") && !statement.contains(" WHERE ");
    let scanned = plan.iter().filter_map(|step| step.strip_prefix("SCAN "));
    let scanned =
        scanned.filter(|rest| !(is_page_of_all && rest.contains(" USING ") && !sorts(plan)));
    let tables: Vec<_> = scanned
        .map(|rest| table(statement, rest.split(' ').next().unwrap_or_default()))
        .filter(|table| !allowed && LARGE.contains(&table.as_str()))
        .collect();
    tables.into_iter()
}

/// The table behind a name or alias in a statement.
fn table(statement: &str, name: &str) -> String {
    let words: Vec<_> = statement
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | ','))
        .collect();
    let found = words.windows(3).find(|words| words[1] == "AS" && words[2] == name);
    found.map_or(name, |words| words[0]).to_owned()
}

/// Records the statements that sqlx logs.
struct Statements;

impl Subscriber for Statements {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }

    fn event(&self, event: &Event<'_>) {
        let mut statement = Statement::default();
        event.record(&mut statement);
        // Short statements appear only as summary.
        let text = if statement.whole.is_empty() { statement.summary } else { statement.whole };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        STATEMENTS.lock().unwrap().insert(text);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Statement {
    summary: String,
    whole: String,
}

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.whole),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

#[tokio::test]
async fn missing_index_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let place = TestDatabase::sqlite(folder.path()).await;
    let scanned = async |statement: &str| {
        let plan = place.plan(statement).await.unwrap();
        scans(statement, &plan).collect::<Vec<_>>()
    };
    let by_error = "SELECT id FROM releases AS other WHERE error = $1";
    assert_eq!(scanned(by_error).await, ["releases"]);
    assert_eq!(scanned("SELECT error FROM releases WHERE id = $1").await, [""; 0]);
    assert_eq!(scanned("SELECT id FROM organizations WHERE plan = $1").await, [""; 0]);
    // Searches without an index or in another order are found, too.
    for wrong in [
        "SELECT id FROM projects WHERE lower(docs_path COLLATE \"binary\") >= $1 ORDER BY lower(docs_path COLLATE \"binary\"), id",
        "SELECT id FROM projects WHERE lower(name COLLATE \"binary\") >= $1 ORDER BY docs_path",
    ] {
        let plan = place.ordered_plan(wrong).await;
        let is_ordered = plan.iter().any(|step| step.contains("<expr>>"))
            && !plan.iter().any(|step| step.contains("TEMP B-TREE"));
        assert!(!is_ordered, "{wrong}: {plan:?}");
    }
    assert_eq!(place.plan("SELECT clock_timestamp()").await, None);
    let sorted = async |of: &str| {
        let statement =
            format!("SELECT id FROM releases WHERE {of} = $1 ORDER BY id DESC LIMIT 20");
        assert!(is_page(&statement));
        sorts(&place.plan(&statement).await.unwrap())
    };
    assert!(sorted("bundle_key").await);
    assert!(!sorted("project_id").await);
}
