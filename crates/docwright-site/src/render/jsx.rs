//! JSX elements: which are components, which are HTML, and which are neither.

use maud::{Markup, html};

use super::{
    Element, PageRenderer, Value, components,
    evaluate::{Scope, evaluate},
};
use crate::{
    Rule,
    content::closest::closest,
    mdx::{Attribute, AttributeValue, Node},
};

impl PageRenderer<'_> {
    pub(super) fn jsx(
        &mut self,
        name: &str,
        attributes: &[Attribute],
        inline: bool,
        node: &Node,
    ) -> Markup {
        if name.is_empty() {
            return self.nodes(&node.children);
        }
        if self.is_code(name, attributes) {
            return self.scripted_element(name, attributes, node);
        }
        let attributes = self.evaluate_attributes(attributes, node);
        let element = Element {
            name,
            attributes,
            children: &node.children,
            line: node.line,
            column: node.column,
            inline,
        };
        let is_html = name.starts_with(|letter: char| letter.is_ascii_lowercase());
        if is_html {
            return self.html_element(&element);
        }
        if let Some(markup) = self.imported(&element) {
            return markup;
        }
        if name == "Snippet" {
            return self.legacy_snippet(&element);
        }
        match components::find(name) {
            Some(component) => components::render(component, &element, self),
            None => self.unknown(&element),
        }
    }

    /// Attributes with their values, spreads expanded.
    pub(super) fn evaluate_attributes(
        &mut self,
        attributes: &[Attribute],
        node: &Node,
    ) -> Vec<(String, Value)> {
        let mut evaluated = Vec::with_capacity(attributes.len());
        for attribute in attributes {
            let scope = &self.frame().scope;
            let value = match &attribute.value {
                AttributeValue::True => Value::Bool(true),
                AttributeValue::Text(text) => Value::Text(self.interpolate(text)),
                AttributeValue::Known(value) => value.clone(),
                AttributeValue::Expression(expression) => match evaluate(expression, scope) {
                    value if value.has_code() => {
                        self.scripted_value(expression, node.line, node.column)
                    }
                    value if self.spend(value.size()) => value,
                    _ => Value::Null,
                },
            };
            match value {
                Value::Object(properties) if attribute.name.is_empty() => {
                    evaluated.extend(properties);
                }
                _ if attribute.name.is_empty() => {}
                value => evaluated.push((attribute.name.clone(), value)),
            }
        }
        self.record_classes(&evaluated);
        evaluated
    }

    /// Classes of the author's own, which can be Tailwind's.
    fn record_classes(&mut self, attributes: &[(String, Value)]) {
        for (name, value) in attributes {
            if let ("className" | "class", Value::Text(classes)) = (name.as_str(), value) {
                let classes = classes.split_whitespace().map(str::to_owned);
                self.rendered.classes.extend(classes);
            }
        }
    }

    fn unknown(&mut self, element: &Element<'_>) -> Markup {
        let name = element.name;
        let names = components::ALL.iter().flat_map(|component| component.names).copied();
        let help = match closest(name, names) {
            Some(near) => format!("did you mean <{near}>?"),
            None => "import it, or correct its name; its content is shown as it is".to_owned(),
        };
        let message = format!("<{name}> is neither built in, nor imported, nor declared here");
        self.report(Rule::UnknownComponent, message, &help, element.line, element.column);
        if element.inline {
            self.nodes(element.children)
        } else {
            html! { div { (self.nodes(element.children)) } }
        }
    }

    /// The constants of a snippet, and the values of its props.
    pub(super) fn props_scope(element: &Element<'_>, mut scope: Scope) -> Scope {
        scope.extend(element.attributes.iter().cloned());
        scope.insert("props".to_owned(), Value::Object(element.attributes.clone()));
        scope
    }
}
