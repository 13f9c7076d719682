//! The Messages protocol of Anthropic.
//! <https://docs.anthropic.com/en/api/messages-streaming>

use serde_json::{Map, Value, json};

use super::{
    connection::{Failure, Taken},
    protocol::{Ending, Received, Request, merged, object_or_text},
};
use crate::run::{Call, CallResult, ModelResponse, Turn};

/// The protocol's name in stored responses.
const NATIVE: &str = "messages";

/// The body of a request.
pub(super) fn body(request: &Request<'_>) -> Value {
    let messages: Vec<_> = request.turns.iter().map(message).collect();
    let tool = |tool: &&crate::tools::Tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema() });
    let mut body = json!({
        "model": request.model,
        "messages": messages,
        "max_tokens": request.maximum_tokens,
        "stream": true,
    });
    if !request.instructions.is_empty() {
        body["system"] = request.instructions.into();
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    body
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({ "role": "user", "content": text }),
        Turn::Model(answer) => {
            let native = answer.native.as_ref().and_then(|native| native.get(NATIVE));
            let content = native.cloned().unwrap_or_else(|| written(answer));
            json!({ "role": "assistant", "content": content })
        }
        Turn::Tools(results) => {
            let result = |result: &CallResult| json!({ "type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.refused });
            json!({ "role": "user", "content": results.iter().map(result).collect::<Vec<_>>() })
        }
    }
}

/// A response from another protocol.
fn written(answer: &ModelResponse) -> Value {
    let text = (!answer.text.is_empty()).then(|| json!({ "type": "text", "text": answer.text }));
    let calls = answer.calls.iter().map(|call| {
        let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
        json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input })
    });
    text.into_iter().chain(calls).collect()
}

/// A streamed response.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// Its blocks: text, reasoning, calls.
    blocks: Vec<Map<String, Value>>,
    /// The arguments of the present call block, as text.
    inputs: Vec<String>,
    received: Received,
    reason: Option<String>,
}

impl Messages {
    /// Reads an event.
    pub(super) fn take(
        &mut self,
        event: &Value,
        pieces: &mut dyn FnMut(&str),
    ) -> Result<Taken, Failure> {
        match event["type"].as_str().unwrap_or_default() {
            "error" => return Err(Failure::Reported(event.clone())),
            "message_start" => {
                let usage = &event["message"]["usage"];
                let parts =
                    ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
                let input: u64 = parts.iter().filter_map(|part| usage[part].as_u64()).sum();
                self.received.count(&input.into(), &usage["output_tokens"]);
            }
            "content_block_start" => {
                self.blocks.push(event["content_block"].as_object().cloned().unwrap_or_default());
                self.inputs.push(String::new());
            }
            "content_block_delta" => {
                self.take_delta(event);
                pieces(event["delta"]["text"].as_str().unwrap_or_default());
            }
            "content_block_stop" => {}
            "message_delta" => {
                self.received.count(&Value::Null, &event["usage"]["output_tokens"]);
                self.reason = event["delta"]["stop_reason"].as_str().map(str::to_owned);
            }
            "message_stop" => return Ok(Taken::All),
            _ => return Ok(Taken::Nothing),
        }
        Ok(Taken::Part)
    }

    fn take_delta(&mut self, event: &Value) {
        let index = event["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let Some(index) = index.filter(|index| *index < self.blocks.len()) else { return };
        let Some(delta) = event["delta"].as_object() else { return };
        if let Some(piece) = delta.get("partial_json").and_then(Value::as_str) {
            self.inputs[index].push_str(piece);
            return;
        }
        let pieces = delta.iter().filter(|(name, _)| *name != "type");
        let pieces = pieces.map(|(name, piece)| (name.clone(), piece.clone())).collect();
        merged(&mut self.blocks[index], &pieces, &["text", "thinking", "signature"]);
    }

    /// The response.
    pub(super) fn finish(mut self) -> (Ending, ModelResponse) {
        let (mut text, mut calls) = (String::new(), Vec::new());
        for (block, input) in self.blocks.iter_mut().zip(&self.inputs) {
            let field = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
            match field("type") {
                "text" => text.push_str(field("text")),
                "tool_use" => {
                    let (id, name) = (field("id").to_owned(), field("name").to_owned());
                    let arguments = object_or_text(input);
                    let shown = if arguments.is_object() { arguments.clone() } else { json!({}) };
                    block.insert("input".to_owned(), shown);
                    calls.push(Call { id, name, arguments });
                }
                _ => {}
            }
        }
        let ending = match self.reason.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => Ending::CutOff,
            Some("refusal") => Ending::Refused,
            _ => Ending::Whole,
        };
        let blocks: Value = self.blocks.into_iter().map(Value::Object).collect();
        let native = Some(json!({ NATIVE: blocks }));
        (ending, ModelResponse { text, calls, native, usage: self.received.usage() })
    }
}
