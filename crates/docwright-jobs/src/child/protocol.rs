//! The allowed messages of a child and their order: a hello, then at most one request for data, then progress that
//! only grows and texts to embed, then one result. Everything else is an error, since the compiled repository can
//! control the child.

use std::time::Duration;

use docwright_site::embedding::{BATCH, MAXIMUM_SECTIONS, MAXIMUM_TEXT};

use super::{
    confinement::Applied,
    message::{BrokerRequest, FromChild, Progress},
    work::{MAXIMUM_DESCRIPTIONS, WorkResponse},
};
use crate::remote_specs::MAXIMUM_FONTS;

/// Bytes of all frames of a child.
const MAXIMUM_BYTES: usize = 64 * 1024 * 1024;
/// Frames that a child can send without a rate limit.
const FRAMES: u32 = 1000;
/// Additional frames for each second of the time limit: twice as many as a normal child reports.
const FRAMES_A_SECOND: u32 = 20;
/// Files whose dates can be requested: as many as a docs root can have.
const MAXIMUM_DATES: usize = docwright_site::source::Limits::DEFAULT.files;

/// State of a dialog.
#[derive(Debug)]
pub(super) struct Protocol {
    frames_left: u32,
    bytes_left: usize,
    said_hello: bool,
    said_needs: bool,
    texts_left: usize,
    progress: Option<Progress>,
}

/// The parent's next step.
#[derive(Debug)]
pub(super) enum Step {
    /// Send the request.
    Begin(Applied),
    /// Report the progress.
    Report(Progress),
    /// Get this data, and send it.
    Supply(BrokerRequest),
    /// Take the answer.
    Finish(WorkResponse),
    /// Embed these texts, and send their vectors.
    Embed(Vec<String>),
    /// The work failed.
    Fail { message: String, is_transient: bool },
}

impl Protocol {
    /// The start of a dialog with this time limit.
    pub(super) fn new(wall_time: Duration) -> Self {
        let seconds = u32::try_from(wall_time.as_secs()).unwrap_or(u32::MAX);
        Self {
            frames_left: FRAMES.saturating_add(seconds.saturating_mul(FRAMES_A_SECOND)),
            bytes_left: MAXIMUM_BYTES,
            said_hello: false,
            said_needs: false,
            texts_left: MAXIMUM_SECTIONS,
            progress: None,
        }
    }

    /// Reads the next frame. An error says how the child broke the protocol.
    pub(super) fn accept(&mut self, frame: &[u8]) -> Result<Step, String> {
        let frames = self.frames_left.checked_sub(1).ok_or("it sent too many frames")?;
        let bytes = self.bytes_left.checked_sub(frame.len()).ok_or("it sent too many bytes")?;
        (self.frames_left, self.bytes_left) = (frames, bytes);
        let message = serde_json::from_slice(frame)
            .map_err(|error| format!("it sent a frame that can't be understood ({error})"))?;
        match message {
            FromChild::Failed { message, is_transient } => Ok(Step::Fail { message, is_transient }),
            FromChild::Hello(hello) if !self.said_hello => {
                let own = env!("CARGO_PKG_VERSION");
                if hello.version != own {
                    return Err(format!("it is version {}, not {own}", hello.version));
                }
                self.said_hello = true;
                Ok(Step::Begin(hello.applied))
            }
            FromChild::Hello(_) => Err("it said hello twice".to_owned()),
            _ if !self.said_hello => Err("it did not say hello first".to_owned()),
            FromChild::BrokerRequest(needs) => self.accept_needs(needs).map(Step::Supply),
            FromChild::Progress(progress) => self.accept_progress(progress).map(Step::Report),
            FromChild::Embed(texts) => {
                // Their number and lengths have limits of their own.
                self.bytes_left += frame.len();
                self.accept_texts(texts).map(Step::Embed)
            }
            FromChild::Done(answer) => Ok(Step::Finish(answer)),
        }
    }

    fn accept_needs(&mut self, needs: BrokerRequest) -> Result<BrokerRequest, String> {
        if self.said_needs || self.progress.is_some() {
            return Err("it asked for dates and descriptions too late or twice".to_owned());
        }
        if needs.remote_specs.len() > MAXIMUM_DESCRIPTIONS
            || needs.remote_fonts.len() > MAXIMUM_FONTS
            || needs.dates.len() > MAXIMUM_DATES
        {
            return Err("it asked for too many dates, descriptions, or fonts".to_owned());
        }
        self.said_needs = true;
        Ok(needs)
    }

    fn accept_texts(&mut self, texts: Vec<String>) -> Result<Vec<String>, String> {
        let left = self.texts_left.checked_sub(texts.len());
        let is_long = |text: &String| text.len() > MAXIMUM_TEXT;
        match left {
            Some(left) if texts.len() <= BATCH && !texts.iter().any(is_long) => {
                self.texts_left = left;
                Ok(texts)
            }
            _ => Err("it sent too many or too long texts to embed".to_owned()),
        }
    }

    fn accept_progress(&mut self, progress: Progress) -> Result<Progress, String> {
        let Progress { rendered, total } = progress;
        let last = self.progress.unwrap_or(Progress { rendered: 0, total });
        if rendered > total || rendered < last.rendered || total != last.total {
            let Progress { rendered: before, total: of } = last;
            return Err(format!(
                "it rendered {rendered} of {total} pages after {before} of {of}, which can't be"
            ));
        }
        self.progress = Some(progress);
        Ok(progress)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn accept(protocol: &mut Protocol, message: &serde_json::Value) -> Result<Step, String> {
        protocol.accept(message.to_string().as_bytes())
    }

    fn hello() -> serde_json::Value {
        let applied = json!({ "files": "full", "system_calls": "full" });
        json!({ "Hello": { "version": env!("CARGO_PKG_VERSION"), "applied": applied } })
    }

    fn progress(rendered: usize, total: usize) -> serde_json::Value {
        json!({ "Progress": { "rendered": rendered, "total": total } })
    }

    fn needs(count: usize) -> serde_json::Value {
        let addresses = vec!["https://e.org"; count];
        json!({ "BrokerRequest": { "dates": [], "remote_specs": addresses, "remote_fonts": [] } })
    }

    fn fonts(count: usize) -> serde_json::Value {
        let addresses = vec!["https://e.org"; count];
        json!({ "BrokerRequest": { "dates": [], "remote_specs": [], "remote_fonts": addresses } })
    }

    /// Sends the messages in order; returns the result of the last one, and expects the others to be valid.
    fn last(messages: &[serde_json::Value]) -> Result<Step, String> {
        let mut protocol = Protocol::new(Duration::from_secs(1));
        let (last, first) = messages.split_last().unwrap();
        for message in first {
            accept(&mut protocol, message).unwrap();
        }
        accept(&mut protocol, last)
    }

    #[test]
    fn valid_messages_are_accepted() {
        assert!(matches!(last(&[hello()]), Ok(Step::Begin(_))));
        assert!(matches!(last(&[hello(), needs(100)]), Ok(Step::Supply(_))));
        let steps = [hello(), needs(0), progress(0, 2), progress(0, 2), progress(2, 2)];
        assert!(matches!(last(&steps), Ok(Step::Report(Progress { rendered: 2, total: 2 }))));
        let done = json!({ "Done": { "Paths": [] } });
        assert!(matches!(last(&[hello(), done]), Ok(Step::Finish(WorkResponse::Paths(_)))));
        let failed = json!({ "Failed": { "message": "x", "is_transient": true } });
        assert!(matches!(last(&[failed]), Ok(Step::Fail { is_transient: true, .. })));
    }

    #[test]
    fn invalid_messages_are_refused() {
        let old = json!({ "Hello": { "version": "0.0.0", "applied": { "files": "full", "system_calls": "full" } } });
        for (messages, problem) in [
            (vec![old], "it is version 0.0.0"),
            (vec![hello(), hello()], "hello twice"),
            (vec![progress(0, 1)], "not say hello"),
            (vec![hello(), needs(1), needs(1)], "twice"),
            (vec![hello(), progress(0, 1), needs(1)], "too late"),
            (vec![hello(), needs(101)], "too many"),
            (vec![hello(), fonts(3)], "too many"),
            (vec![hello(), progress(2, 1)], "2 of 1"),
            (vec![hello(), progress(2, 3), progress(1, 3)], "1 of 3 pages after 2 of 3"),
            (vec![hello(), progress(2, 3), progress(2, 4)], "2 of 4"),
            (vec![hello(), json!({ "Run": {} })], "can't be understood"),
            (vec![hello(), json!("x")], "can't be understood"),
        ] {
            let found = last(&messages).unwrap_err();
            assert!(found.contains(problem), "{messages:?}: {found}");
        }
    }

    #[test]
    fn texts_to_embed_are_limited() {
        let texts =
            |count: usize, length: usize| json!({ "Embed": vec!["x".repeat(length); count] });
        assert!(matches!(last(&[hello(), texts(BATCH, MAXIMUM_TEXT)]), Ok(Step::Embed(_))));
        for hostile in [texts(BATCH + 1, 1), texts(1, MAXIMUM_TEXT + 1)] {
            assert!(last(&[hello(), hostile]).unwrap_err().contains("to embed"));
        }
        assert!(last(&[texts(1, 1)]).unwrap_err().contains("hello"));
        let mut protocol = Protocol::new(Duration::from_mins(10));
        accept(&mut protocol, &hello()).unwrap();
        for _ in 0..MAXIMUM_SECTIONS / BATCH {
            accept(&mut protocol, &texts(BATCH, 1)).unwrap();
        }
        assert!(accept(&mut protocol, &texts(BATCH, 1)).unwrap_err().contains("to embed"));
    }

    #[test]
    fn floods_are_cut_off() {
        let mut messages = vec![hello()];
        messages.resize(1020, progress(0, 1));
        assert!(last(&messages).is_ok());
        messages.push(progress(0, 1));
        assert!(last(&messages).unwrap_err().contains("too many frames"));
        let mut protocol = Protocol::new(Duration::from_secs(1));
        let long =
            json!({ "Failed": { "message": "x".repeat(MAXIMUM_BYTES), "is_transient": true } });
        assert!(accept(&mut protocol, &long).unwrap_err().contains("too many bytes"));
    }
}
