//! Grammars: those of the catalog, and those of the site (`styling.codeblocks.languages.custom`).
//!
//! A grammar of the catalog is prepared once in a process. A site keeps its idle tokenizers.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use syntaxmate::{
    Catalog, GrammarRegistry, PreparedLanguage, ScopeStackId, Scopes, Tokenizer, TokenizerOptions,
};

use super::language::{self, Language};
use super::palette::Look;
use crate::content::config::Config;
use crate::{Diagnostic, Rule};

/// Lines longer than this, in bytes, are not highlighted: minified code, embedded images.
const LONGEST_LINE: usize = 4_000;

/// Lines whose tokens a tokenizer remembers. One takes some 300 bytes, and each language has a tokenizer per thread.
const KNOWN_LINES: usize = 4_096;

/// A tokenizer with this many scope stacks is dropped, since it keeps them all.
const MOST_STACKS: usize = 20_000;

/// The grammars of a site.
#[derive(Debug)]
pub(super) struct Grammars {
    catalog: Catalog,
    custom: Vec<Custom>,
    /// Those of the catalog that the site uses, by id.
    used: Mutex<HashMap<String, Arc<Grammar>>>,
}

/// `None` is a grammar that can't be used.
type Prepared = OnceLock<Option<PreparedLanguage>>;

/// One grammar, shared between threads.
#[derive(Debug)]
pub(super) struct Grammar {
    prepared: PreparedLanguage,
    idle: Mutex<Vec<Painter>>,
}

/// A tokenizer with its cache of styles for scope stacks.
#[derive(Debug)]
pub(super) struct Painter {
    pub(super) tokenizer: Tokenizer,
    looks: HashMap<ScopeStackId, Look>,
}

#[derive(Debug)]
struct Custom {
    /// Distinct from all ids of the catalog.
    id: String,
    /// Names in lower case: its own, the last part of its scope, its file types and aliases.
    names: Vec<String>,
    grammar: Arc<Grammar>,
}

impl Grammars {
    /// The catalog and the grammars in the configuration. `read` returns the text of a file in the docs root.
    pub(super) fn load(
        config: &Config,
        read: impl Fn(&str) -> Option<String>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut custom = Vec::new();
        for path in &config.codeblocks.custom_languages {
            let path = path.trim_start_matches("./").trim_start_matches('/');
            let parsed = read(path)
                .ok_or_else(|| "no such file".to_owned())
                .and_then(|json| Custom::parse(&json));
            match parsed {
                Ok(grammar) => custom.push(grammar),
                Err(reason) => diagnostics.push(invalid_grammar(config, path, &reason)),
            }
        }
        Self { catalog: Catalog::bundled(), custom, used: Mutex::default() }
    }

    /// The language with a name.
    pub(super) fn resolve(&self, name: &str) -> Language<'_> {
        let lower = name.trim().to_lowercase();
        match self.custom.iter().find(|custom| custom.names.contains(&lower)) {
            Some(custom) => Language::Known(&custom.id),
            None => language::resolve(&self.catalog, name),
        }
    }

    /// The grammar of a known language.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Grammar>> {
        if let Some(custom) = self.custom.iter().find(|custom| custom.id == id) {
            return Some(Arc::clone(&custom.grammar));
        }
        let known = self.used.lock().ok()?.get(id).cloned();
        known.or_else(|| {
            let grammar = Arc::new(Grammar::new(prepared(&self.catalog, id)?));
            let mut used = self.used.lock().ok()?;
            Some(Arc::clone(used.entry(id.to_owned()).or_insert(grammar)))
        })
    }
}

/// A grammar of the catalog. All builds of a process share it, since preparing it takes longer than highlighting a page.
/// Each has its own cell, so preparing one language doesn't block lookups of others.
fn prepared(catalog: &Catalog, id: &str) -> Option<PreparedLanguage> {
    static PREPARED: Mutex<BTreeMap<String, Arc<Prepared>>> = Mutex::new(BTreeMap::new());
    let cell = Arc::clone(PREPARED.lock().ok()?.entry(id.to_owned()).or_default());
    cell.get_or_init(|| PreparedLanguage::from_catalog(catalog, id).ok()).clone()
}

impl Grammar {
    fn new(prepared: PreparedLanguage) -> Self {
        Self { prepared, idle: Mutex::default() }
    }

    /// Runs work with a painter of this grammar that no other thread uses in the meantime.
    pub(super) fn with_painter<T>(&self, work: impl FnOnce(&mut Painter) -> T) -> T {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut painter = idle.unwrap_or_else(|| Painter {
            tokenizer: self.prepared.tokenizer(TokenizerOptions {
                max_line_bytes: LONGEST_LINE,
                line_cache_entries: KNOWN_LINES,
            }),
            looks: HashMap::new(),
        });
        let result = work(&mut painter);
        if painter.looks.len() < MOST_STACKS
            && let Ok(mut idle) = self.idle.lock()
        {
            idle.push(painter);
        }
        result
    }
}

impl Painter {
    /// The style of a scope stack; `resolve` finds it on first use.
    pub(super) fn look(
        &mut self,
        token: &syntaxmate::Token,
        resolve: impl FnOnce(Scopes<'_>) -> Look,
    ) -> Look {
        match token.scope_stack() {
            Some(stack) => {
                self.looks.entry(stack).or_insert_with(|| resolve(token.scopes())).clone()
            }
            None => resolve(token.scopes()),
        }
    }
}

impl Custom {
    fn parse(json: &str) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_str(json).map_err(|error| error.to_string())?;
        let scope = value["scopeName"].as_str().ok_or("it has no `scopeName`")?;
        let lists = ["fileTypes", "aliases"].into_iter();
        let listed = lists.filter_map(|key| value[key].as_array()).flatten();
        let own = [value["name"].as_str(), value["displayName"].as_str(), scope.rsplit('.').next()];
        let names = own.into_iter().chain(listed.map(serde_json::Value::as_str)).flatten();
        let mut registry = GrammarRegistry::new();
        let root = registry.add_json(json).map_err(|error| error.to_string())?;
        let prepared = PreparedLanguage::new(&registry, root).map_err(|error| error.to_string())?;
        Ok(Self {
            id: format!("custom:{scope}"),
            names: names.map(str::to_lowercase).collect(),
            grammar: Arc::new(Grammar::new(prepared)),
        })
    }
}

fn invalid_grammar(config: &Config, path: &str, reason: &str) -> Diagnostic {
    let message = format!("the custom language `{path}` can't be used: {reason}");
    Diagnostic::new(Rule::InvalidGrammar, &config.path, message)
        .help("list TextMate grammars in JSON in `styling.codeblocks.languages.custom`")
}
