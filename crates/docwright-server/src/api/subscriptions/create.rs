//! `POST /v1/subscriptions`.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_domain::notification::{EventKind, Target};
use docwright_flows::notify::is_address;
use docwright_storage::database::{MAXIMUM_SUBSCRIPTIONS, NewSubscription};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::json;
use url::Url;
use utoipa::ToSchema;

use super::{Event, Subscription, shown};
use crate::{
    api::{body::Body, id::Id},
    audit::Change,
    authorize::{Admin, unnamed_organization},
    error::{ApiError, Error},
    state::AppState,
};

/// Longest target. Characters.
const LONGEST_TARGET: usize = 2_000;

/// A subscription that is to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct CreateSubscription {
    /// Where notifications go: a URL that takes webhooks, or `mailto:` and an address.
    #[serde(deserialize_with = "target")]
    #[schema(max_length = 2000, example = "https://hooks.example.com/docwright")]
    target: String,
    /// What it is about. Left out, a URL hears of everything, and a mailbox of failures.
    #[schema(min_items = 1)]
    events: Option<Events>,
    /// The only project that it is about; left out, every project.
    project_id: Option<Id>,
    /// The organisation, for keys of the install; other keys belong to one.
    organization_id: Option<Id>,
}

/// Events, one at least.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(try_from = "Vec<Event>")]
#[schema(value_type = Vec<Event>)]
struct Events(Vec<EventKind>);

impl TryFrom<Vec<Event>> for Events {
    type Error = &'static str;

    fn try_from(events: Vec<Event>) -> Result<Self, &'static str> {
        let mut kinds: Vec<_> = events.into_iter().map(EventKind::from).collect();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.is_empty() {
            return Err("must be an array of at least one event");
        }
        Ok(Self(kinds))
    }
}

fn target<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = |reason: &str| Err(D::Error::custom(reason));
    if text.chars().count() > LONGEST_TARGET {
        return wrong("is longer than 2000 characters; make it shorter");
    }
    match Target::of(&text) {
        Target::Email(address) if is_address(address) => Ok(text),
        Target::Email(_) => wrong("must be an address after `mailto:`, as mailto:ops@example.com"),
        Target::Webhook(url) => match Url::parse(url) {
            Ok(url) if !matches!(url.scheme(), "https" | "http") => {
                wrong("must begin with https://, http:// or mailto:")
            }
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                wrong("holds a name or a password; check the signature instead, and leave them out")
            }
            Ok(url) => Ok(url.to_string()),
            Err(_) => wrong("must be a URL, or `mailto:` and an address"),
        },
    }
}

/// A new subscription, with what is shown once.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatedSubscription {
    #[serde(flatten)]
    subscription: Subscription,
    /// Checks the signatures of what a URL gets. It is not shown again; null for a mailbox.
    #[schema(example = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")]
    secret: Option<String>,
}

/// Create a subscription
///
/// Lets a server or a mailbox hear of what happens. A server gets a POST for each event, signed as the
/// Standard Webhooks specification says; it has 15 seconds to answer with a status of success. What it
/// doesn't take is sent again for three days.
#[utoipa::path(
    post,
    path = "/v1/subscriptions",
    tag = "Notifications",
    operation_id = "createSubscription",
    request_body = CreateSubscription,
    responses(
        (status = 201, description = "The subscription, with its secret", body = CreatedSubscription,
            headers(("Location" = String, description = "Where to find the subscription"))),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The organisation has as many subscriptions as it may", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Admin,
    body: Result<Body<CreateSubscription>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let CreateSubscription { target, events, project_id, organization_id } = body?.value;
    let [project_id, organization_id] =
        [project_id, organization_id].map(|id| id.map(|id| id.as_str().to_owned()));
    // A key that is limited to projects has to name one.
    let organization_id = if let Some(id) = &project_id {
        caller.project(&app, id).await?.organization_id
    } else {
        let found = caller.whole_organization(&app, organization_id.as_deref()).await?;
        found.ok_or_else(unnamed_organization)?.id
    };
    let usual = || {
        let hears = |kind: &EventKind| match Target::of(&target) {
            Target::Webhook(_) => true,
            Target::Email(_) => kind.is_failure(),
        };
        EventKind::ALL.into_iter().filter(hears).collect()
    };
    let events = events.map_or_else(usual, |Events(events)| events);
    let new = NewSubscription {
        organization_id: &organization_id,
        project_id: project_id.as_deref(),
        target: &target,
        events: &events,
    };
    let keyring = &app.repositories.keyring;
    let names: Vec<_> = events.iter().map(|kind| kind.name()).collect();
    let change = Change::of("subscription.create", Some(&organization_id))
        .after(json!({ "target": shown(&target), "events": names, "projectId": project_id }));
    let database = caller.recording(&app, change);
    let created = database.create_subscription(new, keyring, app.now()).await?;
    let (subscription, secret) = created.ok_or_else(|| {
        ApiError::Conflict(format!(
            "This organisation has {MAXIMUM_SUBSCRIPTIONS} subscriptions, which is the most; delete one first."
        ))
    })?;
    let location = format!("/v1/subscriptions/{}", subscription.id);
    let created = CreatedSubscription { subscription: subscription.into(), secret };
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(created)))
}
