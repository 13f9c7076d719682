//! A page or snippet as a module: its nodes, imports, and declarations.

use std::{ops::Range, path::Path};

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression,
    ImportDeclarationSpecifier, Statement, VariableDeclaration,
};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use super::{
    Value,
    evaluate::{Scope, evaluate},
};
use crate::mdx::{self, Node, NodeKind, ParseError};

/// Maximum size of the constants of one text in bytes, since they can contain each other. Further ones are
/// treated as code.
const MAXIMUM_CONSTANTS: usize = 4 * 1024 * 1024;

/// A parsed text with its statements.
#[derive(Debug, Default)]
pub struct Module {
    /// The nodes, statements left out.
    pub nodes: Vec<Node>,
    /// Byte ranges of its import and export statements.
    pub statements: Vec<Range<usize>>,
    /// Its imports.
    pub imports: Vec<Import>,
    /// Constants with known values.
    pub constants: Scope,
    /// Their approximate size in bytes.
    size_of_constants: usize,
    /// Its import and export statements as written.
    pub code_text: String,
    /// The line in the file and in `code_text` where each statement starts.
    code_lines: Vec<(u32, u32)>,
    /// Lines of `code_text`.
    lines_of_code: u32,
    /// Names of components and functions it declares in code.
    pub code: Vec<String>,
    /// Parts that couldn't be parsed.
    pub errors: Vec<ParseError>,
}

/// An imported name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The local name.
    pub local: String,
    /// The exported name; `None` for the default export.
    pub imported: Option<String>,
    /// The path as written.
    pub target: String,
    /// 1-based line.
    pub line: u32,
}

impl Import {
    /// Whether it brings in MDX rather than code.
    pub fn is_snippet(&self) -> bool {
        let extension =
            Path::new(&self.target).extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("mdx" | "md"))
    }
}

impl Module {
    /// Parses a text that starts at `first_line` of its file.
    pub fn parse(text: &str, first_line: u32) -> Self {
        let parsed = mdx::parse(text, first_line);
        let mut module = Self { errors: parsed.errors, ..Self::default() };
        module.keep_statements(&parsed.nodes);
        module.nodes = parsed.nodes;
        module.nodes.retain(|node| !matches!(node.kind, NodeKind::Esm { .. }));
        module
    }

    /// Statements apply to the whole text, wherever they are, even between the tags of a component.
    fn keep_statements(&mut self, nodes: &[Node]) {
        for node in nodes {
            if let NodeKind::Esm { value } = &node.kind {
                self.keep_code(value, node.line);
                self.read_statements(value, node.line);
                self.statements.push(node.span.clone());
            }
            self.keep_statements(&node.children);
        }
    }

    fn keep_code(&mut self, source: &str, line: u32) {
        self.code_lines.push((line, self.lines_of_code + 1));
        let lines = source.bytes().filter(|byte| *byte == b'\n').count() + 1;
        self.lines_of_code += u32::try_from(lines).unwrap_or(u32::MAX / 2);
        self.code_text.push_str(source);
        self.code_text.push('\n');
    }

    /// The line of the file for a line of `code_text`.
    pub fn line_of_code(&self, line: u32) -> u32 {
        let statement = self.code_lines.iter().rev().find(|(_, first)| *first <= line);
        statement.map_or(line, |(in_file, first)| in_file + line - first)
    }

    fn read_statements(&mut self, source: &str, line: u32) {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, source, SourceType::jsx().with_module(true)).parse();
        if let Some(error) = parsed.errors.first() {
            self.errors.push(ParseError {
                line,
                column: 1,
                message: format!("this import or export can't be parsed: {}", error.message),
                help: "correct the statement, and leave an empty line after it",
                over_budget: false,
            });
        }
        for statement in &parsed.program.body {
            self.read_statement(statement, source, line);
        }
    }

    fn read_statement(&mut self, statement: &Statement<'_>, source: &str, first_line: u32) {
        match statement {
            Statement::ImportDeclaration(import) => {
                let (line, _) = mdx::position(source, import.span.start as usize);
                for specifier in import.specifiers.iter().flatten() {
                    let (local, imported) = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(named) => {
                            (named.local.name.to_string(), Some(named.imported.name().to_string()))
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                            (default.local.name.to_string(), None)
                        }
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => {
                            (all.local.name.to_string(), None)
                        }
                    };
                    let target = import.source.value.to_string();
                    self.imports.push(Import {
                        local,
                        imported,
                        target,
                        line: first_line + line - 1,
                    });
                }
            }
            Statement::ExportNamedDeclaration(export) => match &export.declaration {
                Some(Declaration::VariableDeclaration(variables)) => {
                    self.read_variables(variables, source);
                }
                Some(Declaration::FunctionDeclaration(function)) => {
                    self.code.extend(function.id.iter().map(|id| id.name.to_string()));
                }
                _ => {}
            },
            Statement::VariableDeclaration(variables) => self.read_variables(variables, source),
            Statement::ExportDefaultDeclaration(export) => {
                if let ExportDefaultDeclarationKind::FunctionDeclaration(function) =
                    &export.declaration
                {
                    self.code.extend(function.id.iter().map(|id| id.name.to_string()));
                }
            }
            _ => {}
        }
    }

    fn read_variables(&mut self, variables: &VariableDeclaration<'_>, source: &str) {
        for declarator in &variables.declarations {
            let (BindingPattern::BindingIdentifier(name), Some(init)) =
                (&declarator.id, &declarator.init)
            else {
                continue;
            };
            let name = name.name.to_string();
            let function = matches!(
                init.without_parentheses(),
                Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
            );
            let span = init.span();
            let text = source.get(span.start as usize..span.end as usize).unwrap_or_default();
            let has_room = self.size_of_constants < MAXIMUM_CONSTANTS;
            match if function || !has_room {
                Value::Code(String::new())
            } else {
                evaluate(text, &self.constants)
            } {
                Value::Code(_) => self.code.push(name),
                value => {
                    self.size_of_constants += name.len() + value.size();
                    self.constants.insert(name, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_read() {
        let module = Module::parse(
            "import A from '/snippets/a.mdx'\nimport { b as c } from './b.jsx'\n\nexport const version = '1.2'\n\nexport const X = () => <b/>\n\ntext\n",
            5,
        );
        assert_eq!(
            module.imports[0],
            Import { local: "A".into(), imported: None, target: "/snippets/a.mdx".into(), line: 5 }
        );
        assert_eq!(module.imports[1].imported.as_deref(), Some("b"));
        assert_eq!(module.imports[1].line, 6);
        assert_eq!(module.constants["version"], Value::Text("1.2".into()));
        assert_eq!(module.code, ["X"]);
        assert_eq!(module.nodes.len(), 1);
    }

    #[test]
    fn statements_between_tags_are_read() {
        let text = "<Step>\n\nText.\n\nimport A from '/a.mdx';\n\n<A />\n\n</Step>\n";
        let module = Module::parse(text, 1);
        assert_eq!((module.imports.len(), module.imports[0].line), (1, 5));
        assert_eq!(text[module.statements[0].clone()].trim(), "import A from '/a.mdx';");
    }
}
