//! The health of the instance, for operators.

use axum::{extract::State, response::Response};
use docwright_operations::instance::{self, Instance, ModelHealth, QueueHealth};
use docwright_types::timestamp::Timestamp;
use maud::{Markup, html};

use crate::{
    Dashboard,
    parts::{self, Tone, copied, state},
    project_context::InstancePlace,
    refusal::Refusal,
    words::{self, Done},
};

/// Tests the models that have a host.
pub(super) async fn ask_models(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
) -> Result<Response, Refusal> {
    instance::ask_models(&dashboard.operations, &place.caller.allowed()?).await?;
    Ok(place.person.browser.done(Done::ModelsTested, "/instance"))
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
) -> Result<Response, Refusal> {
    let instance = instance::get(&dashboard.operations, &place.caller.allowed()?).await?;
    let now = dashboard.operations.now();
    let body = html! {
        h1 { (words::INSTANCE) }
        dl.facts {
            dt { (words::VERSION) } dd { (instance.version) }
            dt { (words::ADDRESS) } dd { (copied(&instance.address)) }
        }
        // It is refreshed while the page is open.
        div #health hx-get="/instance" hx-trigger="every 5s" hx-select="#health" hx-swap="outerHTML" {
            h2 { (words::HEALTH) }
            (health(&instance))
            h2 { (words::QUEUES) }
            (queues(&instance.queues))
            h2 { (words::MODELS) }
            ul.rows { @for model in &instance.models { (self::model(now, model)) } }
            @if instance.models.iter().any(|model| model.has_host && model.problem.is_none()) {
                form.actions method="post" action="/instance/models" {
                    button type="submit" { (words::ASK_MODELS) }
                    span.hint { (words::ASK_MODELS_HINT) }
                }
            }
        }
    };
    Ok(place.page("instance", words::INSTANCE, &body))
}

fn health(instance: &Instance) -> Markup {
    let Instance { database, disk, git, .. } = instance;
    html! {
        dl.facts {
            dt { (words::DATABASE) }
            dd {
                @match database.milliseconds {
                    Some(time) => {
                        (state(Tone::Good, words::WELL)) " " span.soft {
                            (words::answered(&database.kind, time)) " · "
                            (words::connections(database.connections, database.maximum_connections))
                        }
                    }
                    None => { (state(Tone::Bad, words::NO_ANSWER)) " " (words::NO_ANSWER_WHY) }
                }
            }
            dt { (words::DISK) }
            dd {
                @match (disk.free_bytes.zip(disk.total_bytes), disk.is_low) {
                    (None, _) => (state(Tone::Waiting, words::DISK_UNKNOWN)),
                    (Some(_), true) => { (state(Tone::Bad, words::DISK_LOW)) " " (words::DISK_LOW_WHY) }
                    (Some(_), false) => (state(Tone::Good, words::WELL)),
                }
                @if let Some((free, total)) = disk.free_bytes.zip(disk.total_bytes) { " " span.soft { (words::room(free, total)) } }
            }
            dt { (words::GIT) }
            dd {
                @match &git.version {
                    Some(version) => { (state(Tone::Good, words::WELL)) " " span.soft { (version) } }
                    None => { (state(Tone::Bad, words::GIT_MISSING)) " " (words::GIT_MISSING_WHY) }
                }
            }
            dt { (words::PREVIEWS_STATE) }
            dd {
                @match &instance.no_previews {
                    None => (state(Tone::Good, words::PREVIEWS_ON)),
                    Some(why) => { (state(Tone::Neutral, words::PREVIEWS_OFF)) " " span.soft { (why) } }
                }
            }
        }
    }
}

fn queues(queues: &[QueueHealth]) -> Markup {
    let of = |queue: &QueueHealth| match queue {
        QueueHealth { is_stuck: true, .. } => state(Tone::Bad, words::QUEUE_STUCK),
        QueueHealth { running: 1.., .. } => state(Tone::Running, words::QUEUE_WORKS),
        QueueHealth { waiting: 1.., .. } => state(Tone::Waiting, words::QUEUE_WAITS),
        _ => state(Tone::Good, words::QUEUE_IDLE),
    };
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::QUEUE) } th { (words::STATE) } th.number { (words::RUNNING) } th.number { (words::WAITING) }
                th.number.minor { (words::DELAYED) } th.number { (words::OLDEST_WAIT) }
            } }
            tbody {
                @for queue in queues {
                    tr {
                        th scope="row" { (words::queue(&queue.kind)) }
                        td { (of(queue)) }
                        td.number { (queue.running) } td.number { (queue.waiting) } td.number.minor { (queue.delayed) }
                        td.number { (words::seconds(queue.oldest_wait_seconds)) }
                    }
                }
            }
        } }
        @if queues.iter().any(|queue| queue.is_stuck) { p.problem { (words::QUEUE_STUCK_WHY) } }
    }
}

fn model(now: Timestamp, model: &ModelHealth) -> Markup {
    let asked = html! { @if let Some(at) = &model.asked_at { (words::ASKED_LAST) " " (parts::at(now, Some(at))) } };
    html! {
        li {
            code { (model.name) }
            @match (&model.problem, &model.failure, model.milliseconds) {
                (Some(problem), ..) => { (state(Tone::Bad, words::MODEL_UNUSABLE)) span.grow.soft { (problem) } }
                (None, Some(failure), _) => {
                    (state(Tone::Bad, words::NO_ANSWER)) span.grow.soft { (failure) } span.soft { (asked) }
                }
                (None, None, Some(time)) => {
                    (state(Tone::Good, words::MODEL_ANSWERS)) span.soft { (words::milliseconds(time)) } span.soft { (asked) }
                }
                (None, None, None) if model.has_host => {
                    (state(Tone::Waiting, words::MODEL_USABLE)) span.soft { (words::MODEL_NOT_ASKED) }
                }
                _ => (state(Tone::Good, words::MODEL_USABLE)),
            }
        }
    }
}
