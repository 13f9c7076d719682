//! The site for agents: a stateless server of the Model Context Protocol over HTTP
//! (<https://modelcontextprotocol.io/specification/2025-06-18/basic/transports>).
//!
//! It reads only what every reader can read, and does only what every reader can do.

mod agent;
mod ask;
mod card;
mod feedback;
mod tools;

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Json,
    extract::Request,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_http::json_rpc::{
    self, Failure, INTERNAL_ERROR, INVALID_PARAMS, Message, VERSIONS, version_for,
};
use docwright_operations::fair_limiter::FairLimiter;
use serde_json::{Value, json};

pub(super) use card::discovery;

use super::{mount::Mount, open_site::OpenSite, shown::Shown};
use agent::Agent;
use tools::Offered;

/// Path of the server.
pub(crate) const PATH: &str = "/mcp";
/// Longest message, in bytes.
const MAXIMUM_MESSAGE: usize = 64 * 1024;

/// Simultaneous requests, in all and of one site: a search can use megabytes of memory.
static TURNS: LazyLock<FairLimiter<u64>> = LazyLock::new(|| FairLimiter::new(4, 3));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers a message to a site.
pub(super) async fn answer(site: &Arc<OpenSite>, mount: Mount<'_>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let agent = Agent::of(&parts);
    let request = Request::from_parts(parts, body);
    let message = match Message::read(request, MAXIMUM_MESSAGE).await {
        Ok(message) => message,
        Err(response) => return *response,
    };
    let id = message.id.clone();
    let assistant = mount.assistant_of(site);
    if let Some((assistant, name)) = assistant
        && tools::is_question(&message.body)
    {
        // The assistant has limits and turns of its own.
        let given = &message.params()["arguments"];
        let outcome = ask::ask((assistant, (name, site)), agent, given).await;
        return Json(json_rpc::response(&id, Ok(tools::result(outcome)))).into_response();
    }
    let feedback = mount.feedback_of(site);
    if let Some((feedback, domain)) = feedback
        && tools::is_feedback(&message.body)
    {
        let given = &message.params()["arguments"];
        let outcome = feedback::submit((feedback, (domain, site)), agent, given).await;
        return Json(json_rpc::response(&id, Ok(tools::result(outcome)))).into_response();
    }
    let offered = Offered { assistant: assistant.is_some(), feedback: feedback.is_some() };
    let site = Arc::clone(site);
    let read = tools::page_to_read(&message.body).filter(|_| site.about().analytics);
    let Some(turn) = TURNS.take(&site.number, PATIENCE).await else {
        let failure = Failure::new(INTERNAL_ERROR, "too many requests; try again soon");
        let later = [(header::RETRY_AFTER, "5")];
        let answer = Json(json_rpc::response(&id, Err(failure)));
        return (StatusCode::SERVICE_UNAVAILABLE, later, answer).into_response();
    };
    let handled = tokio::task::spawn_blocking(move || {
        // Work continues if the client leaves, so the slot is released when the work ends.
        let _turn = turn;
        handle(&site, offered, &message)
    });
    let handled = handled.await;
    let result = handled.unwrap_or_else(|_| {
        Err(Failure::new(INTERNAL_ERROR, "the request was interrupted; try again"))
    });
    let is_read = result.as_ref().is_ok_and(|result| result["isError"] == false);
    let mut response = Json(json_rpc::response(&id, result)).into_response();
    if let Some(page) = read.filter(|_| is_read) {
        response.extensions_mut().insert(Shown::page(&page, true));
    }
    response
}

fn handle(site: &Arc<OpenSite>, offered: Offered, message: &Message) -> Result<Value, Failure> {
    let (method, params) = (message.method()?, message.params());
    match method {
        "initialize" => Ok(initialize(site, params)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools::list(offered) })),
        "tools/call" => tools::call(site, params),
        "resources/list" => Ok(json!({ "resources": tools::resources(site) })),
        "resources/read" => tools::read_resource(site, params),
        _ => Err(json_rpc::unknown_method(method)),
    }
}

fn initialize(site: &OpenSite, params: &Value) -> Value {
    let name = card::name(site);
    json!({
        "protocolVersion": version_for(params),
        "capabilities": { "tools": {}, "resources": {} },
        "serverInfo": card::server(&name),
        "instructions": format!(
            "The documentation of {name}. Search first, then read the pages found. Cite their addresses in answers."
        ),
    })
}
