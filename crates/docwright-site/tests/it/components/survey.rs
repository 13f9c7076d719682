//! Props in real repositories: none of them is an error.

use super::render;

/// Each built-in component with its props in a survey of 21 public repositories.
const SEEN: &[&str] = &[
    r#"<Note title="t" type="note">n</Note>"#,
    r#"<CodeGroup isRunnable={true} title="t" isFileName dropdown>
```js a
b
```
</CodeGroup>"#,
    r##"<Card title="t" href="/other" icon="star" horizontal iconType="solid" color="#fff" img="/image.png" cta="c" arrow type="info" target="_blank">c</Card>"##,
    r#"<Card title="t" icon={<svg/>} arrow="true" horizontal="true">c</Card>"#,
    r#"<Warning title="t">w</Warning>"#,
    r##"<Frame caption="c" center border shadow width="1" noborder background="#fff" hint="h" style={{ width: 1 }} title="t">f</Frame>"##,
    r#"<Info title="t">i</Info>"#,
    r#"<Steps titleSize="h3" level="2" toc="false"><Step title="t" icon="star" titleSize="p" iconType="solid" duration="1m">s</Step></Steps>"#,
    "<Steps><Step title={<b>t</b>}>s</Step></Steps>",
    r#"<CardGroup cols={2}><Card title="t" /></CardGroup>"#,
    r#"<CardGroup cols="2" columns={2}><Card title="t" /></CardGroup>"#,
    r#"<Tip title="t">t</Tip>"#,
    r#"<Tabs groupId="g"><Tab title="t" icon="star">t</Tab></Tabs>"#,
    r#"<Accordion title="t" icon="star" href="/other" defaultOpen="true" iconType="solid">a</Accordion>"#,
    r#"<Accordion title="t" defaultOpen>a</Accordion>"#,
    r#"<Accordion title="t" defaultOpen={false}>a</Accordion>"#,
    r#"<AccordionGroup title="t" cols={2}><Accordion title="t">a</Accordion></AccordionGroup>"#,
    r#"<ParamField path="p" type="string" default="d" required deprecated optional>p</ParamField>"#,
    r#"<ParamField body="b" required="true" default={1}>p</ParamField>"#,
    r#"<ParamField query="q" required={false} name="n">p</ParamField>"#,
    r#"<ResponseField name="n" type="string" required default="d" optional description="d" defaultOpen="true">r</ResponseField>"#,
    r#"<ResponseField name="n" default={1}>r</ResponseField>"#,
    r##"a <Icon icon="star" iconType="solid" color="#fff" size={16} className="c" /> b"##,
    r#"a <Icon name="star" /> b"#,
    r#"a <Badge intent="info" className="c">b</Badge> c"#,
    r#"a <Badge color="blue" size="sm" icon="star" stroke shape="pill" disabled>b</Badge> c"#,
    r#"<Update label="l" description="d" tags={["a", "b"]} rss={{ title: "t", description: "d" }}>u</Update>"#,
    "<Update label={<b>l</b>}>u</Update>",
    r#"<Expandable title="t" defaultOpen="true" path="p" type="object">e</Expandable>"#,
    r#"<Expandable title="t" defaultOpen={true}>e</Expandable>"#,
    "<Columns cols={3}><Column>c</Column></Columns>",
    r##"<Callout icon="star" color="#fff" iconType="solid" title="t" type="info">c</Callout>"##,
    r#"a <Tooltip tip="t" headline="h" cta="c" href="/other">t</Tooltip> b"#,
    r#"<Prompt description="d" actions={["copy", "cursor"]} icon="star" iconType="solid">p</Prompt>"#,
    r#"<Visibility for="humans">v</Visibility>"#,
    r#"<View title="t" icon="star">v</View>"#,
    r##"<Color variant="table"><Color.Row title="t"><Color.Item name="n" value="#fff" /></Color.Row></Color>"##,
    r##"<Color variant="compact"><Color.Item name="n" value={{ light: "#fff", dark: "#000" }} /></Color>"##,
    r#"<GitHub.Repo repo="owner/name" variant="flat" />"#,
    r#"<Tile href="/other" title="t" description="d">t</Tile>"#,
    r#"<Tree><Tree.Folder name="n" defaultOpen highlight><Tree.File name="n" highlight /></Tree.Folder></Tree>"#,
    r#"<Card title="t" data-track="x" aria-label="y" key="z" class="c" style="color:red" id="i" />"#,
];

#[test]
fn known_props_have_no_diagnostics() {
    for text in SEEN {
        assert_eq!(render(text).diagnostics, [], "{text}");
    }
}

#[test]
fn unknown_props_are_reported() {
    for (text, help) in [
        (r#"<Card tittle="t">c</Card>"#, "did you mean `title`?"),
        (r#"<Accordion title="t" defaultopen>a</Accordion>"#, "did you mean `defaultOpen`?"),
        (r#"<Visibility for="humans" audience="x">v</Visibility>"#, "its props are: for"),
    ] {
        let found = render(text).diagnostics;
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!((found[0].rule.code(), found[0].help.as_deref()), ("unknown-prop", Some(help)));
    }
    let twice = render(r#"<Card color="a" color="b" title="t" />"#).diagnostics;
    assert_eq!(twice.len(), 1, "{twice:?}");
}

#[test]
fn failing_code_in_prop_is_reported_with_its_line() {
    let found = render("text\n\n<Card title={name()}>c</Card>").diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].rule.code(), found[0].line), ("failing-code", 3));
}
