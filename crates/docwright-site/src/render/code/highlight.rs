//! Converts code to HTML: tokens of a TextMate grammar with the palette's classes.
//!
//! A [`Highlighter`] is created once per site and shared between threads. It never fails: code without a
//! grammar, or too large for coloring, is only escaped.

use std::{cell::Cell, sync::Arc};

use syntaxmate::{Token, Tokenizer, TokenizerState};

use super::cache::Cache;
use super::grammars::{Grammar, Grammars, Painter};
use super::language::Language;
use super::palette::{Look, Palette};
use super::theme::CodeTheme;
use crate::content::config::Config;
use crate::{Diagnostic, Rule};

/// Larger code, in bytes, isn't highlighted, since it is mostly data that no one reads.
const LARGEST_CODE: usize = 200_000;

/// Maximum nesting of open constructs, because deeper nesting makes every token slower.
const DEEPEST_NESTING: usize = 150;

/// Maximum number of the tokenizer's polls while it matches a line: one after every 16 steps. Lines of real code stay
/// well below.
const MOST_POLLS: usize = 40;

/// Maximum number of tokens of a line, counted when it polls.
const MOST_TOKENS: usize = 16 * MOST_POLLS;

/// Highlights code with the themes of a site.
#[derive(Debug)]
pub struct Highlighter {
    grammars: Grammars,
    palette: Palette,
    cache: Cache,
    /// Code gets no colors.
    off: bool,
}

impl Highlighter {
    /// The highlighter of a site. `read` returns the text of a file in the docs root, for custom grammars.
    /// Errors in themes and grammars become diagnostics.
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
        let grammars = Grammars::load(config, read, &mut diagnostics);
        let palette = Palette::new(light, dark);
        (Self { grammars, palette, cache: Cache::default(), off: false }, diagnostics)
    }

    /// Turns colors off, for builds whose HTML is discarded.
    pub fn turn_off(&mut self) {
        self.off = true;
    }

    /// Forgets the code of earlier pages, once all are rendered.
    pub fn forget(&self) {
        self.cache.clear();
    }

    /// The language with a name.
    pub fn language(&self, name: &str) -> Language<'_> {
        self.grammars.resolve(name)
    }

    /// The colors of all code of the site, as a stylesheet.
    pub fn stylesheet(&self) -> &str {
        self.palette.stylesheet()
    }

    /// Code as HTML: escaped, in elements that never cross a line break.
    pub fn highlight(&self, language: Option<&str>, code: &str) -> Arc<str> {
        let Language::Known(id) = self.language(language.unwrap_or_default()) else {
            return escape(code).into();
        };
        if self.off || code.len() > LARGEST_CODE {
            return escape(code).into();
        }
        self.cache.get_or_insert(id, code, || match self.grammars.get(id) {
            Some(grammar) => self.render(&grammar, code),
            None => escape(code),
        })
    }

    fn render(&self, grammar: &Grammar, code: &str) -> String {
        grammar.with_painter(|painter| {
            let mut html = String::with_capacity(code.len() * 3);
            let mut state = painter.tokenizer.initial_state();
            let mut tokens = Vec::new();
            let mut too_deep = false;
            for (index, line) in code.split('\n').enumerate() {
                if index > 0 {
                    html.push('\n');
                }
                tokens.clear();
                too_deep |= state.depth() + nesting(line) > DEEPEST_NESTING;
                if !too_deep
                    && tokenize(&mut painter.tokenizer, line, &mut state, &mut tokens).is_err()
                {
                    tokens.clear();
                }
                self.write_line(line, &tokens, painter, &mut html);
            }
            html
        })
    }

    /// Writes one line. Neighbors of one look share an element; white space takes that before it.
    fn write_line(&self, line: &str, tokens: &[Token], painter: &mut Painter, html: &mut String) {
        let mut current = Look::Plain;
        let mut written = 0;
        for token in tokens {
            let range = token.range();
            let parts = line.get(written..range.start).zip(line.get(range.clone()));
            let Some((before, part)) = parts else { break };
            push_escaped(before, html);
            written = range.end;
            let look = if part.trim().is_empty() {
                current.clone()
            } else {
                painter.look(token, |scopes| self.palette.look(scopes))
            };
            if look != current {
                current.close(html);
                look.open(html);
                current = look;
            }
            push_escaped(part, html);
        }
        current.close(html);
        push_escaped(line.get(written..).unwrap_or_default(), html);
    }
}

/// Tokenizes a line, unless it takes too many steps; then `state` stays unchanged.
fn tokenize(
    tokenizer: &mut Tokenizer,
    line: &str,
    state: &mut TokenizerState,
    tokens: &mut Vec<Token>,
) -> syntaxmate::Result<()> {
    let mut polls = 0;
    let count = Cell::new(0);
    // A line that the tokenizer knows isn't matched again, so tokens are counted apart: other lines must not decide
    // whether this one has colors.
    let give_up = || {
        polls += usize::from(count.get() == 0);
        polls > MOST_POLLS || count.get() > MOST_TOKENS
    };
    let take = |token| {
        count.update(|count| count + 1);
        tokens.push(token);
    };
    tokenizer.tokenize_line_with_interrupt(line, state, take, give_up)?;
    Ok(())
}

/// The maximum number of open brackets in a line.
fn nesting(line: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for byte in line.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => open += 1,
            b')' | b']' | b'}' | b'>' => open = open.saturating_sub(1),
            _ => continue,
        }
        deepest = deepest.max(open);
    }
    deepest
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
    Diagnostic::new(
        Rule::UnknownCodeTheme,
        &config.path,
        format!("unknown theme `{name}` in `styling.codeblocks`"),
    )
    .help(format!("use one of: {}", CodeTheme::names().collect::<Vec<_>>().join(", ")))
}
