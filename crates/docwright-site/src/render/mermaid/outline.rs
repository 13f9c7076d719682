//! What a diagram says to those who can't see it: a line for each of its connections.

use std::collections::HashMap;

use merman::RenderSemanticModel as Model;

use crate::render::without_tags;

/// Connections beyond these would be no help to anyone.
const MOST_LINES: usize = 200;

/// The connections of a diagram, each as "A to B: label".
pub(super) fn outline(model: &Model) -> Vec<String> {
    match model {
        Model::Flowchart(chart) => {
            let nodes = chart.nodes.iter().map(|node| (&node.id, node.label.as_deref()));
            let groups =
                chart.subgraphs.iter().map(|group| (&group.id, Some(group.title.as_str())));
            let edges =
                chart.edges.iter().map(|edge| (&edge.from, &edge.to, edge.label.as_deref()));
            lines(nodes.chain(groups), edges)
        }
        Model::Sequence(sequence) => {
            let actors = sequence.actors.iter();
            let names = actors.map(|(id, actor)| (id, Some(actor.description.as_str())));
            let messages = sequence.messages.iter().filter_map(|message| {
                message.signal_semantics()?;
                Some((message.from.as_ref()?, message.to.as_ref()?, Some(message.message_text())))
            });
            lines(names, messages)
        }
        Model::Class(diagram) => {
            let classes = diagram.classes.values();
            let names = classes.map(|class| (&class.id, Some(class.label.as_str())));
            let relations = diagram.relations.iter();
            lines(names, relations.map(|it| (&it.id1, &it.id2, Some(it.title.as_str()))))
        }
        Model::Er(diagram) => {
            let names = diagram.entities.iter().flat_map(|(name, entity)| {
                let label = if entity.alias.is_empty() { name } else { &entity.alias };
                [(&entity.id, Some(label.as_str())), (name, Some(label.as_str()))]
            });
            let relations = diagram.relationships.iter();
            lines(names, relations.map(|it| (&it.entity_a, &it.entity_b, Some(it.role_a.as_str()))))
        }
        Model::State(diagram) => {
            let names = diagram.nodes.iter().map(|node| {
                let label = node.label.as_ref().and_then(|label| label.as_str());
                let shape = match node.shape.as_str() {
                    "stateStart" => Some("start"),
                    "stateEnd" => Some("end"),
                    _ => None,
                };
                (&node.id, shape.or(label))
            });
            let edges = diagram.edges.iter();
            lines(names, edges.map(|it| (&it.start, &it.end, Some(it.label.as_str()))))
        }
        _ => Vec::new(),
    }
}

/// A line for each connection, with the names that readers know.
fn lines<'a>(
    names: impl Iterator<Item = (&'a String, Option<&'a str>)>,
    edges: impl Iterator<Item = (&'a String, &'a String, Option<&'a str>)>,
) -> Vec<String> {
    let names: HashMap<&str, String> = names
        .filter_map(|(id, label)| Some((id.as_str(), plain(label?))))
        .filter(|(_, label)| !label.is_empty())
        .collect();
    let name = |id: &'a str| names.get(id).map_or(id, String::as_str);
    let line = |(from, to, label): (&'a String, &'a String, Option<&'a str>)| {
        let (from, to) = (name(from), name(to));
        match label.map(plain).filter(|label| !label.is_empty()) {
            Some(label) => format!("{from} to {to}: {label}"),
            None => format!("{from} to {to}"),
        }
    };
    edges.take(MOST_LINES).map(line).collect()
}

/// A label without its markup.
fn plain(label: &str) -> String {
    let text = without_tags(&label.replace("<br", " <br"));
    text.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use merman::{Engine, ParseOptions};

    use super::*;

    fn of(source: &str) -> Vec<String> {
        let engine = Engine::new();
        let parsed = engine.parse_diagram_for_render_model_sync(source, ParseOptions::strict());
        outline(parsed.expect("it is valid").expect("it is a diagram").model())
    }

    #[test]
    fn connections_have_names_and_labels() {
        for (source, expected) in [
            (
                "flowchart LR\n A[<b>Start</b><br/>here] -->|go| B\n B --> C{End?}",
                &["Start here to B: go", "B to End?"][..],
            ),
            (
                "sequenceDiagram\n participant A as Alice\n A->>B: Hello\n Note over A: x\n B-->>A: Hi",
                &["Alice to B: Hello", "B to Alice: Hi"],
            ),
            ("classDiagram\n A <|-- B : is", &["A to B: is"]),
            ("erDiagram\n A ||--o{ B : has", &["A to B: has"]),
            (
                "stateDiagram-v2\n [*] --> A\n A --> B: go\n B --> [*]",
                &["start to A", "A to B: go", "B to end"],
            ),
            ("pie\n \"a\": 1", &[]),
        ] {
            assert_eq!(of(source), expected, "{source}");
        }
    }
}
