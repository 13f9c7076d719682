//! The assistant on pages of other sites: a script that shows a button, and the styles of the panel in a shadow tree.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    assets::{TOKENS, site_tokens},
    assistant::{FOLDER, PANEL_STYLES, own_word},
    colors::Palette,
    themes,
};
use crate::content::{config::Config, languages};

/// The script. Its function gets what it needs to know of the site.
const SCRIPT: &str = include_str!("scripts/assistant/widget.js");
const STYLES: &str = include_str!("styles/assistant/widget.css");
/// The element that stands for the document in the shadow tree.
const ROOT: &str = ".dw-widget";
/// Pixels of a `rem`. The pages of other sites can set another size of letters.
const REM: f64 = 16.0;

/// The files of the widget below the site root: path and contents.
pub(super) fn files(
    config: &Config,
    main: &str,
    languages: &BTreeSet<&str>,
) -> [(String, String); 2] {
    [
        (format!("{FOLDER}/widget.js"), script(config, main, languages)),
        (format!("{FOLDER}/widget.css"), styles(config)),
    ]
}

fn script(config: &Config, main: &str, languages: &BTreeSet<&str>) -> String {
    let label = |code: &&str| ((*code).to_owned(), Value::from(own_word(code, "ask")));
    let labels: Map<_, _> = languages.iter().map(label).collect();
    let right_to_left: Vec<_> =
        languages.iter().filter(|code| languages::is_right_to_left(code)).collect();
    let palette = Palette::new(&config.colors, &config.background.color);
    let site = json!({
        "main": main,
        "labels": labels,
        "rightToLeft": right_to_left,
        "button": palette.button,
        "ink": palette.on_button,
    });
    format!("(function () {{\n{SCRIPT}docwrightWidget({site});\n}})();\n")
}

/// The styles of the panel and of what an answer can contain. The properties of the document are those of the shadow
/// tree's element, so that no property of the page gets in.
fn styles(config: &Config) -> String {
    let mut css =
        String::from("@layer properties,theme,reset,tokens,base,layout,prose,components,widget;\n");
    for part in [
        TOKENS,
        include_str!("styles/reset.css"),
        include_str!("styles/base.css"),
        include_str!("styles/prose.css"),
        include_str!("styles/code.css"),
        themes::theme(&config.theme).styles,
        PANEL_STYLES,
        STYLES,
        &site_tokens(config),
    ] {
        css.push_str(part);
    }
    in_pixels(&css.replace(":root", ROOT))
}

/// A style sheet with pixels instead of `rem`.
fn in_pixels(css: &str) -> String {
    let mut parts = css.split("rem");
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits =
            written.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.').len();
        match written[digits..].parse::<f64>() {
            Ok(number) => {
                written.truncate(digits);
                written += &format!("{}px", number * REM);
            }
            Err(_) => written.push_str("rem"),
        }
        written.push_str(part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_become_pixels() {
        let css = "a{width:min(26rem,.5rem);margin:-1rem 0rem}.rem{content:\"theorem\"}";
        let pixels = "a{width:min(416px,8px);margin:-16px 0px}.rem{content:\"theorem\"}";
        assert_eq!(in_pixels(css), pixels);
    }

    #[test]
    fn styles_depend_on_nothing_of_the_page() {
        for theme in themes::THEMES {
            let config = Config { theme: theme.name.to_owned(), ..Config::default() };
            let css = styles(&config);
            assert!(!css.contains(":root") && !css.contains("0rem"), "{}", theme.name);
            assert!(css.contains(".dw-widget.dark{") && css.contains(".dw-assistant{"));
        }
    }

    #[test]
    fn script_knows_the_languages_of_the_site() {
        let languages = BTreeSet::from(["ar", "de", "en"]);
        let script = script(&Config::default(), "de", &languages);
        assert!(script.contains(r#""main":"de""#) && script.contains(r#""rightToLeft":["ar"]"#));
        assert!(script.contains(r#""de":"Assistenten fragen""#));
        // Nothing of the site can end the script or begin another.
        assert!(!script.contains("</script"));
    }
}
