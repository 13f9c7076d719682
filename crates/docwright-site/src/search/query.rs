//! Searching a built site without a browser: the same engine over the same files, so that agents
//! find what readers find.

use std::rc::Rc;

use rquickjs::{CatchResultExt, Context, Ctx, Function, Runtime};
use serde::Deserialize;

use super::FOLDER;

/// What one query may use. Bytes.
const MEMORY: usize = 256 * 1024 * 1024;
/// Asks the engine and leaves the results as JSON where the caller finds them.
const ASK: &str = r"
function $ask(language, query, limit) {
  var engine = docwrightSearch.Engine(function (name) {
    var text = $read(language + '/' + name);
    return text === undefined ? Promise.reject(new Error(name)) : Promise.resolve(JSON.parse(text));
  });
  engine.search(query, limit).then(function (results) {
    return Promise.all(results.map(function (result) {
      return engine.excerpt(result).then(function (excerpt) {
        var text = excerpt.pieces.map(function (piece) { return piece[0]; }).join('');
        return { path: result.path, title: result.title, breadcrumbs: result.crumbs,
          heading: excerpt.heading, fragment: excerpt.id, excerpt: text };
      });
    }));
  }).then(function (found) { $answer(JSON.stringify(found)); }, function () { $answer('[]'); });
}";

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
    /// Some text of it.
    pub excerpt: String,
}

/// The best pages for a query in one language. `read` gives the text of a file of the site. A site
/// without an index of that language has no answers.
pub fn query(
    read: impl Fn(&str) -> Option<String> + 'static,
    language: &str,
    query: &str,
    limit: usize,
) -> Result<Vec<Hit>, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    runtime.set_memory_limit(MEMORY);
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    let answer = Rc::new(std::cell::RefCell::new(None));
    let given = Rc::clone(&answer);
    context.with(|ctx| {
        let start = || {
            let read = move |name: String| data(&read(&format!("{FOLDER}/{name}.js"))?);
            let answer = move |json: String| *given.borrow_mut() = Some(json);
            ctx.globals().set("$read", Function::new(Ctx::clone(&ctx), read)?)?;
            ctx.globals().set("$answer", Function::new(Ctx::clone(&ctx), answer)?)?;
            ctx.eval::<(), _>(include_str!("browser/engine.js"))?;
            ctx.eval::<(), _>(ASK)?;
            let ask: Function<'_> = ctx.globals().get("$ask")?;
            ask.call::<_, ()>((language, query, limit))
        };
        start().catch(&ctx).map_err(|error| error.to_string())
    })?;
    while runtime.execute_pending_job().map_err(|error| error.to_string())? {}
    let json = answer.borrow_mut().take().ok_or("the search gave no answer")?;
    serde_json::from_str(&json).map_err(|error| error.to_string())
}

/// What a file of the index hands over: `docwrightSearch.receive("name",DATA)`.
fn data(script: &str) -> Option<String> {
    let (_, data) = script.split_once(',')?;
    data.strip_suffix(')').map(str::to_owned)
}
