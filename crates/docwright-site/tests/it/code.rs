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
use docwright_site::render::mermaid::{Diagrams, FrameOptions};

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
fn stylesheet_has_every_element_of_page() {
    for theme in ["github-light", "dracula", "css-variables", "one-light"] {
        let (highlighter, diagnostics) = with_theme(theme);
        assert_eq!(diagnostics, []);
        let code = "import a from 'b'; // c\nexport const d = async (e) => `${e + 1}`;";
        let html = highlighter.highlight(Some("ts"), code);
        let elements: Vec<_> = html.split("<dw-").skip(1).collect();
        assert!(elements.len() > 4, "{theme}: {html}");
        for element in elements {
            let number = element.split('>').next().unwrap_or_default();
            let rule = format!("dw-{number}{{");
            assert!(highlighter.stylesheet().contains(&rule), "{theme}: {number}");
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
    assert!(highlighter.highlight(Some("js"), "let a = 1").contains("<dw-"));
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
        assert!(html.starts_with("<dw-") && html.contains("> it"), "{html}");
    }
}

#[test]
fn oversized_code_is_plain() {
    let highlighter = highlighter();
    let line = format!("const a = \"{}\";", "<x>".repeat(1_100_000));
    let large = "let a = 1;\n".repeat(70_000);
    for code in [line, large] {
        let html = highlighter.highlight(Some("js"), &code);
        assert!(!html.contains("<dw-0>") && text(&html) == code);
    }
    // A long line doesn't affect the colors of other lines.
    let mixed = format!("let a = 1;\nlet b = '{}';", "x".repeat(20_000));
    assert!(highlighter.highlight(Some("js"), &mixed).starts_with("<dw-"));
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

/// A diagram as the first, second, … of its page.
fn diagram(source: &str, number: u32) -> Result<String, String> {
    let options = FrameOptions { number, ..FrameOptions::default() };
    let drawn = Diagrams::default().render(source, options, |link| Some(format!("..{link}.html")));
    drawn.map(|markup| markup.0).map_err(|failure| failure.reason)
}

#[test]
fn diagrams_are_inline_and_distinct() {
    let source = "flowchart LR\n  A[Start] --> B{End?}\n  style A fill:#f9f";
    let (first, second) = (diagram(source, 1).unwrap(), diagram(source, 2).unwrap());
    assert!(first.contains("Start") && first.contains("id=\"d1-"), "{first}");
    assert!(first.contains("A to B") || first.contains("Start to End?"), "{first}");
    assert!(second.contains("id=\"d2-") && !second.contains("d1-"), "{second}");
    let ids = |html: &str| -> Vec<String> {
        html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap().into()).collect()
    };
    let all = [ids(&first), ids(&second)].concat();
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert!(all.len() > 3 && distinct.len() == all.len(), "{all:?}");
    for reference in (first + &second).split("url(#").skip(1) {
        let id = reference.split(')').next().unwrap();
        assert!(all.iter().any(|known| known == id), "{id}");
    }
}

#[test]
fn diagrams_have_colors_of_both_modes() {
    let drawn = diagram("flowchart LR\n  A --> B\n  style A fill:#f9f,color:navy", 1).unwrap();
    assert!(drawn.contains("var(--diagram-text)") && drawn.contains("var(--diagram-line)"));
    assert!(
        drawn.contains("light-dark(#ff99ff,") && drawn.contains("light-dark(#000080,"),
        "{drawn}"
    );
    let (_, svg) = drawn.split_once("<svg").unwrap();
    let only = svg.match_indices('#').find(|(start, _)| svg[..*start].ends_with([':', '"']));
    assert!(only.is_none(), "a color of one mode in {svg}");
}

#[test]
fn labels_show_no_markup() {
    for (source, text) in [
        (
            "flowchart LR\n A[\"parse()<br/><i>name + params</i>\"] -->|\"<b>go</b>\"| B",
            "name + params",
        ),
        ("flowchart LR\n A[\"`**bold** text`\"]", "bold"),
        ("sequenceDiagram\n A->>B: one<br/>two", "two"),
        ("erDiagram\n A ||--o{ B : \"create()\"", "create()"),
        ("classDiagram\n class A{\n  +run() List\n }", "run()"),
        ("stateDiagram-v2\n s1 : a <br/> b\n s1 --> s2 : go", "go"),
    ] {
        let drawn = diagram(source, 1).unwrap();
        let (_, svg) = drawn.split_once("<svg").unwrap();
        let (svg, _) = svg.split_once("</svg>").unwrap();
        assert!(svg.contains(text), "{source}: {svg}");
        for shown in ["&lt;", "**", "&amp;quot;", "~", "`"] {
            assert!(!svg.contains(shown), "{shown} in {source}: {svg}");
        }
    }
}

#[test]
fn links_of_diagrams_lead_to_pages_and_the_web() {
    let drawn = diagram(
        "flowchart LR\n A --> B --> C\n click A \"https://example.com/a\" _blank\n click B \"/guide\"\n\
         click C \"javascript:alert(1)\"",
        1,
    )
    .unwrap();
    assert!(drawn.contains("href=\"https://example.com/a\""), "{drawn}");
    assert!(drawn.contains("href=\"../guide.html\""), "{drawn}");
    let (_, svg) = drawn.split_once("<svg").unwrap();
    assert!(!svg.contains("javascript:"), "{svg}");
}

#[test]
fn diagrams_carry_titles_and_connections_for_screen_readers() {
    let drawn = diagram(
        "flowchart LR\n accTitle: A short title\n accDescr: What it is about\n A[One] -->|then| B[Two]",
        1,
    )
    .unwrap();
    assert!(drawn.contains("A short title</title>"), "{drawn}");
    assert!(drawn.contains("What it is about</desc>"), "{drawn}");
    assert!(drawn.contains("aria-labelledby=\"d1-"), "{drawn}");
    assert!(drawn.contains("<li>One to Two: then</li>"), "{drawn}");
}

#[test]
fn controls_follow_height_and_author() {
    let low = "flowchart LR\n A --> B";
    assert!(!diagram(low, 1).unwrap().contains("data-diagram-enlarge"));
    assert!(diagram("flowchart TD\n A --> B --> C", 1).unwrap().contains("data-diagram-enlarge"));
    let options = FrameOptions { number: 1, actions: Some(true), placement: Some("top-left") };
    let drawn = Diagrams::default().render(low, options, |_| None).unwrap().0;
    assert!(drawn.contains("data-actions") && drawn.contains("data-placement=\"top-left\""));
}

#[test]
fn diagram_that_is_none_is_refused() {
    assert_eq!(diagram("no diagram", 1).unwrap_err(), "its first line names no kind of diagram");
    let options = FrameOptions::default();
    let failed = Diagrams::default().render("flowchart LR\n A[\"a \"b\" c\"]", options, |_| None);
    assert!(!failed.unwrap_err().is_final);
}

#[test]
fn diagrams_are_reproducible() {
    let sources = [
        "flowchart TD\n A-->B\n A-->C\n B-->D\n C-->D\n subgraph s\n D-->E\n end\n classDef x fill:#123\n class A,B x\n linkStyle 0 stroke:red\n linkStyle 1 stroke:blue",
        "classDiagram\n A <|-- B\n A <|-- C\n C --> D : uses",
        "erDiagram\n A ||--o{ B : has\n B }o--|| C : is",
        "stateDiagram-v2\n [*] --> A\n A --> B\n B --> [*]",
        "gitGraph\n commit\n branch b\n commit\n checkout main\n merge b",
        "mindmap\n a\n  b\n  c",
    ];
    for source in sources {
        let once = diagram(source, 1).unwrap();
        assert!((0..5).all(|_| diagram(source, 1).unwrap() == once), "{source}");
    }
}

#[test]
fn hostile_diagrams_are_drawn_or_refused_in_bounds() {
    let lines = |head: &str, count: usize, line: fn(usize) -> String| {
        (0..count).fold(head.to_owned(), |text, number| text + "\n" + &line(number))
    };
    for source in [
        String::new(),
        "flowchart".into(),
        "x".repeat(100_000),
        lines("flowchart TD", 10_000, |n| format!("a{n}")),
        lines("flowchart TD", 2_000, |_| "subgraph a".into()),
        lines("flowchart TD", 200, |n| format!("subgraph a{n}")) + "\nx" + &"\nend".repeat(200),
        lines("flowchart TD\nA", 1, |_| "[".repeat(20_000)),
        "flowchart TD\nA[".to_owned() + &"long ".repeat(9_000) + "]",
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
        "flowchart TD\nA[\"</text></svg><script>alert(1)</script><img src=x onerror=alert(1)>\"]\n\
         click A \"javascript:alert(1)\""
            .into(),
    ] {
        let Ok(html) = diagram(&source, 1) else { continue };
        assert!(html.len() < 4_000_000, "{} bytes for {}", html.len(), &source[..40]);
        let (_, svg) = html.split_once("<svg").unwrap();
        for harm in ["<script", "javascript:", "<img", " onerror"] {
            assert!(!svg.contains(harm), "{harm}: {svg}");
        }
    }
}

#[test]
fn diagram_with_many_nodes_is_refused_with_a_reason() {
    let nodes: Vec<_> = (0..5_000).map(|number| format!("a{number}")).collect();
    let reason = diagram(&format!("flowchart TD\n{}", nodes.join("\n")), 1).unwrap_err();
    assert_eq!(reason, "it has more than 500 nodes or edges");
    let long = format!("flowchart TD\n A[{}]", "x".repeat(60_000));
    assert_eq!(diagram(&long, 1).unwrap_err(), "it is longer than 50000 bytes");
}

#[test]
fn colors_of_a_line_do_not_depend_on_other_code() {
    for repeats in (20..=220).step_by(20) {
        let highlighter = highlighter();
        let line = "a = 1; ".repeat(repeats);
        let html = |first: &str| {
            let html = render(&format!("```js\n{first}\n{line}\n```"), &highlighter);
            html.split_once(first).expect("the first line is shown").1.to_owned()
        };
        assert_eq!(html("before"), html("again"), "{repeats} statements");
    }
}
