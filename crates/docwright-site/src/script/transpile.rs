//! Converts authors' code (ESM, JSX, TypeScript) to the plain body of a function, which `QuickJS` and classic
//! browser scripts can run.

use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Declaration, ExportDefaultDeclarationKind, ImportDeclaration, ImportDeclarationSpecifier,
    ImportOrExportKind, Statement,
};
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_transformer::{JsxOptions, JsxRuntime, TransformOptions, Transformer};

/// Longer code is refused. Bytes.
const MAXIMUM_LENGTH: usize = 2 * 1024 * 1024;

/// A module of an author.
#[derive(Debug, Default, Clone)]
pub struct Script {
    /// Body of a function of `require` and `exports`.
    pub body: String,
    /// Its imports as written; `require` is called with these.
    pub imports: Vec<String>,
}

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// 1-based line in the given text.
    pub line: u32,
    /// The error in a sentence, without a period.
    pub message: String,
}

/// Transpiles a module. The extension of `path` says whether it can contain types.
pub fn transpile_module(source: &str, path: &str) -> Result<Script, SyntaxError> {
    check_length(source)?;
    let rewritten = rewrite_statements(source, source_type(path))?;
    Ok(Script { body: compile(&rewritten.text, source_type(path))?, imports: rewritten.imports })
}

/// Transpiles an expression; the result is an expression in parentheses.
pub fn transpile_expression(source: &str) -> Result<String, SyntaxError> {
    check_length(source)?;
    // On separate lines, because the expression can end with a comment.
    let compiled = compile(&format!("({source}\n)"), SourceType::jsx().with_module(true))?;
    Ok(format!("({})", compiled.trim().trim_end_matches(';')))
}

fn check_length(source: &str) -> Result<(), SyntaxError> {
    if source.len() <= MAXIMUM_LENGTH {
        return Ok(());
    }
    Err(SyntaxError { line: 1, message: "it is longer than 2 MB".to_owned() })
}

fn source_type(path: &str) -> SourceType {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    match extension {
        Some("ts") => SourceType::ts().with_module(true),
        Some("tsx") => SourceType::tsx().with_module(true),
        _ => SourceType::jsx().with_module(true),
    }
}

/// JSX becomes calls of `h`; types vanish.
fn compile(source: &str, source_type: SourceType) -> Result<String, SyntaxError> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type).parse();
    if let Some(error) = parsed.errors.first() {
        return Err(problem(source, error));
    }
    let mut program = parsed.program;
    let scoping = SemanticBuilder::new().build(&program).semantic.into_scoping();
    let options = TransformOptions {
        jsx: JsxOptions {
            runtime: JsxRuntime::Classic,
            pragma: Some("h".to_owned()),
            pragma_frag: Some("Fragment".to_owned()),
            pure: false,
            throw_if_namespace: false,
            ..JsxOptions::enable()
        },
        ..TransformOptions::default()
    };
    let transformed = Transformer::new(&allocator, Path::new("page.tsx"), &options)
        .build_with_scoping(scoping, &mut program);
    if let Some(error) = transformed.errors.first() {
        return Err(problem(source, error));
    }
    Ok(Codegen::new().with_options(CodegenOptions::minify()).build(&program).code)
}

fn problem(source: &str, error: &oxc_diagnostics::OxcDiagnostic) -> SyntaxError {
    let offset = error
        .labels
        .as_ref()
        .and_then(|labels| labels.first())
        .map_or(0, oxc_diagnostics::LabeledSpan::offset);
    let line = crate::mdx::position(source, offset).0;
    SyntaxError { line, message: error.message.to_string() }
}

struct Rewritten {
    text: String,
    imports: Vec<String>,
}

/// Imports become calls of `require`, exports getters of `exports`.
fn rewrite_statements(source: &str, source_type: SourceType) -> Result<Rewritten, SyntaxError> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type).parse();
    if let Some(error) = parsed.errors.first() {
        return Err(problem(source, error));
    }
    let mut rewriter = Rewriter { source, ..Rewriter::default() };
    for statement in &parsed.program.body {
        rewriter.statement(statement);
    }
    Ok(rewriter.finish())
}

#[derive(Default)]
struct Rewriter<'a> {
    source: &'a str,
    text: String,
    /// Exported name and the expression of its value.
    exports: Vec<(String, String)>,
    imports: Vec<String>,
}

impl Rewriter<'_> {
    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportNamedDeclaration(export) => {
                match (&export.declaration, &export.source) {
                    _ if export.export_kind == ImportOrExportKind::Type => {}
                    (Some(declaration), _) => {
                        self.exports.extend(names(declaration).map(|name| (name.clone(), name)));
                        self.keep(declaration.span());
                    }
                    (None, source) => {
                        let holder =
                            source.as_ref().map(|source| self.require(source.value.as_str()));
                        for specifier in &export.specifiers {
                            let local = specifier.local.name().to_string();
                            let value = holder
                                .as_ref()
                                .map_or(local.clone(), |holder| format!("{holder}.{local}"));
                            self.exports.push((specifier.exported.name().to_string(), value));
                        }
                    }
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                let name = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        function.id.as_ref().map(|id| id.name.to_string())
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        class.id.as_ref().map(|id| id.name.to_string())
                    }
                    _ => None,
                };
                if name.is_none() {
                    self.text.push_str("const $default = ");
                }
                self.keep(export.declaration.span());
                self.exports
                    .push(("default".to_owned(), name.unwrap_or_else(|| "$default".to_owned())));
            }
            Statement::ExportAllDeclaration(export) => {
                let target = self.require(export.source.value.as_str());
                self.text.push_str(&format!("Object.assign(exports, {target});\n"));
            }
            other => self.keep(other.span()),
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        if import.import_kind == ImportOrExportKind::Type {
            return;
        }
        let target = self.require(import.source.value.as_str());
        let mut named = Vec::new();
        for specifier in import.specifiers.iter().flatten() {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    let key = serde_json::Value::from(specifier.imported.name().to_string());
                    named.push(format!("{key}: {}", specifier.local.name));
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    named.push(format!("default: {}", specifier.local.name));
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                    self.text.push_str(&format!("const {} = {target};\n", specifier.local.name));
                }
            }
        }
        if !named.is_empty() {
            self.text.push_str(&format!("const {{{}}} = {target};\n", named.join(", ")));
        }
    }

    fn require(&mut self, target: &str) -> String {
        if !self.imports.iter().any(|known| known == target) {
            self.imports.push(target.to_owned());
        }
        format!("require({})", serde_json::Value::from(target))
    }

    fn keep(&mut self, span: Span) {
        let text = self.source.get(span.start as usize..span.end as usize).unwrap_or_default();
        self.text.push_str(text);
        // A statement can end without a semicolon.
        self.text.push_str("\n;\n");
    }

    /// Getters come first, so that modules that import each other see them.
    fn finish(self) -> Rewritten {
        let mut text = String::new();
        for (name, value) in &self.exports {
            let name = serde_json::Value::from(name.as_str());
            text.push_str(&format!(
                "Object.defineProperty(exports, {name}, {{enumerable: true, configurable: true, get: () => {value}}});\n"
            ));
        }
        text.push_str(&self.text);
        Rewritten { text, imports: self.imports }
    }
}

/// The names that a declaration defines.
fn names(declaration: &Declaration<'_>) -> impl Iterator<Item = String> {
    let names: Vec<_> = match declaration {
        Declaration::VariableDeclaration(variables) => variables
            .declarations
            .iter()
            .flat_map(|declarator| declarator.id.get_binding_identifiers())
            .map(|identifier| identifier.name.to_string())
            .collect(),
        Declaration::FunctionDeclaration(function) => {
            function.id.iter().map(|id| id.name.to_string()).collect()
        }
        Declaration::ClassDeclaration(class) => {
            class.id.iter().map(|id| id.name.to_string()).collect()
        }
        _ => Vec::new(),
    };
    names.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_bodies_of_functions() {
        let script = transpile_module(
            "import React, {useState as s} from 'react'\nexport const A = ({b}) => <b className=\"x\">{b}</b>\nexport default function C() { return <A b={1}/> }",
            "a.jsx",
        )
        .unwrap();
        assert_eq!(script.imports, ["react"]);
        assert!(
            script.body.contains("const{default:React,\"useState\":s}=require(`react`)"),
            "{}",
            script.body
        );
        assert!(script.body.contains("get:()=>C"), "{}", script.body);
        assert!(script.body.contains("h(`b`,{className:`x`},b)"), "{}", script.body);
    }

    #[test]
    fn types_vanish() {
        let script = transpile_module(
            "type T = {a: string}\nexport const f = (a: T) => <i>{a.a}</i>",
            "a.tsx",
        );
        assert!(!script.unwrap().body.contains("string"));
    }

    #[test]
    fn expressions_can_hold_jsx_and_end_in_a_comment() {
        assert_eq!(
            transpile_expression("items.map(x => <b>{x}</b>) // all").unwrap(),
            "(items.map(x=>h(`b`,null,x)))"
        );
        assert_eq!(transpile_expression("a b").unwrap_err().line, 1);
    }
}
