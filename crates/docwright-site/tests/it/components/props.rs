//! Tables of props: every prop changes the component, except those listed as ignored.

use docwright_site::render::{
    Rendered,
    components::{ALL, Component},
};

use super::render_site;

const LONG_CODE: &str =
    "{`1\n2\n3\n4\n5\n6\n7\n8\n9\n1\n2\n3\n4\n5\n6\n7\n8\n9\n1\n2\n3\n4\n5\n6\n7\n8\n9`}";

/// A site whose icons have styles.
const CONFIG: &str = r##"{"theme": "mint", "name": "Fixture", "colors": {"primary": "#0a7a5a"},
    "icons": {"library": "fontawesome"}, "navigation": {"pages": ["input", "second"]}}"##;

/// The markup around a component, and its contents.
fn around(name: &str) -> (&'static str, &'static str, &'static str) {
    match name {
        "Tab" => ("<Tabs>", "text", "<Tab title=\"Other\">text</Tab></Tabs>"),
        "Tabs" => ("", "<Tab title=\"One\">a</Tab><Tab title=\"Two\">b</Tab>", ""),
        "Step" => ("<Steps>", "text", "</Steps>"),
        "Steps" => ("", "<Step title=\"One\">text</Step>", ""),
        "Color" => ("", "<Color.Item value=\"red\" />", ""),
        "CodeGroup" | "RequestExample" | "ResponseExample" => {
            ("", "\n```js One\n1\n```\n\n```js Two\n2\n```\n", "")
        }
        "CodeBlock" => ("", LONG_CODE, ""),
        "Heading" => ("", "Title", ""),
        "Update" => ("", "\n## Heading\n\ntext\n", ""),
        _ => ("", "text", ""),
    }
}

/// Other props that a prop needs to have an effect.
fn beside(component: &Component, prop: &str) -> &'static str {
    match (component.names[0], prop) {
        ("Card", "cta" | "arrow" | "target") => "href=\"/second\"",
        ("Tooltip", "cta") => "href=\"/second\"",
        ("Icon", "color" | "size") => "icon=\"star\"",
        ("Step", "noAnchor") => "title=\"One\" titleSize=\"h3\"",
        ("CodeBlock", "icon") => "title=\"a.js\"",
        (_, "iconType") => "icon=\"star\"",
        _ => "",
    }
}

/// The HTML of a component with these props.
fn shown(component: &Component, props: &str) -> String {
    let name = component.names[0];
    let (before, children, after) = around(name);
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let text = format!("{before}<{name} {props}>{children}</{name}>{after}");
    let Rendered { html, contents, panel, examples, views, updates, .. } = render_site([
        file("docs.json", CONFIG),
        file("second.mdx", "text"),
        file("input.mdx", &text),
    ]);
    format!("{:?}", (html, contents, panel, examples, views, updates))
}

/// Examples of the required props of a component, without one of them.
fn required(component: &Component, but: &str) -> String {
    let props = component.props.iter().filter(|prop| prop.required && prop.name != but);
    props.map(|prop| [prop.name, prop.example].concat()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_prop_changes_what_is_shown() {
    let mut idle = Vec::new();
    for component in ALL {
        for prop in component.props {
            // A tooltip's `title` replaces a missing `tip`.
            let is_tip = (component.names[0], prop.name) == ("Tooltip", "title");
            let but = if is_tip { "tip" } else { prop.name };
            let others = format!("{} {}", required(component, but), beside(component, prop.name));
            let with = format!("{others} {}{}", prop.name, prop.example);
            if shown(component, &others) == shown(component, &with) {
                idle.push(format!("<{} {}>", component.names[0], prop.name));
            }
        }
    }
    assert!(idle.is_empty(), "without effect: {idle:#?}");
}

#[test]
fn props_that_are_ignored_change_nothing() {
    for component in ALL {
        let plain = shown(component, &required(component, ""));
        for prop in component.ignored {
            for value in ["", "={2}", "=\"x\"", "={true}", "=\"/other\""] {
                let with = format!("{} {prop}{value}", required(component, ""));
                assert_eq!(
                    shown(component, &with),
                    plain,
                    "<{} {prop}{value}>",
                    component.names[0]
                );
            }
        }
    }
}
