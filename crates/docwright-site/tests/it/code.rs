//! Code blocks, diagrams, and formulas: from Markdown to the page's HTML.
//!
//! Fixtures are folders below `tests/fixtures/code` with one fence in `input.md`. `UPDATE=1` rewrites the
//! expected output.

use std::fs;
use std::path::Path;

use docwright_site::Diagnostic;
use docwright_site::content::config::Config;
use docwright_site::render::code::{CodeBlock, Highlighter, Meta, block};
use docwright_site::render::icons::Icons;
use docwright_site::render::mermaid::Diagrams;

fn highlighter() -> Highlighter {
    Highlighter::new(&Config::default(), |_| None).0
}

fn with_theme(name: &str) -> (Highlighter, Vec<Diagnostic>) {
    let mut config = Config { path: "docs.json".into(), ..Config::default() };
    config.codeblocks.light = Some(name.into());
    config.codeblocks.dark = Some(name.into());
    Highlighter::new(&config, |_| None)
}

/// The HTML of a Markdown fence.
fn render(markdown: &str, highlighter: &Highlighter) -> String {
    let (info, code) = markdown.split_once('\n').expect("a fence has more than one line");
    let ticks = info.bytes().take_while(|byte| *byte == b'`').count();
    let (language, meta) = info[ticks..].split_once(' ').unwrap_or((&info[ticks..], ""));
    let code = code.trim_end().trim_end_matches('`');
    let meta = Meta::parse(meta);
    let icon = meta.icon.as_deref().and_then(|name| Icons::new("lucide").find(name, None));
    let language = Some(language).filter(|language| !language.is_empty());
    block(&CodeBlock { language, code, meta, icon: icon.unwrap_or_default() }, highlighter).0
}

/// The text content of HTML.
fn text(html: &str) -> String {
    let parts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text: String = parts.collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[test]
fn fixtures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/code");
    let highlighter = highlighter();
    let mut count = 0;
    for entry in fs::read_dir(&root).expect("the folder of fixtures exists") {
        let folder = entry.expect("the folder can be listed").path();
        let input = fs::read_to_string(folder.join("input.md")).expect("each has an input.md");
        let html = render(&input, &highlighter) + "\n";
        let expected = folder.join("expected.html");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &html).expect("the fixture can be written");
        }
        let expected = fs::read_to_string(expected).expect("each has an expected.html");
        similar_asserts::assert_eq!(html, expected, "{}", folder.display());
        count += 1;
    }
    assert!(count >= 8, "only {count} fixtures were found");
}

#[test]
fn block_contains_exact_code() {
    let highlighter = highlighter();
    let code = "fn main() {\n\n\tlet a = \"<&>\"; // ü 日本\n}";
    for info in ["rust", "rust lines {1}", "text", "nonsense", "RUST {2} focus=1"] {
        let html = render(&format!("```{info}\n{code}\n```"), &highlighter);
        let inside = html.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next());
        assert_eq!(text(inside.expect("the block has a code element")), code, "{info}");
    }
}

#[test]
fn stylesheet_has_every_class_of_page() {
    for theme in ["github-light", "dracula", "css-variables", "one-light"] {
        let (highlighter, diagnostics) = with_theme(theme);
        assert_eq!(diagnostics, []);
        let code = "import a from 'b'; // c\nexport const d = async (e) => `${e + 1}`;";
        let html = highlighter.highlight(Some("ts"), code);
        let classes: Vec<_> = html.split("class=\"").skip(1).collect();
        assert!(classes.len() > 4, "{theme}: {html}");
        for class in classes {
            let class = class.split('"').next().unwrap_or_default();
            let rule = format!(".{class}{{");
            assert!(highlighter.stylesheet().contains(&rule), "{theme}: {class}");
        }
    }
}

#[test]
fn stylesheets_are_reproducible() {
    assert_eq!(highlighter().stylesheet(), highlighter().stylesheet());
}

#[test]
fn unknown_theme_is_reported_and_replaced() {
    let (highlighter, diagnostics) = with_theme("no-such-theme");
    assert_eq!(diagnostics.len(), 1, "one diagnostic for both modes");
    assert!(diagnostics[0].message.contains("no-such-theme"), "{diagnostics:?}");
    assert!(highlighter.highlight(Some("js"), "let a = 1").contains("class=\"dw-k"));
}

#[test]
fn site_can_add_grammars() {
    let grammar = r#"{"name": "Brew", "scopeName": "source.brew", "fileTypes": ["brw"],
        "patterns": [{"match": "\\bsteep\\b", "name": "keyword.control.brew"}]}"#;
    let mut config = Config { path: "docs.json".into(), ..Config::default() };
    config.codeblocks.custom_languages =
        vec!["/grammars/brew.json".into(), "missing.json".into(), "broken.json".into()];
    let (highlighter, diagnostics) = Highlighter::new(&config, |path| match path {
        "grammars/brew.json" => Some(grammar.to_owned()),
        "broken.json" => Some("{".to_owned()),
        _ => None,
    });
    assert_eq!(diagnostics.len(), 2, "{diagnostics:?}");
    for name in ["brew", "Brew", "brw"] {
        let html = highlighter.highlight(Some(name), "steep it");
        assert!(html.starts_with("<span") && html.ends_with("</span> it"), "{html}");
    }
}

#[test]
fn oversized_code_is_plain() {
    let highlighter = highlighter();
    let line = format!("const a = \"{}\";", "<x>".repeat(1_100_000));
    let large = "let a = 1;\n".repeat(70_000);
    for code in [line, large] {
        let html = highlighter.highlight(Some("js"), &code);
        assert!(!html.contains("class=\"dw-k0\"") && text(&html) == code);
    }
    // A long line doesn't affect the colors of other lines.
    let mixed = format!("let a = 1;\nlet b = '{}';", "x".repeat(20_000));
    assert!(highlighter.highlight(Some("js"), &mixed).starts_with("<span"));
}

#[test]
fn hostile_code_and_options_are_highlighted_in_time() {
    let highlighter = highlighter();
    let nested = ["{", "(", "[", "<a", "${`", "/*", "```js\n", "<script>", "'", "\\", "<<<"];
    for language in ["js", "tsx", "mdx", "php", "html", "python", "bash", "yaml", "sql"] {
        for open in nested {
            let code = open.repeat(2_000);
            assert_eq!(
                text(&highlighter.highlight(Some(language), &code)),
                code,
                "{language} {open}"
            );
        }
    }
    for meta in ["{", "{1-", "title=", "title={", "\"", "=", "===", "{1-99999999999999999999}"] {
        let html = render(&format!("```js {meta} {}\na\n```", meta.repeat(500)), &highlighter);
        assert!(html.ends_with("</div>"));
    }
    let html = render("```x\"onload=alert(1) title=\"<b>\"\na\n```", &highlighter);
    assert!(!html.contains("<b>") && !html.contains("x\"onload"), "{html}");
}

#[test]
fn diagrams_are_inline_and_distinct() {
    let diagrams = Diagrams::default();
    let source = "flowchart LR\n  A[Start] --> B{End?}\n  style A fill:#f9f";
    let first = diagrams.render(source, 1).expect("the diagram is valid").frame(None, None).0;
    let second = diagrams
        .render(source, 2)
        .expect("the diagram is valid")
        .frame(Some(true), Some("top-left"))
        .0;
    assert!(first.contains("Start") && first.contains("id=\"d1-"), "{first}");
    assert!(first.contains("var(--diagram-text)") && first.contains("light-dark(#ff99ff,"));
    assert!(second.contains("id=\"d2-") && !second.contains("d1-"));
    assert!(second.contains("data-actions") && second.contains("data-placement=\"top-left\""));
    assert!(diagrams.render("no diagram", 3).is_err());
}

#[test]
fn diagrams_are_reproducible() {
    let sources = [
        "flowchart TD\n A-->B\n A-->C\n B-->D\n C-->D\n subgraph s\n D-->E\n end\n classDef x fill:#123\n class A,B x\n linkStyle 0 stroke:red\n linkStyle 1 stroke:blue",
        "classDiagram\n A <|-- B\n A <|-- C\n C --> D : uses",
        "erDiagram\n A ||--o{ B : has\n B }o--|| C : is",
        "stateDiagram-v2\n [*] --> A\n A --> B\n B --> [*]",
        "gitGraph\n commit\n branch b\n commit\n checkout main\n merge b",
    ];
    for source in sources {
        let draw = || {
            Diagrams::default().render(source, 1).expect("the diagram is valid").frame(None, None).0
        };
        let once = draw();
        assert!((0..20).all(|_| draw() == once), "{source}");
    }
}

#[test]
fn hostile_diagrams_are_drawn_or_refused_in_time() {
    let diagrams = Diagrams::default();
    let lines = |head: &str, count: usize, line: fn(usize) -> String| {
        (0..count).fold(head.to_owned(), |text, number| text + "\n" + &line(number))
    };
    for source in [
        String::new(),
        "flowchart".into(),
        "x".repeat(100_000),
        lines("flowchart TD", 2_000, |_| "subgraph a".into()),
        lines("flowchart TD\nA", 1, |_| "[".repeat(20_000)),
        lines("mindmap", 150, |n| " ".repeat(n) + "a"),
        lines("flowchart TD", 140, |n| format!("a{n} --> a{}", n + 1)),
        lines("flowchart TD", 80, |n| format!("a{} --> a{}", n % 20, n * 7 % 20)),
        lines("flowchart TD", 2_000, |n| format!("a{n} --> b{n}")),
        lines("sequenceDiagram", 200, |_| "A->>B: x".into()),
        lines("sequenceDiagram", 2_000, |_| "loop a".into()),
        "gantt\n dateFormat YYYY-MM-DD\n a: 9999-99-99, 99999999999999d".into(),
        "pie\n \"a\" : 1e308\n \"b\" : -1\n \"c\" : NaN".into(),
        "xychart-beta\n bar [1e300, -1e300]".into(),
        "block-beta\n columns 0\n a b c".into(),
        "%%{init: {\"a\": ".to_owned() + &"[".repeat(5_000),
        "flowchart TD\nA[\"</text></svg><script>alert(1)</script>\"]\n\
         click A \"javascript:alert(1)\""
            .into(),
    ] {
        if let Ok(diagram) = diagrams.render(&source, 1) {
            let html = diagram.frame(None, None).0;
            assert!(!html.contains("<script") && !html.contains("javascript:"), "{html}");
        }
    }
}
