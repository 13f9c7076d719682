//! Values of JSX attributes and expressions that are known without running code.

use crate::mdx::Node;

/// A JavaScript value, as far as literals go.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "names are those of JavaScript")]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
    /// JSX in an expression (`icon={<svg … />}`), as a tree.
    Jsx(Vec<Node>),
    /// Needs a JavaScript engine; the expression as written.
    Code(String),
}
