//! The API reference for people, at `/api/`: docwright's own API pages, built from the API spec. It is built on
//! first use, and stays in memory.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use axum::{
    Router,
    body::Bytes,
    extract::Path,
    http::{HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use docwright_http::error::ApiError;
use docwright_operations::OperationError;
use docwright_site::{Options, build::build, output::Memory, source::Source};
use tokio::sync::OnceCell;

use crate::{lazy::Lazy, state::ApiState};

/// The frame around the pages of operations.
const FILES: [(&str, &str); 2] = [
    ("docs.json", include_str!("reference/docs.json")),
    ("index.mdx", include_str!("reference/index.mdx")),
];

/// Scripts and styles of docwright's pages are also inline. All of them are docwright's own: the pages contain no
/// other text. The playground sends requests only to this server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// The pages by their path below `/api/`.
#[derive(Debug)]
struct Reference {
    files: HashMap<String, Bytes>,
}

/// `/api/` and the paths below it. `spec` is the text of `/openapi.json`.
pub(super) fn router(spec: Lazy<Bytes>) -> Router<ApiState> {
    let made: Arc<OnceCell<Reference>> = Arc::default();
    let page = move |path: String| {
        let (made, spec) = (Arc::clone(&made), spec.clone());
        async move {
            let reference = made.get_or_try_init(|| Reference::make(spec)).await?;
            reference.answer(&path)
        }
    };
    let first = page.clone();
    Router::new()
        // Links between the pages are relative, so the slash matters.
        .route("/api", get(async || Redirect::permanent("/api/")))
        .route("/api/", get(move || first("index.html".to_owned())))
        .route("/api/{*path}", get(move |Path(path): Path<String>| page(path)))
}

impl Reference {
    async fn make(spec: Lazy<Bytes>) -> Result<Self, OperationError> {
        let made = tokio::task::spawn_blocking(move || pages(&spec)).await;
        let files = made.map_err(|error| OperationError::Internal(error.to_string()))??;
        let files = files.into_iter().map(|(path, contents)| (path, contents.into()));
        Ok(Self { files: files.collect() })
    }

    fn answer(&self, path: &str) -> Result<Response, ApiError> {
        let found = self.files.get_key_value(path).or_else(|| {
            // An address works with and without its extension, as on every site.
            self.files.get_key_value(&format!("{path}.html"))
        });
        let Some((path, contents)) = found else {
            let sentence = format!("Page /api/{path} not found. The reference starts at /api/.");
            return Err(OperationError::NotFound(sentence).into());
        };
        let kind = mime_guess::from_path(path).first_or_octet_stream();
        let charset = if kind.type_() == "text" { "; charset=utf-8" } else { "" };
        let headers = [
            (header::CONTENT_TYPE, format!("{}{charset}", kind.essence_str())),
            (header::CACHE_CONTROL, "max-age=60".to_owned()),
        ];
        Ok(([(header::CONTENT_SECURITY_POLICY, POLICY)], headers, contents.clone()).into_response())
    }
}

fn pages(description: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, OperationError> {
    let files = FILES.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let described = ("openapi.json".to_owned(), description.to_vec());
    let source = Source::from_files(files.into_iter().chain([described]));
    let pages = Memory::default();
    build(&source, &Options::default(), &pages, &|_| {}).map_err(|error| {
        OperationError::Internal(format!("cannot build the API reference: {error}"))
    })?;
    Ok(pages.into_files())
}
