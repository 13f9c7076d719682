//! Searches a built site without a browser: the same engine and files, so that agents find the same pages as
//! readers.

use std::rc::Rc;

use rquickjs::{CatchResultExt, Context, Ctx, Function, Runtime};
use serde::Deserialize;

use super::{ENGINE, FOLDER};

/// Memory limit of one query in bytes.
const MEMORY: usize = 256 * 1024 * 1024;
/// Runs the engine and stores the results as JSON for the caller.
const ASK: &str = include_str!("browser/serve.js");

/// A page that answers a query.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Hit {
    /// Path of its HTML file below the site root.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Names of the divisions it is in, outermost first.
    pub breadcrumbs: Vec<String>,
    /// The heading of the section that answers best, or nothing.
    pub heading: String,
    /// The id of that section, or nothing.
    pub fragment: String,
    /// An excerpt of its text.
    pub excerpt: String,
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The caller's time was over.
    #[error("the search took too long")]
    TooLong,
    /// The engine failed.
    #[error("the search failed: {0}")]
    Failed(String),
}

/// The best pages for a query in one language. `read` returns the text of a file of the site; `is_over` is
/// called repeatedly and cancels the query. Without an index of that language, the result is empty.
pub fn query(
    read: impl Fn(&str) -> Option<String> + 'static,
    is_over: impl Fn() -> bool + Clone + Send + 'static,
    language: &str,
    query: &str,
    limit: usize,
) -> Result<Vec<Hit>, SearchError> {
    let asked = is_over.clone();
    run(read, is_over, language, query, limit)
        .map_err(|error| if asked() { SearchError::TooLong } else { SearchError::Failed(error) })
}

fn run(
    read: impl Fn(&str) -> Option<String> + 'static,
    is_over: impl Fn() -> bool + Clone + Send + 'static,
    language: &str,
    query: &str,
    limit: usize,
) -> Result<Vec<Hit>, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    runtime.set_memory_limit(MEMORY);
    let interrupt = is_over.clone();
    runtime.set_interrupt_handler(Some(Box::new(interrupt)));
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    let answer = Rc::new(std::cell::RefCell::new(None));
    let given = Rc::clone(&answer);
    context.with(|ctx| {
        let start = || {
            let read = move |name: String| read(&format!("{FOLDER}/{name}.js"));
            let answer = move |json: String| *given.borrow_mut() = Some(json);
            ctx.globals().set("$read", Function::new(Ctx::clone(&ctx), read)?)?;
            ctx.globals().set("$answer", Function::new(Ctx::clone(&ctx), answer)?)?;
            ctx.eval::<(), _>(ENGINE)?;
            ctx.eval::<(), _>(ASK)?;
            let ask: Function<'_> = ctx.globals().get("$ask")?;
            let options = format!("{{\"limit\":{limit}}}");
            ask.call::<_, ()>((language, query, options))
        };
        start().catch(&ctx).map_err(|error| error.to_string())
    })?;
    // Native work such as parsing JSON can't be interrupted, so this checks between jobs.
    while runtime.execute_pending_job().map_err(|error| error.to_string())? {
        if is_over() {
            return Err("interrupted".to_owned());
        }
    }
    let json = answer.borrow_mut().take().ok_or("the search gave no answer")?;
    serde_json::from_str(&json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use serde_json::json;

    use super::*;

    /// An index with one chunk of the given number of terms.
    fn index(terms: usize) -> impl Fn(&str) -> Option<String> {
        move |name| {
            let (_, name) = name.strip_suffix(".js")?.rsplit_once('/')?;
            let data = match name {
                "core" => {
                    json!({ "count": 1, "terms": [""], "pages": [0], "titles": "1", "factors": "i",
                    "sections": [[""], [0, 1]], "versions": [[""], [0, 1]], "kinds": [["guide"], [0, 1]],
                    "skipped": "", "stems": "",
                    "labels": {}, "languages": [], "suggested": [] })
                }
                "terms-0" => json!("word 0A0.\n".repeat(terms)),
                _ => return None,
            };
            Some(format!("docwrightSearch.receive(\"en/{name}\",{data})"))
        }
    }

    #[test]
    fn search_stops_at_its_time_limit() {
        let asked = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&asked);
        let is_over = move || count.fetch_add(1, Ordering::Relaxed) >= 20;
        // Without cancellation, this would take minutes.
        let answer = query(index(3_000_000), is_over, "en", &"word ".repeat(8), 10);
        assert_eq!(answer, Err(SearchError::TooLong));
        assert!(asked.load(Ordering::Relaxed) < 30, "{asked:?}");
    }
}
