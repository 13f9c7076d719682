//! Models behind an HTTP API.

use std::{fmt, time::Duration};

use futures::future::BoxFuture;
use reqwest::RequestBuilder;

use super::{
    Model, ModelError, Writer,
    chat::{self, Chat},
    connection::{self, Connection, Failure},
    messages::{self, Messages},
    protocol::{Ending, Protocol, Request},
    provider::{Provider, find, without_secrets},
    reason::ModelHost,
};
use crate::{
    run::{ModelResponse, Turn},
    tools::{TOOLS, Tool},
};

/// A model and its host.
#[derive(Clone)]
pub struct Settings {
    /// `<provider>:<model>`.
    pub name: String,
    /// URL of the host, if it is not the provider's own.
    pub base_url: Option<String>,
    /// Key of the host; empty if none is needed.
    pub key: String,
    /// How long the host can be silent.
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

/// Longest response in tokens, for models that can write that much.
const MAXIMUM_TOKENS: u64 = 16_000;

/// Tokens that a test allows. Some hosts refuse fewer.
const CHECKED_TOKENS: u64 = 64;

/// The version of the Messages protocol.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// A model behind an HTTP API.
pub struct Remote {
    name: String,
    provider: &'static Provider,
    /// The provider's name for the model.
    model: String,
    /// URL of its host.
    base: String,
    key: String,
    pub(super) silence: Duration,
    maximum_tokens: Option<u64>,
    client: reqwest::Client,
}

impl fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Remote").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Remote {
    /// Creates a client for a model, without a request. Fails if the settings can't work.
    pub fn new(settings: &Settings) -> Result<Self, String> {
        let name = &settings.name;
        let unusable = |reason: String| format!("the model `{name}` can't be used: {reason}");
        let (provider, model) = find(name).map_err(unusable)?;
        Ok(Self {
            name: name.clone(),
            provider,
            model: model.to_owned(),
            base: provider.base(settings.base_url.as_deref()).map_err(unusable)?,
            key: settings.key.clone(),
            silence: settings.silence,
            // A host refuses more than its model supports, and knows the limit itself.
            maximum_tokens: provider.needs_key.then_some(MAXIMUM_TOKENS),
            client: connection::client().map_err(unusable)?,
        })
    }
}

impl Model for Remote {
    fn answer<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let limits = (TOOLS, self.maximum_tokens);
            match self.ask(instructions, turns, limits, &mut |_| {}).await? {
                (Ending::Whole, answer) => Ok(answer),
                (Ending::CutOff, _) => Err(self.host().cut_off()),
                (Ending::Refused, _) => Err(self.host().refused()),
            }
        })
    }
}

impl Writer for Remote {
    fn write<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
        maximum_tokens: u64,
        pieces: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<(), ModelError>> {
        Box::pin(async move {
            match self.ask(instructions, turns, (&[], Some(maximum_tokens)), pieces).await? {
                (Ending::Whole | Ending::CutOff, _) => Ok(()),
                (Ending::Refused, _) => Err(self.host().refused()),
            }
        })
    }
}

impl Remote {
    /// Requests one word, to test the host and the key. That costs a few tokens.
    pub async fn check(&self) -> Result<(), ModelError> {
        let turns = [Turn::User("ModelResponse with the word yes.".to_owned())];
        let most = self.maximum_tokens.map(|most| most.min(CHECKED_TOKENS));
        match self.ask("", &turns, (&[], most), &mut |_| {}).await? {
            (Ending::Refused, _) => Err(self.host().refused()),
            (Ending::Whole | Ending::CutOff, _) => Ok(()),
        }
    }

    /// Sends the request, and reads while parts of the response arrive. `pieces` gets those of its text.
    async fn ask(
        &self,
        instructions: &str,
        turns: &[Turn],
        (tools, maximum_tokens): (&[&'static Tool], Option<u64>),
        pieces: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(Ending, ModelResponse), ModelError> {
        let model = &self.model;
        let request = Request { model, instructions, turns, tools, maximum_tokens };
        let mut connection = Connection::new(self.silence);
        let response = match self.provider.protocol {
            Protocol::Chat(dialect) => {
                let body = chat::body(&request, dialect.limit, dialect.reports_usage);
                let request = self.request("/chat/completions").json(&body);
                let mut chat = Chat::default();
                let asked = connection.ask(request, |event| chat.take(event, pieces)).await;
                match asked {
                    // A host can omit the usage after the end, or close the connection late.
                    Err(Failure::Truncated | Failure::Silent) if chat.has_ended() => {
                        Ok(chat.finish())
                    }
                    asked => asked.map(|()| chat.finish()),
                }
            }
            Protocol::Messages => {
                let request = self.request("/v1/messages").json(&messages::body(&request));
                let mut messages = Messages::default();
                let asked = connection.ask(request, |event| messages.take(&event, pieces)).await;
                asked.map(|()| messages.finish())
            }
        };
        response.map_err(|failure| self.host().failed(&failure, self.silence, &connection.reply))
    }

    /// A request with the key, if there is one.
    fn request(&self, path: &str) -> RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.base));
        match self.provider.protocol {
            Protocol::Messages => request
                .header("x-api-key", &self.key)
                .header("anthropic-version", ANTHROPIC_VERSION),
            Protocol::Chat(_) if self.key.is_empty() => request,
            Protocol::Chat(_) => request.bearer_auth(&self.key),
        }
    }

    fn host(&self) -> ModelHost<'_> {
        ModelHost { model: &self.name, address: without_secrets(&self.base), key: &self.key }
    }
}
