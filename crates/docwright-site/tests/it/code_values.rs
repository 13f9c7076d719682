//! Code blocks whose code is the value of an expression.

use crate::{
    search::ask,
    site::{Built, Site},
};

const SNIPPETS: &str = "export const Py = \"import x\\n\\n\\ndef f():\\n    return '{y}'  # <!-- c -->\\n\";\n\nexport const Tpl = `line 1\n\n    line 2 $5 and $x$\n<!-- kept -->\nline 3`;\n";
const CODE: &str = "export const Js = ['a = 1', 'b = 2'].join('\\n');\nexport const Sample = ({ name, code }) => <CodeBlock language=\"python\" filename={name}>{code || Js}</CodeBlock>;\nexport const Wrap = ({ children }) => <CodeBlock language=\"python\" filename=\"Wrapped\">{children}</CodeBlock>;\nexport const Card2 = () => <div><b>x</b><CodeBlock>{Js}</CodeBlock></div>;\n";
const IMPORTS: &str = "import { Py, Tpl as T } from '/snippets/s.mdx'\nimport { Js, Sample, Wrap, Card2 } from '/snippets/code.jsx'\nimport Mdx from '/snippets/wrap.mdx'\n\nexport const Own = 'own 1\\nown 2'\n\n";

fn built(body: &str) -> Built {
    Site::page(format!("{IMPORTS}{body}"))
        .file("snippets/s.mdx", SNIPPETS)
        .file("snippets/code.jsx", CODE)
        .file(
            "snippets/wrap.mdx",
            "<CodeBlock language=\"js\" filename={props.title}>{children}</CodeBlock>\n",
        )
        .build()
}

/// The text of each code block, as the copy button copies it.
fn codes(built: &Built) -> Vec<String> {
    let body = built.body("index.html");
    let blocks = body.split("<code>").skip(1).filter_map(|rest| rest.split_once("</code></pre>"));
    let plain = |html: &str| {
        let text: String = html
            .split('<')
            .enumerate()
            .map(|(at, part)| if at == 0 { part } else { part.split_once('>').map_or("", |p| p.1) })
            .collect();
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    blocks.map(|(html, _)| plain(html)).collect()
}

const PY: &str = "import x\n\n\ndef f():\n    return '{y}'  # <!-- c -->";
const TPL: &str = "line 1\n\n    line 2 $5 and $x$\n<!-- kept -->\nline 3";

#[test]
fn code_block_shows_text_of_expression() {
    for (body, expected) in [
        ("<CodeBlock language=\"python\">\n  {Py}\n</CodeBlock>", PY),
        ("<CodeBlock language=\"python\">{T}</CodeBlock>", TPL),
        ("<CodeBlock>{Own}</CodeBlock>", "own 1\nown 2"),
        ("<CodeBlock>{Js}</CodeBlock>", "a = 1\nb = 2"),
        ("<CodeBlock>{Own.toUpperCase()}</CodeBlock>", "OWN 1\nOWN 2"),
        ("<CodeBlock>\n{Own}\n{Js}\n</CodeBlock>", "own 1\nown 2\na = 1\nb = 2"),
        ("Text before\n<CodeBlock>{Own}</CodeBlock>", "own 1\nown 2"),
    ] {
        let built = built(body);
        assert_eq!(codes(&built), [expected], "{body}");
        assert_eq!(built.codes(), [""; 0], "{body}");
    }
}

#[test]
fn template_literal_keeps_lines_and_indentation() {
    let code = "def f():\n\n  if x:\n    $5 <!-- a -->\n\n\n\treturn \"1\"";
    for body in [
        format!("<CodeBlock language=\"python\">\n{{`\n{code}\n`}}\n</CodeBlock>"),
        format!("<CodeBlock language=\"python\">{{`\n{code}\n`}}</CodeBlock>"),
        format!("<Sample name=\"n\" code={{`{code}`}} />"),
        format!("export const Long = `{code}`;\n\n<CodeBlock>{{Long}}</CodeBlock>"),
    ] {
        let built = built(&body);
        assert_eq!(codes(&built), [code], "{body}");
        assert_eq!(built.codes(), [""; 0], "{body}");
    }
    let list = "- item\n\n  <CodeBlock>\n    {`a\n      b\n        c\n  d`}\n  </CodeBlock>\n";
    assert_eq!(codes(&built(list)), ["a\n    b\n      c\nd"]);
}

#[test]
fn code_group_and_tab_hold_code_of_expressions() {
    let body = "<CodeGroup>\n  <CodeBlock filename=\"One\" language=\"Python\" icon=\"star\">\n  {Py}\n  </CodeBlock>\n  <CodeBlock filename=\"Two\" language=\"js\">{Js}</CodeBlock>\n</CodeGroup>\n";
    let page = built(body);
    assert_eq!(codes(&page), [PY, "a = 1\nb = 2"]);
    let html = page.body("index.html");
    assert!(html.contains(">One</button>") && html.contains(">Two</button>"), "{html}");
    assert!(html.contains("<dw-1>def </dw-1>"), "no colors: {html}");
    assert_eq!(page.codes(), [""; 0]);

    let page = built("<CodeGroup>\n{Own}\n{Js}\n</CodeGroup>\n");
    assert_eq!(codes(&page), ["own 1\nown 2", "a = 1\nb = 2"]);
    assert!(page.body("index.html").contains(">Code 2</button>"));

    let tabs = "<Tabs>\n<Tab title=\"a\">{Own}</Tab>\n<Tab title=\"b\">\n{Js}\n</Tab>\n<Tab title=\"c\">\n{\"plain words\"}\n</Tab>\n</Tabs>\n";
    let page = built(tabs);
    assert_eq!(codes(&page), ["own 1\nown 2", "a = 1\nb = 2"]);
    assert!(page.body("index.html").contains("plain words"));
    assert!(built("{Own}\n").body("index.html").contains("own 1\nown 2"));
    assert_eq!(codes(&built("{Own}\n")), [""; 0]);
}

#[test]
fn components_of_authors_pass_code() {
    for (body, title, expected) in [
        ("<Sample name=\"n\" />", "n", "a = 1\nb = 2"),
        ("<Sample name=\"n\" code={Py} />", "n", PY),
        ("<Wrap>{Py}</Wrap>", "Wrapped", PY),
        ("<Wrap>\n```python\nx = 1\n```\n</Wrap>", "Wrapped", "x = 1"),
        ("<Mdx title=\"M\">{Own}</Mdx>", "M", "own 1\nown 2"),
    ] {
        let built = built(body);
        assert_eq!(codes(&built), [expected], "{body}");
        let header = format!("<span class=\"dw-code-block-title\">{title}</span>");
        assert!(built.body("index.html").contains(&header), "{body}");
        assert_eq!(built.codes(), [""; 0], "{body}");
    }
    let fence = built("<Mdx title=\"M\">\n\n```js\nfenced()\n```\n\n</Mdx>");
    assert_eq!(codes(&fence), ["fenced()"]);
}

#[test]
fn expression_that_fails_is_reported_once() {
    let built = built("<CodeBlock>{missing}</CodeBlock>\n\n<CodeBlock>{''}</CodeBlock>");
    assert_eq!(built.codes(), ["failing-code", "empty-component"]);
}

#[test]
fn markdown_version_has_fences_of_expressions() {
    let python = format!("```python One\n{PY}\n```");
    for (body, expected) in [
        ("<CodeBlock filename=\"One\" language=\"python\">{Py}</CodeBlock>", python.as_str()),
        ("<CodeBlock>{Js}</CodeBlock>", "```\na = 1\nb = 2\n```"),
        (
            "<CodeBlock title=\"No `language`\">{Js}</CodeBlock>",
            "```text No  language \na = 1\nb = 2\n```",
        ),
        (
            "<CodeBlock language=\"md\">{'````\\nx\\n````'}</CodeBlock>",
            "`````md\n````\nx\n````\n`````",
        ),
        ("- item\n\n  <CodeBlock>{Own}</CodeBlock>", "- item\n\n  ```\n  own 1\n  own 2\n  ```"),
        ("<CodeGroup>\n{Own}\n</CodeGroup>", "```\nown 1\nown 2\n```"),
        ("<Tabs>\n<Tab title=\"a\">{Own}</Tab>\n</Tabs>", "**a**\n\n```\nown 1\nown 2\n```"),
        ("> <CodeBlock>{Own}</CodeBlock>", "> ```\n> own 1\n> own 2\n> ```"),
        ("<Sample name=\"n\" />", "```python n\na = 1\nb = 2\n```"),
        ("<Wrap>{Own}</Wrap>", "```python Wrapped\nown 1\nown 2\n```"),
        ("<Mdx title=\"M\">{Own}</Mdx>", "```js M\nown 1\nown 2\n```"),
        ("<Card2 />", "<Card2 />"),
        ("<CodeBlock>{missing}</CodeBlock>", "<CodeBlock>{missing}</CodeBlock>"),
        ("```js\na\n\n\n\nb\n```\n\n\n\nend", "```js\na\n\n\n\nb\n```\n\nend"),
    ] {
        let built = built(body);
        let text = built.text("index.md");
        let expected = expected.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        assert!(text.trim_end().ends_with(&expected), "{body}\n{text}");
        assert!(!text.contains("import {") && !text.contains("export const"), "{text}");
    }
}

#[test]
fn code_of_expressions_is_found_by_search() {
    let built =
        built("## Connect\n\n<CodeBlock language=\"python\">{'zebra' + 'fish()'}</CodeBlock>\n");
    assert_eq!(ask(&built, "zebrafish").len(), 1);
}
