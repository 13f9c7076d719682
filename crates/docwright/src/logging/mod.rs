//! Logs on standard error: one JSON object per line for programs, plain lines on a terminal.

mod fields;
mod line;

use std::io::{self, IsTerminal, Write};

use tracing::{Event, Subscriber, span};
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    layer::Context,
    layer::SubscriberExt,
    registry::{LookupSpan, Scope},
    util::SubscriberInitExt,
};

use fields::Fields;
use line::Form;

/// Starts logging to standard error. `RUST_LOG` sets the level, of all or of parts: `info,sqlx=debug`.
pub(crate) fn start() {
    let wanted = std::env::var("RUST_LOG").ok().filter(|wanted| !wanted.is_empty());
    let filter = wanted.as_deref().map(str::parse::<Targets>);
    let usual = || Targets::new().with_default(LevelFilter::INFO);
    let form = if io::stderr().is_terminal() { Form::Plain } else { Form::Json };
    let (filter, problem) = match filter {
        None => (usual(), None),
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (usual(), Some(error)),
    };
    // A second start, in tests, changes nothing.
    drop(tracing_subscriber::registry().with(filter).with(Lines { form }).try_init());
    if let Some(error) = problem {
        tracing::warn!(%error, "RUST_LOG can't be read, so `info` and above are logged");
    }
}

/// Writes a line for each event, with the fields of the spans that it is in.
#[derive(Debug)]
struct Lines {
    form: Form,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, span: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        if let Some(known) = context.span(id) {
            let mut fields = Fields::default();
            span.record(&mut fields);
            known.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        for span in context.event_scope(event).into_iter().flat_map(Scope::from_root) {
            if let Some(known) = span.extensions().get::<Fields>() {
                fields.extend(known);
            }
        }
        event.record(&mut fields);
        let line = self.form.line(event.metadata(), fields);
        // An error of writing logs can't be reported.
        drop(io::stderr().lock().write_all(line.as_bytes()));
    }
}
