//! The parent's side of the dialog: it sends messages, and follows those that [`Protocol`] accepts.

use serde::Serialize;
use tokio::time::timeout;

use super::{
    BrokerResponse, ChildFailure,
    confinement::{Applied, Confinement},
    deadline::Deadline,
    frame::{self, FrameError, MAXIMUM_FROM_CHILD, MAXIMUM_TO_CHILD},
    launcher::Caller,
    limits::Limits,
    message::ToChild,
    protocol::{Protocol, Step},
    running::Pipes,
    work::{Request, WorkResponse},
};

/// A dialog with a child that was just started.
#[derive(Debug)]
pub(super) struct Dialog<'a, C> {
    pipes: Pipes,
    protocol: Protocol,
    limits: &'a Limits,
    caller: &'a C,
}

/// Why a dialog has no result.
#[derive(Debug)]
pub(super) enum Break {
    /// The dialog itself shows the reason.
    ChildFailure(ChildFailure),
    /// The pipe ended or failed: the child's exit shows the reason, or else this.
    Ended(FrameError),
}

impl From<ChildFailure> for Break {
    fn from(failure: ChildFailure) -> Self {
        Self::ChildFailure(failure)
    }
}

impl<'a, C: Caller> Dialog<'a, C> {
    pub(super) fn new(pipes: Pipes, limits: &'a Limits, caller: &'a C) -> Self {
        Self { pipes, protocol: Protocol::new(limits.wall_time), limits, caller }
    }

    /// Confines the child, within the time limit of a start.
    pub(super) async fn begin(&mut self, confinement: &Confinement) -> Result<Applied, Break> {
        let limit = self.limits.start_time;
        let begin = async {
            self.send(confinement).await?;
            match self.next().await? {
                Step::Begin(applied) => Ok(applied),
                Step::Fail { message, is_transient } => {
                    Err(ChildFailure::Failed { message, is_transient }.into())
                }
                // The protocol accepts nothing else.
                other => Err(ChildFailure::Protocol(format!("{other:?} overtook it")).into()),
            }
        };
        let late = |_| ChildFailure::Start(std::io::ErrorKind::TimedOut.into());
        timeout(limit, begin).await.map_err(late)?
    }

    /// Makes the child work, within the time limit of the work.
    pub(super) async fn work(&mut self, request: Request) -> Result<WorkResponse, Break> {
        let wall_time = self.limits.wall_time;
        let deadline = Deadline::after(wall_time);
        tokio::select! {
            () = deadline.passed() => Err(ChildFailure::WallTime(wall_time).into()),
            outcome = self.follow(request, &deadline) => outcome,
        }
    }

    async fn follow(
        &mut self,
        request: Request,
        deadline: &Deadline,
    ) -> Result<WorkResponse, Break> {
        self.send(&ToChild::Request(Box::new(request))).await?;
        loop {
            match self.next().await? {
                Step::Report(progress) => self.caller.progress(progress),
                Step::Supply(needs) => {
                    let given = deadline.paused(self.caller.supply(needs)).await;
                    self.supply(given).await?;
                }
                Step::Embed(texts) => {
                    let vectors = deadline.paused(self.caller.embed(texts)).await;
                    self.send(&ToChild::Embedded(vectors.map(|vectors| encode(&vectors)))).await?;
                }
                Step::Finish(answer) => return Ok(answer),
                Step::Fail { message, is_transient } => {
                    return Err(ChildFailure::Failed { message, is_transient }.into());
                }
                // The protocol accepts only one.
                Step::Begin(_) => {}
            }
        }
    }

    async fn supply(&mut self, given: BrokerResponse) -> Result<(), Break> {
        for (address, text) in given.remote_specs {
            for text in frame::parts(&text) {
                let (address, text) = (address.clone(), text.to_owned());
                self.send(&ToChild::Description { address, text }).await?;
            }
        }
        for (address, contents) in given.remote_fonts {
            let contents = hex::encode(contents);
            self.send(&ToChild::Font { address, contents }).await?;
        }
        self.send(&ToChild::BrokerResponse { dates: given.dates, diagnostics: given.diagnostics })
            .await
    }

    async fn next(&mut self) -> Result<Step, Break> {
        match frame::receive(&mut self.pipes.output, MAXIMUM_FROM_CHILD).await {
            Ok(Some(frame)) => Ok(self.protocol.accept(&frame).map_err(ChildFailure::Protocol)?),
            Ok(None) => Err(Break::Ended(FrameError::Truncated)),
            Err(error @ (FrameError::Truncated | FrameError::Pipe(_))) => Err(Break::Ended(error)),
            Err(error) => Err(ChildFailure::Protocol(format!("it sent {error}")).into()),
        }
    }

    async fn send(&mut self, message: &impl Serialize) -> Result<(), Break> {
        match frame::send(&mut self.pipes.input, message, MAXIMUM_TO_CHILD).await {
            Ok(()) => Ok(()),
            Err(error @ FrameError::Pipe(_)) => Err(Break::Ended(error)),
            Err(error) => {
                let message = format!("its input can't be sent to its process: {error}");
                Err(ChildFailure::Failed { message, is_transient: false }.into())
            }
        }
    }
}

/// Vectors as hexadecimal digits: JSON could round their numbers.
fn encode(vectors: &[Vec<f32>]) -> Vec<String> {
    let bytes = |vector: &Vec<f32>| vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    vectors.iter().map(|vector| hex::encode::<Vec<u8>>(bytes(vector))).collect()
}
