//! What the server says of itself before anyone connects.

use std::path::Path;

use axum::{Json, response::IntoResponse, response::Response};
use serde_json::{Value, json};

use super::{PATH, VERSIONS};

/// The answer of an address at which clients look for servers; `None` for other addresses.
pub(in crate::hosting) fn discovery(folder: &Path, path: &str) -> Option<Response> {
    let name = || name(folder);
    Some(match path {
        "/.well-known/mcp" | "/.well-known/mcp.json" | "/.well-known/mcp/server-card.json" => {
            Json(card(&name())).into_response()
        }
        "/.well-known/mcp/server-cards.json" => {
            Json(json!({ "servers": [card(&name())] })).into_response()
        }
        _ => return None,
    })
}

fn card(name: &str) -> Value {
    json!({
        "version": "1.0",
        "protocolVersion": VERSIONS[0],
        "serverInfo": server(name),
        "description": format!("Search and read the documentation of {name}."),
        "transport": { "type": "streamable-http", "endpoint": PATH },
        "capabilities": { "tools": {}, "resources": {} },
        "authentication": { "required": false },
    })
}

/// Name and version of the server.
pub(super) fn server(name: &str) -> Value {
    json!({ "name": name, "version": env!("CARGO_PKG_VERSION") })
}

/// The name of the site: the title of its `llms.txt`.
pub(super) fn name(folder: &Path) -> String {
    let index = std::fs::read_to_string(folder.join("llms.txt")).unwrap_or_default();
    let title = index.lines().find_map(|line| line.strip_prefix("# "));
    title.unwrap_or("Documentation").trim().to_owned()
}
