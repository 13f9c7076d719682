//! Models that are too slow, or write too much.

use docwright_agent::{models::ModelError, run::Turn};
use futures::future::BoxFuture;
use tokio::{sync::mpsc::UnboundedReceiver, time::sleep};

use super::*;
use crate::links::tests::Files;

const GOOD: &str = "It expires.\n[[1: \"Keys expire after 30 days\"]]\n\nThe";

/// Writes a text, and repeats another one at intervals.
#[derive(Debug)]
struct Dripping {
    first: &'static str,
    drop: &'static str,
    pause: Duration,
}

impl Writer for Dripping {
    fn write<'a>(
        &'a self,
        _: &'a str,
        _: &'a [Turn],
        _: u64,
        pieces: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<(), ModelError>> {
        Box::pin(async move {
            pieces(self.first);
            loop {
                sleep(self.pause).await; // waits: a slow model is slow
                pieces(self.drop);
            }
        })
    }
}

/// The ending, the events, and how long it took.
async fn ask(model: Dripping) -> (Ending, UnboundedReceiver<Event>, Duration) {
    let section = Section {
        page: "keys".to_owned(),
        title: "Keys".to_owned(),
        heading: String::new(),
        anchor: String::new(),
        text: "Keys expire after 30 days.".to_owned(),
    };
    let (events, received) = unbounded_channel();
    let mut sending = Sending { events, sources: Vec::new(), paragraphs: 0 };
    let pages = Files(&["keys.html"]);
    let asking = Asking { model: &model, limits: Limits::default(), pages: &pages };
    let start = Instant::now();
    let ending = asking.ask(&Question::default(), &[section], &mut sending).await;
    let time = start.elapsed(); // waits: the clock is paused
    (ending, received, time)
}

#[tokio::test(start_paused = true)]
async fn model_without_a_paragraph_is_given_up_early() {
    for (first, drop) in [("", ""), ("A text", " without quotes"), ("[", "[")] {
        let (ending, mut received, time) =
            ask(Dripping { first, drop, pause: Duration::from_secs(2) }).await;
        assert!(matches!(&ending, Ending::Nothing(reason) if reason.contains("slow")));
        assert_eq!(time, Limits::default().first);
        assert!(received.try_recv().is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn slow_answer_breaks_off_at_the_end_of_its_time() {
    let (ending, mut received, time) =
        ask(Dripping { first: GOOD, drop: " x", pause: Duration::from_secs(2) }).await;
    assert!(matches!(ending, Ending::BrokeOff(_)));
    assert_eq!(time, Limits::default().total);
    assert_eq!(received.try_recv().unwrap().name(), "source");
    assert_eq!(received.try_recv().unwrap().name(), "paragraph");
    assert!(received.try_recv().is_err(), "the rest is not complete");
}

#[tokio::test(start_paused = true)]
async fn long_text_is_cut_off_and_its_paragraphs_stay() {
    const LINE: &str = "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\n";
    let pause = Duration::from_millis(1);
    let (ending, _, _) = ask(Dripping { first: GOOD, drop: LINE, pause }).await;
    assert!(matches!(ending, Ending::Answered));
    let (ending, _, _) = ask(Dripping { first: "", drop: LINE, pause }).await;
    assert!(matches!(ending, Ending::Nothing(_)));
}
