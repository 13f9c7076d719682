//! Elements for the styles of code: `dw-0`, `dw-1`, one for each pair of a light and a dark style. Most tokens have
//! one, so their names are short: `span`s with classes would be a sixth of a page with many samples.
//!
//! The pairs follow from the rules of the two themes, so elements are known before the first page is rendered,
//! and are the same in every build. The few tokens whose pair follows from no single rule have inline colors.

use std::collections::HashMap;
use std::fmt::Write;

use syntaxmate::{FontModifiers, Scopes, Style};

use super::theme::CodeTheme;

/// A light and a dark theme with the elements of their styles.
#[derive(Debug)]
pub(super) struct Palette {
    light: CodeTheme,
    dark: CodeTheme,
    /// Numbers of elements; pairs that look like plain text are not in it.
    elements: HashMap<Pair, usize>,
    stylesheet: String,
}

/// A style in light mode and the same in dark mode.
type Pair = (Style, Style);

/// The element of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    /// Plain text: no element.
    Plain,
    /// The number of an element.
    Element(usize),
    /// A `span` with a `style` attribute.
    Inline(String),
}

impl Look {
    /// Writes the start tag, if the look needs one.
    pub(super) fn open(&self, html: &mut String) {
        // Writing to a string can't fail.
        let _ = match self {
            Self::Plain => Ok(()),
            Self::Element(number) => write!(html, "<dw-{number}>"),
            Self::Inline(style) => write!(html, "<span style=\"{style}\">"),
        };
    }

    /// Writes the end tag, if the look needs one.
    pub(super) fn close(&self, html: &mut String) {
        let _ = match self {
            Self::Plain => Ok(()),
            Self::Element(number) => write!(html, "</dw-{number}>"),
            Self::Inline(_) => write!(html, "</span>"),
        };
    }
}

impl Palette {
    /// The palette of two themes.
    pub(super) fn new(light: CodeTheme, dark: CodeTheme) -> Self {
        let mut palette = Self { light, dark, elements: HashMap::new(), stylesheet: String::new() };
        let mut numbers: HashMap<String, usize> = HashMap::new();
        palette.stylesheet = palette.root_rules();
        for pair in palette.pairs() {
            if palette.is_plain(pair) || palette.elements.contains_key(&pair) {
                continue;
            }
            // Different styles can look the same, for example if only the background differs.
            let declarations = palette.declarations(pair);
            let next = numbers.len();
            let number = *numbers.entry(declarations).or_insert_with_key(|declarations| {
                let _ = writeln!(palette.stylesheet, "dw-{next}{{{declarations}}}");
                next
            });
            palette.elements.insert(pair, number);
        }
        palette
    }

    /// The rules of all elements, and the colors of the block itself.
    pub(super) fn stylesheet(&self) -> &str {
        &self.stylesheet
    }

    /// How a token of some scopes looks.
    pub(super) fn look(&self, scopes: Scopes<'_>) -> Look {
        let light = self.light.theme().resolve(scopes.clone());
        let dark = self.dark.theme().resolve(scopes);
        let pair = (visible(light), visible(dark));
        if self.is_plain(pair) {
            return Look::Plain;
        }
        match self.elements.get(&pair) {
            Some(number) => Look::Element(*number),
            None => Look::Inline(self.declarations(pair)),
        }
    }

    /// Every pair in a rule of either theme, in the order of the rules.
    fn pairs(&self) -> Vec<Pair> {
        let selectors = self.light.selectors().iter().chain(self.dark.selectors());
        selectors
            .map(|selector| {
                let scopes: Vec<_> = selector.split_whitespace().filter(|s| *s != ">").collect();
                let light = self.light.theme().resolve_scope_names(&scopes);
                let dark = self.dark.theme().resolve_scope_names(&scopes);
                (visible(light), visible(dark))
            })
            .collect()
    }

    /// The colors of the block itself. A variable accepts any value, even one that the browser doesn't
    /// understand, so the second rule needs a feature query.
    fn root_rules(&self) -> String {
        let light = (self.light.background(), self.light.color(Style::default()));
        let dark = (self.dark.background(), self.dark.color(Style::default()));
        let mut css =
            format!(":root{{--code-background:{};--code-foreground:{}}}\n", light.0, light.1);
        if light != dark {
            let _ = writeln!(
                css,
                "@supports (color:light-dark(red,red)){{:root{{--code-background:light-dark({},{});\
                 --code-foreground:light-dark({},{})}}}}",
                light.0, dark.0, light.1, dark.1
            );
        }
        css
    }

    fn is_plain(&self, (light, dark): Pair) -> bool {
        self.light.is_plain(light) && self.dark.is_plain(dark)
    }

    fn declarations(&self, (light, dark): Pair) -> String {
        let (light_color, dark_color) = (self.light.color(light), self.dark.color(dark));
        let mut css = format!("color:{light_color}");
        if light_color != dark_color {
            let _ = write!(css, ";color:light-dark({light_color},{dark_color})");
        }
        // A font can't depend on the mode without a second rule, so the fonts of both themes are combined.
        let either =
            |modifier| light.modifiers.contains(modifier) || dark.modifiers.contains(modifier);
        for (modifier, declaration) in [
            (FontModifiers::BOLD, ";font-weight:bold"),
            (FontModifiers::ITALIC, ";font-style:italic"),
            (FontModifiers::UNDERLINED, ";text-decoration:underline"),
            (FontModifiers::CROSSED_OUT, ";text-decoration:line-through"),
        ] {
            if either(modifier) {
                css.push_str(declaration);
            }
        }
        css
    }
}

/// A style without its background, which would hide marked lines.
fn visible(style: Style) -> Style {
    Style { background: None, ..style }
}
