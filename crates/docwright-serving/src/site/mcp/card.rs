//! The server's description of itself before a client connects.

use std::sync::Arc;

use axum::{Json, response::IntoResponse, response::Response};
use serde_json::{Value, json};

use super::VERSIONS;
use crate::site::{mount::Mount, open_site::OpenSite};

/// The answer at a discovery address of clients; `None` for other addresses.
pub(in crate::site) async fn discovery(
    site: &Arc<OpenSite>,
    path: &str,
    mount: Mount<'_>,
) -> Option<Response> {
    if !path.starts_with("/.well-known/mcp") {
        return None;
    }
    let named = Arc::clone(site);
    let name = tokio::task::spawn_blocking(move || name(&named)).await.unwrap_or_default();
    Some(match path {
        "/.well-known/mcp" | "/.well-known/mcp.json" | "/.well-known/mcp/server-card.json" => {
            Json(card(&name, mount)).into_response()
        }
        "/.well-known/mcp/server-cards.json" => {
            Json(json!({ "servers": [card(&name, mount)] })).into_response()
        }
        _ => return None,
    })
}

fn card(name: &str, mount: Mount<'_>) -> Value {
    json!({
        "version": "1.0",
        "protocolVersion": VERSIONS[0],
        "serverInfo": server(name),
        "description": format!("Search and read the documentation of {name}."),
        "transport": { "type": "streamable-http", "endpoint": mount.mcp() },
        "capabilities": { "tools": {}, "resources": {} },
        "authentication": { "required": false },
    })
}

/// Name and version of the server.
pub(super) fn server(name: &str) -> Value {
    json!({ "name": name, "version": env!("CARGO_PKG_VERSION") })
}

/// The name of the site: the title of its `llms.txt`.
pub(super) fn name(site: &OpenSite) -> String {
    let index = site.bundle.read_text("llms.txt").unwrap_or_default();
    let title = index.lines().find_map(|line| line.strip_prefix("# "));
    title.unwrap_or("Documentation").trim().to_owned()
}
