//! Components in Markdown versions: plain Markdown in the same position, without losing text. The fixtures of
//! the components show the result for each component.

use crate::site::Site;

/// The Markdown version of a page with this body, without its first lines.
fn markdown(body: &str) -> String {
    of_site(Site::page(format!("---\ntitle: Start\n---\n{body}\n")))
}

fn of_site(site: Site) -> String {
    let built = site.build();
    let (_, text) =
        built.text("index.md").split_once("# Start\n\n").expect("the title comes first");
    text.trim_end().to_owned()
}

#[test]
fn components_keep_their_position() {
    for (written, plain) in [
        // In a list, a quote, a table, a sentence.
        ("- one\n\n  <Note>a</Note>\n- two", "- one\n\n  > **Note**\n  >\n  > a\n\n- two"),
        ("- <Card title=\"A\">b</Card>\n- two", "- **A**\n\n  b\n\n- two"),
        ("10. one\n    <Tip>\n      a\n    </Tip>", "10. one\n\n    > **Tip**\n    >\n    > a"),
        ("> <Card title=\"A\">\n> b\n> </Card>", "> **A**\n>\n> b"),
        (
            "| a |\n| --- |\n| <Badge>x</Badge> <Tooltip tip=\"y\">z</Tooltip> |",
            "| a |\n| --- |\n| x z (y) |",
        ),
        ("## Use <Badge>x</Badge>", "## Use x"),
        ("It is <Badge>new</Badge>.", "It is new."),
        // Consecutive lines become separate blocks.
        (
            "text\n\n<Card title=\"A\" />\n<Card title=\"B\" />\n\nend",
            "text\n\n**A**\n\n**B**\n\nend",
        ),
        // Nested at any depth.
        (
            "<Tabs>\n    <Tab title=\"A\">\n        1. one\n\n           <Note>\n               b\n           </Note>\n    </Tab>\n</Tabs>",
            "**A**\n\n1. one\n\n   > **Note**\n   >\n   > b",
        ),
        ("<div className=\"grid\">\n    <div>\n        text\n    </div>\n</div>", "text"),
        (
            "<Frame>\n  <img src=\"https://e.org/a.png\" alt=\"b\" style={{ width: 1 }} />\n</Frame>",
            "![b](https://e.org/a.png)",
        ),
    ] {
        assert_eq!(markdown(written), plain, "{written}");
    }
}

#[test]
fn indentation_of_tags_is_removed_and_of_code_kept() {
    let body = "<Steps>\n    <Step title=\"Run\">\n        Then:\n\n        ```py\n        if a:\n            b()\n        ```\n\n```sh\n  left\n```\n\n        - one\n          - two\n    </Step>\n</Steps>";
    let plain =
        "**1. Run**\n\nThen:\n\n```py\nif a:\n    b()\n```\n\n```sh\n  left\n```\n\n- one\n  - two";
    assert_eq!(markdown(body), plain);
}

#[test]
fn code_of_group_follows_its_title() {
    let body = "<CodeGroup>\n    ```js Node & Bun icon=\"star\" {1}\n    a(\n      b)\n    ```\n    ```sh\n    c\n    ```\n</CodeGroup>";
    assert_eq!(markdown(body), "**Node & Bun**\n\n```js\na(\n  b)\n```\n\n```sh\nc\n```");
}

#[test]
fn values_of_expressions_are_written() {
    let body = "export const version = '1.2'\n\n{/* a note to authors */}\n\nUse {version}{' '}now, {unknown}.\n\n<Card title={`Version ${version}`}>{version}</Card>";
    assert_eq!(markdown(body), "Use 1.2 now, {unknown}.\n\n**Version 1.2**\n\n1.2");
}

#[test]
fn children_of_snippets_are_written() {
    let page =
        "---\ntitle: Start\n---\nimport S from '/s.mdx'\n\n<S name=\"x\">\n  inner *words*\n</S>\n";
    let snippet = "<Note title={name}>\n  {children}\n\n  end\n</Note>\n";
    let text = of_site(Site::page(page).file("s.mdx", snippet));
    assert_eq!(text, "> **Note: x**\n>\n> inner *words*\n>\n> end");
}

#[test]
fn code_of_snippets_keeps_its_position() {
    let page = "---\ntitle: Start\n---\nimport S from '/s.mdx'\n\n<S name=\"x\" />\n";
    let snippet = "- item\n\n  ```js\n  a({name})\n    b\n  ```\n\n<Step title=\"T\">\n    ```js\n    a({name})\n      b\n    ```\n</Step>\n";
    let text = of_site(Site::page(page).file("s.mdx", snippet));
    let fence = "```js\na(x)\n  b\n```";
    assert_eq!(text, format!("- item\n\n  {}\n\n**T**\n\n{fence}", fence.replace('\n', "\n  ")));
}

#[test]
fn definitions_of_links_stay_where_components_end() {
    let body = "<Note>\n  See [a][b].\n\n  [b]: https://e.org/x\n</Note>";
    assert_eq!(markdown(body), "> **Note**\n>\n> See [a][b].\n>\n> [b]: https://e.org/x");
}

#[test]
fn components_declared_on_page_stay_unchanged() {
    let body = "export const Card = ({ title }) => <b>{title}</b>\n\n<Card title=\"Own\" />";
    assert_eq!(markdown(body), "<Card title=\"Own\" />");
}

#[test]
fn nested_components_bring_in_a_bounded_length() {
    let lines = "a\n\n".repeat(20_000);
    let page = format!(
        "---\ntitle: Start\n---\n{}\n\n{lines}\n\n{}",
        "<Note>\n".repeat(140),
        "</Note>\n".repeat(140)
    );
    let length = page.len();
    let text = of_site(Site::page(page));
    assert!(
        text.matches('a').count() >= 20_000 && text.len() < length + 8_000_000,
        "{}",
        text.len()
    );
}

#[test]
fn values_of_props_bring_in_a_bounded_length() {
    let value = "x".repeat(100_000);
    let cards = "<Card title={big}>word</Card>\n\n".repeat(1_000);
    let text = of_site(Site::page(format!(
        "---\ntitle: Start\n---\nexport const big = '{value}'\n\n{cards}"
    )));
    assert!(text.len() < 8_000_000, "{}", text.len());
    assert_eq!(text.matches("word").count(), 1_000);
}
