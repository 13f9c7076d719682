//! Authors' code on pages: components, expressions, and handlers.
//!
//! The page's own engine runs the code and returns a tree of elements and built-in components, which is
//! rendered like the rest of the page. Markdown inside an author's component stays Markdown: the code only gets
//! a slot and decides its place.

mod imports;
mod island;
mod source;
mod tree;
mod unscripted;

use std::{collections::BTreeSet, sync::Arc};

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value as Json};

pub use island::PageScripts;

use super::{PageRenderer, Value, components, renderer::Frame};
use crate::{
    Rule,
    mdx::{Attribute, AttributeValue, Node, NodeKind},
    script::{Engine, Expression, Form, Outcome, transpile_expression},
};
use island::Island;

/// The code of a page: its engine, started on first use, and its results.
#[derive(Debug, Default)]
pub(super) struct Code {
    engine: Option<Engine>,
    /// Keys of the modules that the engine knows.
    defined: BTreeSet<String>,
    slots: Vec<Slot>,
    islands: Vec<Island>,
    /// Whether an interactive component is being rendered.
    in_island: bool,
    /// Code is not run: components pass their children through.
    is_off: bool,
}

/// The children of an author's component.
#[derive(Debug, Clone)]
struct Slot {
    /// The frame it was written in.
    frame: usize,
    nodes: Arc<[Node]>,
    used: bool,
}

/// A piece of a page's code with its position.
struct Piece {
    /// Short name for messages.
    name: String,
    /// JavaScript, perhaps with JSX.
    source: String,
    line: u32,
    column: u32,
}

impl PageRenderer<'_> {
    /// Whether rendering an element requires running code.
    pub(super) fn is_code(&self, name: &str, attributes: &[Attribute]) -> bool {
        if name.starts_with(|letter: char| letter.is_ascii_lowercase()) {
            return attributes.iter().any(|attribute| {
                matches!(attribute.value, AttributeValue::Expression(_))
                    && (super::attributes::is_event_handler(&attribute.name)
                        || attribute.name == "dangerouslySetInnerHTML")
            });
        }
        let base = name.split('.').next().unwrap_or(name);
        let module = &self.frame().module;
        match module.imports.iter().find(|import| import.local == base) {
            Some(import) => !import.is_snippet() || import.imported.is_some(),
            None => module.code.iter().any(|code| code == base),
        }
    }

    /// An element of an author's own component, or one with handlers.
    pub(super) fn scripted_element(
        &mut self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
    ) -> Markup {
        if self.code.is_off {
            return self.nodes(&node.children);
        }
        let first_slot = self.code.slots.len();
        let piece = self.piece_of_element(name, attributes, node);
        match self.show(&piece, first_slot, &node.children) {
            Some(markup) => markup,
            None => self.nodes(&node.children),
        }
    }

    /// The result of such an element as nodes; `None` if it fails or is interactive.
    pub(super) fn scripted_nodes(
        &mut self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
    ) -> Option<Vec<Node>> {
        let piece = self.piece_of_element(name, attributes, node);
        let (outcome, ..) = self.run(&piece, Form::Tree)?;
        (!outcome.interactive).then(|| tree::nodes(&outcome.value))
    }

    fn piece_of_element(&mut self, name: &str, attributes: &[Attribute], node: &Node) -> Piece {
        let source = self.element_source(name, attributes, &node.children);
        Piece { name: format!("<{name}>"), source, line: node.line, column: node.column }
    }

    /// An expression in text.
    pub(super) fn scripted_text(&mut self, expression: &str, line: u32, column: u32) -> Markup {
        let first_slot = self.code.slots.len();
        match self.show(&Piece::of(expression, line, column), first_slot, &[]) {
            Some(markup) => markup,
            // Authors forget that braces are code: `{id}` in a sentence is most likely text.
            None if source::is_identifier(expression.trim()) => {
                html! { "{" (expression.trim()) "}" }
            }
            None => html! {},
        }
    }

    /// The value of an expression in an attribute; `Null` if it fails, which is reported.
    pub(super) fn scripted_value(&mut self, expression: &str, line: u32, column: u32) -> Value {
        let piece = Piece::of(expression, line, column);
        match self.run(&piece, Form::Data) {
            Some((outcome, ..)) => tree::value(&outcome.value),
            None => Value::Null,
        }
    }

    /// Runs code and renders its result; `None` if it fails, which is reported. Its slots start at
    /// `first_slot`; `children` are its children.
    fn show(&mut self, piece: &Piece, first_slot: usize, children: &[Node]) -> Option<Markup> {
        let (outcome, code, scope) = self.run(piece, Form::Tree)?;
        let module = self.frame().path.clone();
        let nodes = tree::nodes(&outcome.value);
        if let [Node { kind: NodeKind::Text { value }, .. }] = nodes.as_slice()
            && self.shows_text_as_code(value)
        {
            return Some(self.text_as_code(value, piece.line));
        }
        self.frames.push(Frame {
            path: module.clone(),
            module: Arc::default(),
            scope: super::evaluate::Scope::new(),
            children: None,
            children_slot: None,
        });
        let outer = std::mem::replace(&mut self.code.in_island, outcome.interactive);
        let markup = self.nodes(&nodes);
        self.frames.pop();
        let hidden = if outcome.interactive {
            self.hidden_slots(first_slot)
        } else {
            html! {}
        };
        self.code.in_island = outer;
        if !outcome.interactive || outer {
            return Some(markup);
        }
        self.code.islands.push(Island { module, code, scope });
        let number = self.code.islands.len() - 1;
        let unscripted = self.unscripted(children, &markup);
        Some(html! { docwright-island data-island=(number) { (markup) } (hidden) (unscripted) })
    }

    /// Runs a piece of code. Gives its JavaScript and scope as well.
    fn run(&mut self, piece: &Piece, form: Form) -> Option<(Outcome, String, Map<String, Json>)> {
        if self.code.is_off {
            return None;
        }
        let result = self.try_run(piece, form);
        if self.code.engine.as_ref().is_some_and(Engine::is_late) {
            self.context.reads().record_unrepeatable();
        }
        if let Err(reason) = &result {
            let message = format!("`{}` can't be evaluated: {reason}", piece.name);
            let help = if source::is_identifier(piece.source.trim()) {
                "declare or import it; where braces are text, write \\{ or put them into code"
            } else {
                "correct the code; what stands inside it is shown without it"
            };
            self.report(Rule::FailingCode, message, help, piece.line, piece.column);
        }
        result.ok()
    }

    fn try_run(
        &mut self,
        piece: &Piece,
        form: Form,
    ) -> Result<(Outcome, String, Map<String, Json>), String> {
        let code = transpile_expression(&piece.source).map_err(|error| error.message)?;
        if self.code.engine.is_none() {
            let names: Vec<_> =
                components::ALL.iter().flat_map(|component| component.names).copied().collect();
            self.code.engine = Some(Engine::new(&names)?);
        }
        let module = self.frame().path.clone();
        self.define(&module)?;
        let scope = self.props_as_json();
        let engine = self.code.engine.as_ref().ok_or("the engine is missing")?;
        let expression = Expression { module: &module, scope: &scope, code: &code };
        let outcome = engine.evaluate(expression, form)?;
        Ok((outcome, code, scope))
    }

    /// The props of the surrounding snippet, for the code in it.
    fn props_as_json(&mut self) -> Map<String, Json> {
        let frame = self.frame();
        let Some(Value::Object(props)) = frame.scope.get("props").cloned() else {
            return Map::new();
        };
        let children = frame.children.clone();
        let mut scope = Map::new();
        for (name, value) in &props {
            let json = self.value_as_json(value);
            scope.insert(name.clone(), json);
        }
        if let Some(children) = children {
            let nodes = vec![tree::html_node(children)];
            scope.insert("children".to_owned(), self.slot(nodes));
        }
        let props = Json::Object(scope.clone());
        scope.retain(|name, _| source::is_identifier(name));
        scope.insert("props".to_owned(), props);
        scope
    }

    fn value_as_json(&mut self, value: &Value) -> Json {
        match value {
            Value::Null | Value::Code(_) => Json::Null,
            Value::Bool(flag) => Json::from(*flag),
            Value::Number(number) => Json::from(*number),
            Value::Text(text) => Json::from(text.as_str()),
            Value::Array(items) => items.iter().map(|item| self.value_as_json(item)).collect(),
            Value::Object(entries) => entries
                .iter()
                .map(|(name, value)| (name.clone(), self.value_as_json(value)))
                .collect::<Map<_, _>>()
                .into(),
            Value::Jsx(nodes) => self.slot(nodes.clone()),
        }
    }

    /// Keeps nodes of the current frame for later. Returns the value that the code sees.
    fn slot(&mut self, nodes: Vec<Node>) -> Json {
        serde_json::json!({ "$slot": self.keep_slot(nodes.into(), false) })
    }

    /// Keeps the children of a snippet's use, which are already rendered.
    pub(super) fn keep_children(&mut self, nodes: &[Node]) -> Option<usize> {
        (!nodes.is_empty()).then(|| self.keep_slot(nodes.into(), true))
    }

    fn keep_slot(&mut self, nodes: Arc<[Node]>, used: bool) -> usize {
        let frame = self.frames.len() - 1;
        self.code.slots.push(Slot { frame, nodes, used });
        self.code.slots.len() - 1
    }

    /// Renders a slot in the frame that contains its source.
    pub(super) fn show_slot(&mut self, index: usize) -> Markup {
        let in_island = self.code.in_island;
        let Some(markup) = self.in_slot(index, Self::nodes) else {
            return html! {};
        };
        if in_island {
            html! { docwright-slot data-slot=(index) { (markup) } }
        } else {
            markup
        }
    }

    /// Uses the nodes of a slot in the frame that contains their source.
    pub(super) fn in_slot<T>(
        &mut self,
        index: usize,
        work: impl FnOnce(&mut Self, &[Node]) -> T,
    ) -> Option<T> {
        let slot = self.code.slots.get_mut(index)?;
        slot.used = true;
        let slot = slot.clone();
        let above = self.frames.split_off((slot.frame + 1).min(self.frames.len()));
        let in_island = std::mem::replace(&mut self.code.in_island, false);
        let result = work(self, &slot.nodes);
        self.code.in_island = in_island;
        self.frames.extend(above);
        Some(result)
    }

    /// Slots that an interactive component doesn't show initially but can show later.
    fn hidden_slots(&mut self, first: usize) -> Markup {
        let hidden: Vec<_> =
            (first..self.code.slots.len()).filter(|slot| !self.code.slots[*slot].used).collect();
        let mut html = String::new();
        for index in hidden {
            let outer = std::mem::replace(&mut self.code.in_island, false);
            let markup = self.show_slot(index);
            self.code.in_island = outer;
            html.push_str(&html! { template data-slot=(index) { (markup) } }.0);
        }
        PreEscaped(html)
    }
}

impl Piece {
    fn of(expression: &str, line: u32, column: u32) -> Self {
        let mut name: String = expression.trim().chars().take(40).collect();
        if name.len() < expression.trim().len() {
            name.push('…');
        }
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { name, source: expression.to_owned(), line, column }
    }
}
