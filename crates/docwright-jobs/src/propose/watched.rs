//! A model of an agent job whose outages are noticed for the project of the job.

use docwright_agent::{
    driver::Backend,
    models::{Model, ModelError},
    run::{ModelResponse, Turn},
};
use docwright_storage::DependencyWatch;
use docwright_types::problem::ProblemKind;
use futures::future::BoxFuture;

use super::models::failure;

#[derive(Debug)]
struct WatchedModel {
    model: Box<dyn Model>,
    name: String,
    project_id: String,
    watch: DependencyWatch,
}

/// The same backend, whose outages are noticed.
pub(super) fn watched(
    backend: Backend,
    (name, project_id): (&str, &str),
    watch: &DependencyWatch,
) -> Backend {
    match backend {
        Backend::Model(model) => Backend::Model(Box::new(WatchedModel {
            model,
            name: name.to_owned(),
            project_id: project_id.to_owned(),
            watch: watch.clone(),
        })),
        Backend::Unusable(reason) => {
            watch.failed(ProblemKind::Model, (name, project_id), reason.clone());
            Backend::Unusable(reason)
        }
        other => other,
    }
}

impl Model for WatchedModel {
    fn answer<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let answered = self.model.answer(instructions, turns).await;
            match &answered {
                Ok(_) => self.watch.worked(ProblemKind::Model, &self.name),
                Err(ModelError { outage: Some(outage), .. }) => {
                    let noticed = (self.name.as_str(), self.project_id.as_str());
                    self.watch.failed(
                        ProblemKind::Model,
                        noticed,
                        failure(&self.name, outage.reason()),
                    );
                }
                // Another request can succeed.
                Err(_) => {}
            }
            answered
        })
    }
}
