//! Grammars that a site brings along (`styling.codeblocks.languages.custom`).

use std::sync::Mutex;

use syntaxmate::{
    GrammarRegistry, PreparedLanguage, TokenizedDocument, Tokenizer, TokenizerOptions,
};

use crate::Diagnostic;
use crate::content::config::Config;

/// The grammars of a site.
#[derive(Debug, Default)]
pub(super) struct CustomGrammars {
    grammars: Vec<Grammar>,
}

#[derive(Debug)]
struct Grammar {
    /// Distinct from all ids of the catalogue.
    id: String,
    /// Names in lower case: its name, its scope's last part, its file types.
    names: Vec<String>,
    prepared: PreparedLanguage,
    options: TokenizerOptions,
    idle: Mutex<Vec<Tokenizer>>,
}

impl CustomGrammars {
    /// Reads the grammars that the configuration names.
    pub(super) fn load(
        config: &Config,
        read: impl Fn(&str) -> Option<String>,
        options: TokenizerOptions,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut grammars = Vec::new();
        for path in &config.codeblocks.custom_languages {
            let path = path.trim_start_matches("./").trim_start_matches('/');
            let grammar = read(path)
                .ok_or_else(|| "there is no such file".to_owned())
                .and_then(|json| Grammar::parse(&json, options));
            match grammar {
                Ok(grammar) => grammars.push(grammar),
                Err(reason) => diagnostics.push(
                    Diagnostic::warning(
                        "invalid-grammar",
                        &config.path,
                        format!("The custom language `{path}` can't be used: {reason}"),
                    )
                    .help("`styling.codeblocks.languages.custom` lists TextMate grammars as JSON"),
                ),
            }
        }
        Self { grammars }
    }

    /// The id of the grammar of a name.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        let name = name.trim().to_lowercase();
        let grammar = self.grammars.iter().find(|grammar| grammar.names.contains(&name))?;
        Some(&grammar.id)
    }

    /// The tokens of code in one of these grammars; `None` if the id is none of theirs.
    pub(super) fn tokenize(&self, id: &str, code: &str) -> Option<TokenizedDocument> {
        let grammar = self.grammars.iter().find(|grammar| grammar.id == id)?;
        let idle = grammar.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut tokenizer = idle.unwrap_or_else(|| grammar.prepared.tokenizer(grammar.options));
        let document = tokenizer.tokenize(code);
        if let Ok(mut idle) = grammar.idle.lock() {
            idle.push(tokenizer);
        }
        Some(document)
    }
}

impl Grammar {
    fn parse(json: &str, options: TokenizerOptions) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_str(json).map_err(|error| error.to_string())?;
        let scope = value["scopeName"].as_str().ok_or("it has no `scopeName`")?;
        let file_types = value["fileTypes"].as_array().into_iter().flatten();
        let aliases = value["aliases"].as_array().into_iter().flatten();
        let names =
            [value["name"].as_str(), value["displayName"].as_str(), scope.rsplit('.').next()]
                .into_iter()
                .chain(file_types.chain(aliases).map(serde_json::Value::as_str))
                .flatten()
                .map(str::to_lowercase)
                .collect();
        let mut registry = GrammarRegistry::new();
        let root = registry.add_json(json).map_err(|error| error.to_string())?;
        let prepared = PreparedLanguage::new(&registry, root).map_err(|error| error.to_string())?;
        Ok(Self { id: format!("custom:{scope}"), names, prepared, options, idle: Mutex::default() })
    }
}
