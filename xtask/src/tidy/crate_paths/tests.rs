use super::find;

/// The targets in a file of the module `render::inline`, without lines.
fn targets(text: &str) -> Vec<String> {
    find(text, &["render", "inline"]).unwrap().into_iter().map(|path| path.target).collect()
}

#[test]
fn imports_are_found_in_every_form() {
    assert_eq!(targets("use crate::theme::page;"), ["theme"]);
    assert_eq!(targets("use crate::{theme::page, content};"), ["content", "theme"]);
    assert_eq!(targets("use crate::{content::{a, b::{c}}, theme::{self}};"), ["content", "theme"]);
    assert_eq!(targets("use crate::theme as other;"), ["theme"]);
    assert_eq!(targets("use crate::{theme as other};"), ["theme"]);
    assert_eq!(targets("use crate::theme::*;"), ["theme"]);
    assert_eq!(targets("use {crate::theme::page, std::fmt};"), ["theme"]);
    assert_eq!(targets("use super::super::theme::page;"), ["theme"]);
    assert_eq!(targets("use super::{super::{theme}, block};"), ["render", "theme"]);
    assert_eq!(targets("use self::block::a;"), ["render"]);
    assert_eq!(targets("pub(crate) use crate::theme::page;"), ["theme"]);
    assert_eq!(targets("fn f() { use crate::theme::page; }"), ["theme"]);
    assert_eq!(targets("use crate::r#match::a;"), ["match"]);
    assert_eq!(targets("use crate::*;"), ["*"]);
    assert_eq!(targets("use crate as site;"), [""]);
}

#[test]
fn paths_are_found_in_code() {
    assert_eq!(targets("fn f() { crate::theme::page(); }"), ["theme"]);
    assert_eq!(targets("fn f(page: &crate::theme::Page) {}"), ["theme"]);
    assert_eq!(targets("fn f() -> Vec<crate::theme::Page> { Vec::new() }"), ["theme"]);
    assert_eq!(targets("fn f() { if let crate::theme::Page::Wide = x {} }"), ["theme"]);
    assert_eq!(targets("impl crate::theme::Paint for A {}"), ["theme"]);
    assert_eq!(targets("fn f<P: crate::theme::Paint>(p: P) {}"), ["theme"]);
    assert_eq!(targets("fn f() { crate::theme::paint!(a) }"), ["theme"]);
    assert_eq!(targets("const A: usize = <crate::theme::Page as B>::C;"), ["theme"]);
}

#[test]
fn paths_are_found_in_macros_and_attributes() {
    assert_eq!(targets("fn f() { html! { p { (crate::theme::page(a)) } } }"), ["theme"]);
    assert_eq!(
        targets("fn f() { m!(use crate::{content::a, theme::{b, c}};) }"),
        ["content", "theme"]
    );
    assert_eq!(targets("fn f() { m!(super::super::theme::a, b::crate_::c) }"), ["theme"]);
    assert_eq!(targets("macro_rules! m { () => { $crate::theme::page() }; }"), ["theme"]);
    assert_eq!(targets("#[derive(crate::theme::Paint)] struct A;"), ["theme"]);
    assert_eq!(targets("#[serde(with = \"crate::theme::paint\")] struct A;"), ["theme"]);
}

#[test]
fn inner_modules_count_for_paths_upwards() {
    assert_eq!(targets("mod tests { use super::super::super::theme::a; }"), ["theme"]);
    assert_eq!(targets("mod tests { use super::*; }"), ["render"]);
}

#[test]
fn other_paths_are_left_out() {
    assert!(targets("//! [`crate::theme`]\n// crate::theme::page\nuse std::{fmt, io};").is_empty());
    assert!(
        targets("fn f() { g(\"crate::theme::page\"); println!(\"crate::theme::a\"); }").is_empty()
    );
    assert!(targets("impl A { pub(super) fn f(self) -> Self { self } }").is_empty());
    assert!(targets("use ::theme::page; fn f() { other::theme::a() }").is_empty());
}

#[test]
fn each_line_is_named_once() {
    let found = find("use crate::theme::a;\nuse crate::theme::{b, c};", &["render"]).unwrap();
    assert_eq!(found.iter().map(|path| path.line).collect::<Vec<_>>(), [1, 2]);
}
