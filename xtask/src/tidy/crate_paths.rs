//! Paths in a Rust file to other modules of its crate: imports, and paths in code, attributes, and macro
//! bodies. `order` defines the order of modules.

use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A path to an item of the same crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CratePath {
    /// The line of the path's first name, counted from 1.
    pub(super) line: usize,
    /// The first name below the crate's root: `*` for a glob import of the root, and empty for the root
    /// itself.
    pub(super) target: String,
}

/// Finds all paths that start with `crate`, `self`, or `super`, in line order without duplicates. `module` is
/// the path of the file's module below the crate's root.
pub(super) fn find(text: &str, module: &[&str]) -> syn::Result<Vec<CratePath>> {
    let file = syn::parse_file(text)?;
    let module = module.iter().map(|name| (*name).to_owned()).collect();
    let mut finder = Finder { module, found: Vec::new() };
    finder.visit_file(&file);
    finder.found.sort();
    finder.found.dedup();
    Ok(finder.found)
}

struct Finder {
    /// The current module, from the crate's root.
    module: Vec<String>,
    found: Vec<CratePath>,
}

impl Finder {
    fn record(&mut self, names: &[Ident], glob: bool) {
        let Some(first) = names.first() else { return };
        let mut path = match first.to_string().as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return,
        };
        for name in names {
            match name.to_string().as_str() {
                "crate" | "self" => {}
                "super" => drop(path.pop()),
                name => path.push(name.trim_start_matches("r#").to_owned()),
            }
        }
        if glob {
            path.push("*".to_owned());
        }
        let target = path.into_iter().next().unwrap_or_default();
        self.found.push(CratePath { line: first.span().start().line, target });
    }

    fn read_import(&mut self, prefix: &mut Vec<Ident>, tree: &syn::UseTree) {
        let name = match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.clone());
                self.read_import(prefix, &path.tree);
                prefix.pop();
                return;
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.read_import(prefix, item));
            }
            syn::UseTree::Glob(_) => return self.record(prefix, true),
            syn::UseTree::Name(name) => &name.ident,
            syn::UseTree::Rename(rename) => &rename.ident,
        };
        prefix.push(name.clone());
        self.record(prefix, false);
        prefix.pop();
    }

    /// Finds paths in tokens without a grammar; also in strings if `texts` is set, for attributes such as
    /// `#[serde(with = "crate::hexadecimal")]`.
    fn read_tokens(&mut self, tokens: TokenStream, texts: bool) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        let mut within_path = false;
        while let [first, after @ ..] = rest {
            match first {
                TokenTree::Ident(name) if is_root(name) && !within_path && is_separator(after) => {
                    rest = self.read_token_path(&mut Vec::new(), rest);
                    continue;
                }
                TokenTree::Group(group) => self.read_tokens(group.stream(), texts),
                TokenTree::Literal(literal) if texts => self.read_text(literal),
                _ => {}
            }
            within_path = is_separator(rest);
            rest = if within_path { &rest[2..] } else { after };
        }
    }

    fn read_text(&mut self, literal: &Literal) {
        let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) else { return };
        let Ok(path) = syn::parse_str::<syn::Path>(&text.value()) else { return };
        let placed = |segment: &syn::PathSegment| {
            let mut name = segment.ident.clone();
            name.set_span(literal.span());
            name
        };
        let names: Vec<_> = path.segments.iter().map(placed).collect();
        if names.len() > 1 {
            self.record(&names, false);
        }
    }

    /// Reads one path with its braces. Returns the remaining tokens.
    fn read_token_path<'a>(
        &mut self,
        prefix: &mut Vec<Ident>,
        tokens: &'a [TokenTree],
    ) -> &'a [TokenTree] {
        let depth = prefix.len();
        let mut rest = tokens;
        let mut grouped = false;
        let glob = loop {
            match rest {
                [TokenTree::Ident(name), after @ ..] => {
                    prefix.push(name.clone());
                    rest = after;
                }
                [TokenTree::Group(group), after @ ..]
                    if group.delimiter() == Delimiter::Brace && !prefix.is_empty() =>
                {
                    self.read_token_group(prefix, group.stream());
                    (grouped, rest) = (true, after);
                    break false;
                }
                [TokenTree::Punct(star), after @ ..] if star.as_char() == '*' => {
                    rest = after;
                    break true;
                }
                _ => break false,
            }
            if !is_separator(rest) {
                break false;
            }
            rest = &rest[2..];
        };
        if !grouped {
            self.record(prefix, glob);
        }
        prefix.truncate(depth);
        rest
    }

    fn read_token_group(&mut self, prefix: &mut Vec<Ident>, group: TokenStream) {
        let tokens: Vec<_> = group.into_iter().collect();
        let is_comma =
            |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
        for part in tokens.split(is_comma) {
            self.read_token_path(prefix, part);
        }
    }
}

fn is_root(name: &Ident) -> bool {
    ["crate", "self", "super"].iter().any(|root| name == root)
}

fn is_separator(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(one), TokenTree::Punct(two), ..]
        if one.as_char() == ':' && two.as_char() == ':')
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.read_import(&mut Vec::new(), &item.tree);
        }
        visit::visit_item_use(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        // `self` alone is a receiver. A path to a module has more segments.
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.clone()).collect();
            self.record(&names, false);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.read_tokens(invocation.tokens.clone(), false);
        visit::visit_macro(self, invocation);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.read_tokens(list.tokens.clone(), true);
        }
        visit::visit_attribute(self, attribute);
    }

    /// Visibility isn't a dependency.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

#[cfg(test)]
mod tests;
