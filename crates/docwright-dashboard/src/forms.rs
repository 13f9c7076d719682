//! Parsing of forms. Errors about missing or invalid fields are shown to users.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use docwright_operations::{
    OperationError,
    fields::{Revision, field},
};
use serde::de::DeserializeOwned;

use super::{refusal::Refusal, words};

/// The fields of a form. If several have the same name, `T` is a list of pairs.
#[derive(Debug)]
pub(super) struct Form<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Form<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|error| Refusal::Invalid(format!("{}.", error.body_text())))?;
        let pairs = url::form_urlencoded::parse(&bytes);
        if pairs.clone().any(|(name, value)| name.contains('\0') || value.contains('\0')) {
            return Err(Refusal::Invalid(words::NUL.to_owned()));
        }
        let read = T::deserialize(serde_urlencoded::Deserializer::new(pairs));
        read.map(Self).map_err(|error| Refusal::Invalid(format!("{error}.")))
    }
}

/// Reads the revision of the record that the form was filled in from. Other programs can leave it out.
pub(super) fn revision(sent: Option<&str>) -> Result<Option<Revision>, OperationError> {
    sent.map(|text| field("revision", text)).transpose()
}

/// Why a form is shown again.
pub(super) struct FormProblem {
    pub(super) sentence: String,
    /// Whether someone else changed the record since.
    pub(super) is_stale: bool,
}

/// Whether an update was refused because the record has a newer revision than the form.
pub(super) fn is_stale(refusal: &Refusal, sent: Option<&str>, current: i64) -> bool {
    matches!(refusal, Refusal::Conflict(_)) && sent.is_some_and(|sent| sent != current.to_string())
}
