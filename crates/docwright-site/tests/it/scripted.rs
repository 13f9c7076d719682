//! Authors' code on pages: its output, its restrictions, and the scripts for browsers.

use docwright_site::Severity;

use crate::site::Site;

const PAGE: &str = "import {Badge2, version} from '/snippets/code.jsx'\nimport Note2 from '/snippets/note.mdx'\n\n";
const CODE: &str = "import React from 'react'\nexport const version = ['1', '2'].join('.')\nexport const Badge2 = ({children, tone = 'calm'}) => <span className={`badge2 text-${tone}`}>{children}</span>\nexport default function Other() { return <i>other</i> }";

fn built(body: &str) -> crate::site::Built {
    Site::new()
        .file(
            "docs.json",
            r##"{"theme":"mint","name":"S","colors":{"primary":"#00aa00"},"navigation":{"pages":["index","a/b"]}}"##,
        )
        .file("index.mdx", format!("{PAGE}{body}"))
        .file("a/b.mdx", "b")
        .file("snippets/code.jsx", CODE)
        .file("snippets/note.mdx", "export const shout = (text) => text.toUpperCase()\n\nIt says {shout(props.text)}, {count + 1} times.\n")
        .build()
}

#[test]
fn components_expressions_and_props_show_their_values() {
    for (text, expected) in [
        (
            "<Badge2>in **bold**</Badge2>",
            "<span class=\"badge2 text-calm\">in <strong>bold</strong></span>",
        ),
        (
            "Version {version} of {[1, 2].map(n => <b key={n}>{n}</b>)}",
            "Version 1.2 of <b>1</b><b>2</b>",
        ),
        ("<Card title={version.repeat(2)}>c</Card>", "1.21.2"),
        ("<Note2 text=\"hi\" count={1} />", "It says HI, 2 times."),
        ("<Badge2><Note>kept</Note></Badge2>", "kept"),
        ("export const L = () => <a href=\"/a/b\">go</a>\n\n<L/>", "href=\"a/b.html\""),
        (
            "export const D = () => <div dangerouslySetInnerHTML={{__html: '<u>raw</u>'}}/>\n\n<D/>",
            "<div><u>raw</u></div>",
        ),
        (
            "export const C = React.createContext(1)\n\nexport const U = () => <i>{React.useContext(C)}</i>\n\n<C.Provider value={7}><U/></C.Provider>",
            "<i>7</i>",
        ),
        (
            "export const T = ({children}) => <ul>{React.Children.map(children, c => <li>{c.props.title}</li>)}</ul>\n\n<T>\n  <Tab title=\"one\">x</Tab>\n  <Tab title=\"two\">y</Tab>\n</T>",
            "<ul><li>one</li>",
        ),
        (
            "export const W = ({children}) => <Tabs>{children}</Tabs>\n\n<W>\n  <Tab title=\"one\">\n\n**x**\n\n  </Tab>\n</W>",
            "role=\"tab\"",
        ),
        (
            "export const P = ({children}) => <i>{children.props.children}</i>\n\n<P>\n  plain\n</P>",
            "<i>plain</i>",
        ),
        (
            "export const M = () => { const {Note} = MintlifyComponents; return <Note>by name</Note> }\n\n<M/>",
            "data-callout-type=\"note\"",
        ),
        ("The {id} of it", "The {id} of it"),
    ] {
        let built = built(text);
        let body = built.body("index.html");
        assert!(body.contains(expected), "{text}\n{body}\n{:?}", built.report.diagnostics);
        assert!(!body.contains("docwright-island"), "{text}\n{body}");
    }
}

#[test]
fn only_pages_with_interactive_components_load_scripts_for_them() {
    let counter = "export const Counter = () => { const [n, set] = useState(3); return <button onClick={() => set(n + 1)}>n: {n}</button> }\n\n<Counter/>\n";
    let page = built(counter);
    let html = page.text("index.html");
    assert!(
        html.contains(
            "<docwright-island data-island=\"0\"><button>n: 3</button></docwright-island>"
        ),
        "{html}"
    );
    assert!(html.contains("_docwright/code/preact.js"));
    assert!(!page.text("a/b.html").contains("_docwright/code/"));
    assert!(page.files.contains_key("_docwright/code/preact.js"));
    assert!(!built("<Badge2>x</Badge2>").files.contains_key("_docwright/code/preact.js"));
}

#[test]
fn hidden_content_is_shown_without_scripts() {
    let text = "export const Hidden = ({children}) => { const [open] = useState(false); return open ? children : null }\n\n<Hidden>\n\n## Held *back*\n\n</Hidden>\n";
    let body = built(text).body("index.html").to_owned();
    let (_, unscripted) = body.split_once("<noscript>").expect("the page has a noscript part");
    assert!(unscripted.contains("Held <em>back</em>") && !unscripted.contains(" id="), "{body}");
    assert!(!built("<Badge2>x</Badge2>").body("index.html").contains("noscript"));
}

#[test]
fn failing_code_is_reported_and_rest_of_page_kept() {
    for (text, reason) in [
        ("export const X = () => { throw new Error('on purpose') }\n\n<X>kept</X>", "on purpose"),
        ("export const X = () => { for (;;) {} }\n\n<X>kept</X>", "runs too long"),
        ("export const X = () => <X/>\n\n<X>kept</X>", "stack"),
        ("<Badge2 tone={missing.tone}>kept</Badge2>", "missing"),
        ("import {Y} from '@vendor/kit'\n\n<Y>kept</Y>", "@vendor/kit"),
    ] {
        let built = built(&format!("before\n\n{text}\n\nafter\n"));
        let body = built.body("index.html");
        for part in ["before", "kept", "after"] {
            assert!(body.contains(part), "{text}: {part} is missing in {body}");
        }
        let errors: Vec<_> = built
            .report
            .diagnostics
            .iter()
            .filter(|each| each.severity == Severity::Error)
            .collect();
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].message.contains(reason), "{text}: {}", errors[0].message);
    }
}

#[test]
fn module_finds_react_among_the_globals() {
    let built = built(
        "export const shared = globalThis.React ?? (() => { throw new Error('no React') })()\n\nexport const G = () => shared.createElement('i', null, 'shown')\n\n<G/>\n",
    );
    let body = built.body("index.html");
    assert!(body.contains("<i>shown</i>"), "{body}\n{:?}", built.report.diagnostics);
}

#[test]
fn each_use_of_a_module_that_throws_names_its_reason() {
    let built = built(
        "export const broken = (() => { throw new Error('on purpose') })()\n\nexport const B = () => <i/>\n\n<B/>\n\n<B/>\n",
    );
    let messages: Vec<_> = built.report.diagnostics.iter().map(|each| &each.message).collect();
    let named = messages.iter().filter(|message| message.contains("on purpose")).count();
    assert_eq!(named, 2, "{messages:?}");
}

#[test]
fn code_has_no_clock_and_no_randomness() {
    let text = "<b>{Math.random()} {Date.now()} {new Date().getFullYear()}</b>\n";
    assert_eq!(built(text).body("index.html"), built(text).body("index.html"));
}

#[test]
fn only_used_utility_classes_are_compiled() {
    let css = built("<div className=\"grid dark:mt-[3px]\">x</div>")
        .text("_docwright/site.css")
        .to_owned();
    assert!(css.contains("display: grid") && css.contains("margin-top: 3px"), "{css}");
}
