//! Models behind an HTTP API, through `rig`.

use std::{fmt, time::Duration};

use docwright_types::agent_job::Usage;
use futures::{StreamExt, future::BoxFuture};
use rig_core::{
    completion::{
        CompletionRequest, CompletionResponse, FinishReason, Message, ToolDefinition,
        message::{AssistantContent, CallId, ToolName, ToolResult, ToolResultContent},
    },
    error::ProviderError,
    providers::registry::ProviderRef,
    streaming::Item,
};
use rig_reqwest::reqwest;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{
    Model, ModelError,
    connection::Connection,
    provider::{find, without_secrets},
    reason::Asked,
};
use crate::{
    run::{Answer, Call, CallResult, Turn},
    tools::TOOLS,
};

/// Which model, and how to reach it.
#[derive(Clone)]
pub struct Settings {
    /// `<provider>:<model>`.
    pub name: String,
    /// Address of the host, if it is not the provider's own.
    pub base_url: Option<String>,
    /// Key of the host; empty where none is needed.
    pub key: String,
    /// How long the host may send nothing of an answer.
    pub silence: Duration,
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("name", &self.name)
            .field("base_url", &self.base_url.as_deref().map(without_secrets))
            .finish_non_exhaustive()
    }
}

/// Longest answer of a model, in tokens, where models are known to be able to write as much.
const MAXIMUM_TOKENS: u64 = 16_000;

/// Tokens that a check lets a model write. Fewer than this are refused by some hosts.
const CHECKED_TOKENS: u64 = 64;

/// A model behind an HTTP API.
pub struct Remote {
    name: String,
    /// Where its host is, without secrets.
    address: String,
    key: String,
    pub(super) silence: Duration,
    maximum_tokens: Option<u64>,
    reference: ProviderRef,
    client: reqwest::Client,
    tools: Vec<ToolDefinition>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Remote").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Remote {
    /// Makes a client for a model; asks nothing yet. An error says why there can be none.
    pub fn new(settings: &Settings) -> Result<Self, String> {
        let name = &settings.name;
        let unusable = |reason: String| format!("the model `{name}` can't be used: {reason}");
        let (provider, model) = find(name).map_err(unusable)?;
        let config = provider.config(settings.base_url.as_deref()).map_err(unusable)?;
        let tools = TOOLS.iter().filter_map(|tool| {
            Some(ToolDefinition::new(self::name(tool.name)?, tool.description, tool.schema()))
        });
        Ok(Self {
            name: name.clone(),
            address: without_secrets(config.base_url()),
            key: settings.key.clone(),
            silence: settings.silence,
            // A host refuses more than its model can take in all, and knows the limit itself.
            maximum_tokens: provider.needs_key.then_some(MAXIMUM_TOKENS),
            reference: ProviderRef::configured(config, model)
                .map_err(|error| unusable(error.to_string()))?,
            client: Connection::client().map_err(unusable)?,
            tools: tools.collect(),
        })
    }
}

impl Model for Remote {
    fn answer<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
    ) -> BoxFuture<'a, Result<Answer, ModelError>> {
        Box::pin(async move {
            let mut messages: Vec<_> = turns.iter().filter_map(message).collect();
            let last = messages.pop().unwrap_or_else(|| Message::user("Go on."));
            let mut request = CompletionRequest::new(last)
                .preamble(instructions)
                .messages(messages)
                .tools(self.tools.clone());
            request.max_tokens = self.maximum_tokens;
            // Hosts that are compatible with another have reasons of their own.
            request.accept_unknown_finish_reasons = true;
            let response = self.ask(request).await?;
            match response.finish_reason() {
                Some(FinishReason::Length) => Err(self.asked().cut_off()),
                Some(FinishReason::ContentFilter) => {
                    Err(self.asked().refused(response.error.as_deref()))
                }
                _ if response.error.is_some() => {
                    Err(self.asked().refused(response.error.as_deref()))
                }
                _ => Ok(answer(&response)),
            }
        })
    }
}

impl Remote {
    /// Asks for a word, to find out whether the host gives answers to this key. That costs a few tokens.
    pub async fn check(&self) -> Result<(), ModelError> {
        let mut request = CompletionRequest::new(Message::user("Answer with the word yes."));
        request.max_tokens = self.maximum_tokens.map(|most| most.min(CHECKED_TOKENS));
        request.accept_unknown_finish_reasons = true;
        let response = self.ask(request).await?;
        match response.error.as_deref() {
            None => Ok(()),
            error => Err(self.asked().refused(error)),
        }
    }

    /// Asks, and listens as long as something of the answer comes. What a host sends to keep the
    /// connection open is nothing of the answer.
    async fn ask(&self, request: CompletionRequest) -> Result<CompletionResponse, ModelError> {
        let connection = Connection::new(self.client.clone());
        let failed = |error: ProviderError| self.asked().failed(&error, &connection.reply());
        let model = self.reference.completion_model_with(self.key.as_str(), connection.clone());
        let mut stream = model.stream(request).map_err(failed)?;
        let mut deadline = Instant::now() + self.silence;
        loop {
            let item = timeout_at(deadline, stream.next()).await;
            let late = Instant::now() >= deadline;
            match item {
                Ok(None) => return stream.finish().await.map_err(failed),
                Ok(Some(Err(error))) => return Err(failed(error)),
                Ok(Some(Ok(Item::Event(_)))) => deadline = Instant::now() + self.silence,
                Ok(Some(Ok(Item::Unknown(_)))) if !late => {}
                _ => return Err(self.asked().silent(self.silence, &connection.reply())),
            }
        }
    }

    fn asked(&self) -> Asked<'_> {
        Asked { model: &self.name, address: &self.address, key: &self.key }
    }
}

fn name(text: &str) -> Option<ToolName> {
    ToolName::try_from(text).ok()
}

/// A turn as the library has it. An answer goes back as its host gave it.
fn message(turn: &Turn) -> Option<Message> {
    match turn {
        Turn::User(text) => Some(Message::user(text.clone())),
        Turn::Model(answer) => serde_json::from_value(answer.native.clone()?).ok(),
        Turn::Tools(results) => {
            Some(Message::tool_results(results.iter().filter_map(tool_result).collect()))
        }
    }
}

fn tool_result(result: &CallResult) -> Option<ToolResult> {
    Some(ToolResult {
        call: serde_json::from_str::<CallId>(&result.id).ok()?,
        name: name(&result.name)?,
        content: vec![ToolResultContent::text(result.text.clone())],
        is_error: result.refused,
    })
}

fn answer(response: &CompletionResponse) -> Answer {
    let calls = response.choice.iter().filter_map(|part| match part {
        AssistantContent::ToolCall(call) => Some(Call {
            // Opaque to others; it says whether the host or the library made it.
            id: serde_json::to_string(&call.id).ok()?,
            name: call.function.name.to_string(),
            arguments: match &call.function.invalid_arguments {
                Some(text) => Value::from(text.clone()),
                None => Value::Object(call.function.arguments.clone()),
            },
        }),
        _ => None,
    });
    let tokens = |count: Option<u64>| i64::try_from(count.unwrap_or(0)).unwrap_or(i64::MAX);
    Answer {
        text: response.text(),
        calls: calls.collect(),
        native: response.message().and_then(|message| serde_json::to_value(message).ok()),
        usage: Usage {
            input_tokens: tokens(response.usage.input_tokens),
            output_tokens: tokens(response.usage.output_tokens),
            cost: response.usage.cost.map(|cost| cost.total),
        },
    }
}
