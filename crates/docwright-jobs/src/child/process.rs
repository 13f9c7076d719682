//! The child's side: confine itself, read the request, work, answer.
//!
//! Owns the child's ends of the pipes. [`super::work`] does the work.

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};

use docwright_site::build;

use super::{
    confinement::{self, Confinement},
    frame::{self, FrameError, MAXIMUM_FROM_CHILD, MAXIMUM_TO_CHILD},
    message::{BrokerRequest, BrokerResponse, FromChild, Hello, Progress, ToChild},
    work::{Failure, perform},
};

/// Shortest time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Runs this process as a child of [`Launcher`](super::Launcher). Call it before any thread is
/// started.
pub fn run() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}; docwright starts this command internally");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), FrameError> {
    let read = frame::read::<Confinement>(&mut io::stdin().lock(), confinement::MAXIMUM)?;
    let confinement = read.ok_or(FrameError::Truncated)?;
    let applied = confinement.apply();
    let parent = Parent::new(confinement.limits.output_size);
    match applied {
        Ok(applied) => {
            let version = env!("CARGO_PKG_VERSION").to_owned();
            parent.say(&FromChild::Hello(Hello { version, applied }))?;
        }
        Err(error) => return parent.say(&cannot_confine(&error)),
    }
    let first = frame::read(&mut io::stdin().lock(), MAXIMUM_TO_CHILD)?;
    let Some(ToChild::Request(request)) = first else { return Err(FrameError::Truncated) };
    parent.listen();
    let message = match perform(*request, &parent) {
        Ok(answer) => FromChild::Done(answer),
        Err(Failure { message, is_transient }) => FromChild::Failed { message, is_transient },
    };
    match parent.say(&message) {
        Err(FrameError::TooLong { .. }) => parent.say(&too_long()),
        said => said,
    }
}

fn cannot_confine(error: &io::Error) -> FromChild {
    // The cause can name a folder of this machine, so it is only logged.
    eprintln!("error: the process can't be confined: {error}");
    let message = "its process can't be confined; ask the operator to check the server log";
    FromChild::Failed { message: message.to_owned(), is_transient: true }
}

fn too_long() -> FromChild {
    let mebibytes = MAXIMUM_FROM_CHILD / 1024 / 1024;
    let message = format!("the result exceeds {mebibytes} MiB; fix some errors and warnings first");
    FromChild::Failed { message, is_transient: false }
}

/// The parent, for the work.
#[derive(Debug)]
pub(super) struct Parent {
    output: Mutex<Output>,
    sender: Sender<ToChild>,
    received: Mutex<Receiver<ToChild>>,
    output_size: u64,
}

#[derive(Debug)]
struct Output {
    pipe: io::Stdout,
    reported: Option<(Instant, Progress)>,
}

impl Parent {
    fn new(output_size: u64) -> Self {
        let (sender, received) = channel();
        let output = Mutex::new(Output { pipe: io::stdout(), reported: None });
        Self { output, sender, received: Mutex::new(received), output_size }
    }

    /// Output limit in bytes.
    pub(super) fn output_size(&self) -> u64 {
        self.output_size
    }

    /// Reports the progress of a build to the parent, from any thread.
    pub(super) fn report(&self, step: build::Progress) {
        let progress = Progress { rendered: step.rendered, total: step.total };
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((time, last)) = output.reported {
            // Threads arrive in any order.
            let is_older = progress.rendered <= last.rendered;
            let is_last = progress.rendered == progress.total;
            if is_older || (!is_last && time.elapsed() < REPORT_EVERY) {
                return;
            }
        }
        output.reported = Some((Instant::now(), progress));
        // If the parent is gone, `listen` ends this process.
        drop(output.say(&FromChild::Progress(progress)));
    }

    /// Requests data that only the parent can get, and waits for it.
    pub(super) fn ask(&self, needs: BrokerRequest) -> Result<BrokerResponse, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure {
            message: format!("dates, descriptions, and fonts can't be asked for: {error}"),
            is_transient: false,
        };
        self.say(&FromChild::BrokerRequest(needs)).map_err(|error| failed(&error))?;
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let mut given = BrokerResponse::default();
        loop {
            match received.recv().map_err(|error| failed(&error))? {
                ToChild::Description { address, text } => match given.remote_specs.last_mut() {
                    Some((known, spec)) if *known == address => spec.push_str(&text),
                    _ => given.remote_specs.push((address, text)),
                },
                ToChild::Font { address, contents } => {
                    let contents = hex::decode(contents).map_err(|error| failed(&error))?;
                    given.remote_fonts.push((address, contents));
                }
                ToChild::BrokerResponse { dates, diagnostics } => {
                    return Ok(BrokerResponse { dates, diagnostics, ..given });
                }
                ToChild::Request(_) | ToChild::Embedded(_) => {
                    return Err(failed(&"something else came instead"));
                }
            }
        }
    }

    /// Sends texts, and waits for their vectors. Only one thread can do so at a time.
    pub(super) fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        self.say(&FromChild::Embed(texts)).map_err(|error| error.to_string())?;
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        match received.recv() {
            Ok(ToChild::Embedded(vectors)) => {
                vectors?.iter().map(|digits| decode(digits)).collect()
            }
            Ok(_) => Err("something else came instead of vectors".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn say(&self, message: &FromChild) -> Result<(), FrameError> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).say(message)
    }

    /// Reads frames from now on, and ends this process when the parent is gone: a killed parent could not end it.
    fn listen(&self) {
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            while let Ok(Some(message)) = frame::read(&mut input, MAXIMUM_TO_CHILD) {
                if sender.send(message).is_err() {
                    break;
                }
            }
            std::process::exit(1);
        });
    }
}

impl Output {
    fn say(&mut self, message: &FromChild) -> Result<(), FrameError> {
        let frame = frame::encode(message, MAXIMUM_FROM_CHILD)?;
        self.pipe.write_all(&frame)?;
        Ok(self.pipe.flush()?)
    }
}

/// The numbers of a vector.
fn decode(digits: &str) -> Result<Vec<f32>, String> {
    let bytes = hex::decode(digits).map_err(|error| error.to_string())?;
    let numbers = bytes.chunks_exact(4);
    Ok(numbers.map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
}
