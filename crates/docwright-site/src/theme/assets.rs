//! The styles and the script that every page loads.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    analytics, assistant,
    colors::{Palette, channels},
    consent,
    fonts::SiteFonts,
    themes,
};
use crate::{
    content::{
        config::{Config, is_hex},
        links::relative,
    },
    options::Options,
    render::icons::Icons,
    script::{Colors, tailwind},
};

/// Colors, fonts and measures, as custom properties.
pub const TOKENS: &str = include_str!("styles/tokens.css");
/// Style sheets of every page, below the site root, in the order of loading. The second one holds
/// what depends on the pages: the colors of code, icons, and utility classes.
pub const STYLES: [&str; 2] = ["_docwright/theme.css", "_docwright/site.css"];
/// The script of every page.
pub const SCRIPT: &str = "_docwright/theme.js";

/// Its parts. Each works without the others.
const SCRIPTS: [&str; 4] = [
    include_str!("scripts/shown.js"),
    include_str!("scripts/contents.js"),
    include_str!("scripts/theme.js"),
    include_str!("scripts/prefetch.js"),
];

/// Files that the theme puts into a site: path and contents.
pub fn assets(
    config: &Config,
    options: &Options,
    fonts: &SiteFonts,
) -> Vec<(&'static str, String)> {
    let address = |path: &str| relative(STYLES[0], path);
    let extras = [assistant::page_styles(options), consent::page_styles(config, options)];
    let styles = stylesheet(config, fonts, &address) + &without_comments(&extras.concat());
    let script = without_line_comments(&SCRIPTS.concat());
    let every = [(STYLES[0], styles), (SCRIPT, script)];
    every.into_iter().chain(analytics::report_script(options)).collect()
}

/// The style sheet of the utility classes that authors use. Fails with the message of the compiler.
pub fn utilities(config: &Config, classes: &BTreeSet<String>) -> Result<String, String> {
    let written = &config.colors;
    // Anything else than a color would be CSS of the author's within the compiler's input.
    let color =
        |color: &'_ str| if is_hex(color) { color.to_owned() } else { "#16a34a".to_owned() };
    let (primary, light, dark) =
        (color(&written.primary), color(&written.light), color(&written.dark));
    let colors = Colors { primary: &primary, light: &light, dark: &dark };
    // The compiler is the same for every site; what authors write are candidates, never CSS.
    tailwind(classes, colors)
}

/// The style sheet of every page. `address` is where it finds a file of the site.
pub(super) fn stylesheet(
    config: &Config,
    fonts: &SiteFonts,
    address: &dyn Fn(&str) -> String,
) -> String {
    let parts = [
        include_str!("styles/reset.css"),
        TOKENS,
        include_str!("styles/base.css"),
        include_str!("styles/fonts.css"),
        include_str!("styles/layout.css"),
        include_str!("styles/contents_bar.css"),
        include_str!("styles/frames.css"),
        include_str!("styles/prose.css"),
        include_str!("styles/components.css"),
        include_str!("styles/code.css"),
        include_str!("styles/api.css"),
        include_str!("styles/diagrams.css"),
        include_str!("styles/deferred.css"),
        include_str!("styles/edges.css"),
        themes::theme(&config.theme).styles,
        include_str!("styles/direction.css"),
        include_str!("styles/motion.css"),
        include_str!("styles/print.css"),
    ];
    let mut css = without_comments(&parts.concat());
    css.push_str(&crate::render::mermaid::stylesheet());
    css.push_str(&site_tokens(config));
    css.push_str(&fonts.stylesheet(address));
    let attribution = Icons::new(&config.icon_library).attribution();
    format!(
        "/*! {attribution} */\n\
         @layer properties,theme,reset,tokens,base,layout,prose,components,utilities;\n{css}"
    )
}

/// A style sheet of ours as readers get it. No string in it looks like a comment.
fn without_comments(css: &str) -> String {
    let mut parts = css.split("/*");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once("*/").map_or("", |(_, rest)| rest));
    let text = [first].into_iter().chain(rest).collect::<String>();
    text.lines().filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}

/// A script of ours as readers get it: without indentation and lines that are comments. No string in it has several
/// lines.
pub(super) fn without_line_comments(script: &str) -> String {
    let lines = script.lines().map(str::trim_start);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// What the configuration decides: colors and background.
pub(super) fn site_tokens(config: &Config) -> String {
    let palette = Palette::new(&config.colors, &config.background.color);
    let mut css = String::new();
    let background = |color: Option<&String>| {
        color
            .filter(|color| is_hex(color))
            .map(|color| format!("--background:{color};"))
            .unwrap_or_default()
    };
    let light = background(config.background.color.light.as_ref());
    let dark = background(config.background.color.dark.as_ref());
    let Palette {
        light: accent,
        light_text,
        dark: accent_dark,
        dark_text,
        button,
        button_dark,
        on_button,
    } = palette;
    let _ = write!(
        css,
        ":root{{--accent:{accent};--accent-text:{light_text};--button:{button};--on-button:{on_button};{light}}}\n\
         @media screen{{:root.dark{{--accent:{accent_dark};--accent-text:{dark_text};--button:{button_dark};{dark}}}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root:not(.light){{--accent:{accent_dark};--accent-text:{dark_text};--button:{button_dark};{dark}}}}}\n"
    );
    css.push_str(&format_properties(config));
    css
}

/// The custom properties of the format that hold colors, for style sheets of authors: `rgb(var(--primary))`.
fn format_properties(config: &Config) -> String {
    let (colors, background) = (&config.colors, &config.background.color);
    let given = [
        ("primary", Some(&colors.primary)),
        ("primary-light", Some(&colors.light)),
        ("primary-dark", Some(&colors.dark)),
        ("background-light", background.light.as_ref()),
        ("background-dark", background.dark.as_ref()),
    ];
    let mut css = String::from(":root{");
    for (name, color) in given {
        if let Some(color) = color.filter(|color| is_hex(color)) {
            // Writing to a string can't fail.
            let _ = write!(css, "--{name}:{};", channels(color));
        }
    }
    css + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{search, source::Source, theme::playground};

    /// Classes of a stylesheet, each with what stands before its point.
    fn classes(css: &str) -> Vec<(&str, &str)> {
        let mut classes = Vec::new();
        // A rule is what stands before a brace; what stands in it names no classes.
        for selector in css.split('}').filter_map(|rule| rule.rsplit_once('{')).map(|rule| rule.0) {
            for (point, _) in selector.match_indices('.') {
                let name = &selector[point + 1..];
                let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '-');
                let name = &name[..end.unwrap_or(name.len())];
                if name.starts_with(char::is_alphabetic) {
                    classes.push((&selector[..point], name));
                }
            }
        }
        classes
    }

    /// The state of the document, and what the format lets authors say.
    fn can_select(before: &str, class: &str) -> bool {
        class.starts_with("dw-")
            || class == "not-prose"
            || class == "active" && before.contains(".dw-")
            || ["dark", "light", "js"].contains(&class)
                && (before.ends_with(":root") || before.ends_with(":not("))
    }

    #[test]
    fn no_rule_selects_class_of_an_author() {
        let [.., (_, search_styles)] = search::assets();
        for theme in themes::THEMES {
            let config = Config { theme: theme.name.to_owned(), ..Config::default() };
            let (fonts, _) = SiteFonts::new(&config, &Source::default());
            let css = stylesheet(&config, &fonts, &|path| path.to_owned())
                + &search_styles
                + playground::STYLES
                + assistant::PAGE_STYLES
                + consent::STYLES
                + assistant::PANEL_STYLES;
            let (_, rules) = css.split_once("*/").expect("it opens with who made the icons");
            let found = classes(rules);
            assert!(found.len() > 500, "only {} classes were found", found.len());
            let foreign: Vec<_> =
                found.iter().filter(|(before, class)| !can_select(before, class)).collect();
            assert!(foreign.is_empty(), "{}: {foreign:?}", theme.name);
        }
    }

    #[test]
    fn comments_are_not_sent() {
        assert_eq!(without_comments("/* A. */\na{b:c}/* B\nC */\n\nd{}\n"), "a{b:c}\nd{}\n");
        assert_eq!(without_line_comments("// A.\n\n  a(\"//\"); // b\n"), "a(\"//\"); // b\n");
        let script = without_line_comments(&SCRIPTS.concat());
        assert!(!script.contains('`'), "a string can have several lines");
    }

    #[test]
    fn rule_for_class_of_an_author_is_found() {
        for rule in [".card{}", "div.dw-a>.b c{}", "@media print{.dark .dw-a{}}"] {
            let found = classes(rule);
            assert!(found.iter().any(|(before, class)| !can_select(before, class)), "{rule}");
        }
    }
}
