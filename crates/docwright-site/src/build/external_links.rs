//! Collects links to other hosts. A caller with network access checks them.

use serde_json::Value;

use crate::{mdx::position, render::ExternalLink, source::Source};

/// Keys of the configuration whose values readers can follow.
const KEYS: &[&str] = &["href", "url"];

/// The links of `docs.json` (or `mint.json`) to other hosts, each once.
pub(super) fn of_configuration(source: &Source) -> Vec<ExternalLink> {
    let mut links = Vec::new();
    for path in ["docs.json", "mint.json"] {
        let Some(text) = source.text(path) else { continue };
        let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
        let mut addresses = Vec::new();
        collect(&value, &mut addresses);
        addresses.sort_unstable();
        addresses.dedup();
        for address in addresses {
            let at = text.find(&format!("\"{address}\""));
            let (line, column) = at.map_or((0, 0), |at| position(text, at));
            links.push(ExternalLink {
                url: address.to_owned(),
                path: path.to_owned(),
                line,
                column,
            });
        }
    }
    links
}

fn collect<'a>(value: &'a Value, addresses: &mut Vec<&'a str>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                match value {
                    Value::String(address)
                        if KEYS.contains(&key.as_str()) && ExternalLink::is_web(address) =>
                    {
                        addresses.push(address);
                    }
                    value => collect(value, addresses),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, addresses)),
        _ => {}
    }
}
