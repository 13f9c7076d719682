//! Hostile uses of components: without props or children, with props of the wrong type, deeply nested, and
//! with texts that try to become markup.

use docwright_site::render::components::ALL;

use super::{markdown_of, render};

/// Each name of each component with its known props.
fn uses() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    ALL.iter().flat_map(|component| {
        let props =
            component.props.iter().map(|prop| prop.name).chain(component.ignored.iter().copied());
        let props: Vec<_> = props.collect();
        component.names.iter().map(move |name| (*name, props.clone()))
    })
}

/// An element with the same value for all props.
fn element(name: &str, props: &[&str], value: &str, children: &str) -> String {
    let props: Vec<_> = props.iter().map(|prop| format!("{prop}={value}")).collect();
    let props = props.join(" ");
    format!("<{name} {props} id={value} className={value}>{children}</{name}>\n\n")
}

#[test]
fn empty_components_render() {
    for (name, _) in uses() {
        for text in [format!("<{name} />"), format!("<{name}></{name}>"), format!("a <{name}/> b")]
        {
            render(&text);
        }
    }
}

#[test]
fn props_of_wrong_type_keep_content() {
    let values =
        ["{-1}", "{1e300}", "{null}", "{[]}", "{[[1], {a: 1}]}", "{{}}", "{true}", "{f()}", "\"\""];
    for (name, props) in uses() {
        for value in values {
            let rendered = render(&element(name, &props, value, "\n\nthe content\n\n"));
            let parts = [Some(rendered.html), rendered.panel, rendered.examples];
            let shown = parts.iter().flatten().any(|part| part.contains("the content"));
            let leaves =
                ["Color.Item", "Icon", "GitHub.Repo", "Tree.File", "FileTree.File", "Latex"];
            assert!(shown || leaves.contains(&name), "<{name}> with {value}");
        }
    }
}

#[test]
fn content_is_plain_markdown_for_any_props() {
    for (name, props) in uses().filter(|(name, _)| *name != "CodeBlock") {
        for value in ["{-1}", "{null}", "{[[1], {a: 1}]}", "{f()}", "\"\"", "\"é <b> **c**\""] {
            let text = element(name, &props, value, "\n\n  the content\n\n");
            let markdown = markdown_of([("input.mdx".to_owned(), text.into_bytes())]);
            let leaves = ["Color.Item", "Icon", "GitHub.Repo", "Tree.File", "FileTree.File"];
            assert!(!markdown.contains(&format!("<{name}")), "{name} with {value}: {markdown}");
            let shown = markdown.contains("the content") && !markdown.contains("    the content");
            assert!(shown || leaves.contains(&name), "{name} with {value}: {markdown}");
        }
    }
}

#[test]
fn no_prop_becomes_markup() {
    let attacks = [
        "'\"><script>alert(1)</script>'",
        "{\"' onclick='alert(1)\"}",
        "{`\" onmouseover=\"alert(1)`}",
        "\"</code></pre></style><script>alert(1)</script>\"",
        "\"javascript:alert(1)\"",
        "\"red;background:url(//example.com/)\"",
    ];
    // These props accept Markdown, which allows the same markup as a page.
    let markdown = ["description", "caption", "hint"];
    for (name, props) in uses() {
        let props: Vec<_> = props.iter().copied().filter(|prop| !markdown.contains(prop)).collect();
        for attack in attacks {
            let rendered = render(&element(name, &props, attack, "text"));
            for part in [Some(rendered.html), rendered.panel, rendered.examples].iter().flatten() {
                assert!(!part.contains("<script"), "<{name}> with {attack}: {part}");
                assert!(!part.contains("\" on"), "<{name}> with {attack}: {part}");
                for address in ["href=\"javascript:", "src=\"javascript:"] {
                    assert!(!part.contains(address), "<{name}> with {attack}: {part}");
                }
                for style in part.split("style=\"").skip(1) {
                    let style = style.split('"').next().unwrap_or_default();
                    let harmless = !style.contains("url(") || name == "style";
                    assert!(harmless, "<{name}> with {attack}: {style}");
                }
            }
        }
    }
}

#[test]
fn components_nest_fifty_deep() {
    for (name, _) in uses() {
        let depth = 50;
        let text =
            format!("<{name}>\n").repeat(depth) + "deep\n" + &format!("</{name}>\n").repeat(depth);
        render(&text);
    }
}

#[test]
fn page_can_contain_thousands_of_components() {
    let tabs: Vec<_> = (0..2_000).map(|index| format!("<Tab title=\"{index}\">t</Tab>")).collect();
    let tabs = tabs.join("\n");
    let rendered =
        render(&format!("<Tabs>\n{tabs}\n</Tabs>\n\n{}", "<Note>n</Note>\n\n".repeat(5_000)));
    assert_eq!(rendered.html.matches("role=\"tabpanel\"").count(), 2_000);
    assert_eq!(rendered.html.matches("role=\"note\"").count(), 5_000);
    assert_eq!(rendered.diagnostics, []);
}

#[test]
fn ids_are_unique() {
    let text: String =
        uses().map(|(name, props)| element(name, &props, "\"same\"", "text")).collect();
    let rendered = render(&text.repeat(2));
    let mut ids: Vec<_> =
        rendered.html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert!(count > 40 && ids.len() == count, "{} of {count} ids differ", ids.len());
}
