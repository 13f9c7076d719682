//! From a link as its author wrote it to what it leads to.

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// A page of this site; `suffix` is its query and fragment as written (`?a=b#c`), or empty.
    #[allow(missing_docs, reason = "said above")]
    Page { slug: String, suffix: String },
    /// A static file of the repository, by its path below the docs root.
    #[allow(missing_docs, reason = "said above")]
    File { path: String, suffix: String },
    /// A place on the same page (`#id`, without the `#`).
    Anchor(String),
    /// Another site, or any scheme; unchanged.
    External(String),
    /// Nothing is there. `closest` is the slug of the page most likely meant.
    #[allow(missing_docs, reason = "said above")]
    Missing { closest: Option<String> },
}

/// Path of the HTML file of a page below the site root: `guides/start` → `guides/start.html`.
pub fn output_path(slug: &str) -> String {
    format!("{slug}.html")
}

/// The relative address from one file of the site to another, both below the site root, with
/// every part percent-encoded as a URL path needs it.
pub fn relative(from: &str, to: &str) -> String {
    let _ = (from, to);
    todo!()
}
