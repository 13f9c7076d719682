//! Code in colour, for light and dark mode at once.
//!
//! Each coloured run carries one class that names its two colours; [`Highlighter::stylesheet`]
//! defines the classes that a site uses.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, RwLock},
};

use maud::html;
use syntaxmate::{Catalog, FontModifiers, HighlighterOptions, RgbColor, Style, Theme, TokenizerOptions};

use super::languages;
use crate::{content::config::CodeTheme, source::Source};

/// Longer code is not coloured. Bytes.
const MAXIMUM_LENGTH: usize = 300_000;
/// Code remembered for the next page that shows the same: about half of all blocks. Bytes.
const MAXIMUM_REMEMBERED: usize = 48 * 1024 * 1024;

/// Lines of HTML.
pub(super) type Lines = Arc<Vec<String>>;

/// Colours the code of a site; shared between threads.
#[derive(Debug)]
pub struct Highlighter {
    engine: syntaxmate::Highlighter,
    light: Option<Theme>,
    dark: Option<Theme>,
    remembered: RwLock<HashMap<u64, Lines>>,
    remembered_bytes: Mutex<usize>,
    used: RwLock<BTreeSet<Colors>>,
}

/// The look of a run: colours in light and dark mode, and font style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Colors {
    light: u32,
    dark: u32,
    bold: bool,
    italic: bool,
}

impl Highlighter {
    /// A highlighter with a site's themes.
    pub fn new(theme: &CodeTheme, _source: &Source) -> Self {
        let options = HighlighterOptions {
            prepared_languages: 256,
            tokenizer: TokenizerOptions { max_line_bytes: 4096, ..TokenizerOptions::default() },
            ..HighlighterOptions::default()
        };
        let dark = theme_named(theme.dark.as_deref(), "github-dark");
        let light = if theme.always_dark { dark.clone() } else { theme_named(theme.light.as_deref(), "github-light") };
        Self {
            engine: syntaxmate::Highlighter::with_catalog_options(&Catalog::bundled(), options),
            light,
            dark,
            remembered: RwLock::default(),
            remembered_bytes: Mutex::default(),
            used: RwLock::default(),
        }
    }

    /// The lines of some code as HTML. Without a known language they are only escaped.
    pub(super) fn lines(&self, language: Option<&str>, code: &str) -> Lines {
        let key = key_of(language, code);
        if let Some(lines) = self.remembered.read().ok().and_then(|remembered| remembered.get(&key).cloned()) {
            return lines;
        }
        let lines = Arc::new(self.colored(language, code).unwrap_or_else(|| plain(code)));
        self.remember(key, code.len(), &lines);
        lines
    }

    /// Definitions of the classes used so far, in a fixed order.
    pub fn stylesheet(&self) -> String {
        let mut css = String::new();
        let Ok(used) = self.used.read() else { return css };
        for colors in used.iter() {
            let Colors { light, dark, bold, italic } = colors;
            let _ = write!(css, ".{}{{--l:#{light:06x};--d:#{dark:06x}", class(*colors));
            if *bold {
                css.push_str(";font-weight:600");
            }
            if *italic {
                css.push_str(";font-style:italic");
            }
            css.push_str("}\n");
        }
        css
    }

    fn colored(&self, language: Option<&str>, code: &str) -> Option<Vec<String>> {
        let language = languages::canonical(language?)?;
        let (light, dark) = (self.light.as_ref()?, self.dark.as_ref()?);
        if code.len() > MAXIMUM_LENGTH {
            return None;
        }
        let document = self.engine.tokenize(&language, code).ok()?;
        let mut styles = HashMap::new();
        let mut lines = Vec::new();
        for (line, text) in document.lines().iter().zip(code.split('\n')) {
            let mut html = String::with_capacity(text.len() * 2);
            let mut run = Run::default();
            for token in line.tokens() {
                let part = text.get(token.range()).unwrap_or_default();
                let resolve = || colors(light.resolve(token.scopes()), dark.resolve(token.scopes()), light, dark);
                let colors = match token.scope_stack() {
                    Some(stack) => *styles.entry(stack).or_insert_with(resolve),
                    None => resolve(),
                };
                run.add(part, colors, &mut html);
            }
            run.finish(&mut html);
            lines.push(html);
        }
        self.note_used(styles.into_values().flatten());
        (lines.len() == code.split('\n').count()).then_some(lines)
    }

    fn note_used(&self, colors: impl Iterator<Item = Colors>) {
        let colors: BTreeSet<_> = colors.collect();
        let known = self.used.read().is_ok_and(|used| colors.is_subset(&used));
        if !known && let Ok(mut used) = self.used.write() {
            used.extend(colors);
        }
    }

    fn remember(&self, key: u64, length: usize, lines: &Lines) {
        let Ok(mut bytes) = self.remembered_bytes.lock() else { return };
        if *bytes + length > MAXIMUM_REMEMBERED {
            return;
        }
        *bytes += length;
        if let Ok(mut remembered) = self.remembered.write() {
            remembered.insert(key, Arc::clone(lines));
        }
    }
}

/// A stretch of code in one look; neighbours of the same look share an element.
#[derive(Default)]
struct Run {
    text: String,
    colors: Option<Colors>,
}

impl Run {
    fn add(&mut self, part: &str, colors: Option<Colors>, html: &mut String) {
        // White space has no colour; it joins the run before it.
        if colors != self.colors && !part.trim().is_empty() {
            if self.text.trim().is_empty() {
                html.push_str(&self.text);
                self.text.clear();
            } else {
                self.finish(html);
            }
            self.colors = colors;
        }
        self.text.push_str(part);
    }

    fn finish(&mut self, html: &mut String) {
        let text = html! { (self.text) }.0;
        match self.colors.take() {
            Some(colors) if !self.text.trim().is_empty() => {
                let _ = write!(html, "<span class=\"{}\">{text}</span>", class(colors));
            }
            _ => html.push_str(&text),
        }
        self.text.clear();
    }
}

fn class(colors: Colors) -> String {
    let Colors { light, dark, bold, italic } = colors;
    let bold = if bold { "b" } else { "" };
    let italic = if italic { "i" } else { "" };
    format!("c{light:06x}{dark:06x}{bold}{italic}")
}

/// The look of two styles; `None` if it is that of plain code.
fn colors(light: Style, dark: Style, light_theme: &Theme, dark_theme: &Theme) -> Option<Colors> {
    let plain = |theme: &Theme| theme.default_style().foreground;
    let changed = light.foreground != plain(light_theme) || dark.foreground != plain(dark_theme);
    let bold = light.modifiers.contains(FontModifiers::BOLD);
    let italic = light.modifiers.contains(FontModifiers::ITALIC);
    let number = |color: Option<RgbColor>, theme: &Theme| {
        let color = color.or_else(|| plain(theme));
        color.map_or(0x0080_8080, |RgbColor { red, green, blue }| u32::from_be_bytes([0, red, green, blue]))
    };
    (changed || bold || italic).then(|| Colors {
        light: number(light.foreground, light_theme),
        dark: number(dark.foreground, dark_theme),
        bold,
        italic,
    })
}

fn plain(code: &str) -> Vec<String> {
    code.split('\n').map(|line| html! { (line) }.0).collect()
}

/// A theme by its name; others than the bundled ones become the bundled one of the same mode.
fn theme_named(name: Option<&str>, default: &str) -> Option<Theme> {
    name.and_then(|name| Theme::bundled(name).ok()).or_else(|| Theme::bundled(default).ok())
}

fn key_of(language: Option<&str>, code: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (language, code).hash(&mut hasher);
    hasher.finish()
}
