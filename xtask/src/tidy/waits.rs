//! Waits in the crates' tests: a test waits for conditions, not for time. Reports sleeps and uses of the wall
//! clock in test code. Exceptions are the function that waits for tests, measurements (`measure_…`), tests
//! with a paused clock, and lines with a reason, such as `// waits: REASON`.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{
    Attribute,
    visit::{self, Visit},
};

use super::sources::SourceFile;

/// The function that waits for tests. It sleeps so that nothing else has to.
const WAIT: &str = "crates/docwright-testing/src/wait.rs";
/// Code for tests only.
const TESTING: &str = "crates/docwright-testing/src/";
/// The prefix of tests that measure. No suite runs them.
const MEASURES: &str = "measure_";
/// The prefix of a comment that excepts its line, or the next line if it has its own line.
const EXCEPTION: &str = "// waits: ";

/// Finds waits in test code.
pub(crate) fn check(sources: &[SourceFile]) -> Vec<String> {
    let sources = sources.iter().filter(|file| file.path.starts_with("crates/"));
    sources.filter(|file| file.path != WAIT).flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<String> {
    let syntax = match syn::parse_file(&file.text) {
        Ok(syntax) => syntax,
        Err(error) => return vec![format!("{}: can't be parsed: {error}", file.path)],
    };
    let mut finder = Finder { is_test: is_test(&file.path), found: BTreeMap::new() };
    finder.visit_file(&syntax);
    let mut exceptions = exceptions(&file.text);
    finder.found.retain(|line, _| !exceptions.remove(line));
    let waits = finder.found.into_iter().map(|(line, wait)| {
        let remedy = wait.remedy();
        format!("{}:{line}: {remedy}, or say why not: `{EXCEPTION}REASON`", file.path)
    });
    let idle = exceptions.into_iter().map(|line| {
        format!("{}:{line}: no test waits for time here; remove `{EXCEPTION}`", file.path)
    });
    waits.chain(idle).collect()
}

/// Whether a file contains only tests and their helpers.
fn is_test(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
        || path.starts_with(TESTING)
}

/// Lines that are excepted with a reason.
fn exceptions(text: &str) -> BTreeSet<usize> {
    let excepted = text.lines().enumerate().filter_map(|(index, line)| {
        let (code, reason) = line.split_once(EXCEPTION)?;
        let below = usize::from(code.trim().is_empty());
        (!reason.trim().is_empty()).then_some(index + 1 + below)
    });
    excepted.collect()
}

/// A kind of wait.
#[derive(Debug, Clone, Copy)]
enum Wait {
    Sleep,
    Clock,
}

impl Wait {
    /// The wait of a function that is called, or imported under another name.
    fn of_function(name: &str) -> Option<Self> {
        matches!(name, "sleep" | "sleep_until" | "sleep_ms").then_some(Self::Sleep)
    }

    fn of_method(name: &str) -> Option<Self> {
        (name == "elapsed").then_some(Self::Clock).or_else(|| Self::of_function(name))
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Sleep => {
                "a test sleeps; wait for what must come (`docwright_testing::wait::eventually`)"
            }
            Self::Clock => {
                "a test looks at the clock; check what must be true instead (an order, a count)"
            }
        }
    }
}

struct Finder {
    /// Whether the current code is test code.
    is_test: bool,
    /// Waits by line, counted from 1.
    found: BTreeMap<usize, Wait>,
}

impl Finder {
    fn record(&mut self, name: &proc_macro2::Ident, wait: Option<Wait>) {
        if let Some(wait) = wait.filter(|_| self.is_test) {
            self.found.insert(name.span().start().line, wait);
        }
    }

    /// Reads an item. Items that are compiled only for tests are test code.
    fn read_item(&mut self, attributes: &[Attribute], read: impl FnOnce(&mut Self)) {
        let before = self.is_test;
        self.is_test |= attributes.iter().any(is_for_tests);
        if !attributes.iter().any(is_free_of_clock) {
            read(self);
        }
        self.is_test = before;
    }

    /// Finds calls in a macro's tokens, which have no grammar.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        for (place, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.read_tokens(group.stream()),
                TokenTree::Ident(name) if is_call(tokens.get(place + 1)) => {
                    let dot = place.checked_sub(1).map(|before| &tokens[before]);
                    let is_method =
                        matches!(dot, Some(TokenTree::Punct(dot)) if dot.as_char() == '.');
                    let text = name.to_string();
                    let of = if is_method { Wait::of_method } else { Wait::of_function };
                    self.record(name, of(&text));
                }
                _ => {}
            }
        }
    }
}

impl Visit<'_> for Finder {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        self.read_item(&item.attrs, |finder| visit::visit_item_mod(finder, item));
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        if item.sig.ident.to_string().starts_with(MEASURES) {
            return;
        }
        self.read_item(&item.attrs, |finder| visit::visit_item_fn(finder, item));
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        self.read_item(&item.attrs, |finder| visit::visit_item_impl(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.read_item(&item.attrs, |finder| visit::visit_impl_item_fn(finder, item));
    }

    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        if let Some(last) = path.path.segments.last() {
            self.record(&last.ident, Wait::of_function(&last.ident.to_string()));
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        self.record(&call.method, Wait::of_method(&call.method.to_string()));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_use_rename(&mut self, rename: &syn::UseRename) {
        self.record(&rename.ident, Wait::of_function(&rename.ident.to_string()));
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        self.read_tokens(call.tokens.clone());
    }
}

/// Whether an attribute has an item compiled for tests only, such as `#[cfg(test)]` or `#[tokio::test]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    let path = attribute.path();
    let is_test = path.segments.last().is_some_and(|last| last.ident == "test");
    is_test || (path.is_ident("cfg") && names(attribute, "test") && !names(attribute, "not"))
}

/// Whether an attribute marks a test with a paused clock.
fn is_free_of_clock(attribute: &Attribute) -> bool {
    names(attribute, "start_paused")
}

/// Whether a name is among an attribute's arguments.
fn names(attribute: &Attribute, name: &str) -> bool {
    fn stands(tokens: TokenStream, name: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => stands(group.stream(), name),
            TokenTree::Ident(ident) => ident == name,
            _ => false,
        })
    }
    attribute.meta.require_list().is_ok_and(|list| stands(list.tokens.clone(), name))
}

fn is_call(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_in(path: &str, text: &str) -> Vec<String> {
        check(&[SourceFile { path: format!("crates/{path}"), text: text.to_owned() }])
    }

    fn problems(text: &str) -> Vec<String> {
        problems_in("docwright/tests/it/a.rs", text)
    }

    #[test]
    fn sleeps_and_clocks_are_refused_in_tests() {
        for body in [
            "sleep(SOON).await;",
            "tokio::time::sleep(Duration::from_secs(6)).await;",
            "std::thread::sleep(SOON);",
            "for _ in 0..500 { if is_so() { return; } time::sleep(SOON).await; }",
            "tokio::time::sleep_until(end).await;",
            "waits.into_iter().for_each(std::thread::sleep);",
            "let slow = began.elapsed();",
            "assert!(began.elapsed() < SOON);",
            "tokio::select! { () = sleep(SOON) => {} () = ended => {} }",
            "assert!(is_so(), \"{:?}\", vec![since.elapsed()]);",
            "use tokio::time::sleep as pause;",
        ] {
            let text = format!("async fn a() {{\n{body}\n}}");
            assert_eq!(problems(&text).len(), 1, "{body}");
            assert!(problems(&text)[0].starts_with("crates/docwright/tests/it/a.rs:2: "), "{body}");
        }
    }

    #[test]
    fn tests_are_found_in_all_places() {
        let text = "fn a() { sleep(SOON); }";
        for path in ["a/tests/it/b.rs", "a/src/b/tests.rs", "a/src/tls_tests.rs"] {
            assert_eq!(problems_in(path, text).len(), 1, "{path}");
        }
        assert_eq!(problems_in("docwright-testing/src/s3.rs", text).len(), 1);
        for test in [
            "#[cfg(test)] mod tests { fn a() { sleep(SOON); } }",
            "#[cfg(all(test, unix))] mod tests { impl A { fn a() { sleep(SOON); } } }",
            "#[cfg(test)] impl A { fn a() { sleep(SOON); } }",
            "#[tokio::test] async fn a() { sleep(SOON).await; }",
        ] {
            assert_eq!(problems_in("a/src/b.rs", test).len(), 1, "{test}");
        }
    }

    #[test]
    fn code_of_the_product_can_sleep() {
        let text = "fn a() { sleep(SOON); began.elapsed(); }";
        assert!(problems_in("a/src/b.rs", text).is_empty());
        assert!(problems_in("docwright-testing/src/wait.rs", text).is_empty());
        let product = "#[cfg(test)] mod tests { fn a() {} }\nfn b() { sleep(SOON); }";
        assert!(
            problems_in("a/src/b.rs", product).is_empty(),
            "product code after the test module can sleep"
        );
        let product = "#[cfg(not(test))] fn a() { sleep(SOON); }";
        assert!(problems_in("a/src/b.rs", product).is_empty());
        let alike = "fn a() { asleep(); elapsed(now); let sleep = \"sleep(1)\"; } // sleep(1)";
        assert!(problems(alike).is_empty(), "{:?}", problems(alike));
    }

    #[test]
    fn measurements_and_paused_clocks_are_excepted() {
        let body = "fn a() { sleep(SOON); assert!(began.elapsed() < SOON); }";
        assert!(problems(&format!("#[test] {}", body.replace("fn a", "fn measure_a"))).is_empty());
        assert_eq!(problems(&format!("#[test] #[ignore = \"needs a server\"] {body}")).len(), 1);
        assert!(problems(&format!("#[tokio::test(start_paused = true)] async {body}")).is_empty());
        assert_eq!(problems(&format!("#[tokio::test(flavor = \"x\")] async {body}")).len(), 1);
    }

    #[test]
    fn exceptions_give_reasons_and_have_something_to_except() {
        let beside = "fn a() {\nsleep(SOON); // waits: a slow client is slow\n}";
        assert!(problems(beside).is_empty());
        let above = "fn a() {\n// waits: a slow client is slow\nsleep(SOON);\n}";
        assert!(problems(above).is_empty());
        for without_reason in ["// waits: ", "// waits:", "// waits"] {
            let text = format!("fn a() {{\nsleep(SOON); {without_reason}\n}}");
            assert_eq!(problems(&text).len(), 1, "{without_reason}");
        }
        let elsewhere = "fn a() {\n// waits: too far away\n\nsleep(SOON);\n}";
        assert_eq!(problems(elsewhere).len(), 2, "{:?}", problems(elsewhere));
        let idle = problems("fn a() {} // waits: nothing");
        assert!(idle[0].contains("no test waits for time here"), "{idle:?}");
    }
}
