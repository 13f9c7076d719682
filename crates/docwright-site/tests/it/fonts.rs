//! Fonts: every one that a site shows is a file of the site, or a diagnostic says why not.

use std::collections::BTreeSet;

use docwright_site::{Rule, Severity, build::check, content::config::remote_fonts};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::site::{Built, Site};

const ADDRESS: &str = "https://cdn.example.com/fonts/Acme.woff2";
const FOLDER: &str = "_docwright/fonts/";

/// A site of one page with text, or with code.
fn with(fonts: Value) -> Site {
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "pages": ["index"] }, "fonts": fonts,
    });
    Site::page("Text.").file("docs.json", serde_json::to_string_pretty(&config).unwrap())
}

/// A font file: a variable one that docwright includes.
fn variable() -> Vec<u8> {
    let built = Site::page("Text.").build();
    let (_, contents) =
        built.files.iter().find(|(path, _)| path.ends_with(".inter-latin.woff2")).unwrap();
    contents.clone()
}

/// The header of a font with one weight.
fn with_one_weight() -> Vec<u8> {
    let mut font = b"wOFF".to_vec();
    font.resize(64, 0);
    font
}

/// Names of the fonts that docwright adds to a site, without hashes and subsets.
fn added(built: &Built) -> BTreeSet<String> {
    let names =
        built.files.keys().filter_map(|path| path.strip_prefix(FOLDER)?.strip_suffix(".woff2"));
    let names = names.map(|name| name.split_once('.').expect("a hash comes first").1);
    names
        .map(|name| name.split_once("-latin").map_or(name, |(family, _)| family))
        .map(str::to_owned)
        .collect()
}

/// Addresses of fonts that a page preloads.
fn preloads(built: &Built, page: &str) -> Vec<String> {
    let html = built.text(page);
    let (_, script) =
        html.split_once("if(location.protocol!=='file:')").expect("a script preloads fonts");
    let (fonts, _) = script.split_once(".forEach").unwrap();
    let fonts: Vec<(String, String)> = serde_json::from_str(fonts).unwrap();
    assert!(fonts.iter().all(|(path, kind)| kind == "font/woff2" && path.ends_with(".woff2")));
    fonts.into_iter().map(|(path, _)| path).collect()
}

fn theme(built: &Built) -> &str {
    built.text("_docwright/theme.css")
}

/// Rules that load a family, in order.
fn rules<'a>(css: &'a str, family: &str) -> Vec<&'a str> {
    let start = format!("@font-face{{font-family:\"{family}\";");
    css.lines().filter(|line| line.starts_with(&start)).collect()
}

#[test]
fn site_without_fonts_has_faces_of_its_theme() {
    let built = Site::page("Text.").file("guides/code.mdx", "Some `code`.").build();
    let fonts: Vec<_> = built.files.iter().filter(|(path, _)| path.starts_with(FOLDER)).collect();
    let files = fonts.iter().filter(|(path, _)| path.contains(".inter-")).count();
    assert_eq!(files, 8, "seven subsets, and another file of the Latin one");
    for (path, contents) in &fonts {
        let name = path.strip_prefix(FOLDER).unwrap();
        if name.ends_with(".LICENSE.txt") {
            assert!(String::from_utf8_lossy(contents).contains("SIL OPEN FONT LICENSE"), "{path}");
        } else {
            let (hash, _) = name.split_once('.').unwrap();
            assert!(hex::encode(Sha256::digest(contents)).starts_with(hash), "{path}");
            assert!(contents.starts_with(b"wOF2"), "{path}");
            assert!(theme(&built).contains(&format!("url(\"fonts/{name}\")")), "{path}");
        }
    }
    let sources = theme(&built).matches(" format(\"").count();
    assert_eq!(sources, fonts.len() - 2 + 1, "less two licenses; one file is named twice");
    assert_eq!(preloads(&built, "index.html").len(), 1);
    let with_code = preloads(&built, "guides/code.html");
    let families: Vec<_> = with_code
        .iter()
        .map(|path| path.rsplit_once('.').unwrap().0.rsplit('.').next().unwrap())
        .collect();
    assert_eq!(families, ["inter-latin", "jetbrains-mono-latin-400"]);
    let size = |path: &String| built.files[path.strip_prefix("../").unwrap()].len();
    let bytes: usize = with_code.iter().map(size).sum();
    assert!((20_000..36_000).contains(&bytes), "a page with code transfers {bytes} bytes");
}

#[test]
fn weights_that_styles_do_not_use_are_in_another_file() {
    let built = Site::page("Text.").build();
    let latin = |rule: &&str| rule.contains(".inter-latin.woff2");
    let [usual, light, heavy] =
        rules(theme(&built), "Inter").into_iter().filter(latin).collect::<Vec<_>>()[..]
    else {
        panic!("three rules");
    };
    let file =
        |rule: &str| rule.split('"').find(|part| part.ends_with(".woff2")).unwrap().to_owned();
    for (rule, weights) in [(usual, "400 700"), (light, "100 399"), (heavy, "701 900")] {
        assert!(rule.contains(&format!("font-weight:{weights};")), "{rule}");
    }
    assert_eq!(file(light), file(heavy));
    assert_eq!(preloads(&built, "index.html"), [format!("_docwright/{}", file(usual))]);
    let size = |rule| built.files[&format!("_docwright/{}", file(rule))].len();
    assert!(size(usual) < 25_000 && size(usual) + 5_000 < size(light));
}

#[test]
fn family_that_docwright_includes_replaces_that_of_the_theme() {
    let built = with(json!({ "family": "Geist" })).build();
    assert_eq!(built.codes(), [""; 0]);
    let families = added(&built);
    assert!(families.contains("geist") && !families.iter().any(|name| name.starts_with("inter")));
    let css = theme(&built);
    assert!(css.contains(":root,:where([lang]){--font-body:\"Geist\",\"Geist Fallback\",var(--font-script),var(--font-system);--font-heading:var(--font-body);}"));
    assert_eq!(rules(css, "Geist").len(), 2);
    assert!(rules(css, "Geist Fallback")[0].contains("src:local(\"Arial\")"));
    assert!(preloads(&built, "index.html")[0].contains(".geist-latin.woff2"));
}

#[test]
fn headings_and_text_have_fonts_of_their_own() {
    let built =
        with(json!({ "heading": { "family": "Playfair Display" }, "body": { "family": "lora" } }))
            .build();
    let css = theme(&built);
    assert!(
        css.contains("--font-body:\"Lora\",\"Lora Fallback\",var(--font-script),Georgia,serif;")
    );
    assert!(css.contains("--font-heading:\"Playfair Display\",\"Playfair Display Fallback\","));
    assert!(rules(css, "Lora").iter().any(|rule| rule.contains("font-style:italic")));
    assert!(rules(css, "Lora Fallback")[0].contains("local(\"Times New Roman\")"));
    assert_eq!(preloads(&built, "index.html").len(), 2);
    // A part replaces what is said of both.
    let built = with(json!({ "family": "Lora", "heading": { "family": "Inter" } })).build();
    assert!(theme(&built).contains("--font-body:\"Lora\",\"Lora Fallback\",var(--font-script),Georgia,serif;--font-heading:\"Inter\","));
    // Headings follow the text; text doesn't follow headings.
    let built = with(json!({ "body": { "family": "Lora" } })).build();
    assert!(theme(&built).contains("--font-heading:var(--font-body);"));
    let built = with(json!({ "heading": { "family": "Lora" } })).build();
    assert!(theme(&built).contains("@layer tokens{:root,:where([lang]){--font-body:\"Inter\","));
}

#[test]
fn unknown_family_keeps_its_name_and_is_reported() {
    let built = with(json!({ "family": "Garnett" })).build();
    assert_eq!(built.codes(), ["unknown-font"]);
    let diagnostic = &built.report.diagnostics[0];
    assert_eq!((diagnostic.path.as_str(), diagnostic.severity), ("docs.json", Severity::Warning));
    assert!(diagnostic.line > 1 && diagnostic.message.contains("`Garnett`"), "{diagnostic:?}");
    assert!(
        diagnostic
            .help
            .as_deref()
            .is_some_and(|help| help.contains("`source`") && help.contains("Inter"))
    );
    assert!(theme(&built).contains("--font-body:\"Garnett\",\"Inter\",\"Inter Fallback\","));
    let near = with(json!({ "body": { "family": "Monserrat" } })).build();
    assert!(
        near.report.diagnostics[0].help.as_deref().is_some_and(|help| help.contains("Montserrat"))
    );
}

#[test]
fn font_of_the_repository_is_loaded_from_its_place() {
    let both =
        json!({ "family": "Acme Sans", "source": "/fonts/Acme Sans.woff2", "format": "woff2" });
    let built = with(both.clone()).file("fonts/Acme Sans.woff2", variable()).build();
    assert_eq!(built.codes(), [""; 0]);
    let rule = "@font-face{font-family:\"Acme Sans\";font-weight:1 1000;font-display:swap;src:url(\"../fonts/Acme%20Sans.woff2\") format(\"woff2\")}";
    assert_eq!(rules(theme(&built), "Acme Sans"), [rule]);
    assert!(theme(&built).contains("--font-body:\"Acme Sans\",var(--font-script),var(--font-system);--font-heading:var(--font-body);"));
    assert_eq!(preloads(&built, "index.html"), ["fonts/Acme%20Sans.woff2"]);
    assert!(!theme(&built).contains("\"Inter\""), "no text uses it");
    assert!(built.files.contains_key("fonts/Acme Sans.woff2"));
    // The page for missing addresses has its styles in it.
    assert!(built.text("404.html").contains("url(\"/fonts/Acme%20Sans.woff2\")"));
    for part in ["heading", "body"] {
        let built = with(json!({ part: both })).file("fonts/Acme Sans.woff2", variable()).build();
        assert_eq!(rules(theme(&built), "Acme Sans").len(), 1, "{part}");
        assert_eq!(
            theme(&built).matches("\"Inter\",").count(),
            usize::from(part == "heading"),
            "{part}"
        );
    }
}

#[test]
fn file_with_one_weight_has_that_of_its_text() {
    let file = |weight: Option<u16>| {
        let mut font = json!({ "family": "Acme", "source": "/a.woff", "format": "woff" });
        font.as_object_mut()
            .unwrap()
            .extend(weight.map(|weight| ("weight".to_owned(), json!(weight))));
        font
    };
    let bold = json!({ "family": "Acme", "source": "/b.woff", "weight": 650.5 });
    let plain = json!({ "family": "Acme", "source": "/b.woff" });
    for (fonts, text, headings) in [
        (file(None), "font-weight:400;", None),
        (file(Some(300)), "font-weight:300;", None),
        (
            json!({ "body": file(None), "heading": bold }),
            "font-weight:400;",
            Some("font-weight:650.5;"),
        ),
        (
            json!({ "body": file(None), "heading": plain }),
            "font-weight:400;",
            Some("font-weight:1 1000;"),
        ),
    ] {
        let site = with(fonts).file("a.woff", with_one_weight()).file("b.woff", with_one_weight());
        let built = site.build();
        assert_eq!(built.codes(), [""; 0]);
        let css = theme(&built);
        assert!(
            rules(css, "Acme")[0].contains(text)
                && rules(css, "Acme")[0].contains("format(\"woff\")")
        );
        let heading = rules(css, "Acme Heading");
        assert_eq!(heading.len(), headings.iter().count());
        assert!(headings.is_none_or(|weight| heading[0].contains(weight)), "{heading:?}");
    }
}

#[test]
fn weight_is_that_of_text_and_of_headings() {
    let text = "@layer components{body{font-weight:450}}";
    let headings = "@layer components{:is(h1,h2,h3,h4,h5,h6){font-weight:750.5}}";
    for (fonts, expected) in [
        (json!({ "weight": 450 }), [true, false]),
        (json!({ "body": { "weight": "450" } }), [true, false]),
        (json!({ "heading": { "weight": 750.5 } }), [false, true]),
        (json!({ "family": "Inter", "weight": 450, "heading": { "weight": 750.5 } }), [true, true]),
    ] {
        let built = with(fonts.clone()).build();
        assert_eq!(built.codes(), [""; 0], "{fonts}");
        assert_eq!([text, headings].map(|rule| theme(&built).contains(rule)), expected, "{fonts}");
    }
    for weight in [json!(0), json!(1001), json!("heavy"), json!("400}*{color:red")] {
        let built = with(json!({ "weight": weight })).build();
        assert_eq!(built.codes(), ["invalid-value"], "{weight}");
        assert!(!theme(&built).contains("color:red"));
    }
}

#[test]
fn font_on_another_host_is_loaded_from_the_site_if_it_was_fetched() {
    let font = json!({ "family": "Acme", "source": ADDRESS, "format": "woff2" });
    let fonts = json!({ "heading": font, "body": font });
    let site = with(fonts);
    assert_eq!(remote_fonts(&site.source()), BTreeSet::from([ADDRESS.to_owned()]));

    let built = site.clone().build();
    assert_eq!(built.codes(), ["remote-font"]);
    assert_eq!(built.report.diagnostics[0].severity, Severity::Note);
    assert!(built.report.diagnostics[0].line > 1);
    assert!(theme(&built).contains("--font-body:\"Acme\",\"Inter\","));
    assert!(
        !built
            .files
            .values()
            .any(|file| String::from_utf8_lossy(file)
                .contains("cdn.example.com/fonts/Acme.woff2\")"))
    );

    let contents = variable();
    let built = site.font(ADDRESS, &contents).build();
    assert_eq!(built.codes(), [""; 0]);
    let hash = &hex::encode(Sha256::digest(&contents))[..16];
    assert_eq!(built.files[&format!("{FOLDER}{hash}.font.woff2")], contents);
    assert_eq!(rules(theme(&built), "Acme").len(), 1);
    assert!(theme(&built).contains(&format!("src:url(\"fonts/{hash}.font.woff2\")")));
    assert_eq!(preloads(&built, "index.html"), [format!("{FOLDER}{hash}.font.woff2")]);
}

#[test]
fn file_that_is_no_font_is_reported() {
    let google = "https://fonts.googleapis.com/css2?family=Geist:wght@400&display=swap";
    for (fonts, code, problem, help) in [
        (
            json!({ "family": "A", "source": "/gone.woff2" }),
            "missing-file",
            "doesn't exist",
            "case-sensitive",
        ),
        (
            json!({ "family": "A", "source": "/docs.json" }),
            "invalid-font",
            "isn't a font file",
            "WOFF2",
        ),
        (json!({ "family": "A", "source": ADDRESS }), "invalid-font", "isn't a font file", "WOFF2"),
        (
            json!({ "family": "A", "source": "a.woff", "format": "woff2" }),
            "invalid-font",
            "is woff",
            "`woff`",
        ),
        (json!({ "family": "A", "source": google }), "invalid-font", "style sheet", "download"),
        (
            json!({ "family": "Geist", "source": google }),
            "invalid-font",
            "style sheet",
            "remove `source`",
        ),
        (json!({ "family": "Geist", "format": "ttf" }), "invalid-value", "`ttf`", "woff2"),
        (json!({ "family": "a\";}*{color:red" }), "invalid-value", "isn't the name", "name only"),
    ] {
        let site =
            with(fonts.clone()).file("a.woff", with_one_weight()).font(ADDRESS, b"<!doctype html>");
        assert!(remote_fonts(&site.source()).iter().all(|address| address == ADDRESS));
        let built = site.clone().build();
        assert_eq!(built.codes(), [code], "{fonts}");
        let diagnostic = &built.report.diagnostics[0];
        assert!(diagnostic.message.contains(problem), "{diagnostic:?}");
        assert!(
            diagnostic.help.as_deref().is_some_and(|text| text.contains(help)),
            "{diagnostic:?}"
        );
        assert!(diagnostic.line > 1, "{diagnostic:?}");
        assert!(!theme(&built).contains("googleapis") && !theme(&built).contains("color:red"));
        assert_eq!(check(&site.source()).unwrap().report.diagnostics, built.report.diagnostics);
    }
    assert_eq!(Rule::MissingFile.severity(), Severity::Error);
}

#[test]
fn old_configuration_names_fonts_by_url() {
    let config = json!({
        "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": [{ "group": "A", "pages": ["index"] }],
        "font": { "headings": { "family": "Acme", "url": ADDRESS, "weight": 700 }, "body": { "family": "Geist" } },
    });
    let site = Site::page("Text.").without("docs.json").file("mint.json", config.to_string());
    let built = site.font(ADDRESS, &variable()).build();
    assert_eq!(built.codes(), [""; 0]);
    assert_eq!(rules(theme(&built), "Acme").len(), 1);
    assert_eq!(rules(theme(&built), "Geist").len(), 2);
    assert!(theme(&built).contains(":is(h1,h2,h3,h4,h5,h6){font-weight:700}"));
}

#[test]
fn page_loads_letters_of_its_language_first() {
    let config = json!({
        "name": "Test", "theme": "mint", "colors": { "primary": "#0f766e" },
        "navigation": { "languages": [
            { "language": "en", "pages": ["index"] }, { "language": "uk", "pages": ["uk/a"] },
            { "language": "pl", "pages": ["pl/a"] }, { "language": "ja", "pages": ["ja/a"] },
        ] },
    });
    let built = Site::page("Text.")
        .file("docs.json", config.to_string())
        .file("uk/a.mdx", "Текст.")
        .file("pl/a.mdx", "Źródło.")
        .file("ja/a.mdx", "文字。")
        .build();
    for (page, subsets) in [
        ("index", vec!["latin"]),
        ("uk/a", vec!["latin", "cyrillic"]),
        ("pl/a", vec!["latin", "latin-ext"]),
        ("ja/a", vec!["latin"]),
    ] {
        let found = preloads(&built, &format!("{page}.html"));
        let expected = subsets.iter().map(|subset| format!(".inter-{subset}.woff2"));
        assert!(found.iter().zip(expected).all(|(found, end)| found.ends_with(&end)), "{found:?}");
        assert_eq!(found.len(), subsets.len(), "{page}");
    }
}
