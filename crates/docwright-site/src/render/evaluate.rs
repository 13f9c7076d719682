//! Values of expressions that are known without running code. If [`evaluate`] returns [`Value::Code`], the
//! JavaScript engine runs it (see `scripted`).

use std::{cell::Cell, collections::BTreeMap};

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrayExpressionElement, Expression, JSXAttributeItem, JSXAttributeName, JSXAttributeValue,
    JSXChild, JSXElement, JSXElementName, JSXExpression, JSXMemberExpressionObject,
    LogicalOperator, ObjectPropertyKind, UnaryOperator,
};
use oxc_ast::ast::{BinaryOperator, TemplateLiteral};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use super::Value;
use crate::mdx::{Attribute, AttributeValue, Node, NodeKind};

/// Names with their values.
pub(super) type Scope = BTreeMap<String, Value>;

/// The approximate size of the values of names, in bytes.
pub(super) fn size_of(scope: &Scope) -> usize {
    scope.iter().map(|(name, value)| name.len() + value.size()).sum()
}

/// Longer expressions are code in any case. Bytes.
const MAXIMUM_LENGTH: usize = 64 * 1024;

/// Maximum nesting of expressions. Deeper ones are treated as code.
const MAXIMUM_DEPTH: usize = 200;
/// Maximum size of the values that names add to one expression, in bytes, counted at each use. Larger
/// expressions are treated as code.
const MAXIMUM_SIZE: usize = 1024 * 1024;

/// The value of an expression, without its braces.
pub(super) fn evaluate(expression: &str, scope: &Scope) -> Value {
    let trimmed = expression.trim();
    if let Some(value) = evaluate_plain(trimmed) {
        return value;
    }
    if trimmed.len() > MAXIMUM_LENGTH {
        return Value::Code(expression.to_owned());
    }
    let allocator = Allocator::default();
    match Parser::new(&allocator, trimmed, SourceType::jsx()).parse_expression() {
        Ok(parsed) => {
            let left = Cell::new(MAXIMUM_SIZE);
            Evaluation { source: trimmed, scope, left, depth: Cell::new(0) }.value(&parsed)
        }
        Err(_) => Value::Code(expression.to_owned()),
    }
}

/// Values that need no parser: numbers, plain strings, words.
fn evaluate_plain(text: &str) -> Option<Value> {
    match text {
        "" => return Some(Value::Null),
        text if is_comment(text) => return Some(Value::Null),
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "null" | "undefined" => return Some(Value::Null),
        _ => {}
    }
    if text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return text.parse().ok().map(Value::Number);
    }
    let quote = text.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\', '\n'])).then(|| Value::Text(inner.to_owned()))
}

/// Whether it is only `/* … */`, which shows nothing.
fn is_comment(text: &str) -> bool {
    let inner = text.strip_prefix("/*").and_then(|rest| rest.strip_suffix("*/"));
    inner.is_some_and(|inner| !inner.contains("*/"))
}

/// A text in which `{name}` is replaced for known names.
pub(super) fn interpolate(text: &str, scope: &Scope) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{').filter(|_| result.len() < MAXIMUM_SIZE) {
        result.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        let end = after.find(['{', '}']).filter(|end| after.as_bytes()[*end] == b'}');
        let known = end.and_then(|close| {
            let name = after[..close].trim();
            let name = name.strip_prefix("props.").unwrap_or(name);
            Some((scope.get(name)?.to_text()?, close))
        });
        if let Some((value, close)) = known {
            result.push_str(&value);
            rest = &after[close + 1..];
        } else {
            result.push('{');
            rest = after;
        }
    }
    result + rest
}

struct Evaluation<'a> {
    source: &'a str,
    scope: &'a Scope,
    left: Cell<usize>,
    depth: Cell<usize>,
}

impl Evaluation<'_> {
    fn value(&self, expression: &Expression<'_>) -> Value {
        self.known(expression).unwrap_or_else(|| self.code(expression))
    }

    /// Whether the expression has room for a number of bytes.
    fn has_room(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn code(&self, expression: &Expression<'_>) -> Value {
        let span = expression.span();
        let text = self.source.get(span.start as usize..span.end as usize).unwrap_or(self.source);
        Value::Code(text.to_owned())
    }

    fn known(&self, expression: &Expression<'_>) -> Option<Value> {
        let depth = self.depth.get();
        if depth >= MAXIMUM_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        let value = self.known_at_depth(expression);
        self.depth.set(depth);
        value
    }

    fn known_at_depth(&self, expression: &Expression<'_>) -> Option<Value> {
        match expression.without_parentheses() {
            Expression::StringLiteral(literal) => Some(Value::Text(literal.value.to_string())),
            Expression::NumericLiteral(literal) => Some(Value::Number(literal.value)),
            Expression::BooleanLiteral(literal) => Some(Value::Bool(literal.value)),
            Expression::NullLiteral(_) => Some(Value::Null),
            Expression::Identifier(name) => {
                let known = self.scope.get(name.name.as_str())?;
                self.has_room(known.size()).then(|| known.clone())
            }
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::ArrayExpression(array) => {
                let items = array.elements.iter().map(|element| match element {
                    ArrayExpressionElement::SpreadElement(_) => None,
                    ArrayExpressionElement::Elision(_) => Some(Value::Null),
                    element => Some(self.value(element.as_expression()?)),
                });
                items.collect::<Option<_>>().map(Value::Array)
            }
            Expression::ObjectExpression(object) => {
                let properties = object.properties.iter().map(|property| match property {
                    ObjectPropertyKind::ObjectProperty(property)
                        if !property.method && !property.computed =>
                    {
                        Some((
                            property.key.static_name()?.into_owned(),
                            self.value(&property.value),
                        ))
                    }
                    _ => None,
                });
                properties.collect::<Option<_>>().map(Value::Object)
            }
            Expression::JSXElement(element) => Some(Value::Jsx(vec![self.element(element)])),
            Expression::JSXFragment(fragment) => {
                Some(Value::Jsx(self.children(&fragment.children)))
            }
            other => self.operation(other),
        }
    }

    fn operation(&self, expression: &Expression<'_>) -> Option<Value> {
        match expression {
            Expression::UnaryExpression(unary) => {
                match (unary.operator, self.known(&unary.argument)?) {
                    (UnaryOperator::UnaryNegation, Value::Number(number)) => {
                        Some(Value::Number(-number))
                    }
                    (UnaryOperator::LogicalNot, value) => Some(Value::Bool(!value.is_truthy()?)),
                    _ => None,
                }
            }
            Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::Addition => {
                match (self.known(&binary.left)?, self.known(&binary.right)?) {
                    (Value::Number(left), Value::Number(right)) => {
                        Some(Value::Number(left + right))
                    }
                    (left, right) => {
                        let (left, right) = (left.to_text()?, right.to_text()?);
                        let has_room = self.has_room(left.len() + right.len());
                        has_room.then(|| Value::Text(left + &right))
                    }
                }
            }
            Expression::LogicalExpression(logical) => {
                let left = self.known(&logical.left)?;
                let right = || self.known(&logical.right);
                match (logical.operator, left.is_truthy()?) {
                    (LogicalOperator::And, true) | (LogicalOperator::Or, false) => right(),
                    (LogicalOperator::Coalesce, _) if left == Value::Null => right(),
                    _ => Some(left),
                }
            }
            Expression::ConditionalExpression(conditional) => {
                let test = self.known(&conditional.test)?.is_truthy()?;
                self.known(if test { &conditional.consequent } else { &conditional.alternate })
            }
            Expression::StaticMemberExpression(member) => match self.known(&member.object)? {
                Value::Object(properties) => {
                    let found = properties
                        .into_iter()
                        .find(|(key, _)| key == member.property.name.as_str());
                    Some(found.map_or(Value::Null, |(_, value)| value))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn template(&self, template: &TemplateLiteral<'_>) -> Option<Value> {
        let mut text = String::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            text.push_str(quasi.value.cooked.as_ref()?.as_str());
            if let Some(hole) = template.expressions.get(index) {
                text.push_str(&self.known(hole)?.to_text()?);
            }
        }
        Some(Value::Text(text))
    }

    fn element(&self, element: &JSXElement<'_>) -> Node {
        let attributes = element
            .opening_element
            .attributes
            .iter()
            .map(|attribute| self.attribute(attribute))
            .collect();
        let name = element_name(&element.opening_element.name);
        node(NodeKind::Jsx { name, attributes, inline: false }, self.children(&element.children))
    }

    fn attribute(&self, attribute: &JSXAttributeItem<'_>) -> Attribute {
        let text = |start: u32, end: u32| {
            self.source.get(start as usize..end as usize).unwrap_or_default().to_owned()
        };
        match attribute {
            JSXAttributeItem::SpreadAttribute(spread) => {
                let span = spread.argument.span();
                Attribute {
                    name: String::new(),
                    value: AttributeValue::Expression(text(span.start, span.end)),
                }
            }
            JSXAttributeItem::Attribute(attribute) => {
                let name = match &attribute.name {
                    JSXAttributeName::Identifier(name) => name.name.to_string(),
                    JSXAttributeName::NamespacedName(name) => {
                        format!("{}:{}", name.namespace.name, name.name.name)
                    }
                };
                let value = match &attribute.value {
                    None => AttributeValue::True,
                    Some(JSXAttributeValue::StringLiteral(literal)) => {
                        AttributeValue::Text(literal.value.to_string())
                    }
                    Some(other) => {
                        let span = other.span();
                        let written = text(span.start, span.end);
                        let inner =
                            written.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                        AttributeValue::Expression(inner.unwrap_or(&written).to_owned())
                    }
                };
                Attribute { name, value }
            }
        }
    }

    fn children(&self, children: &[JSXChild<'_>]) -> Vec<Node> {
        children.iter().filter_map(|child| self.child(child)).collect()
    }

    fn child(&self, child: &JSXChild<'_>) -> Option<Node> {
        match child {
            JSXChild::Text(text) => {
                let value = fold_space(text.value.as_str());
                (!value.is_empty()).then(|| node(NodeKind::Text { value }, Vec::new()))
            }
            JSXChild::Element(element) => Some(self.element(element)),
            JSXChild::Fragment(fragment) => {
                let kind =
                    NodeKind::Jsx { name: String::new(), attributes: Vec::new(), inline: false };
                Some(node(kind, self.children(&fragment.children)))
            }
            JSXChild::ExpressionContainer(container) => match &container.expression {
                JSXExpression::EmptyExpression(_) => None,
                expression => {
                    let span = expression.span();
                    let value = self.source.get(span.start as usize..span.end as usize)?.to_owned();
                    Some(node(NodeKind::Expression { value, inline: true }, Vec::new()))
                }
            },
            JSXChild::Spread(_) => None,
        }
    }
}

fn node(kind: NodeKind, children: Vec<Node>) -> Node {
    Node { kind, children, span: 0..0, line: 0, column: 0 }
}

/// JSX drops white space with a line break at both ends of a text.
fn fold_space(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').collect();
    let last = lines.len() - 1;
    let trimmed = lines.iter().enumerate().map(|(index, line)| {
        let line = if index > 0 { line.trim_start() } else { line };
        if index < last { line.trim_end() } else { line }
    });
    trimmed.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn element_name(name: &JSXElementName<'_>) -> String {
    match name {
        JSXElementName::Identifier(name) => name.name.to_string(),
        JSXElementName::IdentifierReference(name) => name.name.to_string(),
        JSXElementName::NamespacedName(name) => {
            format!("{}:{}", name.namespace.name, name.name.name)
        }
        JSXElementName::MemberExpression(member) => {
            let object = match &member.object {
                JSXMemberExpressionObject::IdentifierReference(name) => name.name.to_string(),
                _ => String::new(),
            };
            format!("{object}.{}", member.property.name)
        }
        JSXElementName::ThisExpression(_) => "this".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> Value {
        let scope = Scope::from([("name".to_owned(), Value::Text("docs".to_owned()))]);
        evaluate(expression, &scope)
    }

    #[test]
    fn literals_and_known_names_have_values() {
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(value("2"), Value::Number(2.0));
        assert_eq!(value("'a'"), text("a"));
        assert_eq!(value("`a ${name}`"), text("a docs"));
        assert_eq!(value("name + '!'"), text("docs!"));
        assert_eq!(value("-1"), Value::Number(-1.0));
        assert_eq!(value("name ? 'y' : 'n'"), text("y"));
        assert_eq!(value("/* comment */"), Value::Null);
        assert_eq!(value("['a', 1]"), Value::Array(vec![text("a"), Value::Number(1.0)]));
        assert_eq!(value("{ a: true }"), Value::Object(vec![("a".to_owned(), Value::Bool(true))]));
    }

    #[test]
    fn names_within_names_do_not_multiply() {
        let mut scope = Scope::from([("a0".to_owned(), Value::Text("x".repeat(10)))]);
        for level in 1..20 {
            let name = format!("a{}", level - 1);
            let expression = format!("`{}`", format!("${{{name}}}").repeat(10));
            let value = evaluate(&expression, &scope);
            assert!(value.size() <= MAXIMUM_SIZE + 16, "level {level}");
            scope.insert(format!("a{level}"), value);
        }
        assert!(matches!(scope["a6"], Value::Code(_)), "what is too large is code");
        let many = vec!["a4"; 150].join("+");
        assert!(matches!(evaluate(&many, &scope), Value::Code(_)));
    }

    #[test]
    fn deep_expression_is_code() {
        for deep in ["name+".repeat(3_000) + "name", "!".repeat(300) + "name"] {
            assert!(matches!(value(&deep), Value::Code(_)));
        }
    }

    #[test]
    fn other_expressions_are_code() {
        for code in ["f()", "unknown", "() => 1", "a b", "items.map(x => x)"] {
            assert!(matches!(value(code), Value::Code(_)), "{code}");
        }
    }

    #[test]
    fn jsx_becomes_nodes() {
        let Value::Jsx(nodes) = value("<b className=\"x\">hi {name}</b>") else {
            panic!("not JSX")
        };
        assert!(matches!(&nodes[0].kind, NodeKind::Jsx { name, .. } if name == "b"));
        assert_eq!(nodes[0].children.len(), 2);
    }
}
