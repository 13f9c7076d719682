//! The Chat Completions protocol, which most hosts support. <https://platform.openai.com/docs/api-reference/chat>

use serde_json::{Map, Value, json};

use super::{
    connection::{Failure, Taken},
    protocol::{Ending, Received, Request, merged, object_or_text},
};
use crate::run::{Call, ModelResponse, Turn};

/// The protocol's name in stored responses.
const NATIVE: &str = "chat";

/// The body of a request. `limit` is the field for the longest response.
pub(super) fn body(request: &Request<'_>, limit: &str, reports_usage: bool) -> Value {
    let mut messages = Vec::new();
    if !request.instructions.is_empty() {
        messages.push(json!({ "role": "system", "content": request.instructions }));
    }
    messages.extend(request.turns.iter().flat_map(message));
    let tools = request.tools.iter().map(|tool| {
        let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema() });
        json!({ "type": "function", "function": function })
    });
    let tools: Vec<_> = tools.collect();
    let mut body = json!({ "model": request.model, "messages": messages, "stream": true });
    if reports_usage {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if !tools.is_empty() {
        body["tools"] = Value::from(tools);
    }
    if let Some(most) = request.maximum_tokens {
        body[limit] = most.into();
    }
    body
}

fn message(turn: &Turn) -> Vec<Value> {
    match turn {
        Turn::User(text) => vec![json!({ "role": "user", "content": text })],
        Turn::Model(answer) => {
            vec![
                answer
                    .native
                    .as_ref()
                    .and_then(|native| native.get(NATIVE))
                    .cloned()
                    .unwrap_or_else(|| written(answer)),
            ]
        }
        Turn::Tools(results) => {
            let result = |result: &crate::run::CallResult| json!({ "role": "tool", "tool_call_id": result.id, "content": result.text });
            results.iter().map(result).collect()
        }
    }
}

/// A response from another protocol.
fn written(answer: &ModelResponse) -> Value {
    let call = |call: &Call| {
        let arguments =
            call.arguments.as_str().map_or_else(|| call.arguments.to_string(), str::to_owned);
        json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
    };
    let mut message = json!({ "role": "assistant", "content": answer.text });
    if !answer.calls.is_empty() {
        message["tool_calls"] = answer.calls.iter().map(call).collect();
    }
    message
}

/// A streamed response.
#[derive(Debug, Default)]
pub(super) struct Chat {
    text: String,
    /// Its reasoning before the calls. `DeepSeek` refuses calls that are returned without it.
    reasoning: String,
    /// The calls, assembled from their pieces.
    calls: Vec<Map<String, Value>>,
    received: Received,
    /// Why it ended; the usage can follow.
    reason: Option<String>,
}

impl Chat {
    /// Reads an event, or the whole response of a host without streaming.
    pub(super) fn take(
        &mut self,
        event: Value,
        pieces: &mut dyn FnMut(&str),
    ) -> Result<Taken, Failure> {
        if event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Failure::Reported(event));
        }
        let usage = &event["usage"];
        self.received.count(&usage["prompt_tokens"], &usage["completion_tokens"]);
        self.received.cost = usage["cost"].as_f64().or(self.received.cost);
        let Some(choice) = event["choices"].get(0) else {
            // Only the usage follows the end.
            return Ok(if self.reason.is_some() { Taken::All } else { Taken::Nothing });
        };
        let is_whole = choice.get("message").is_some();
        let delta = if is_whole { &choice["message"] } else { &choice["delta"] };
        let piece = delta["content"].as_str().unwrap_or_default();
        self.text.push_str(piece);
        pieces(piece);
        self.reasoning.push_str(delta["reasoning_content"].as_str().unwrap_or_default());
        let calls = delta["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (number, call) in calls.iter().enumerate() {
            self.take_call(number, call);
        }
        self.reason = choice["finish_reason"].as_str().map(str::to_owned).or(self.reason.take());
        Ok(match (&self.reason, is_whole) {
            (Some(_), true) => Taken::All,
            (None, true) => Taken::Nothing,
            _ => Taken::Part,
        })
    }

    /// A piece of a call. Hosts that send whole calls can omit its index.
    fn take_call(&mut self, number: usize, piece: &Value) {
        let index = piece["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let index = index.unwrap_or(number).min(self.calls.len());
        if index == self.calls.len() {
            self.calls.push(Map::new());
        }
        if let Some(piece) = piece.as_object() {
            merged(&mut self.calls[index], piece, &["arguments"]);
        }
    }

    /// Whether the response is complete if the stream ends here.
    pub(super) const fn has_ended(&self) -> bool {
        self.reason.is_some()
    }

    /// The response.
    pub(super) fn finish(mut self) -> (Ending, ModelResponse) {
        for (number, call) in self.calls.iter_mut().enumerate() {
            call.remove("index");
            call.entry("type").or_insert_with(|| "function".into());
            call.entry("id").or_insert_with(|| format!("call_{number}").into());
        }
        let calls = self.calls.iter().map(|call| Call {
            id: call["id"].as_str().unwrap_or_default().to_owned(),
            name: call
                .get("function")
                .and_then(|function| function["name"].as_str())
                .unwrap_or_default()
                .to_owned(),
            arguments: match call.get("function").map(|function| &function["arguments"]) {
                Some(Value::String(text)) => object_or_text(text),
                Some(arguments @ Value::Object(_)) => arguments.clone(),
                _ => object_or_text(""),
            },
        });
        let calls: Vec<_> = calls.collect();
        let mut message = json!({ "role": "assistant", "content": self.text });
        if !self.calls.is_empty() {
            message["tool_calls"] = self.calls.into_iter().map(Value::Object).collect();
            if !self.reasoning.is_empty() {
                message["reasoning_content"] = self.reasoning.into();
            }
        }
        let ending = match self.reason.as_deref() {
            Some("length") => Ending::CutOff,
            Some("content_filter") => Ending::Refused,
            _ => Ending::Whole,
        };
        let native = Some(json!({ NATIVE: message }));
        (ending, ModelResponse { text: self.text, calls, native, usage: self.received.usage() })
    }
}
