//! The colors of code: named themes, and docwright's own.
//!
//! Themes are TextMate themes packed by the build script. docwright's own pair is GitHub's, with every color
//! adjusted until it is readable on its background. [`palette`](super::palette) converts them to classes.

use std::sync::OnceLock;

use syntaxmate::{RgbColor, Style, Theme, ThemeRule};

use super::contrast;

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/code-themes.zst"));

const OWN_LIGHT: &str = "github-light-default";
const OWN_DARK: &str = "github-dark-default";

/// Backgrounds of docwright's own pair: a step away from the page.
const OWN_LIGHT_BACKGROUND: RgbColor = RgbColor { red: 0xf6, green: 0xf8, blue: 0xfa };
const OWN_DARK_BACKGROUND: RgbColor = RgbColor { red: 0x15, green: 0x1b, blue: 0x23 };

/// The theme that leaves its colors to CSS variables of the author.
const VARIABLES: &str = "css-variables";

/// Names of the [`VARIABLES`], their scopes, and their defaults. A token's color is the number of its row.
const VARIABLE_RULES: &[(&str, &str)] = &[
    (
        "token-constant",
        "constant, support.constant, constant.numeric, entity.name.type, variable.other.constant",
    ),
    ("token-string", "string, punctuation.definition.string"),
    ("token-comment", "comment, punctuation.definition.comment"),
    ("token-keyword", "keyword, storage, keyword.operator, entity.name.tag, support.type"),
    ("token-parameter", "variable.parameter, variable.parameter.function"),
    ("token-function", "entity.name.function, support.function, entity.other.attribute-name"),
    ("token-string-expression", "string.template, string.interpolated, constant.character.escape"),
    ("token-punctuation", "punctuation, meta.brace, meta.delimiter"),
    ("token-link", "markup.underline.link, string.other.link"),
];

/// One theme, ready to resolve scopes.
#[derive(Debug)]
pub(super) struct CodeTheme {
    theme: Theme,
    background: RgbColor,
    foreground: RgbColor,
    /// docwright's own: colors are moved until they are readable.
    own: bool,
    /// Whether colors are variables.
    variables: bool,
    /// Every selector of its rules.
    selectors: Vec<String>,
}

impl CodeTheme {
    /// docwright's own theme for light or dark mode.
    pub(super) fn own(dark: bool) -> Self {
        let (name, background) =
            if dark { (OWN_DARK, OWN_DARK_BACKGROUND) } else { (OWN_LIGHT, OWN_LIGHT_BACKGROUND) };
        let fallback = || Self::from_rules(&[], false);
        let theme = Self::named(name).unwrap_or_else(fallback);
        Self { background, own: true, ..theme }
    }

    /// The theme with a name, `None` if unknown.
    pub(super) fn named(name: &str) -> Option<Self> {
        if name == VARIABLES {
            let rules: Vec<_> = (1..)
                .zip(VARIABLE_RULES)
                .map(|(number, (_, scope))| ThemeRule {
                    scope: (*scope).to_owned(),
                    foreground: Some(format!("#0000{number:02x}")),
                    ..ThemeRule::default()
                })
                .collect();
            return Some(Self::from_rules(&rules, true));
        }
        let line = packed()
            .lines()
            .find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('\t')))?;
        Self::from_json(line.split_once('\t')?.1)
    }

    /// Names of all themes.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        packed().lines().filter_map(|line| line.split('\t').next()).chain([VARIABLES])
    }

    fn from_json(json: &str) -> Option<Self> {
        let theme = Theme::from_json(json).ok()?;
        let default = theme.default_style();
        let json: serde_json::Value = serde_json::from_str(json).ok()?;
        let rules = json["tokenColors"].as_array()?;
        let selectors = rules.iter().flat_map(|rule| match &rule["scope"] {
            serde_json::Value::String(scope) => vec![scope.as_str()],
            serde_json::Value::Array(scopes) => scopes.iter().filter_map(|s| s.as_str()).collect(),
            _ => Vec::new(),
        });
        Some(Self {
            background: default.background?,
            foreground: default.foreground?,
            own: false,
            variables: false,
            selectors: split_selectors(selectors),
            theme,
        })
    }

    fn from_rules(rules: &[ThemeRule], variables: bool) -> Self {
        let black = RgbColor { red: 0, green: 0, blue: 0 };
        Self {
            theme: Theme::from_rules(rules).unwrap_or_else(|_| empty()),
            background: black,
            foreground: black,
            own: false,
            variables,
            selectors: split_selectors(rules.iter().map(|rule| rule.scope.as_str())),
        }
    }

    /// The theme itself, to resolve scopes with.
    pub(super) fn theme(&self) -> &Theme {
        &self.theme
    }

    /// The selectors of all its rules, in their order.
    pub(super) fn selectors(&self) -> &[String] {
        &self.selectors
    }

    /// Whether a style looks like text without any.
    pub(super) fn is_plain(&self, style: Style) -> bool {
        style.foreground.is_none_or(|color| color == self.foreground) && style.modifiers.is_empty()
    }

    /// The CSS color of a style, or the color of plain text.
    pub(super) fn color(&self, style: Style) -> String {
        let color = style.foreground.unwrap_or(self.foreground);
        if self.variables {
            let index = usize::from(color.blue);
            return match index.checked_sub(1).and_then(|index| VARIABLE_RULES.get(index)) {
                Some((name, _)) => format!("var(--mint-{name},inherit)"),
                None => "var(--mint-color-text,inherit)".to_owned(),
            };
        }
        let color = if self.own { contrast::readable(color, self.background) } else { color };
        hex(color)
    }

    /// The background of a block as CSS.
    pub(super) fn background(&self) -> String {
        if self.variables {
            return "var(--mint-color-background,transparent)".to_owned();
        }
        hex(self.background)
    }
}

fn packed() -> &'static str {
    static THEMES: OnceLock<String> = OnceLock::new();
    THEMES.get_or_init(|| {
        let themes = zstd::decode_all(PACKED).unwrap_or_default();
        String::from_utf8(themes).unwrap_or_default()
    })
}

/// A theme without rules. The list of none is valid by its nature.
fn empty() -> Theme {
    Theme::from_rules(&[]).unwrap_or_else(|_| unreachable!("no rule can't be wrong"))
}

fn split_selectors<'a>(selectors: impl Iterator<Item = &'a str>) -> Vec<String> {
    let split = selectors.flat_map(|selector| selector.split(','));
    split.map(str::trim).filter(|selector| !selector.is_empty()).map(str::to_owned).collect()
}

fn hex(color: RgbColor) -> String {
    format!("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_packed_theme_loads() {
        let names: Vec<_> = CodeTheme::names().collect();
        assert!(names.len() > 60, "{names:?}");
        for name in names {
            let theme = CodeTheme::named(name).unwrap_or_else(|| panic!("{name}"));
            assert!(!theme.selectors().is_empty(), "{name}");
        }
        assert!(CodeTheme::named("github").is_none());
    }

    #[test]
    fn own_colors_are_readable() {
        for dark in [false, true] {
            let theme = CodeTheme::own(dark);
            for selector in theme.selectors() {
                let scopes: Vec<_> = selector.split(' ').collect();
                let style = theme.theme().resolve_scope_names(&scopes);
                let color = style.foreground.unwrap_or(theme.foreground);
                let moved = contrast::readable(color, theme.background);
                let ratio = contrast::ratio(moved, theme.background);
                assert!(ratio >= 4.5, "{selector} {} {ratio}", theme.color(style));
            }
        }
    }

    #[test]
    fn css_variables_name_the_variables_of_the_format() {
        let theme = CodeTheme::named(VARIABLES).expect("it is built in");
        let color = |scope| theme.color(theme.theme().resolve_scope_names(&[scope]));
        assert_eq!(color("comment.line"), "var(--mint-token-comment,inherit)");
        assert_eq!(color("source.js"), "var(--mint-color-text,inherit)");
    }
}
