//! Code to HTML: tokens of a TextMate grammar in the classes of the palette.
//!
//! A [`Highlighter`] is made once a site and shared between threads. It never fails: what it has
//! no grammar for, or what is too large to be worth colouring, comes back escaped.

use std::sync::Arc;

use syntaxmate::{Catalog, HighlighterOptions, ScopeStackId, TokenizerOptions};

use super::cache::Cache;
use super::custom::CustomGrammars;
use super::language::{self, Language};
use super::palette::{Look, Palette};
use super::theme::CodeTheme;
use crate::Diagnostic;
use crate::content::config::Config;

/// Code larger than this, in bytes, is not highlighted: nobody reads so much, and it is mostly
/// data.
const LARGEST_CODE: usize = 400_000;

/// Lines longer than this, in bytes, are not highlighted: minified code, embedded images.
const LONGEST_LINE: usize = 5_000;

/// Highlights code with the themes of a site.
#[derive(Debug)]
pub struct Highlighter {
    engine: syntaxmate::Highlighter,
    catalog: Catalog,
    custom: CustomGrammars,
    palette: Palette,
    cache: Cache,
}

impl Highlighter {
    /// The highlighter of a site. `read` gives the text of a file of the docs root, for custom
    /// grammars. What is wrong with themes and grammars comes back as diagnostics.
    pub fn new(config: &Config, read: impl Fn(&str) -> Option<String>) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let wanted = &config.codeblocks;
        let mut theme = |name: Option<&str>, dark| match name {
            None | Some("system") => CodeTheme::own(dark),
            Some("dark") => CodeTheme::own(true),
            Some(name) => CodeTheme::named(name).unwrap_or_else(|| {
                diagnostics.push(unknown_theme(config, name));
                CodeTheme::own(dark)
            }),
        };
        let dark = theme(wanted.dark.as_deref(), true);
        let light = if wanted.always_dark {
            theme(wanted.dark.as_deref(), true)
        } else {
            theme(wanted.light.as_deref(), false)
        };
        diagnostics.dedup();
        let catalog = Catalog::bundled();
        let tokenizer = TokenizerOptions { max_line_bytes: LONGEST_LINE, line_cache_entries: 1024 };
        let options = HighlighterOptions {
            prepared_languages: 256,
            idle_tokenizers_per_language: std::thread::available_parallelism()
                .map_or(2, std::num::NonZero::get),
            tokenizer,
        };
        let custom = CustomGrammars::load(config, read, tokenizer, &mut diagnostics);
        let highlighter = Self {
            engine: syntaxmate::Highlighter::with_catalog_options(&catalog, options),
            catalog,
            custom,
            palette: Palette::new(light, dark),
            cache: Cache::default(),
        };
        (highlighter, diagnostics)
    }

    /// What the name of a language stands for.
    pub fn language(&self, name: &str) -> Language<'_> {
        match self.custom.find(name) {
            Some(id) => Language::Known(id),
            None => language::resolve(&self.catalog, name),
        }
    }

    /// The colours of all code of the site, as a stylesheet.
    pub fn stylesheet(&self) -> &str {
        self.palette.stylesheet()
    }

    /// Code as HTML: escaped, in `span`s that never cross a line break.
    pub fn highlight(&self, language: Option<&str>, code: &str) -> Arc<str> {
        let Language::Known(id) = self.language(language.unwrap_or_default()) else {
            return escape(code).into();
        };
        if code.len() > LARGEST_CODE {
            return escape(code).into();
        }
        self.cache.get_or_insert(id, code, || self.render(id, code))
    }

    fn render(&self, id: &str, code: &str) -> String {
        let document = match self.custom.tokenize(id, code) {
            Some(document) => document,
            None => match self.engine.tokenize(id, code) {
                Ok(document) => document,
                Err(_) => return escape(code),
            },
        };
        let mut looks = Looks { palette: &self.palette, known: Vec::new() };
        let mut html = String::with_capacity(code.len() * 3);
        let mut lines = document.lines().iter();
        for (index, text) in code.split('\n').enumerate() {
            if index > 0 {
                html.push('\n');
            }
            let tokens = lines.next().map_or(&[][..], |line| line.tokens());
            write_line(text, tokens, &mut looks, &mut html);
        }
        html
    }
}

/// Looks by scope stack: a document repeats few stacks many times.
struct Looks<'a> {
    palette: &'a Palette,
    known: Vec<(ScopeStackId, Look)>,
}

impl Looks<'_> {
    fn of(&mut self, token: &syntaxmate::Token) -> Look {
        let Some(stack) = token.scope_stack() else { return self.palette.look(token) };
        if let Some((_, look)) = self.known.iter().find(|(known, _)| *known == stack) {
            return look.clone();
        }
        let look = self.palette.look(token);
        self.known.push((stack, look.clone()));
        look
    }
}

/// Writes one line. Neighbours of one look share a `span`; white space takes that before it.
fn write_line(text: &str, tokens: &[syntaxmate::Token], looks: &mut Looks<'_>, html: &mut String) {
    let mut current = Look::Plain;
    let mut written = 0;
    for token in tokens {
        let range = token.range();
        let (Some(before), Some(part)) = (text.get(written..range.start), text.get(range.clone()))
        else {
            break;
        };
        push_escaped(before, html);
        written = range.end;
        let look = if part.trim().is_empty() { current.clone() } else { looks.of(token) };
        if look != current {
            current.close(html);
            look.open(html);
            current = look;
        }
        push_escaped(part, html);
    }
    current.close(html);
    push_escaped(text.get(written..).unwrap_or_default(), html);
}

fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    push_escaped(text, &mut html);
    html
}

fn push_escaped(text: &str, html: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        html.push_str(&rest[..at]);
        html.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        rest = &rest[at + 1..];
    }
    html.push_str(rest);
}

fn unknown_theme(config: &Config, name: &str) -> Diagnostic {
    Diagnostic::warning(
        "unknown-code-theme",
        &config.path,
        format!("`styling.codeblocks` names the theme `{name}`, which does not exist"),
    )
    .help(format!("Name one of: {}", CodeTheme::names().collect::<Vec<_>>().join(", ")))
}
