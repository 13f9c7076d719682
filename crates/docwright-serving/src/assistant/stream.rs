//! The stream of an answer. The answer is written while the stream is read, so a client that closes its connection ends
//! it, with the request to the model.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    http::{HeaderName, HeaderValue, header},
    response::{
        IntoResponse, Response, Sse,
        sse::{self, KeepAlive},
    },
};
use docwright_assistant::{Assistant, Event, Question, answer as answer_question};
use docwright_operations::fair_limiter::Turn;
use futures::{
    FutureExt, Stream, StreamExt,
    future::{BoxFuture, Fuse},
    stream::{self, BoxStream},
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{answer_meter::AnswerMeter, kept::KeptQuestion};
use crate::site::SitePages;

/// How long a connection stays silent. Proxies often close those that are silent for a minute, and a client that left
/// is noticed by then.
const SILENCE: Duration = Duration::from_secs(10);

/// The events of an answer. Its turn ends with the stream.
pub(super) fn events(
    assistant: Assistant,
    pages: SitePages,
    question: Question,
    (kept, meter, turn): (Option<KeptQuestion>, AnswerMeter, Turn<String>),
) -> BoxStream<'static, Event> {
    let (events, received) = unbounded_channel();
    let writing =
        async move { answer_question(&assistant, Arc::new(pages), question, events).await };
    let answering =
        Answering { writing: writing.boxed().fuse(), received, kept, meter, _turn: turn };
    answering.stream().boxed()
}

/// The response with the events of an answer.
pub(super) fn response(events: BoxStream<'static, Event>) -> Response {
    let keep_alive = KeepAlive::new().interval(SILENCE);
    let text = HeaderValue::from_static;
    let headers = [
        (header::CACHE_CONTROL, text("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, text("nosniff")),
        // Proxies that collect responses would delay the events.
        (HeaderName::from_static("x-accel-buffering"), text("no")),
    ];
    let written = events.map(|event| Ok::<_, Infallible>(written(&event)));
    let mut response = Sse::new(written).keep_alive(keep_alive).into_response();
    for (name, value) in headers {
        response.headers_mut().insert(name, value);
    }
    response
}

/// An answer under way.
struct Answering {
    writing: Fuse<BoxFuture<'static, ()>>,
    received: UnboundedReceiver<Event>,
    /// The question as it is stored after its answer, if this site stores questions.
    kept: Option<KeptQuestion>,
    meter: AnswerMeter,
    _turn: Turn<String>,
}

impl Answering {
    fn stream(self) -> impl Stream<Item = Event> + Send + 'static {
        stream::unfold(self, |mut answering| async move {
            loop {
                tokio::select! {
                    biased;
                    event = answering.received.recv() => {
                        let mut event = event?;
                        answering.meter.observe(&event);
                        if let Some(kept) = &mut answering.kept {
                            kept.observe(&mut event);
                        }
                        return Some((event, answering));
                    }
                    // What it sent before it ended is received next.
                    () = &mut answering.writing => {}
                }
            }
        })
    }
}

fn written(event: &Event) -> sse::Event {
    let data = serde_json::to_string(event).unwrap_or_default();
    sse::Event::default().event(event.name()).data(data)
}
