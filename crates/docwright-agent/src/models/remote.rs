//! Models behind an HTTP API, through `rig`. Only this file knows it.

use std::fmt;

use docwright_domain::agent_job::Usage;
use futures::future::BoxFuture;
use rig_core::{
    completion::{
        CompletionRequest, CompletionResponse, Message, ToolDefinition,
        message::{AssistantContent, CallId, ToolName, ToolResult, ToolResultContent},
    },
    driver::DynModel,
    error::ProviderError,
    operation::Completion,
    providers::registry::ProviderRef,
};
use serde_json::Value;

use super::{Model, ModelError};
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
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("name", &self.name)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

/// Longest answer of a model, in tokens.
const MAXIMUM_TOKENS: u64 = 16_000;

/// A model behind an HTTP API.
pub struct Remote {
    name: String,
    model: DynModel<Completion>,
    tools: Vec<ToolDefinition>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Remote").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Remote {
    /// Makes a client for a model; asks nothing yet.
    pub fn new(settings: &Settings) -> Result<Self, String> {
        let unknown = |error: &dyn fmt::Display| {
            format!(
                "the model `{}` can't be used: {error}; name it like `anthropic:claude-sonnet-4-5`",
                settings.name
            )
        };
        let reference = ProviderRef::parse(&settings.name).map_err(|error| unknown(&error))?;
        let reference = match &settings.base_url {
            Some(url) => {
                let config = reference.config("").with_base_url(url.clone());
                ProviderRef::configured(config, reference.model())
                    .map_err(|error| unknown(&error))?
            }
            None => reference,
        };
        let tools = TOOLS.iter().filter_map(|tool| {
            Some(ToolDefinition::new(name(tool.name)?, tool.description, tool.schema()))
        });
        Ok(Self {
            name: settings.name.clone(),
            model: reference
                .completion_model_with(settings.key.clone(), rig_reqwest::ReqwestClient::default()),
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
            let request = CompletionRequest::new(last)
                .preamble(instructions)
                .messages(messages)
                .tools(self.tools.clone())
                .max_tokens(MAXIMUM_TOKENS);
            self.model
                .call(request)
                .await
                .map(|response| answer(&response))
                .map_err(|error| self.error(&error))
        })
    }
}

impl Remote {
    fn error(&self, error: &ProviderError) -> ModelError {
        let status = error.provider_response_status().map(|status| status.as_u16());
        let advice = match status {
            Some(401 | 403) => "; check the key of the model's provider",
            Some(404) => "; check the model's name and base URL",
            Some(429) => "; its limit is used up for now",
            _ => "",
        };
        let reported = error.provider_response_json().ok().flatten();
        let reported = reported.as_ref().and_then(|body| body["error"]["message"].as_str());
        let reason = match (status, reported) {
            (Some(status), Some(reported)) => format!("it answers {status}: {}", short(reported)),
            (Some(status), None) => format!("it answers {status}"),
            (None, _) => short(&error.to_string()),
        };
        let headers = error.provider_response_headers();
        ModelError {
            message: format!("the model `{}` gave no answer: {reason}{advice}", self.name),
            may_pass: error.is_retryable(),
            retry_after: headers
                .and_then(|headers| headers.get("retry-after")?.to_str().ok()?.parse().ok()),
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(300).collect()
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
