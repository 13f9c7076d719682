//! Style, scripts, and font of the dashboard. Their URLs contain a hash of the contents, so browsers can cache
//! them forever.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::Path,
    http::{HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use docwright_site::theme;
use sha2::{Digest, Sha256};

use super::Dashboard;

const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file that pages request.
struct Asset {
    name: String,
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Asset {
    fn new(name: &str, ending: &str, kind: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let hash = hex::encode(&Sha256::digest(&bytes)[..6]);
        Self { name: format!("{name}-{hash}.{ending}"), kind, bytes }
    }

    fn address(&self) -> String {
        format!("/assets/{}", self.name)
    }
}

static FONT: LazyLock<Asset> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/inter.woff2"));
    Asset::new("inter", "woff2", "font/woff2", bytes.as_slice())
});

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let font = format!(
        "@font-face{{font-family:Inter;src:url({}) format('woff2');font-weight:100 900;font-display:swap}}",
        FONT.name
    );
    let fallback = theme::fallback_faces("Inter");
    let style = [theme::TOKENS, &font, &fallback, include_str!("dashboard.css")].concat();
    Asset::new("dashboard", "css", "text/css; charset=utf-8", style)
});

static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let parts = [
        include_str!(concat!(env!("OUT_DIR"), "/htmx.js")),
        include_str!("dashboard.js"),
        include_str!("palette.js"),
    ];
    Asset::new("dashboard", "js", "text/javascript; charset=utf-8", parts.join("\n"))
});

/// The mark, as the icon of browser tabs.
static MARK: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("mark", "svg", "image/svg+xml", include_str!("mark.svg")));

/// Only for pages with passkeys.
static PASSKEYS: LazyLock<Asset> = LazyLock::new(|| {
    let script = include_str!("passkeys.js");
    Asset::new("passkeys", "js", "text/javascript; charset=utf-8", script)
});

/// Only for the page that edits a page.
static EDITOR: LazyLock<Asset> = LazyLock::new(|| {
    let script = include_str!("editor.js");
    Asset::new("editor", "js", "text/javascript; charset=utf-8", script)
});

/// The URL of the style.
pub(super) fn style() -> String {
    STYLE.address()
}

/// The URL of the script.
pub(super) fn script() -> String {
    SCRIPT.address()
}

/// The URL of the script for passkeys.
pub(super) fn passkeys() -> String {
    PASSKEYS.address()
}

/// The URL of the script that previews a text while it is written.
pub(super) fn editor() -> String {
    EDITOR.address()
}

/// The URL of the mark.
pub(super) fn mark() -> String {
    MARK.address()
}

/// The URL of the font.
pub(super) fn font() -> String {
    FONT.address()
}

/// The routes of the files.
pub(super) fn router() -> Router<Dashboard> {
    // Browsers request it for answers that aren't pages.
    let icon = || async { ([(header::CONTENT_TYPE, MARK.kind)], MARK.bytes.as_slice()) };
    Router::new().route("/assets/{name}", get(file)).route("/favicon.ico", get(icon))
}

/// The files of pages without scripts. Browsers request fonts for an origin that such a page shares with no other page.
pub(super) fn without_scripts(path: &str) -> Router {
    // The router around this one can have parameters of its own.
    let file = async |uri: Uri| {
        let name = uri.path().rsplit('/').next().unwrap_or_default();
        let anyone = [(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))];
        (anyone, one_of(&[&STYLE, &FONT, &MARK], name))
    };
    Router::new().route(&format!("{path}/assets/{{name}}"), get(file))
}

async fn file(Path(name): Path<String>) -> Response {
    one_of(&[&STYLE, &SCRIPT, &PASSKEYS, &EDITOR, &FONT, &MARK], &name)
}

fn one_of(all: &[&'static LazyLock<Asset>], name: &str) -> Response {
    match all.iter().find(|asset| asset.name == name) {
        Some(asset) => {
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static(asset.kind)),
                (header::CACHE_CONTROL, FOREVER),
            ];
            (headers, asset.bytes.as_slice()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
