//! The manual's tables of metrics, compared with the metrics of a process.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::scrape::Scrape;

/// Kind and labels of a metric.
type Facts = (String, BTreeSet<String>);

/// The metrics in the tables under `## Metrics` by name: those of the service, and those of `deploy` only.
fn tables() -> [BTreeMap<String, Facts>; 2] {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run/observing.mdx");
    let page = std::fs::read_to_string(page).expect("the page exists");
    let mut tables = page.split("| Metric | Kind | Labels | Means |").skip(1).map(table);
    [tables.next().expect("expected a table"), tables.next().expect("expected two tables")]
}

fn table(text: &str) -> BTreeMap<String, Facts> {
    let rows = text.trim_start().lines().take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let mut metrics = BTreeMap::new();
    for cells in cells.filter(|cells| cells[1].starts_with('`')) {
        let facts = (cells[2].to_owned(), code(cells[3]).collect());
        metrics.extend(code(cells[1]).map(|name| (name, facts.clone())));
    }
    metrics
}

/// The words between backticks.
fn code(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// Metrics that appear only under certain conditions.
const ABSENT: [&str; 2] = ["docwright_certificates", "docwright_certificate_expiry_seconds"];

/// Checks that a scrape has every metric of one table, and no metric that both tables lack. Process metrics
/// have Prometheus' own names.
pub(crate) fn is_documented(scrape: &Scrape, is_deployment: bool) {
    let [service, deployment] = tables();
    let seen: BTreeMap<_, _> =
        scrape.families().into_iter().filter(|(name, _)| !name.starts_with("process_")).collect();
    let promised = if is_deployment { &deployment } else { &service };
    let always = |name: &str| !name.starts_with("process_") && !ABSENT.contains(&name);
    for (name, (kind, labels)) in promised.iter().filter(|(name, _)| always(name)) {
        let (its_kind, its_labels) =
            seen.get(name).unwrap_or_else(|| panic!("missing metric {name}"));
        assert_eq!(its_kind, kind, "{name}");
        assert!(its_labels.is_empty() || its_labels == labels, "{name}: {its_labels:?}");
    }
    for name in seen.keys() {
        assert!(
            service.contains_key(name) || deployment.contains_key(name),
            "{name} is not in the manual"
        );
    }
}
