//! Queries of a site without a browser: the same engine and files, so that agents find the same pages as
//! readers.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::{Arc, mpsc},
    thread,
};

use rquickjs::{CatchResultExt, Context, Ctx, Function, Runtime};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{ENGINE, FOLDER, IndexedPage, RankedSections};

/// Memory limit of an engine in bytes.
const MEMORY: usize = 256 * 1024 * 1024;
/// Bytes of the index that an engine keeps; with more, the next query starts with an empty one.
const KEPT: usize = 12 * 1024 * 1024;
/// Runs the engine and stores the results as JSON for the caller.
const ASK: &str = concat!(include_str!("browser/serve.js"), include_str!("browser/sections.js"));

/// A page that answers a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// The definition of a name, if a query is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The name, as its page writes it.
    pub name: String,
    /// `field`, `operation`, `variable`, or `command`.
    pub kind: String,
    /// Path of the HTML file of its page below the site root.
    pub path: String,
    /// The title of its page.
    pub title: String,
    /// The id of its place in the page, or nothing.
    pub fragment: String,
    /// An excerpt of its description.
    pub excerpt: String,
}

/// What a query finds, as the search dialog shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The best pages, best first.
    pub hits: Vec<Hit>,
    /// The definition that answers the query.
    pub definition: Option<Definition>,
    /// The query with its mistyped words corrected; empty if it has none.
    pub correction: String,
}

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Code of the language; without an index of it, the result is empty.
    pub language: String,
    /// The words.
    pub text: String,
    /// Maximum number of results.
    pub limit: usize,
    /// Name of a version or product; pages without any are in each.
    pub version: Option<String>,
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

/// Says whether the time of a query is over. It is called repeatedly.
type IsOver = Arc<dyn Fn() -> bool + Send + Sync>;
/// Returns the text of a file of a site.
type Read = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// An engine that is ready for the next query: it keeps what it loaded. It has its own thread, which ends with
/// it.
#[derive(Debug)]
pub struct Searcher {
    jobs: mpsc::Sender<Job>,
}

struct Job {
    /// The function of the script that is called.
    function: &'static str,
    query: Query,
    /// Numbers of pages that a result has whether they match or not.
    pages: Vec<usize>,
    is_over: IsOver,
    /// Receives the results as JSON.
    answer: mpsc::Sender<Result<String, SearchError>>,
}

/// Functions of the script: the best pages, the best sections, and all pages.
const PAGES: &str = "$ask";
const ALL_PAGES: &str = "$pages";
const SECTIONS: &str = "$sections";

impl Searcher {
    /// Starts an engine. `read` returns the text of a file of the site.
    pub fn new(
        read: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (jobs, received) = mpsc::channel::<Job>();
        let read: Read = Arc::new(read);
        thread::Builder::new().name("search".to_owned()).spawn(move || {
            let mut engine: Option<Engine> = None;
            for Job { function, query, pages, is_over, answer } in received {
                let used = match engine.take() {
                    Some(engine) => Ok(engine),
                    None => Engine::new(Arc::clone(&read)),
                };
                let result = used.and_then(|used| {
                    let found = used.ask(function, (&query, &pages), &is_over)?;
                    engine = Some(used).filter(|used| used.loaded.get() < KEPT);
                    Ok(found)
                });
                // The caller can be gone.
                let _ = answer.send(result.map_err(|error| failure(error, &is_over)));
            }
        })?;
        Ok(Self { jobs })
    }

    /// The best pages for a query. `is_over` cancels it. Queries of one searcher wait for each other.
    pub fn query(
        &self,
        query: Query,
        is_over: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Found, SearchError> {
        self.run(PAGES, (query, Vec::new()), Arc::new(is_over))
    }

    /// The best sections for a question, and the first of some pages, by their numbers in the index, if the question
    /// is about their version. `is_over` cancels it. Queries of one searcher wait for each other.
    pub fn sections(
        &self,
        question: Query,
        pages: Vec<usize>,
        is_over: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<RankedSections, SearchError> {
        self.run(SECTIONS, (question, pages), Arc::new(is_over))
    }

    /// Every page with an index in a language, in the order of the index. `is_over` cancels it.
    pub fn pages(
        &self,
        language: &str,
        is_over: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Vec<IndexedPage>, SearchError> {
        let query = Query { language: language.to_owned(), ..Query::default() };
        self.run(ALL_PAGES, (query, Vec::new()), Arc::new(is_over))
    }

    fn run<T: DeserializeOwned>(
        &self,
        function: &'static str,
        (query, pages): (Query, Vec<usize>),
        is_over: IsOver,
    ) -> Result<T, SearchError> {
        let (answer, received) = mpsc::channel();
        let gone = || SearchError::Failed("the engine ended".to_owned());
        let job = Job { function, query, pages, is_over, answer };
        self.jobs.send(job).map_err(|_| gone())?;
        parse(&received.recv().map_err(|_| gone())??)
    }
}

/// The best pages for a query, with a new engine. `read` returns the text of a file of the site; `is_over`
/// cancels the query.
pub fn query(
    read: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    is_over: impl Fn() -> bool + Send + Sync + 'static,
    query: &Query,
) -> Result<Found, SearchError> {
    let is_over: IsOver = Arc::new(is_over);
    let engine = Engine::new(Arc::new(read));
    let hits = engine.and_then(|engine| engine.ask(PAGES, (query, &[]), &is_over));
    parse(&hits.map_err(|error| failure(error, &is_over))?)
}

fn parse<T: DeserializeOwned>(json: &str) -> Result<T, SearchError> {
    serde_json::from_str(json).map_err(|error| SearchError::Failed(error.to_string()))
}

fn failure(error: String, is_over: &IsOver) -> SearchError {
    if is_over() { SearchError::TooLong } else { SearchError::Failed(error) }
}

/// The engine in a context of its own.
struct Engine {
    runtime: Runtime,
    context: Context,
    answer: Rc<RefCell<Option<String>>>,
    /// Bytes of the files that it has read.
    loaded: Rc<Cell<usize>>,
}

impl Engine {
    fn new(read: Read) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        runtime.set_memory_limit(MEMORY);
        let context = Context::full(&runtime).map_err(|error| error.to_string())?;
        let answer = Rc::new(RefCell::new(None));
        let loaded = Rc::new(Cell::new(0));
        let (given, counted) = (Rc::clone(&answer), Rc::clone(&loaded));
        context.with(|ctx| {
            let start = || {
                let read = move |name: String| {
                    let text = read(&format!("{FOLDER}/{name}.js"))?;
                    counted.set(counted.get() + text.len());
                    Some(text)
                };
                let answer = move |json: String| *given.borrow_mut() = Some(json);
                ctx.globals().set("$read", Function::new(Ctx::clone(&ctx), read)?)?;
                ctx.globals().set("$answer", Function::new(Ctx::clone(&ctx), answer)?)?;
                ctx.eval::<(), _>(ENGINE)?;
                ctx.eval::<(), _>(ASK)
            };
            start().catch(&ctx).map_err(|error| error.to_string())
        })?;
        Ok(Self { runtime, context, answer, loaded })
    }

    /// Calls a function of the script, and returns its results as JSON.
    fn ask(
        &self,
        function: &str,
        (query, pages): (&Query, &[usize]),
        is_over: &IsOver,
    ) -> Result<String, String> {
        let interrupt = Arc::clone(is_over);
        self.runtime.set_interrupt_handler(Some(Box::new(move || interrupt())));
        self.answer.borrow_mut().take();
        let mut options = json!({ "limit": query.limit, "pages": pages });
        if let Some(version) = &query.version {
            options["filter"] = json!({ "version": version });
        }
        self.context.with(|ctx| {
            let ask = || {
                let ask: Function<'_> = ctx.globals().get(function)?;
                ask.call::<_, ()>((&*query.language, &*query.text, options.to_string()))
            };
            ask().catch(&ctx).map_err(|error| error.to_string())
        })?;
        // Native work such as parsing JSON can't be interrupted, so this checks between jobs.
        while self.runtime.execute_pending_job().map_err(|error| error.to_string())? {
            if is_over() {
                return Err("interrupted".to_owned());
            }
        }
        self.answer.borrow_mut().take().ok_or_else(|| "the search gave no answer".to_owned())
    }
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
            let (_, name) = name.strip_suffix(".js")?.split_once("/en/")?;
            let data = match name {
                "core" => {
                    json!({ "count": 1, "terms": [""], "pages": [0], "titles": "1", "factors": "i",
                    "sections": [[""], [0, 1]], "versions": [[""], [0, 1]], "kinds": [["guide"], [0, 1]],
                    "skipped": "", "stems": "",
                    "labels": {}, "languages": [], "suggested": [] })
                }
                "terms-0" => json!("word 0B0.\n".repeat(terms)),
                "pages-0" => json!(r#"["Title","page",[],"",[],[]]"#),
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
        let words = Query {
            language: "en".to_owned(),
            text: "word ".repeat(8),
            limit: 10,
            ..Query::default()
        };
        let answer = query(index(3_000_000), is_over, &words);
        assert_eq!(answer, Err(SearchError::TooLong));
        assert!(asked.load(Ordering::Relaxed) < 30, "{asked:?}");
    }

    #[test]
    fn searcher_keeps_what_it_loaded() {
        let read = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&read);
        let files = index(1);
        let searcher = Searcher::new(move |name| {
            count.fetch_add(1, Ordering::Relaxed);
            files(name)
        });
        let searcher = searcher.expect("a thread");
        let ask = |language: &str| {
            let language = language.to_owned();
            let query = Query { language, text: "word".to_owned(), limit: 1, version: None };
            searcher.query(query, || false)
        };
        let first = ask("en").expect("an answer");
        assert_eq!(first.hits[0].title, "Title");
        let loaded = read.load(Ordering::Relaxed);
        assert_eq!(ask("en").expect("an answer"), first);
        assert_eq!(read.load(Ordering::Relaxed), loaded);
        assert_eq!(ask("xx"), Ok(Found::default()));
        // A canceled query doesn't spoil the next one.
        let query =
            Query { language: "en".to_owned(), text: "word".to_owned(), ..Query::default() };
        assert_eq!(searcher.query(query, || true), Err(SearchError::TooLong));
        assert_eq!(ask("en").expect("an answer"), first);
    }
}
